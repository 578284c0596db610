"""Sections on a benchmark: accuracy with and without the image, groups, and the order of its models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import arm_effects
from snellen.prompts import asked_blind, asked_under
from snellen.report.components import (
    Cell,
    Figure,
    Fold,
    Grid,
    Key,
    Listing,
    Note,
    Part,
    Section,
    Table,
    fold_if_long,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, people
from snellen.report.figures.drawn import add_figure, add_figure_of_map
from snellen.report.figures.dumbbells import dot_key, with_without
from snellen.report.figures.forests import forest, number
from snellen.report.figures.layout import axis_of
from snellen.report.figures.marks import scale, titled_axis
from snellen.report.figures.standalone import About, Datum, datum, of_estimate
from snellen.report.lookup import Lookup, ModelOnBenchmark, ShownNumber
from snellen.report.sections.headline import short_names
from snellen.report.words import numbers as wording
from snellen.report.words.numbers import begun, count, figure, p_value, with_interval
from snellen.runtime import counted
from snellen.scoring.findings import GROUPINGS, Finding
from snellen.scoring.many_models import ManyModels
from snellen.stats.many_models import ModelPair, OmnibusTest
from snellen.stress.base import Measure
from snellen.stress.measures import KINDS

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


# Order of the models --------------------------------------------------------------------------------------------------


NAMED = 3
"""Largest number of models named as possibly first."""
STEP = 0.3
"""Difference in accuracy with the strongest colour of the heat map."""
AS_PUBLISHED = (
    "As published. It assumes that models answer independently. They do not if all answer the same questions, and "
    "the test then mostly finds too few differences. Dunn’s p is multiplied by the number of pairs."
)
PAIRED = (
    "All models on the same questions; questions of one patient are permuted together. Pairs are compared question by "
    "question, and p is corrected over all pairs after Holm."
)
ORDER = "Ranked by accuracy alone: a model that ranks first may still not look at the image."


def draw_order(evidence: Evidence) -> Fold | None:
    """Draw how certain the models' order is, by benchmark."""
    found = [each for each in evidence.results.models_compared
             if each.ranking.pairs and each.benchmark in evidence.benchmarks]  # fmt: skip
    wholes = [each for each in found if not each.subset]
    if not wholes:
        return None
    parts: list[Part] = [quiet(ORDER)]
    for whole in wholes:
        own = list(_draw_whole(evidence, whole, [each for each in found if each.benchmark == whole.benchmark]))
        said = Note(describe_order(whole))
        parts += own if len(wholes) == 1 else [Section(whole.benchmark, (said, *own))]
    return Fold("How sure is the order of the models?", tuple(parts), describe_order(wholes[0]), "order", "chapter")


def _draw_whole(evidence: Evidence, whole: ManyModels, found: list[ManyModels]) -> Iterator[Part]:
    yield fold_if_long(_draw_ranks(evidence, whole), "The rank of each model, with its interval")
    yield _draw_pairs(evidence, whole, ", with p by two tests")
    tasks = [each for each in found if each.subset]
    if len(tasks) > 1:
        sections = (
            Section(each.subset.partition("=")[2].replace("-", " ").capitalize(),
                    (Note(describe_order(each)), _draw_ranks(evidence, each), _draw_pairs(evidence, each)))
            for each in tasks
        )  # fmt: skip
        yield Fold(f"The same for each of {len(tasks)} tasks", tuple(sections))


def describe_order(each: ManyModels) -> str:
    """Describe how certain the order is, with the models that may be first."""
    first = [each.models[at].rpartition("/")[2] for at in each.order if each.ranking.models[at].rank.low == 1]
    if len(each.models) == 2:
        how = f"settled: {first[0]} is first" if len(first) == 1 else "not settled"
        return f"The order of the two models is {how}."
    named = f" ({', '.join(first)})" if 1 < len(first) <= NAMED else ""
    return f"{begun(each.sentence)}{named}."


def _draw_ranks(evidence: Evidence, each: ManyModels) -> Table:
    rows = []
    for at in each.order:
        place, model = each.ranking.models[at], each.models[at]
        anchor = evidence.anchors.get(ArmAddress(model, each.benchmark, each.arm), "rows")
        accuracy = Measure(each.arm, KINDS["accuracy"], place.score, parser=each.parser, subset=each.subset)
        low, high = f"{place.rank.low:.0f}", f"{place.rank.high:.0f}"
        between = low if low == high else f"{low} to {high}"
        head = Cell(short_names(evidence.results)[model], place=evidence.place(model))
        rank = Cell(f"{place.rank.value:g}", order=place.rank.value)
        cells = rank, between, number(accuracy, anchor).cell(n=False), figure(place.best, "share")
        rows.append(write_row(head, *cells, model=model, benchmark=each.benchmark))
    columns = name_columns("model", numbers=("rank", "may be", "accuracy", "first"))
    items = each.ranking.left_out
    left_out = f" Left out: {counted(items, 'item')} to which some model did not respond." if items else ""
    if each.unranked:
        models = ", ".join(each.unranked)
        left_out += f" Not ranked, because they responded to too few of these questions: {models}."
    caption = (
        f"Rank by accuracy with an interval that holds for all models at once (95%), over the "
        f"{count(each.ranking.items)} questions to which all of them responded; a refusal counts as not right."
        f"{left_out} “First”: share of resamples of the questions in which the model has the highest "
        "accuracy."
    )
    return Table(columns, tuple(rows), caption, figure=None if each.subset else _draw_figure(evidence, each))


