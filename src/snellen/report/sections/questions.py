"""The chapters that answer a question by tests: does it use the image, does it say when it cannot see, is it stable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import Forest, forest
from snellen.report.sections.tests import BoardCell, Section, board_cell, by_benchmark
from snellen.scoring.findings import Finding
from snellen.stress.base import Expectation, Status, StressTest
from snellen.stress.verdicts.sentences import NAMED

RERUN = "rerun_changed_rate"


class Asked(NamedTuple):
    """A question of the page: its place, its words, and what tests that answer it expect of a good model."""

    anchor: str
    title: str
    expects: Expectation
    missing: str
    """What is said where nothing answers it; "" leaves the chapter out."""


QUESTIONS = (
    Asked("looks", "Does it follow the image?", Expectation.CHANGE, "No test of this study draws a verdict on this."),
    Asked("knows", "Is it honest without it?", Expectation.ABSTAIN, "No test of this study draws a verdict on this."),
    Asked(
        "stable",
        "Is it steady?",
        Expectation.INVARIANT,
        "No test of this study changed something that should not matter, and nothing was asked twice.",
    ),
    Asked("benchmark", "What does the benchmark give away?", Expectation.WORSE, "Nothing was asked without the image."),
    Asked("conditions", "Other conditions", Expectation.UNKNOWN, ""),
)


@dataclass(frozen=True)
class Question:
    """A question with the tests that answer it here, and the verdicts of those that another chapter shows."""

    asked: Asked
    sections: tuple[Section, ...]
    elsewhere: tuple[ShownElsewhere, ...]

    @property
    def result(self) -> str:
        """What its tests find, in a few words: the mark's models, else how many verdicts of each kind."""
        return describe_result([*self.sections, *(each.section for each in self.elsewhere)])


class ShownElsewhere(NamedTuple):
    """A test that another chapter shows in full: the chapter's name, and the verdicts with their numbers."""

    section: Section
    chapter: str
    cells: tuple[BoardCell, ...]


def questions(evidence: Evidence, sections: Sequence[Section], told_in: Mapping[str, str]) -> dict[str, Question]:
    """The chapters by their anchors; `told_in` names the chapter of each test that another chapter shows in full."""
    made = {}
    for asked in QUESTIONS:
        those = [each for each in sections if _answers(each.test, asked) and not each.test.scores]
        here = tuple(each for each in those if each.anchor not in told_in)
        there = [
            ShownElsewhere(each, told_in[each.anchor], tuple(board_cell(evidence, found) for found in each.findings))
            for each in those
            if each.anchor in told_in
        ]
        made[asked.anchor] = Question(asked, here, tuple(there) if here or asked.missing else ())
    return made


def _answers(test: StressTest, asked: Asked) -> bool:
    return test.expects is asked.expects


def describe_result(sections: Sequence[Section]) -> str:
    """How many models pass and fail, the few that fail by name: of the mark if there is one, else of all tests."""
    marks = [each for each in sections if each.test.marks]
    found = [finding for each in marks or sections for finding in each.findings]
    statuses = Counter(each.verdict.status for each in found)
    said = []
    for status in (Status.PASS, Status.FAIL, Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD):
        those = list(dict.fromkeys(each.model.rpartition("/")[2] for each in found if each.verdict.status is status))
        named = f" ({', '.join(those)})" if marks and status is Status.FAIL and len(those) <= NAMED else ""
        said += [f"{statuses[status]} {status.words}{named}"] if statuses[status] else []
    return ", ".join(said) or ("reported" if found else "not examined")


class Rerun(NamedTuple):
    """How often another run of the same question gives another answer, on one benchmark."""

    benchmark: str
    plot: Forest


def reruns(evidence: Evidence, sections: Sequence[Section]) -> list[Rerun]:
    """Where questions were asked repeatedly, whether the answers of the runs agree."""
    measured = next((each for each in sections if any(map(_has_rate, each.findings))), None)
    if measured is None:
        return []
    arm = measured.test.baseline.name
    plots = {
        benchmark: forest(findings, arm, RERUN, evidence=evidence, label=lambda each: each.model)
        for benchmark, findings in by_benchmark(measured.findings).items()
    }
    return [Rerun(benchmark, plot) for benchmark, plot in plots.items() if plot is not None]


def _has_rate(finding: Finding) -> bool:
    return finding.measure(finding.test.baseline.name, RERUN) is not None
