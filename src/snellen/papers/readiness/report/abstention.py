"""Responses without an answer by condition, questions that were not asked, and modes of failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.reading.columns import Integers
from snellen.reading.outcomes import Outcome
from snellen.report.components import (
    Cell,
    Column,
    Part,
    Row,
    Section,
    Table,
    explain,
    fold_if_long,
    name_columns,
    quiet,
    rich,
    write_row,
)
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.evidence.tags import columns
from snellen.report.lookup import Lookup, ModelOnBenchmark, in_order, show_found
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import OUTCOME_WORDS, count
from snellen.stress.measures import KINDS, RATES
from snellen.stress.table import Table as Grades
from snellen.stress.taxonomy import BIT, JUDGED, MODES, ONLY_A_JUDGE, Tag

SUBSET = "visual-necessity"
"""Family of tests on a subset of the items only."""
NEEDED = "questions that need the image"
BRIEFLY = (ORIGINAL.name, IMAGE_REMOVED.name)
"""Arms of the short table."""
SILENT = ("abstention_rate", "refusal_rate")
SCORES = ("accuracy", "accuracy_answered")
Asked = tuple[str, tuple[str, ...], str]
"""Questions of an arm ("" is all), families of tests with its measures, and its name."""


def draw_abstention(lookup: Lookup) -> list[Section]:
    """Draw how often models give no answer: a short table, then all conditions."""
    told = (
        "“Cannot tell” is a response that says so; “refuses” is one that rejects the task. Accuracy counts both as "
        "wrong; accuracy on answered questions leaves them out."
    )
    drawn = [part for benchmark, places in lookup.list_places() for part in _draw_benchmark(lookup, benchmark, places)]
    return explain("Who gives no answer?", told, drawn, "readiness-abstention")


def _draw_benchmark(lookup: Lookup, benchmark: str, places: Sequence[ModelOnBenchmark]) -> Iterator[Part]:
    asked: list[Asked] = [("", lookup.families(but=SUBSET), arm) for arm in lookup.arms(benchmark)]
    asked += [(NEEDED, (SUBSET,), arm) for arm in BRIEFLY]
    there = [(place, each) for place in places for each in asked
             if lookup.find(each[1], place, each[2], "accuracy") is not None]  # fmt: skip
    if not there:
        return
    found = {
        name: [each for place, (_, families, arm) in there if (each := lookup.find(families, place, arm, name))]
        for name in RATES
    }
    ever = [name for name, some in found.items() if any(each.estimate.value > 0 for each in some)]
    never = [OUTCOME_WORDS[RATES[name]] for name, some in found.items() if some and name not in ever]
    on = lookup.describe_benchmark(benchmark)
    yield _draw_briefly(lookup, places, [each for each in asked if each[2] in BRIEFLY], on)
    yield fold_if_long(_draw_all(lookup, there, (*ever, *SCORES)), f"Every model and condition{on}")
    if never:
        yield quiet(f"Never, under no condition and by no model: {', '.join(never)}.")


def _draw_briefly(lookup: Lookup, places: Sequence[ModelOnBenchmark], asked: Sequence[Asked], on: str) -> Table:
    used = [each for each in asked if any(lookup.find(each[1], place, each[2], SILENT[0]) for place in places)]

    def draw_cell(place: ModelOnBenchmark, families: tuple[str, ...], arm: str) -> Cell:
        cannot, refuses = (lookup.find(families, place, arm, name) for name in SILENT)
        lines = (show_found(cannot, "cannot tell"), show_found(refuses, "refuses", n=False))
        return Cell(lines=lines) if cannot else Cell("–")

    rows = tuple(lookup.row(place, *(draw_cell(place, *each[1:]) for each in used)) for place in places)
    columns = (Column("model"), *(Column(arm_label(arm), items) for items, _, arm in used))
    return Table(columns, rows, f"No answer{on}, with the image and without it")


def _draw_all(lookup: Lookup, there: Sequence[tuple[ModelOnBenchmark, Asked]], measures: Sequence[str]) -> Table:
    rows = []
    for place, (items, families, arm) in there:
        found = [lookup.find(families, place, arm, name) for name in measures]
        n = next(each.printed.n for each in found if each is not None)
        cells = (*(show_found(each, n=False) for each in found), Cell(n))
        rows.append(lookup.row_under_name(place, Cell(arm_label(arm), note=items), *cells))
    words = (OUTCOME_WORDS[RATES[name]] if name in RATES else KINDS[name].words for name in measures)
    return Table(name_columns("condition", *words, numbers=("n",)), tuple(rows))


def draw_applicability(lookup: Lookup) -> Section:
    """Draw the number of questions per condition, with the reasons for those not asked."""
    first: dict[str, Grades] = {}
    for (_, benchmark), table in lookup.evidence.results.tables.items():
        if benchmark in lookup.benchmarks:
            first.setdefault(benchmark, table)
    parts = [part for name, table in first.items() for part in _list_reasons(table, lookup.describe_benchmark(name))]
    return Section("What could not be asked, and why", tuple(parts), "readiness-inapplicable")


def _list_reasons(table: Grades, on: str) -> Iterator[Part]:
    total, alike = len(table.items), dict[tuple[tuple[str, int], ...], list[str]]()
    for arm in in_order(table.arms):
        reasons = sorted(table.arms[arm].inapplicable.items(), key=lambda each: (-each[1], each[0]))
        alike.setdefault(tuple(reasons), []).append(arm_label(arm))
    if everywhere := alike.pop((), []):
        yield quiet(f"Asked of all {count(total)} questions{on}: {', '.join(everywhere)}.")
    rows = []
    for found, arms in alike.items():
        asked = total - sum(number for _, number in found)
        for at, (reason, number) in enumerate(found):
            words = (", ".join(arms), f"{count(asked)} of {count(total)}") if at == 0 else ("", "")
            rows.append(write_row(*words, reason, count(number)))
    if rows:
        columns = name_columns("condition", "questions asked", "why not the others", "questions")
        yield fold_if_long(Table(columns, tuple(rows), f"Not asked of every question{on}"), f"All reasons{on}")


BY = ("rule", "judge")
ANY = sum(BIT[tag.name] for tag in MODES)
UNKNOWN = "only a judge could tell, and none was heard"
Examples = dict[tuple[str, str, str], tuple[ArmAddress, int]]
"""One example response per mode, model and source (rule or judge)."""


class ModeCount(NamedTuple):
    """Number of a model's responses with a mode, by one source (rule or judge)."""

    by: str
    shown: int
    of: int
    anchor: str


