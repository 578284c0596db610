"""What it says it sees: how often responses describe an image, and which patterns and modes they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.reading.claims.parser import Claim, read_claims
from snellen.reading.columns import Integers
from snellen.report.components import (
    Case,
    Cell,
    Facts,
    Fold,
    Grid,
    Listing,
    Note,
    Pane,
    Part,
    Quote,
    Section,
    Table,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.evidence.tags import Tagged, columns, tags_at
from snellen.report.figures.forests import anchor_of_measure, forest, number
from snellen.report.sections.headline import short_names
from snellen.report.sections.side_by_side import describe_missing, join_options, list_pictures, title_pane
from snellen.report.sections.tests import by_benchmark, label
from snellen.report.words.arms import arm_label, arm_words
from snellen.report.words.numbers import OUTCOME_WORDS, count
from snellen.runtime import visible
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import BIT, MODES, ONLY_A_JUDGE, PATTERNS, SOURCE_WORDS, TAGS, Tag, tag_measure, unseen

CASES = 2
"""Questions shown for each pattern."""
SIGNS = {"rule": "■", "judge": "◇"}
INTRO = (
    "A response may choose an option and also say what the image shows. Where there was no image, or a blank one, "
    "whatever it describes was made up. Whether a description of an image that was there is true, no rule can know. A "
    "parser finds what responses say they see; words that only repeat the question are not counted."
)


class ChosenRun(NamedTuple):
    """One question in one run of one model, the patterns it was chosen for, and where its responses stand."""

    model: str
    benchmark: str
    run: int
    shows: tuple[Tag, ...]
    places: Mapping[ArmAddress, int]


def choose_cases(evidence: Evidence) -> list[ChosenRun]:
    """A few questions for every pattern found where there was nothing to see, chosen by a hash, to be read later."""
    made = []
    for benchmark, _ in _list_asked(evidence):
        chosen: dict[tuple[str, int, int], list[Tag]] = {}
        for tag in PATTERNS:
            for address, place in first_by_hash(evidence, _find_showing(evidence, benchmark, tag), CASES):
                grades = evidence.grades(address)
                run = address.model, int(grades.ordinal[place]), int(grades.replicate[place])
                chosen.setdefault(run, []).append(tag)
        made += [
            ChosenRun(run[0], benchmark, run[2], tuple(tags), _find_places(evidence, benchmark, run))
            for run, tags in chosen.items()
        ]
    for each in made:
        for address, place in each.places.items():
            evidence.expect(address, [place])
        evidence.lead_to(each.places.items())
    return made


def _list_asked(evidence: Evidence) -> list[tuple[str, list[Finding]]]:
    """The benchmarks on which a test asked what responses describe; of several tests, each model's first counts."""
    found = [each for each in evidence.results.findings if each.test.headline == "described_rate" and each.measures]
    return [
        (benchmark, list({each.model: each for each in reversed(some)}.values())[::-1])
        for benchmark, some in by_benchmark(found).items()
    ]


def _find_showing(evidence: Evidence, benchmark: str, tag: Tag) -> dict[ArmAddress, Integers]:
    """Where responses show a tag though there was nothing to see."""
    found = {}
    for address in evidence.anchors:
        if address.benchmark == benchmark and unseen(address.arm):
            bits = np.bitwise_or.reduce(list(columns(evidence, address).values()))
            found[address] = np.flatnonzero(bits & BIT[tag.name])
    return found


def _find_places(evidence: Evidence, benchmark: str, run: tuple[str, int, int]) -> dict[ArmAddress, int]:
    """Where the responses of one run to one item stand: without an image, and what that is held against, first."""
    model, ordinal, replicate = run
    arms = evidence.results.tables[model, benchmark].arms
    blind = [arm for arm in arms if unseen(arm)]
    held = {evidence.baselines.get(arm, "") for arm in blind}
    found = {}
    for arm in sorted((arm for arm in arms if arm in held or arm in blind), key=unseen):
        address = ArmAddress(model, benchmark, arm)
        grades = evidence.grades(address)
        at = np.flatnonzero((grades.ordinal == ordinal) & (grades.replicate == replicate))
        if len(at):
            found[address] = int(at[0])
    return found


