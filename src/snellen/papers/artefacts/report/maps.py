"""Heat maps of artefacts: losses, flags and conflicting reasons.

Columns are artefacts, rows are models and prompts. Every shaded cell has its number and interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from snellen.papers.artefacts.tests.arms import ALL_ARTEFACTS, condition_of
from snellen.papers.artefacts.tests.strong import RATE
from snellen.report.components import Cell, Fold, Row, Table, fold_if_long, name_columns
from snellen.report.figures.drawn import add_figure_of_map
from snellen.report.figures.standalone import About, datum
from snellen.report.lookup import Lookup, ShownNumber, family, shade_found
from snellen.report.sections.tests import label
from snellen.report.words import numbers as wording
from snellen.report.words.arms import artefact_words, way_words
from snellen.scoring.findings import Finding
from snellen.stress.base import Measure, StressTest
from snellen.stress.conclusions import significant

WEAK, STRONG, POOLED, CURVE = "weak-artefacts", "strong-artefacts", "pooled-artefacts", "dose-response"
AS_IT_IS = "image as it is"
FAMILIES = (WEAK, STRONG, POOLED, CURVE)


def about_artefacts(test: StressTest) -> bool:
    """Return True if the test belongs to the artefacts paper."""
    return test.name.partition(":")[0] in FAMILIES


def arms_by_artefact(test: StressTest) -> dict[str, str]:
    """Map each artefact to its arm, for a test with one strength."""
    return {condition_of(arm).artefact: arm.name for arm in test.compared}


def arms_in_words(test: StressTest) -> dict[str, str]:
    """Map each arm to the words for its image: original, or the artefact."""
    return {test.baseline.name: AS_IT_IS} | {arm: artefact_words(name) for name, arm in arms_by_artefact(test).items()}


def artefacts_of(findings: Iterable[Finding]) -> list[str]:
    """Every artefact of these tests, in their order."""
    return list(dict.fromkeys(name for each in findings for name in arms_by_artefact(each.test)))


def strategy(test: StressTest, study: Mapping[str, Any]) -> str:
    """Describe a test's prompt, reasoning effort and grey scale."""
    if test.baseline.prompt is None and "imported" in study:
        asked = "prompt not known"
    else:
        own = test.baseline.prompt.name if test.baseline.prompt else str(study.get("prompt") or "")
        asked = way_words(own) if own else "as asked"
    if efforts := dict.fromkeys(arm.effort for arm in test.all_arms if arm.effort):
        asked = f"{asked}, {'/'.join(efforts)} effort"
    stretched = any(condition_of(arm).scale == "stretched" for arm in test.compared)
    return f"{asked}, grey scale stretched" if stretched else asked


def describe_way(lookup: Lookup, finding: Finding) -> str:
    """Describe the model, prompt and grey scale of a result."""
    return f"{label(finding, lookup.evidence)}, {strategy(finding.test, lookup.evidence.results.study)}"


def of_family(lookup: Lookup, name: str) -> list[Finding]:
    """Results of one family of tests, including those without measures."""
    return [each for each in lookup.evidence.results.findings if family(each) == name]


def wordless(lookup: Lookup, findings: Iterable[Finding]) -> tuple[str, ...]:
    """Models that answer by probabilities only, without text."""
    tables = lookup.evidence.results.tables
    heard = ((each, tables[each.model, each.benchmark].arms.get(each.test.baseline.name)) for each in findings)
    seen = ((each.model, grades.detections) for each, grades in heard if grades)
    return tuple(dict.fromkeys(model for model, said in seen if said is not None and said.scored.all()))


DARKEST = 0.5
"""A cell has the darkest shade from this relative change on."""
MOST_GROUPS = 8
"""Largest number of modalities shown, largest first."""
Numbers = Sequence[tuple[ShownNumber, Cell] | None]
"""A number and its cell per column; None in a column without a number."""
FindNumbers = Callable[[Finding], Numbers]
Line = tuple[str, str, Numbers]
"""A row of a map: its heading, its label and its numbers."""