def find_examples(evidence: Evidence) -> Examples:
    """Choose by a hash one example response per mode, model and source."""
    places: dict[tuple[str, str, str], dict[ArmAddress, Integers]] = {}
    for tag in MODES:
        for address, by, marked in _mark_responses(evidence, tag):
            if marked.any():
                places.setdefault((tag.name, address.model, by), {})[address] = np.flatnonzero(marked)
    return {key: first_by_hash(evidence, those, 1)[0] for key, those in places.items()}


def draw_modes(lookup: Lookup, examples: Examples) -> Section:
    """Draw the modes of failure of all models, and wrong responses without a known mode."""
    evidence, models = lookup.evidence, lookup.models
    totals = {(model, by): _count_heard(evidence, model, by) for model in models for by in BY}
    judged = any(totals[model, "judge"] for model in models)
    alike: dict[object, list[Tag]] = {}
    counts = {tag: [_count_mode(evidence, tag, model, totals, examples) for model in models] for tag in MODES}
    for tag, by_model in counts.items():
        if not any(by_model):
            alike[tag] = [tag]
        elif any(each.shown for found in by_model for each in found):
            shown = tuple((address, by, marked.tobytes()) for address, by, marked in _mark_responses(evidence, tag))
            alike.setdefault(shown, []).append(tag)
    rows = [_draw_mode(tags, counts[tags[0]], judged=judged) for tags in alike.values()]
    wrong = (count_unexplained(evidence, model) for model in models)
    cells = (Cell(count(unknown), n=f"of {count(of)} wrong") for unknown, of in wrong)
    rows.append(Row(Cell("wrong, and no mode is known"), tuple(cells)))
    heads = name_columns("mode", *(lookup.short_names[model] for model in models))
    by_whom = "A judge's count is another model's opinion. " if judged else "No judge was heard here. "
    told = (
        "The modes of the paper, from what is seen to what is said. A response may show several, or none. A count by "
        f"rule is certain, from what was sent and chosen. {by_whom}A count leads to one such response, chosen by a "
        "hash."
    )
    known = {tag for tags in alike.values() for tag in tags}
    never = ", ".join(f"{tag.name} ({tag.stage}, {tag.tests})" for tag in MODES if tag not in known)
    table = Table(heads, tuple(rows), "Ways to go wrong")
    unseen = [quiet(f"Found in no response of any model: {never}.")] if never else []
    return Section("Eight ways to go wrong", (quiet(told), table, *unseen), "readiness-modes")