def draw_sights(evidence: Evidence, chosen: Sequence[ChosenRun]) -> Iterator[Fold]:
    """What responses say they see, folded; nothing where no test asked."""
    parts: list[Part] = []
    for benchmark, findings in _list_asked(evidence):
        own = list(_draw_sight(evidence, findings, [each for each in chosen if each.benchmark == benchmark]))
        parts += [Section(benchmark, tuple(own))] if evidence.several else own
    if parts:
        yield Fold("What it says it sees", (Note(INTRO), *parts), "findings described, and patterns in them", "sights")


def _draw_sight(evidence: Evidence, findings: Sequence[Finding], chosen: Sequence[ChosenRun]) -> Iterator[Part]:
    arms = dict.fromkeys(measure.arm for finding in findings for measure in finding.measures if unseen(measure.arm))
    plots = (forest(findings, arm, "notice_rate", evidence=evidence, label=lambda each: label(each, evidence))
             for arm in arms)  # fmt: skip
    yield Grid(tuple(plot for plot in plots if plot is not None))
    looked_for = [_count_tag(evidence, findings, tag, by) for tag in TAGS for by in SIGNS]
    counts, never = count_once([each for each in looked_for if each is not None])
    if counts:
        names = ", ".join(dict.fromkeys(each.tagged.tag.name for each in counts))
        table = _draw_counts(evidence, findings, counts)
        shown = dict.fromkeys(some.tag for each in counts for some in (each.tagged, *each.aliases))
        meanings = Facts(tuple((tag.name, _describe_tag(tag)) for tag in shown))
        sources = _describe_sources(_describe_judging(evidence, findings))
        yield Fold("Patterns and modes", (sources, table, meanings), names)
    if never:
        yield quiet(f"Never seen here, in no response of any model: {', '.join(never)}.")
    if chosen:
        why = ("For every pattern a few questions, chosen by a hash of the item's id and the model's name and not for "
               "being bad; always one run of one model.")  # fmt: skip
        cases = (_draw_run(evidence, each) for each in chosen)
        yield Fold("Examples, side by side", (quiet(why), MARKS, *cases), f"{len(chosen)} questions")


def _describe_sources(judging: str) -> Note:
    """Who says that a response shows a pattern, and what nobody could find."""
    lacking = (
        f" Only a judge could find {', '.join(ONLY_A_JUDGE)}; a wrong response with the image there carries a mode "
        "only where a rule knows one." if judging else ""
    )  # fmt: skip
    words = rich(
        "Only where there was nothing to see. **■ certain: by rule**: that there was nothing to see is certain, and "
        "what the response says is as sure as the reading of its words. **◇ the judge's opinion** is what another "
        "model said of it{}. A response may show several.{}", f" ({judging})" if judging else "", lacking,
    )  # fmt: skip
    return quiet(words)


def _describe_judging(evidence: Evidence, findings: Sequence[Finding]) -> str:
    """Why there is no judge's opinion; nothing where there is one."""
    tables = [evidence.results.tables[each.model, each.benchmark] for each in findings]
    said = [grades.rationales for table in tables for grades in table.arms.values() if grades.rationales is not None]
    if any(each.heard.any() for each in said):
        return ""
    if any(table.judge for table in tables):
        return "a judge was asked, and none of its answers could be read"
    return "no judge was asked here"


class TagCount(NamedTuple):
    """A tag by one source: a cell for each model, and which responses of which model and arm show it."""

    tagged: Tagged
    cells: tuple[Cell, ...]
    shown: tuple[tuple[str, str, bytes], ...]
    aliases: tuple[Tagged, ...] = ()
    """Other tags that the same responses show."""


