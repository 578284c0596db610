"""What it says it sees: how often responses describe an image, and which patterns and modes they show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from snellen.grading.claims.parser import Claim, read_claims
from snellen.grading.columns import Integers
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.evidence.tags import Tagged, columns, tags_at
from snellen.report.figures.forests import Forest, Number, anchor_of, forest, number
from snellen.report.sections.tests import by_benchmark
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import BIT, MODES, PATTERNS, TAGS, Tag, tag_measure, unseen

CASES = 2
"""Questions shown for each pattern."""


@dataclass(frozen=True)
class CaseView:
    """One arm of the question: the response in pieces, and what is known of it."""

    arm: str
    saying: Saying
    marked: Marked
    notices: bool
    hedges: bool
    tags: tuple[Tagged, ...]


@dataclass(frozen=True)
class TaggedCase:
    """One question in one run of one model, under every arm it was asked."""

    model: str
    item_id: str
    run: int
    shows: tuple[Tag, ...]
    views: tuple[CaseView, ...]


def cases(evidence: Evidence, benchmark: str) -> list[TaggedCase]:
    """A few questions for every pattern that was found where there was nothing to see, chosen by a hash."""
    chosen: dict[tuple[str, int, int], list[Tag]] = {}
    for tag in PATTERNS:
        for address, place in first_by_hash(evidence, _showing(evidence, benchmark, tag), CASES):
            grades = evidence.grades(address)
            run = address.model, int(grades.ordinal[place]), int(grades.replicate[place])
            chosen.setdefault(run, []).append(tag)
    places = {run: _places(evidence, benchmark, run) for run in chosen}
    for those in places.values():
        for address, place in those.items():
            evidence.expect(address, [place])
    return [_case(evidence, run, places[run], tuple(tags)) for run, tags in chosen.items()]


def _showing(evidence: Evidence, benchmark: str, tag: Tag) -> dict[ArmAddress, Integers]:
    """Where responses show a tag though there was nothing to see."""
    found = {}
    for address in evidence.anchors:
        if address.benchmark == benchmark and unseen(address.arm):
            bits = np.bitwise_or.reduce(list(columns(evidence, address).values()))
            found[address] = np.flatnonzero(bits & BIT[tag.name])
    return found


def _places(evidence: Evidence, benchmark: str, run: tuple[str, int, int]) -> dict[ArmAddress, int]:
    """Where the responses of one run to one item stand, the arms with an image first."""
    model, ordinal, replicate = run
    found = {}
    for arm in sorted(_arms(evidence, model, benchmark), key=unseen):
        address = ArmAddress(model, benchmark, arm)
        grades = evidence.grades(address)
        at = np.flatnonzero((grades.ordinal == ordinal) & (grades.replicate == replicate))
        if len(at):
            found[address] = int(at[0])
    return found


def _arms(evidence: Evidence, model: str, benchmark: str) -> list[str]:
    """The arms without an image, and those they are held against."""
    arms = evidence.results.tables[model, benchmark].arms
    blind = [arm for arm in arms if unseen(arm)]
    held = {evidence.baselines.get(arm, "") for arm in blind}
    return [arm for arm in arms if arm in held or arm in blind]


def _case(
    evidence: Evidence, run: tuple[str, int, int], places: dict[ArmAddress, int], tags: tuple[Tag, ...]
) -> TaggedCase:
    views = tuple(_view(evidence, address, place) for address, place in places.items())
    return TaggedCase(run[0], views[0].saying.item.id, run[2] + (0 if evidence.imported else 1), tags, views)


def _view(evidence: Evidence, address: ArmAddress, place: int) -> CaseView:
    saying = evidence.sayings(address, [place])[place]
    said = evidence.grades(address).rationales
    return CaseView(
        arm=address.arm,
        saying=saying,
        marked=marked(saying),
        notices=bool(said.notices[place]) if said else False,
        hedges=bool(said.hedges[place]) if said else False,
        tags=tags_at(evidence, address, place, TAGS),
    )


HEADINGS = {"Patterns in what it says": PATTERNS, "Modes: where it goes wrong, and what that does": MODES}


@dataclass(frozen=True)
class TagCell:
    """One model under one arm: how many of its responses show a tag, and the rate over items."""

    arm: str
    count: int
    of: int
    number: Number


@dataclass(frozen=True)
class TagLine:
    """One tag by one source, over the models, and the other tags that the same responses show."""

    tagged: Tagged
    cells: tuple[tuple[TagCell, ...], ...]
    aliases: tuple[Tagged, ...] = ()


@dataclass(frozen=True)
class WhatItSees:
    """What the models say they see, on one benchmark."""

    benchmark: str
    models: tuple[str, ...]
    forests: tuple[Forest, ...]
    tables: tuple[tuple[str, tuple[TagLine, ...]], ...]
    never: tuple[str, ...]
    """The tags that no response of any model shows, though somebody looked for them."""
    cases: tuple[TaggedCase, ...]
    judging: str
    """Why there is no judge's opinion, in words; nothing where there is one."""