def _draw_mode(tags: Sequence[Tag], by_model: Sequence[Sequence[ModeCount]], *, judged: bool) -> Row:
    """Row of a mode with its meaning, its harm, and coinciding modes."""
    also = [Cell(note=rich("The same responses also show **{}**, {}", each.name, _describe(each))) for each in tags[1:]]
    head = Cell(rich("**{}**", tags[0].name), note=_describe(tags[0]), lines=tuple(also))
    if not any(by_model):
        return Row(head, (Cell(UNKNOWN, columns=len(by_model)),))
    cells = []
    for found in by_model:
        lines = [Cell(count(each.shown), to=each.anchor, n=f"of {count(each.of)}{f' by {each.by}' if judged else ''}")
                 for each in found]  # fmt: skip
        cells.append(lines[0] if len(lines) == 1 else Cell(lines=tuple(lines)) if lines else Cell("–"))
    return Row(head, tuple(cells))


def _describe(tag: Tag) -> str:
    return f"{tag.stage}, {tag.tests}: {tag.means} Consequence for a patient: {tag.consequence}"


def _mark_responses(evidence: Evidence, tag: Tag) -> list[tuple[ArmAddress, str, NDArray[np.bool_]]]:
    """Mark the responses that have a mode, by each source."""
    return [
        (address, by, bits & BIT[tag.name] != 0)
        for address in evidence.with_options
        for by, bits in columns(evidence, address).items()
    ]


def count_unexplained(evidence: Evidence, model: str) -> tuple[int, int]:
    """Count the wrong responses without a known mode, and all wrong responses."""
    none = wrong = 0
    for address in (each for each in evidence.with_options if each.model == model):
        off = evidence.grades(address).is_(Outcome.WRONG)
        tagged = np.bitwise_or.reduce(list(columns(evidence, address).values())) & ANY
        wrong += int(off.sum())
        none += int((off & (tagged == 0)).sum())
    return none, wrong


def _count_heard(evidence: Evidence, model: str, by: str) -> int:
    """Count the responses that a source has examined."""
    total = 0
    for address in (each for each in evidence.with_options if each.model == model):
        grades = evidence.grades(address)
        heard = int(grades.rationales.heard.sum()) if grades.rationales else 0
        total += len(grades) if by == "rule" else heard
    return total


def _count_mode(
    evidence: Evidence, tag: Tag, model: str, totals: dict[tuple[str, str], int], examples: Examples
) -> tuple[ModeCount, ...]:
    able = [by for by in BY if (tag.name not in ONLY_A_JUDGE if by == "rule" else tag.name in JUDGED)]
    made = []
    for by in (each for each in able if totals[model, each]):
        found = examples.get((tag.name, model, by))
        responses = _mark_responses(evidence, tag)
        shown = sum(int(marked.sum()) for at, source, marked in responses if (at.model, source) == (model, by))
        made.append(ModeCount(by, shown, totals[model, by], "" if found is None else row_anchor(evidence, *found)))
    return tuple(made)
