"""The page of two compared studies: changed scores, changed verdicts, and flipped answers.

*Marks* are the verdicts on the three main questions to a model; an answer has *flipped* if only one study has it right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from snellen.conditions import ORIGINAL
from snellen.conditions.labels import read_label
from snellen.items import describe_benchmark
from snellen.reading.outcomes import Outcome
from snellen.report.components import Cell, Link, Listing, Note, Part, Row, Table, fold_chapter, name_columns, rich
from snellen.report.drawing import Page, draw_page
from snellen.report.sections.headline import describe_demonstration
from snellen.report.words.numbers import OUTCOME_WORDS, begun, interval, p_value, shorten_text, unbroken
from snellen.runtime import counted
from snellen.scoring.pairing import FIRST, SECOND
from snellen.stress.conclusions import agreeing_decimals, hundredths
from snellen.stress.verdicts.sentences import NAMED, QUESTIONS
from snellen.tools.compare.two_studies import (
    ACCURACY,
    DESCRIBES,
    OF_REPORTS,
    BothVerdicts,
    ComparedModels,
    ShareChange,
    TwoStudies,
    describe_left_out,
    describe_matched,
    name_both,
)

FLIPS_ON_PAGE = 50
QUOTED = 200
"""Maximum characters shown of a response; the CSV file has all of it."""
SCORES = (ACCURACY, OF_REPORTS, DESCRIBES)
"""Measures shown as a condition's score; all others are additional rates."""
CONCLUSIONS = {
    "higher": "Higher in the second study", "lower": "Lower in the second study", "no": "No difference shown",
}  # fmt: skip


def draw_comparison(found: TwoStudies) -> str:
    """Render the page: scores and marks at the top, everything else folded."""
    flips = len(list(found.flips()))
    marks, others = (tuple(draw_verdicts(found, marks=marks)) for marks in (True, False))
    methods = Listing(tuple(map(Cell, found.notes)), "dots"), *_list_left_out(found)
    folds = [
        fold_chapter("Answers that flipped", f"{flips:,}", "flips", *draw_flips(found, FLIPS_ON_PAGE)),
        fold_chapter("Other rates", "declined and unreadable responses", "rates", *draw_rates(found)),
        fold_chapter("All other tests", _count_changed(found, marks=False), "tests", *others),
        fold_chapter("What was compared", "studies, questions left out, method", "methods", *methods),
    ]
    folds = [each for each in folds if each.parts]
    models, benchmarks = (
        {name for each in found.compared for name in getattr(each, both)} for both in ("models", "benchmarks")
    )
    page = Page(
        title="Two studies compared",
        headline=describe_change(found),
        lede=f"{_list_changed(found)}; {counted(flips, 'answer')} flipped between right and not right, "
        f"over {counted(len({each.arm for each in found.compared}), 'condition')}.",
        meta=" · ".join(_describe_study(found, at) for at in (0, 1)),
        alarm=" ".join(filter(None, [describe_demonstration(models, benchmarks), *found.warnings])),
        summary=[*marks, *draw_scores(found)],
        parts=folds,
        contents=[Link("Results", "summary"), *(Link(str(each.title), each.anchor) for each in folds)],
        scripts=("page",),
    )
    return draw_page(page)


def list_parts(found: TwoStudies, flips: int) -> list[Part]:
    """List the contents for a terminal, with at most `flips` flipped answers."""
    verdicts: list[Part] = [*draw_verdicts(found, marks=True), *draw_verdicts(found, marks=False)]
    return [
        *(Note(each, "WARNING:") for each in found.warnings),
        *map(Note, found.notes),
        *draw_scores(found),
        *draw_rates(found),
        *_list_left_out(found),
        *(verdicts or [Note("The studies share no test, so their verdicts cannot be compared.")]),
        *draw_flips(found, flips),
    ]


def describe_change(found: TwoStudies) -> str:
    """Write the headline: which models have another score with the original image."""
    asked = [each for each in found.compared if each.changes]
    asked = [each for each in asked if each.arm == ORIGINAL.name] or asked[:1]
    if len(asked) == 1:
        change = asked[0].changes[0]
        one, two, _ = write_shares(change)
        first, second = (each.rpartition("/")[2] for each in asked[0].models)
        where = "in the second study" if first == second else f"with {second} than with {first}"
        concluded = change.conclusion.replace("in the second study", where)
        return f"{begun(change.kind.words)} {one} → {two} {asked[0].in_words}: {concluded}."
    said = []
    for begins, words in CONCLUSIONS.items():
        these = [each for each in asked if each.changes[0].conclusion.startswith(begins)]
        names = dict.fromkeys(name_both(each.models) for each in these)
        if names:
            said.append(f"{words}: {', '.join(names) if len(names) <= NAMED else counted(len(names), 'model')}.")
    return " ".join(said)