def sights(evidence: Evidence) -> list[WhatItSees]:
    """A part for every benchmark on which a test asked what the responses describe."""
    found = [each for each in evidence.results.findings if each.test.headline == "described_rate" and each.measures]
    return [_sight(evidence, findings) for findings in by_benchmark(found).values()]


def _sight(evidence: Evidence, found: Sequence[Finding]) -> WhatItSees:
    # A benchmark has one such test as a rule; of several, each model's first stands for it.
    findings = list({each.model: each for each in reversed(found)}.values())[::-1]
    looked_for = [_looked_for(evidence, findings, tag, by) for tag in TAGS for by in ("rule", "judge")]
    lines, never = once_each([each for each in looked_for if each is not None])
    tables = [(heading, tuple(line for line in lines if line.tagged.tag in tags)) for heading, tags in HEADINGS.items()]
    return WhatItSees(
        benchmark=findings[0].benchmark,
        models=tuple(each.model for each in findings),
        forests=tuple(_forests(evidence, findings)),
        tables=tuple((heading, lines) for heading, lines in tables if lines),
        never=never,
        cases=tuple(cases(evidence, findings[0].benchmark)),
        judging=_judging(evidence, findings),
    )


def _judging(evidence: Evidence, findings: Sequence[Finding]) -> str:
    tables = [evidence.results.tables[each.model, each.benchmark] for each in findings]
    said = [grades.rationales for table in tables for grades in table.arms.values() if grades.rationales is not None]
    if any(each.heard.any() for each in said):
        return ""
    if any(table.judge for table in tables):
        return "a judge was asked, and none of its answers could be read"
    return "no judge was asked here"


def _forests(evidence: Evidence, findings: Sequence[Finding]) -> list[Forest]:
    """How often the models notice that there is nothing to see; what they describe is drawn with the test."""
    arms = dict.fromkeys(measure.arm for finding in findings for measure in finding.measures if unseen(measure.arm))
    plots = (forest(findings, arm, "notice_rate", evidence=evidence, label=lambda each: each.model) for arm in arms)
    return [plot for plot in plots if plot is not None]


class LookedFor(NamedTuple):
    """A line, and the responses that it counts: for each model and arm, which show the tag."""

    line: TagLine
    responses: tuple[tuple[str, str, bytes], ...]


def _looked_for(evidence: Evidence, findings: Sequence[Finding], tag: Tag, by: str) -> LookedFor | None:
    """A tag by one source; None where this source cannot give it or was not asked."""
    cells = tuple(_cells(evidence, finding, tag, by) for finding in findings)
    if not any(cells):
        return None
    places = [
        (finding.model, cell.arm, ArmAddress(finding.model, finding.benchmark, cell.arm))
        for finding, some in zip(findings, cells, strict=True)
        for cell in some
    ]
    shown = ((model, arm, columns(evidence, address)[by] & BIT[tag.name] != 0) for model, arm, address in places)
    return LookedFor(TagLine(Tagged(tag, by), cells), tuple((model, arm, bits.tobytes()) for model, arm, bits in shown))