def _count_tag(evidence: Evidence, findings: Sequence[Finding], tag: Tag, by: str) -> TagCount | None:
    """A tag by one source; None where this source cannot give it or was not asked."""
    cells, shown = [], []
    for finding in findings:
        lines = []
        for measure in (each for each in finding.measures if each.name == tag_measure(tag.name, by)):
            address = ArmAddress(finding.model, finding.benchmark, measure.arm)
            bits = columns(evidence, address)[by] & BIT[tag.name] != 0
            said = evidence.grades(address).rationales
            of = int(said.heard.sum()) if by == "judge" and said is not None else len(bits)
            printed = number(measure, anchor_of_measure(finding, measure, evidence.anchors))
            n = f"{arm_label(measure.arm)}, {count(int(np.count_nonzero(bits)))} of {count(of)}"
            n += "" if count(of) == printed.n else f" responses, n {printed.n} items"
            lines.append(replace(printed.cell(), n=n))
            shown.append((finding.model, measure.arm, bits.tobytes()))
        cells.append(Cell(lines=tuple(lines)) if lines else Cell("–"))
    return TagCount(Tagged(tag, by), tuple(cells), tuple(shown)) if shown else None


def count_once(looked_for: Sequence[TagCount]) -> tuple[list[TagCount], tuple[str, ...]]:
    """Each count once, with the other names that the same responses have; and the names that no response has."""
    made: dict[tuple[object, ...], TagCount] = {}
    never = []
    for each in looked_for:
        key = each.tagged.by, each.shown
        if not any(any(bits) for _, _, bits in each.shown):
            tag, by = each.tagged
            never.append(tag.name if by == "rule" else f"{tag.name} ({each.tagged.words})")
        elif key in made:
            made[key] = made[key]._replace(aliases=(*made[key].aliases, each.tagged))
        else:
            made[key] = each
    return list(made.values()), tuple(never)


HEADINGS = {"Patterns in what it says": PATTERNS, "Modes: where it goes wrong, and what that does": MODES}


def _draw_counts(evidence: Evidence, findings: Sequence[Finding], counts: Sequence[TagCount]) -> Table:
    rows, names = [], short_names(evidence.results)
    for heading, each in ((heading, each) for heading, tags in HEADINGS.items() for each in counts
                          if each.tagged.tag in tags):  # fmt: skip
        also = ", ".join(other.tag.name for other in each.aliases)
        head = Cell(rich("**{}**", each.tagged.tag.name), n=f"{SIGNS[each.tagged.by]} {each.tagged.words}",
                    note=f"The same responses also show {also}." if also else "")  # fmt: skip
        rows.append(write_row(head, *each.cells, heading=heading))
    return Table(name_columns("pattern or mode", *(names[each.model] for each in findings)), tuple(rows))


def _describe_tag(tag: Tag) -> str:
    stage = f" Stage: {tag.stage}. To a patient: {tag.consequence}" if tag.stage else ""
    return f"{tag.means}{stage} Term of “{tag.source}”."


MARKS = Listing(
    (
        Cell(Markup('<mark class="seen">says it sees this</mark>')),
        Cell(Markup('<mark class="absent">says this is not there</mark>')),
        Cell(Markup('<mark class="seen told">the question had said so</mark> (not counted)')),
        Cell(Markup('<mark class="seen loose">may say so</mark> (not counted)')),
    ),
    "tags",
)
"""What the marks in a response mean."""


def _draw_run(evidence: Evidence, chosen: ChosenRun) -> Fold:
    """One run of one model under every arm, as a case."""
    sayings = {address: evidence.sayings(address, [place])[place] for address, place in chosen.places.items()}
    first = next(iter(sayings.values())).item
    panes = tuple(_draw_pane(evidence, address, chosen.places[address], saying) for address, saying in sayings.items())
    run = chosen.run + (0 if evidence.imported else 1)
    return Fold(
        ", ".join(tag.name for tag in chosen.shows), (Case(first.context, first.question, join_options(first), panes),),
        f"{short_names(evidence.results)[chosen.model]}, item {first.id}, run {run}",
    )  # fmt: skip