def draw_weak_maps(lookup: Lookup) -> list[Table | Fold]:
    """Draw the relative changes under weak artefacts: all images, then per model by kind of image."""
    names = artefacts_of(of_family(lookup, WEAK))

    def find_numbers(finding: Finding) -> Numbers:
        return [_find_change(lookup, finding, arm) for arm in _columns(finding, names)]

    columns = (*map(artefact_words, names), ALL_ARTEFACTS)
    about = ("weak-artefacts-map", "Relative change in accuracy under weak artefacts")
    return list(_draw_maps(lookup, WEAK, columns, find_numbers, about))


def draw_strong_maps(lookup: Lookup) -> list[Table | Fold]:
    """Draw the shares of images flagged as too poor: original, then every strong artefact."""
    names = artefacts_of(of_family(lookup, STRONG))

    def find_numbers(finding: Finding) -> Numbers:
        clean = _find_rate(lookup, finding, finding.test.baseline.name, RATE, {})
        return (clean, *(_find_flagged(lookup, finding, arm) for arm in _columns(finding, names)))

    columns = (AS_IT_IS, *map(artefact_words, names), ALL_ARTEFACTS)
    about = ("strong-artefacts-map", "Images flagged as too poor")
    return list(_draw_maps(lookup, STRONG, columns, find_numbers, about))


def draw_conflict_map(lookup: Lookup) -> Table | None:
    """Draw how often reasons and conclusion conflict; models that never give reasons are left out."""
    by_strength = {"weak": of_family(lookup, WEAK), "strong": of_family(lookup, STRONG)}
    columns = [(how, name) for how, findings in by_strength.items() for name in artefacts_of(findings)]
    ways: dict[tuple[str, str, str], dict[str, Finding]] = {}
    for how, findings in by_strength.items():
        for each in findings:
            ways.setdefault((each.model, each.benchmark, each.test.baseline.name), {})[how] = each
    lines = []
    for found in ways.values():
        first = next(iter(found.values()))
        arms = ((found[how], arms_by_artefact(found[how].test).get(name, "")) if how in found else (first, "")
                for how, name in columns)  # fmt: skip
        every = ((first, first.test.baseline.name), *arms)
        lines.append(_line(lookup, first, [_find_conflict(lookup, *each) if each[1] else None for each in every]))
    order = [heading for heading, _, _ in lines]
    told = sorted((line for line in lines if any(line[2])), key=lambda line: order.index(line[0]))
    heads = (AS_IT_IS, *(f"{artefact_words(name)}, {how}" for how, name in columns))
    words = "Responses whose reasons and conclusion conflict, of those that reason"
    return _draw_map(lookup, heads, told, ("artefacts-conflicts-map", words))


def _columns(finding: Finding, names: Sequence[str]) -> list[str]:
    """Return the arms in column order, then the mean of all artefacts. An arm is "" if its artefact is missing."""
    arms = arms_by_artefact(finding.test)
    return [*(arms.get(name, "") for name in names), ALL_ARTEFACTS]


def _line(lookup: Lookup, finding: Finding, numbers: Numbers, heading: str = "") -> Line:
    words = strategy(finding.test, lookup.evidence.results.study)
    return heading or label(finding, lookup.evidence), words, numbers


def _draw_maps(
    lookup: Lookup,
    tests: str,
    columns: Sequence[str],
    find_numbers: Callable[[Finding], Numbers],
    about: tuple[str, str],
) -> Iterator[Table | Fold]:
    by_model: dict[str, list[Finding]] = {}
    for each in of_family(lookup, tests):
        by_model.setdefault(label(each, lookup.evidence), []).append(each)
    name, words = about
    lines = [_line(lookup, each, find_numbers(each)) for those in by_model.values() for each in those if each.measures]
    if (overview := _draw_map(lookup, columns, lines, about)) is not None:
        yield fold_if_long(overview, f"{words}: {len(lines)} rows")
    for whose, those in by_model.items():
        groups = [lookup.categories(each) for each in those]
        sizes = {kind: max((each.estimate.n for each in group.measures), default=0)
                 for some in groups for kind, group in some.items()}  # fmt: skip
        largest = sorted(sizes, key=lambda kind: -sizes[kind])[:MOST_GROUPS]
        found = [some[kind] for kind in largest for some in groups if kind in some]
        lines = [_line(lookup, each, find_numbers(each), each.group.partition("=")[2]) for each in found]
        told = [line for line in lines if any(line[2])]
        shown = (f"{name}-{whose}", f"{words}, {whose} by kind of image")
        if (apart := _draw_map(lookup, columns, told, shown)) is not None:
            yield Fold(f"{whose} by kind of image", (apart,))