def _draw_pairs(evidence: Evidence, each: ManyModels, more: str = "") -> Fold:
    """Draw every pair of models, smallest p first, and what the two tests assume."""
    names, by_dunn = short_names(evidence.results), {(pair.first, pair.second): pair for pair in each.pairs_by_dunn}
    rows = []
    for pair in sorted(each.ranking.pairs, key=_sort_pair):
        dunn, at_floor = by_dunn.get((pair.first, pair.second)), pair.difference.p_at_floor
        less = with_interval(pair.difference, "points")
        holm = _p(pair.adjusted, at_floor=at_floor)
        rows.append(write_row(
            names[each.models[pair.first]], names[each.models[pair.second]], Cell(less, order=pair.difference.value),
            count(pair.difference.n), _p(pair.difference.p, at_floor=at_floor),
            rich("**{}**", holm) if pair.adjusted < 0.05 else holm, "–" if dunn is None else _p(dunn.adjusted),
        ))  # fmt: skip
    columns = name_columns("first", "second", "difference, 95% CI", numbers=("n", "p", "Holm’s p", "Dunn’s adjusted p"))
    caption = (
        "Second model minus first, on the questions to which both responded, sorted by p. An order is settled if "
        "Holm’s p is under 0.05."
    )
    pairs = counted(len(rows), "pair")
    published = f"Kruskal–Wallis with Dunn’s test: {_describe_test('H', each.kruskal)}"
    ours = f"Cochran’s Q with paired differences: {_describe_test('Q', each.cochran)}"
    tests = Listing((Cell(published, note=AS_PUBLISHED), Cell(ours, note=PAIRED)))
    return Fold(f"{pairs} of models{more}", (tests, Table(columns, tuple(rows), caption)))


def _sort_pair(pair: ModelPair) -> tuple[float, float]:
    p = pair.difference.p
    return 1.0 if p is None or math.isnan(p) else p, -abs(pair.difference.value)


def _p(p: float | None, *, at_floor: bool = False) -> str:
    return "–" if p is None or math.isnan(p) else p_value(p, at_floor=at_floor).removeprefix("= ")


def _describe_test(sign: str, test: OmnibusTest) -> str:
    if math.isnan(test.p):
        return f"not tested ({test.method})"
    at_floor = test.least_p is not None and test.p <= test.least_p
    p = p_value(test.p, at_floor=at_floor)
    freedom = f"{counted(test.freedom, 'degree')} of freedom"
    return f"{sign} {test.statistic:.1f}, {freedom}, p {p}, n {count(test.n)}, method {test.method}"


def _draw_figure(evidence: Evidence, each: ManyModels) -> Figure | None:
    """Heat map of pairwise differences, as a file only. None for fewer than three models."""
    if len(each.models) < 3:
        return None
    names = short_names(evidence.results)
    cells: dict[tuple[int, int], Cell] = {}
    for pair in each.ranking.pairs:
        first, second, note = pair.first, pair.second, f"p {_p(pair.adjusted)}"
        for at, less in (((second, first), pair.difference.value), ((first, second), -pair.difference.value)):
            said = f"{100 * less:+.0f}".replace("-", "−")
            cells[at] = Cell(said, note=note, shade=min(1.0, abs(less) / STEP), cool=less > 0)
    columns = [names.get(each.models[at], each.models[at]) for at in each.order]
    rows = (write_row(name, *(cells.get((one, two), Cell("–")) for two in each.order))
            for name, one in zip(columns, each.order, strict=True))  # fmt: skip
    about = About(
        ("many-models", "pair_difference", each.benchmark if evidence.several else ""),
        f"Accuracy of the row’s model minus that of the column’s; {each.benchmark}",
        "The stronger the colour, the larger the difference (points); below it, p after Holm",
    )
    data = [
        of_estimate("pair_difference", pair.difference, model=f"{each.models[pair.first]} → {each.models[pair.second]}",
                    benchmark=each.benchmark, condition=each.arm, unit="points")
        for pair in each.ranking.pairs
    ]  # fmt: skip
    return add_figure_of_map(evidence, Table(name_columns("", *columns), tuple(rows)), about, data).figure
