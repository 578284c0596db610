"""Marks that change because people labelled responses: each verdict with their labels, and by the parser alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from snellen.scoring.findings import Finding, mark_model, withheld
from snellen.scoring.results import Results
from snellen.stress.table import Grades
from snellen.stress.verdicts.responses import ActLabels


class LabelledMark(NamedTuple):
    """A mark that uses labels of people: its verdict by the parser alone, and with the labels."""

    without: Finding
    found: Finding

    @property
    def changes(self) -> bool:
        """Whether the labels change the verdict."""
        return self.without.verdict.status is not self.found.verdict.status


def list_labelled_marks(results: Results) -> Iterator[LabelledMark]:
    """The marks of models whose responses were labelled, as far as the labels count."""
    for (model, benchmark), table in results.tables.items():
        bare = {arm: _drop_labels(grades) for arm, grades in table.arms.items()}
        marks = {each.test.name: each for each in results.marks if each.is_of(model, benchmark)}
        if not marks or all(bare[arm] is table.arms[arm] for arm in bare):
            continue
        looks = len(results.looks.get((model, benchmark), (0,)))
        for each in mark_model(replace(table, arms=bare), looks=looks):
            found = marks.get(each.test.name)
            if found is not None and "labelled" in found.verdict.values:
                yield LabelledMark(withheld(each, results.delivery), found)


def _drop_labels(grades: Grades) -> Grades:
    kept = {kind: each for kind, each in grades.columns.items() if kind is not ActLabels}
    return grades if len(kept) == len(grades.columns) else replace(grades, columns=kept)
