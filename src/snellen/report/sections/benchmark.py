"""Sections on a benchmark: accuracy with and without the image, and by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import arm_effects
from snellen.prompts import asked_blind, asked_under
from snellen.report.components import Cell, Fold, Grid, Key, Note, Part, Section, Table, name_columns
from snellen.report.evidence.evidence import Evidence, people
from snellen.report.figures.drawn import add_figure
from snellen.report.figures.dumbbells import dot_key, with_without
from snellen.report.figures.forests import forest
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale, titled_axis
from snellen.report.figures.standalone import About, Datum, datum
from snellen.report.lookup import Lookup, ModelOnBenchmark, ShownNumber
from snellen.report.sections.headline import short_names
from snellen.report.words import numbers as wording
from snellen.report.words.numbers import count
from snellen.scoring.findings import GROUPINGS, Finding

Pair = tuple[ModelOnBenchmark, ShownNumber, ShownNumber]


def draw_with_without(evidence: Evidence) -> Iterator[Table]:
    """Draw the accuracy of every model with and without the image, by benchmark."""
    lookup = Lookup(evidence)
    for benchmark in evidence.benchmarks:
        places, arms = lookup.places(benchmark), lookup.arms(benchmark)
        seen_in = asked_under(ORIGINAL.name, arms)
        blind = asked_blind([arm for arm in arms if any(_find(lookup, place, arm) for place in places)], like=seen_in)
        found = ((place, _find(lookup, place, seen_in), _find(lookup, place, blind)) for place in places if blind)
        pairs = [(place, seen, unseen) for place, seen, unseen in found if seen and unseen]
        if pairs:
            yield _draw_table(lookup, benchmark, blind, pairs)


def _draw_table(lookup: Lookup, benchmark: str, blind: str, pairs: list[Pair]) -> Table:
    evidence = lookup.evidence
    chance = next((each for place, _, _ in pairs if (each := lookup.chance(place, blind)) is not None), None)
    known = people(evidence.results.study)
    ruler = scale([], "share", reference=chance, people=None if known is None else known.accuracy)
    rows, data = [], []
    for place, seen, unseen in pairs:
        drawn = with_without(seen.estimate, unseen.estimate, ruler, evidence.place(place.model))
        both = Cell(lines=(seen.printed.cell("with"), unseen.printed.cell("without")))
        rows.append(lookup.row(place, Cell(drawing=drawn), both))
        data += [datum(each.finding, each.measure) for each in (seen, unseen)]
    without = "every image was blank" if arm_effects(blind).sends_image else "no image was sent"
    guessing = "" if chance is None else f"guessing, {wording.figure(chance, 'share')}"
    caption = (
        f"Accuracy{lookup.describe_benchmark(benchmark)}: ● with the image, ○ when {without}; lines are 95% intervals."
        f"{f' The dashed line is {guessing}.' if guessing else ''}{'' if known is None else f' {known.note}'}"
    )
    key = Key("", "with the image", dot_key("seen")), Key("", "without the image", dot_key("blind"))
    table = Table(name_columns("Model", "Drawn", "Accuracy, n"), tuple(rows), caption, "drawn", key=key)
    about = About(
        ("summary-accuracy", benchmark if evidence.several else ""),
        f"Accuracy with the image and without it; {benchmark}",
        "Lines are 95% CIs, with the image above, without it below"
        + (f"; the dashed line is {guessing}" if guessing else ""),
    )
    held = (("guessing", ruler.reference), ("people", ruler.people))
    data += [Datum(name, value, benchmark=benchmark) for name, value in held if value is not None]
    made = add_figure(evidence, table, about, data, axis_of(ruler, "Accuracy (%)", guessing), row_height=38.0)
    return replace(made, axis=titled_axis(ruler, "Accuracy (%)"))  # with the human accuracy


def _find(lookup: Lookup, place: ModelOnBenchmark, arm: str) -> ShownNumber | None:
    """Accuracy from the first test that has it.

    If asking could stop early, from the test with the largest n. None if no test has it.
    """
    every = (lookup.find((each,), place, arm, "accuracy") for each in lookup.families(but=""))
    found = [each for each in every if each is not None]
    if lookup.evidence.results.stops:
        found.sort(key=lambda each: -each.estimate.n)
    return next(iter(found), None)


# By group ------------------------------------------------------------------------------------------------------------


FEW = 20
"""Groups with fewer items are marked."""
MOST_GROUPS = 40
"""Largest number of groups that are drawn; the largest groups are kept."""
MOST_ARMS = 6
"""Largest number of conditions that are drawn; the first ones are kept."""
SHOWN = ("accuracy", "difference")
INTRO = (
    "The same numbers for parts of the questions. Groups are small and there are many of them, so some will stand out "
    f"by chance alone: do not draw conclusions from a single group. Those of fewer than {FEW} items are marked “few "
    "items”."
)


def draw_groups(evidence: Evidence) -> Iterator[Fold]:
    """Draw every benchmark by its groupings of items, folded."""
    parts: list[Part] = []
    for benchmark in evidence.benchmarks:
        for grouping in GROUPINGS:
            found = [each for each in evidence.results.groups
                     if each.benchmark == benchmark and each.group.startswith(f"{grouping}=")]  # fmt: skip
            if found:
                name = benchmark if evidence.several else ""
                parts.append(Section(f"By {grouping}", tuple(_draw_grouping(evidence, found)), name=name))
    if parts:
        groupings = dict.fromkeys(str(part.title).lower() for part in parts if isinstance(part, Section))
        yield Fold("By group", (Note(INTRO), *parts), ", ".join(groupings), "breakdown")


def _draw_grouping(evidence: Evidence, found: Sequence[Finding]) -> Iterator[Part]:
    sizes: dict[str, int] = {}
    for each in found:
        sizes[each.group] = max(sizes.get(each.group, 0), _size(each))
    largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_GROUPS]
    if len(largest) < len(sizes):
        words = f"The {len(largest)} largest of {count(len(sizes))} groups; breakdown.csv has all of them."
        yield Note(words, look="quiet")
    if (left := len(_list_arms(found, SHOWN[0])) - MOST_ARMS) > 0:
        yield Note(f"{left} more conditions are in breakdown.csv.", look="quiet")
    for model in dict.fromkeys(each.model for each in found):
        plots = _draw_plots(evidence, [each for each in found if each.model == model], largest)
        yield Fold(short_names(evidence.results)[model], (Grid(tuple(plots)),))


def _draw_plots(evidence: Evidence, found: Sequence[Finding], groups: Sequence[str]) -> Iterator[Table]:
    """Plot accuracies under every condition, then changes. Conditions of several tests are plotted once."""
    for name in SHOWN:
        for arm in _list_arms(found, name)[:MOST_ARMS]:
            measured = {each.group: each for each in reversed(found) if each.measure(arm, name) is not None}
            rows = [measured[group] for group in groups if group in measured]
            plot = forest(rows, arm, name, evidence=evidence, label=_label)
            if plot is not None:
                yield plot


def _list_arms(found: Sequence[Finding], name: str) -> list[str]:
    return list(dict.fromkeys(measure.arm for each in found for measure in each.measures if measure.name == name))


def _label(finding: Finding) -> str:
    name = finding.group.partition("=")[2]
    return f"{name} (few items)" if _size(finding) < FEW else name


def _size(finding: Finding) -> int:
    return max((measure.estimate.n for measure in finding.measures), default=0)
