"""Section on described images: how often models describe them, with patterns and failure modes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.reading.claims.parser import SeenClaim, read_claims
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
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import OUTCOME_WORDS, count
from snellen.runtime import visible
from snellen.scoring.findings import Finding
from snellen.stress.taxonomy import (
    BIT,
    MODES,
    ONLY_A_JUDGE,
    PATTERNS,
    SOURCE_WORDS,
    TAGS,
    Tag,
    hides_image,
    tag_measure,
)

CASES = 2
"""Number of questions shown for each pattern."""
SIGNS = {"rule": "■", "judge": "◇"}
INTRO = (
    "A response may choose an option and also say what the image shows. If there was no image, or a blank one, "
    "everything it describes is made up. No rule can tell if the description of a real image is true. A parser finds "
    "what responses say they see; words that only repeat the question are not counted."
)
SOURCES = (
    "Counted only if there was nothing to see. **■ certain: by rule**: there certainly was nothing to see, but the "
    "parser may misread the response. **◇ the judge's opinion** comes from another model{}. A response may show "
    "several patterns.{}"
)
LACKING = (
    f" Only a judge could find {', '.join(ONLY_A_JUDGE)}. A wrong response to a real image gets a mode only if a rule "
    "detects it."
)


class ChosenRun(NamedTuple):
    """One model's responses to one repeat of a question, chosen for their patterns."""

    model: str
    benchmark: str
    run: int
    shows: tuple[Tag, ...]
    places: Mapping[ArmAddress, int]


def choose_cases(evidence: Evidence) -> list[ChosenRun]:
    """Choose questions for every pattern in responses without an image, by hash."""
    made = []
    for benchmark, _ in _list_asked(evidence):
        chosen: dict[tuple[str, int, int], list[Tag]] = {}
        for tag in PATTERNS:
            showing = {}  # places of the responses with the tag, although there was nothing to see
            for address in evidence.anchors:
                if address.benchmark == benchmark and hides_image(address.arm):
                    bits = np.bitwise_or.reduce(list(columns(evidence, address).values()))
                    showing[address] = np.flatnonzero(bits & BIT[tag.name])
            for address, place in first_by_hash(evidence, showing, CASES):
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
    """Benchmarks with a test of descriptions, each with one finding per model."""
    found = [each for each in evidence.results.findings if each.test.headline == "described_rate" and each.measures]
    return [
        (benchmark, list({each.model: each for each in reversed(some)}.values())[::-1])
        for benchmark, some in by_benchmark(found).items()
    ]


def _find_places(evidence: Evidence, benchmark: str, run: tuple[str, int, int]) -> dict[ArmAddress, int]:
    """Places of one repeat's responses, under the baseline first, then without an image."""
    model, ordinal, replicate = run
    arms = evidence.results.tables[model, benchmark].arms
    blind = [arm for arm in arms if hides_image(arm)]
    held = {evidence.baselines.get(arm, "") for arm in blind}
    found = {}
    for arm in sorted((arm for arm in arms if arm in held or arm in blind), key=hides_image):
        address = ArmAddress(model, benchmark, arm)
        grades = evidence.grades(address)
        at = np.flatnonzero((grades.ordinal == ordinal) & (grades.replicate == replicate))
        if len(at):
            found[address] = int(at[0])
    return found


def draw_sights(evidence: Evidence, chosen: Sequence[ChosenRun]) -> Iterator[Fold]:
    """Draw what responses say they see, folded. Yield nothing if no test asked for it."""
    parts: list[Part] = []
    for benchmark, findings in _list_asked(evidence):
        own = list(_draw_sight(evidence, findings, [each for each in chosen if each.benchmark == benchmark]))
        parts += [Section(benchmark, tuple(own))] if evidence.several else own
    if parts:
        yield Fold("What it says it sees", (Note(INTRO), *parts), "findings described, and patterns in them", "sights")