def once_each(looked_for: Sequence[LookedFor]) -> tuple[list[TagLine], tuple[str, ...]]:
    """Each count once, with the other names that the same responses have; and the names that no response has."""
    made: dict[tuple[object, ...], TagLine] = {}
    never = []
    for line, responses in looked_for:
        by = line.tagged.by
        if not any(cell.count for cells in line.cells for cell in cells):
            never.append(line.tagged.tag.name if by == "rule" else f"{line.tagged.tag.name} ({line.tagged.words})")
        elif (key := (by, responses)) in made:
            made[key] = replace(made[key], aliases=(*made[key].aliases, line.tagged))
        else:
            made[key] = line
    return list(made.values()), tuple(never)


def _cells(evidence: Evidence, finding: Finding, tag: Tag, by: str) -> tuple[TagCell, ...]:
    """The counts of one tag under every arm that has it measured."""
    name = tag_measure(tag.name, by)
    made = []
    for measure in finding.measures:
        if measure.name == name:
            address = ArmAddress(finding.model, finding.benchmark, measure.arm)
            bits = columns(evidence, address)[by]
            said = evidence.grades(address).rationales
            of = int(said.heard.sum()) if by == "judge" and said is not None else len(bits)
            printed = number(measure, anchor_of(finding, measure.arm, evidence.anchors))
            made.append(TagCell(measure.arm, int(np.count_nonzero(bits & BIT[tag.name])), of, printed))
    return tuple(made)


LONGEST = 2400
"""Characters shown of one response."""


class Piece(NamedTuple):
    """A stretch of a response; `kind` is empty where it claims nothing."""

    text: str
    kind: str = ""


class Marked(NamedTuple):
    """A response and the thinking before it, in pieces, and how many characters were left off each."""

    text: tuple[Piece, ...]
    reasoning: tuple[Piece, ...]
    text_cut: int
    reasoning_cut: int


def marked(saying: Saying, *, limit: int = LONGEST) -> Marked:
    """The response with its claims set apart, read as the counts read it: thinking and response together."""
    reasoning, text = saying.reply.reasoning, saying.reply.text
    said = f"{reasoning}\n\n{text}" if reasoning else text
    begins = len(said) - len(text)
    claims = read_claims(said, f"{saying.item.context}\n{saying.item.question}")
    moved = [claim._replace(start=claim.start - begins, end=claim.end - begins) for claim in claims]
    return Marked(
        cut(text[:limit], moved),
        cut(reasoning[:limit], claims),
        max(0, len(text) - limit),
        max(0, len(reasoning) - limit),
    )


def cut(text: str, claims: Iterable[Claim]) -> tuple[Piece, ...]:
    """A text in pieces that together are the text; what lies outside it is left off.

    >>> cut("A scar. B.", [Claim(0, 7, absent=False, told=False)])
    (Piece(text='A scar.', kind='seen'), Piece(text=' B.', kind=''))
    """
    made: list[Piece] = []
    done = 0
    for claim in sorted(claims):
        start, end = max(claim.start, done), min(claim.end, len(text))
        if start >= end:
            continue
        made += [Piece(text[done:start]), Piece(text[start:end], kind_of(claim))]
        done = end
    return tuple(piece for piece in (*made, Piece(text[done:])) if piece.text)


def kind_of(claim: Claim) -> str:
    """The classes of a claim on the page: what it says of the image, and whether it is left out of the counts."""
    uncounted = " told" if claim.told else "" if claim.firm else " loose"
    return f"{'absent' if claim.absent else 'seen'}{uncounted}"
