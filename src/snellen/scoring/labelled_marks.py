"""Verdicts that use people's labels of responses, shown with and without these labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from snellen.scoring.findings import Finding, mark_model, withhold_verdict
from snellen.scoring.results import Results
from snellen.stress.table import Grades
from snellen.stress.verdicts.responses import ActLabels


class LabelledMark(NamedTuple):
    """One of the three verdicts of a model: by the parser alone (`without`), and with people's labels (`found`)."""

    without: Finding
    found: Finding

    @property
    def changes(self) -> bool:
        """True if the labels change the verdict."""
        return self.without.verdict.status is not self.found.verdict.status


def list_labelled_marks(results: Results) -> Iterator[LabelledMark]:
    """Yield the verdicts that use people's labels, of every model with labelled responses."""
    for (model, benchmark), table in results.tables.items():
        bare = {arm: _drop_labels(grades) for arm, grades in table.arms.items()}
        marks = {each.test.name: each for each in results.marks if each.is_of(model, benchmark)}
        if not marks or all(bare[arm] is table.arms[arm] for arm in bare):
            continue
        looks = len(results.looks.get((model, benchmark), (0,)))
        for each in mark_model(replace(table, arms=bare), looks=looks):
            found = marks.get(each.test.name)
            if found is not None and "labelled" in found.verdict.values:
                yield LabelledMark(withhold_verdict(each, results.delivery), found)


def _drop_labels(grades: Grades) -> Grades:
    kept = {kind: each for kind, each in grades.columns.items() if kind is not ActLabels}
    return grades if len(kept) == len(grades.columns) else replace(grades, columns=kept)