def _draw_sight(evidence: Evidence, findings: Sequence[Finding], chosen: Sequence[ChosenRun]) -> Iterator[Part]:
    arms = dict.fromkeys(
        measure.arm for finding in findings for measure in finding.measures if hides_image(measure.arm)
    )
    plots = (forest(findings, arm, "notice_rate", evidence=evidence, label=lambda each: label(each, evidence))
             for arm in arms)  # fmt: skip
    yield Grid(tuple(plot for plot in plots if plot is not None))
    looked_for = [_count_tag(evidence, findings, tag, by) for tag in TAGS for by in SIGNS]
    counts, never = count_once([each for each in looked_for if each is not None])
    if counts:
        yield _draw_patterns(evidence, findings, counts)
    if never:
        yield quiet(f"Found in no response: {', '.join(never)}.")
    if chosen:
        why = ("A hash of item id and model name chose a few questions per pattern, whatever their quality. Each "
               "example is one run of one model.")  # fmt: skip
        yield Fold(
            "Examples, side by side",
            (quiet(why), MARKS, *(_draw_run(evidence, each) for each in chosen)),
            f"{len(chosen)} questions",
        )


def _draw_patterns(evidence: Evidence, findings: Sequence[Finding], counts: Sequence[TagCount]) -> Fold:
    named = ", ".join(dict.fromkeys(each.tagged.tag.name for each in counts))
    table = _draw_counts(evidence, findings, counts)
    shown = dict.fromkeys(some.tag for each in counts for some in (each.tagged, *each.aliases))
    stages = (
        f" Stage of the error: {tag.stage}. Consequence for a patient: {tag.consequence}" if tag.stage else ""
        for tag in shown
    )
    meanings = Facts(tuple((tag.name, f"{tag.means}{stage} Term of “{tag.source}”.")
                           for tag, stage in zip(shown, stages, strict=True)))  # fmt: skip
    judging = _describe_judging(evidence, findings)
    sources = rich(SOURCES, f" ({judging})" if judging else "", LACKING if judging else "")
    return Fold("Patterns and modes", (quiet(sources), table, meanings), named)


def _describe_judging(evidence: Evidence, findings: Sequence[Finding]) -> str:
    """Explain why there is no judge's opinion. "" if there is one."""
    tables = [evidence.results.tables[each.model, each.benchmark] for each in findings]
    said = [grades.rationales for table in tables for grades in table.arms.values() if grades.rationales is not None]
    if any(each.heard.any() for each in said):
        return ""
    if any(table.judge for table in tables):
        return "a judge was asked, but no answer of the judge could be read"
    return "no judge was asked here"


class TagCount(NamedTuple):
    """Counts of a tag by one source, with the responses that have it."""

    tagged: Tagged
    cells: tuple[Cell, ...]
    shown: tuple[tuple[str, str, bytes], ...]
    aliases: tuple[Tagged, ...] = ()
    """Other tags of exactly the same responses."""


def _count_tag(evidence: Evidence, findings: Sequence[Finding], tag: Tag, by: str) -> TagCount | None:
    """Count a tag by one source. None if no test measured it."""
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
    """Merge tags of the same responses. Also list the tags without any response."""
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


HEADINGS = {"Patterns in what it says": PATTERNS, "Failure modes: errors and their consequences": MODES}


def _draw_counts(evidence: Evidence, findings: Sequence[Finding], counts: Sequence[TagCount]) -> Table:
    rows, names = [], short_names(evidence.results)
    for heading, each in ((heading, each) for heading, tags in HEADINGS.items() for each in counts
                          if each.tagged.tag in tags):  # fmt: skip
        also = ", ".join(other.tag.name for other in each.aliases)
        head = Cell(rich("**{}**", each.tagged.tag.name), n=f"{SIGNS[each.tagged.by]} {each.tagged.words}",
                    note=f"The same responses also show {also}." if also else "")  # fmt: skip
        rows.append(write_row(head, *each.cells, heading=heading))
    return Table(name_columns("pattern or mode", *(names[each.model] for each in findings)), tuple(rows))