def _draw_map(lookup: Lookup, columns: Sequence[str], lines: Sequence[Line], about: tuple[str, str]) -> Table | None:
    """Draw one map with its figure; None if there are no numbers."""
    rows, data = [], []
    for heading, words, numbers in lines:
        found = [each[0] for each in numbers if each]
        n = wording.from_to([each.estimate.n for each in found]) if found else "–"
        cells = tuple(each[1] if each else Cell("–") for each in numbers)
        rows.append(Row(Cell(words, n=f"n {n}"), cells, heading=heading))
        data += [datum(each.finding, each.measure) for each in found]
    name, shown = about
    table = Table(name_columns("asked by", *columns), tuple(rows), shown, "heat")
    marks = "Small figures are 95% CIs; the stronger the colour, the larger the number"
    return add_figure_of_map(lookup.evidence, table, About((name,), shown, marks), data) if data else None


def _find_change(lookup: Lookup, finding: Finding, arm: str) -> tuple[ShownNumber, Cell] | None:
    """Return the relative change with its cell, which notes both accuracies and significance."""
    found, moved = lookup.find_number(finding, arm, "percent_change"), finding.measure(arm, "difference")
    if found is None:
        return None
    value, notes, before = found.estimate.value, list[str](), finding.measure(arm, "baseline_accuracy")
    if before is not None and moved is not None:
        after = min(1.0, max(0.0, before.estimate.value + moved.estimate.value))
        notes.append(f"{wording.figure(before.estimate.value, 'share')} → {wording.figure(after, 'share')}")
    if moved is not None and value < 0 and not finding.group and significant(moved):
        notes.append("surely lower")
    return found, shade_found(found, min(1.0, abs(value) / DARKEST), cool=value > 0, notes=notes)


def _find_rate(
    lookup: Lookup, finding: Finding, arm: str, name: str, beside: Mapping[str, Measure | None], *, cool: bool = False
) -> tuple[ShownNumber, Cell] | None:
    """Return a rate with its cell, which lists the rates in `beside` as notes."""
    found = lookup.find_number(finding, arm, name)
    if found is None:
        return None
    notes = [f"{words} {wording.figure(each.estimate.value, 'share')}" for words, each in beside.items() if each]
    return found, shade_found(found, found.estimate.value, cool=cool, notes=notes)


def _find_flagged(lookup: Lookup, finding: Finding, arm: str) -> tuple[ShownNumber, Cell] | None:
    """Return the share of unreadable images that are flagged. The cell notes mentions of quality."""
    rate, spoken = finding.measure(arm, RATE), finding.measure(arm, "quality_mentioned_rate")
    more = rate is not None and spoken is not None and spoken.estimate.value > rate.estimate.value
    beside = {"spoken of": spoken if more else None, "judge": finding.measure(arm, "detection_rate_by_judge")}
    return _find_rate(lookup, finding, arm, RATE, beside, cool=True)


def _find_conflict(lookup: Lookup, finding: Finding, arm: str) -> tuple[ShownNumber, Cell] | None:
    """Return the rate of conflicts among responses with reasons. The cell notes the rate among all."""
    rate, of_all = finding.measure(arm, "conflict_rate_reasoned"), finding.measure(arm, "conflict_rate")
    some = rate is not None and of_all is not None and of_all.estimate.n != rate.estimate.n
    beside = {"of all": of_all if some else None, "judge": finding.measure(arm, "conflict_rate_by_judge")}
    return _find_rate(lookup, finding, arm, "conflict_rate_reasoned", beside)