def draw_scores(found: TwoStudies) -> Iterator[Table]:
    """Draw the scores of both studies and their differences, one table per pair of models."""
    for name, these in _list_pairs(found):
        matched = next(each for each in found.matched if each.benchmarks == these[0].benchmarks)
        rows = list(_list_rows(these, scores=True))
        yield _draw_changes(rows, these[0], f"{name}: {describe_matched(matched)}.")


def draw_rates(found: TwoStudies) -> Iterator[Table]:
    """Draw the other rates that are not 0 in both studies."""
    for name, these in _list_pairs(found):
        if rows := list(_list_rows(these, scores=False)):
            yield _draw_changes(rows, these[0], f"Other rates of {name}")


def _list_pairs(found: TwoStudies) -> Iterator[tuple[str, list[ComparedModels]]]:
    """Group the comparisons by pair of models and benchmark, with names of both."""
    for (models, benchmarks), these in groupby(found.compared, key=lambda each: (each.models, each.benchmarks)):
        first, second = map(describe_benchmark, benchmarks)
        yield f"{name_both(models)} on {name_both((first, second))}", list(these)


def _list_rows(these: Sequence[ComparedModels], *, scores: bool) -> Iterator[Row]:
    several = len({each.parser for each in these}) > 1
    for compared in these:
        by = f"read by {compared.parser}" if several else ""
        if not compared.changes and scores:
            yield Row(Cell(compared.in_words, note=by), (Cell("no question can be compared", columns=5),))
        for change in compared.changes:
            if (change.kind in SCORES) is scores and (scores or change.first.value or change.second.value):
                head = Cell(f"{change.kind.words} {compared.in_words}", n=f"n {change.difference.n:,}", note=by)
                blind = change.kind is ACCURACY and read_label(compared.arm).effects.image in ("none", "blank")
                yield Row(
                    head,
                    tuple(
                        _list_cells(
                            change, "; less is better here" * (blind and not change.conclusion.startswith("no"))
                        )
                    ),
                    compared.models[0],
                )


def _list_cells(change: ShareChange, better: str) -> Iterator[Cell]:
    one, two, points = write_shares(change)
    yield Cell(f"{one} ({interval(change.first, 'share')})", how=change.first.method)
    yield Cell(f"{two} ({interval(change.second, 'share')})", how=change.second.method)
    found = change.difference
    note = f"{change.conclusion.removesuffix(' in the second study')}{better}"
    yield Cell(f"{points} ({interval(found, 'points')})", note=note, how=found.method)
    yield Cell(p_value(change.p_adjusted, at_floor=found.p_at_floor).removeprefix("= "))
    yield Cell(f"{change.fell:,} and {change.rose:,}" if change.kind is ACCURACY else "")


def _draw_changes(rows: Sequence[Row], of: ComparedModels, caption: str) -> Table:
    moved = "more often right" if of.repeated else "right in one only"
    columns = name_columns("condition", FIRST, SECOND, "second minus first", "p", moved)
    note = f"Parentheses are 95% intervals; “{moved}” counts questions: those of the first, then of the second study."
    return Table(columns, tuple(rows), caption, note=note)


def write_shares(change: ShareChange) -> tuple[str, str, str]:
    """Format both shares and their difference with equal decimals."""
    values = (change.first.value, change.second.value, change.difference.value)
    one, two, by = (hundredths(each, agreeing_decimals(*values)) for each in values)
    sign = "+" if change.difference.value > 0 and float(by) else ""
    return f"{one}%", f"{two}%", f"{sign}{by} point{'' if by in ('1', '−1') else 's'}"


def _list_left_out(found: TwoStudies) -> Iterator[Part]:
    for name, these in _list_pairs(found):
        if said := "".join(describe_left_out(each) for each in these if each.left_out):
            yield Note(said.strip(), f"{name}:", "quiet")