MARKS = Listing(
    (
        Cell(Markup('<mark class="seen">says it sees this</mark>')),
        Cell(Markup('<mark class="absent">says this is not there</mark>')),
        Cell(Markup('<mark class="seen told">only repeats the question</mark> (not counted)')),
        Cell(Markup('<mark class="seen loose">may say so</mark> (not counted)')),
    ),
    "tags",
)
"""Legend of the highlights in a response."""


def _draw_run(evidence: Evidence, chosen: ChosenRun) -> Fold:
    """Draw one repeat of one model under every condition, as a case."""
    sayings = {address: evidence.sayings(address, [place])[place] for address, place in chosen.places.items()}
    first = next(iter(sayings.values())).item
    panes = tuple(_draw_pane(evidence, at, chosen.places[at], saying) for at, saying in sayings.items())
    run = chosen.run + (0 if evidence.imported else 1)
    about = f"{short_names(evidence.results)[chosen.model]}, item {first.id}, run {run}"
    case = Case(first.context, first.question, join_options(first), panes)
    return Fold(", ".join(tag.name for tag in chosen.shows), (case,), about)


def _draw_pane(evidence: Evidence, address: ArmAddress, place: int, saying: Saying) -> Pane:
    quote = Quote(
        short_names(evidence.results)[address.model], saying.grade.outcome.value,
        OUTCOME_WORDS[saying.grade.outcome] + (f", chose {saying.letter}" if saying.letter else ""),
        mark_claims(saying), row_anchor(evidence, address, place), address.model,
        note=_describe_shown(evidence, address, place),
    )  # fmt: skip
    return Pane(
        title_pane(address.arm, saying), tuple(list_pictures(evidence, saying, address.arm)),
        describe_missing(evidence, saying, address.arm), (), (quote,),
    )  # fmt: skip


def _describe_shown(evidence: Evidence, address: ArmAddress, place: int) -> str:
    """Describe the patterns and modes of one response, and whether it notices or doubts."""
    said = evidence.grades(address).rationales
    tags = tags_at(evidence, address, place, TAGS)
    named = {by: [each.tag.name for each in tags if each.by == by] for by in SIGNS}
    shown = [f"{SIGNS[by]} {SOURCE_WORDS[by]}: {', '.join(names)}" for by, names in named.items() if names]
    if said is not None:
        shown += ["notices that there is nothing to see"] * bool(said.notices[place])
        shown += ["voices doubt"] * bool(said.hedges[place])
    return "; ".join(shown)


LONGEST = 2400
"""Largest number of characters shown of one response."""


def mark_claims(saying: Saying, *, limit: int = LONGEST) -> Markup:
    """Highlight the claims in a response, and in its folded reasoning."""
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


def _mark_some(text: str, claims: Iterable[SeenClaim], limit: int) -> Markup:
    left = len(text) - limit
    more = Markup(' <span class="quiet">{} more characters are in responses.sqlite.</span>').format(count(left))
    return mark_text(text[:limit], claims) + (more if left > 0 else "")


def mark_text(text: str, claims: Iterable[SeenClaim]) -> Markup:
    """Highlight the claims in a text.

    >>> mark_text("A <scar>. B.", [SeenClaim(0, 9, absent=False, told=False)])
    Markup('<mark class="seen">A &lt;scar&gt;.</mark> B.')
    """
    made, done = Markup(""), 0
    for claim in sorted(claims):
        start, end = max(claim.start, done), min(claim.end, len(text))
        if start < end:
            look = "absent" if claim.absent else "seen"
            uncounted = " told" if claim.told else "" if claim.firm else " loose"
            mark = Markup('<mark class="{}{}">{}</mark>').format(look, uncounted, visible(text[start:end]))
            made = made + visible(text[done:start]) + mark
            done = end
    return made + visible(text[done:])