def _draw_pane(evidence: Evidence, address: ArmAddress, place: int, saying: Saying) -> Pane:
    title = title_pane(address.arm, saying)
    words = "" if title else arm_words(evidence.results).get(address.arm, "")
    quote = Quote(
        short_names(evidence.results)[address.model], saying.grade.outcome.value,
        OUTCOME_WORDS[saying.grade.outcome] + (f", chose {saying.letter}" if saying.letter else ""),
        mark_claims(saying), row_anchor(evidence, address, place), address.model,
        note=_describe_shown(evidence, address, place),
    )  # fmt: skip
    return Pane(
        title or arm_label(address.arm), tuple(list_pictures(evidence, saying, address.arm)),
        describe_missing(evidence, saying, address.arm), (words,) if words else (), (quote,),
    )  # fmt: skip


def _describe_shown(evidence: Evidence, address: ArmAddress, place: int) -> str:
    """The patterns and modes of one response, and whether it notices or doubts."""
    said = evidence.grades(address).rationales
    tags = tags_at(evidence, address, place, TAGS)
    named = {by: [each.tag.name for each in tags if each.by == by] for by in SIGNS}
    shown = [f"{SIGNS[by]} {SOURCE_WORDS[by]}: {', '.join(names)}" for by, names in named.items() if names]
    if said is not None:
        shown += ["notices that there is nothing to see"] * bool(said.notices[place])
        shown += ["voices doubt"] * bool(said.hedges[place])
    return "; ".join(shown)


LONGEST = 2400
"""Characters shown of one response."""


def mark_claims(saying: Saying, *, limit: int = LONGEST) -> Markup:
    """The response and, folded, the thinking before it, with claims set apart as the counts read them: together."""
    reasoning, text = saying.reply.reasoning, saying.reply.text
    said = f"{reasoning}\n\n{text}" if reasoning else text
    begins = len(said) - len(text)
    claims = read_claims(said, f"{saying.item.context}\n{saying.item.question}")
    moved = [claim._replace(start=claim.start - begins, end=claim.end - begins) for claim in claims]
    shown = _mark_some(text, moved, limit)
    if not reasoning:
        return shown
    thinking = Markup('<details class="thinking"><summary>Its reasoning</summary>{}</details>')
    return thinking.format(_mark_some(reasoning, claims, limit)) + shown


def _mark_some(text: str, claims: Iterable[Claim], limit: int) -> Markup:
    left = len(text) - limit
    more = Markup(' <span class="quiet">{} more characters are in responses.sqlite.</span>').format(count(left))
    return mark_text(text[:limit], claims) + (more if left > 0 else "")


def mark_text(text: str, claims: Iterable[Claim]) -> Markup:
    """A text with its claims as marks; what of a claim lies outside it is left off.

    >>> mark_text("A <scar>. B.", [Claim(0, 9, absent=False, told=False)])
    Markup('<mark class="seen">A &lt;scar&gt;.</mark> B.')
    """
    made, done = Markup(""), 0
    for claim in sorted(claims):
        start, end = max(claim.start, done), min(claim.end, len(text))
        if start < end:
            mark = Markup('<mark class="{}">{}</mark>').format(_describe_claim(claim), visible(text[start:end]))
            made = made + visible(text[done:start]) + mark
            done = end
    return made + visible(text[done:])


def _describe_claim(claim: Claim) -> str:
    """The classes of a claim on the page: what it says of the image, and whether it is left out of the counts."""
    uncounted = " told" if claim.told else "" if claim.firm else " loose"
    return f"{'absent' if claim.absent else 'seen'}{uncounted}"