def _describe_study(found: TwoStudies, at: int) -> str:
    """Describe one of the two studies: models, name, folder and date."""
    side = (found.first, found.second)[at]
    study = side.study
    models = list(dict.fromkeys(each.models[at] for each in found.compared))
    named = ", ".join(models) if len(models) <= NAMED else counted(len(models), "model")
    when = f", {unbroken(str(study['created'])[:10])}" if study.get("created") else ""
    folder = f" in {side.out.resolve().name}"
    return f"{begun((FIRST, SECOND)[at])}: {named} ({study['name']}{folder}{when})"


def _pick(found: TwoStudies, *, marks: bool) -> list[BothVerdicts]:
    """Select the verdicts on the three marks, or those of all other tests."""
    names = {each.test.name for each in found.first.own_findings if each.test.marks}
    return [each for each in found.verdicts if (each.test in names) is marks]


def _count_changed(found: TwoStudies, *, marks: bool) -> str:
    verdicts = _pick(found, marks=marks)
    changed = sum(each.changed for each in verdicts)
    return f"{changed} of {counted(len(verdicts), 'mark' if marks else 'verdict')} changed"


def _list_changed(found: TwoStudies) -> str:
    """Say which marks changed, and how."""
    changed: dict[tuple[str, str], dict[str, None]] = {}
    for each in _pick(found, marks=True):
        if each.changed:
            changed.setdefault((each.first.words, each.second.words), {})[f"“{QUESTIONS[each.test]}”"] = None
    told = [f"{' and '.join(tests)} {one} → {two}" for (one, two), tests in changed.items()]
    return ", ".join(told) or _count_changed(found, marks=True)


def draw_verdicts(found: TwoStudies, *, marks: bool) -> Iterator[Table]:
    """Draw the verdicts of both studies side by side: the marks, or all other tests."""
    asks = {each.test.name: each.test.asks for each in found.first.own_findings}
    pairs = groupby(_pick(found, marks=marks), key=lambda each: (each.models, each.benchmarks))
    several = len([*_list_pairs(found)]) > 1
    rows: list[Row] = []
    for (models, benchmarks), these in pairs:
        heading = f"{name_both(models)} on {name_both(benchmarks)}" if several else ""
        for each in these:
            cells = (Cell(status=each.first), Cell(status=each.second), Cell("changed" if each.changed else "same"))
            head = Cell(QUESTIONS[each.test]) if marks else Cell(each.test, note=asks[each.test])
            rows.append(Row(head, cells, models[0], heading=heading))
    if rows:
        caption = f"{'Marks' if marks else 'Verdicts of all other tests'}: {_count_changed(found, marks=marks)}."
        columns = name_columns("mark" if marks else "test", FIRST, SECOND, "changed?")
        note = "Each uses all questions of its study. Near a limit it can change although the models hardly differ."
        yield Table(columns, tuple(rows), caption, note=note)


def draw_flips(found: TwoStudies, most: int) -> Iterator[Part]:
    """Draw the number of flipped answers, and some of them with both responses."""
    flips = list(found.flips())
    if not flips:
        yield Note("No answer flipped: no question is right more often in one study than in the other.")
        return
    shown = f" {min(most, len(flips)):,} of them, drawn at random:" if most else ""
    said = f"{counted(len(flips), 'answer')} flipped, over all conditions"
    yield Note(f"{said}: right in one study, not in the other.{shown}")
    words = {each.arm: each.in_words for each in found.compared}
    several = len([*_list_pairs(found)]) > 1
    rows = tuple(_draw_flip(each, words[each["arm"]], several=several) for each in flips[:most])
    if rows:
        columns = name_columns("question", "right answer", FIRST, SECOND)
        note = f"`--to FILE.csv` writes all {len(flips):,}." if len(flips) > most else ""
        yield Table(columns, rows, note=rich(note) if note else "")


def _draw_flip(flip: Mapping[str, Any], condition: str, *, several: bool) -> Row:
    where = f"; {name_both((flip['model1'], flip['model2']))} on {flip['benchmark1']}" if several else ""
    responses = (
        Cell(OUTCOME_WORDS[Outcome(flip[f"outcome{at}"])], note=shorten_text(flip[f"response{at}"], QUOTED),
             swatch=f"outcome {flip[f'outcome{at}']}")
        for at in (1, 2)
    )  # fmt: skip
    head = Cell(flip["item_id"], note=f"{condition}{where}")
    return Row(head, (Cell(shorten_text(flip["answer_text"], QUOTED)), *responses))
