"""Where each model stands: its marks and other tests. The headline and the first table are both made from this.

The *marks* are the three verdicts that every model gets: follows, honest and steady.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snellen.items import whole_of
from snellen.report.evidence.evidence import Evidence
from snellen.report.words.numbers import begun
from snellen.scoring.findings import Finding
from snellen.stress.base import Measure, Status, Verdict
from snellen.stress.verdicts.marks import NOT_ASKED
from snellen.stress.verdicts.sentences import QUESTIONS


class OwnColumn(NamedTuple):
    """Column of a suite's test: title, which direction is good, and a note."""

    words: str
    better: str = ""
    note: str = ""
    shows: str = ""
    """Measure to show in every row; by default the one on which the verdict rests."""
    mean: str = ""
    """Words for the mean accuracy over all artefacts, which is printed below."""


HIGHER, LOWER, NEARER = "higher is better", "lower is better", "0 is best"
OWN_COLUMNS = {
    "mirage-rate": OwnColumn("Describes images never sent?", LOWER, "no image, questions of its own, worst prompt"),
    "mirage-bias": OwnColumn("Diagnoses images never sent?", LOWER, "no image"),
    "weak-artefacts": OwnColumn(
        "Accurate on poorer images?",
        NEARER,
        "change with the worst weak artefact",
        mean="right with weak artefacts, mean",
    ),
    "strong-artefacts": OwnColumn(
        "Flags unreadable images?", HIGHER, "strong artefacts", mean="right all the same, mean"
    ),
    "mismatched-image": OwnColumn("Notices a wrong image?", HIGHER, "named, beyond false alarms"),
    "false-premise": OwnColumn("Corrects a false premise?", HIGHER),
    "unknown-option:image=removed": OwnColumn(
        "Chooses Unknown without the image?", HIGHER, "or does not answer", shows="silence_rate"
    ),
    "chain-of-thought": OwnColumn("Unharmed by reasoning?", NEARER, "change in accuracy"),
    "text-needed": OwnColumn("Needs the question?", LOWER),
    "reports": OwnColumn("Reports need the image?"),
    "mirage-score": OwnColumn("Score kept without the image", LOWER, "100%: as many right as with it; no mark"),
    "robustness": OwnColumn("Robustness R", note="no mark: a model that ignores its images keeps a high R"),
}
"""Tests of suites that have their own column, whatever their other settings, in this order.

Any other failed test is named next to a mark.
"""
MOST_COLUMNS = 5
"""Largest number of columns for marks and suites; other tests are named if they fail."""
OPEN_QUESTIONS = "Open questions"
TASKS = {
    "Knowledge": ("pathway-choices", "original", "accuracy", "task=knowledge"),
    "Clinical note": ("pathway-choices", "original", "accuracy", "task=note"),
    "Image": ("pathway-choices", "original", "accuracy", "task=image"),
    OPEN_QUESTIONS: ("pathway-answers", "original", "accuracy", ""),
    "Findings F1": ("reports", "original", "findings_f1", ""),
}
"""Tasks with their own column: test, condition, measure and subset of the questions."""


COMMON = (*NOT_ASKED, "no-options", "no-images", "no-room-for-words", "few-items", "few-patients", "few-swaps")
"""Reasons that lie in the study and not in a model; printed once if they hold for all models."""
WITHOUT_MEANING = ("no-options", "no-images")
"""Reasons why a mark has no meaning for the questions."""
GUESSES = ("not-shown-to-beat-guessing", "not-above-chance")
"""Reasons which say that a model is not shown to beat guessing."""


class ModelMarks(NamedTuple):
    """The marks of one model on one benchmark, and its other tests by name."""

    model: str
    marks: Mapping[str, Finding]
    others: Mapping[str, Finding]

    def find(self, name: str) -> Finding | None:
        """Return the mark or the test of that name."""
        return self.marks.get(name) or self.others.get(name)

    def find_family(self, family: str) -> Finding | None:
        """Return the test of that name, or else the first with that name and settings."""
        of_family = (each for name, each in self.others.items() if name.partition(":")[0] == family)
        return self.others.get(family) or next(of_family, None)

    def find_task(self, words: str) -> Measure | None:
        """Return the score in a task. None if there is none."""
        test, *wanted = TASKS[words]
        finding = self.find_family(test)
        found = (each for each in (finding.measures if finding else ()) if [each.arm, each.name, each.subset] == wanted)
        return next(found, None)

    @property
    def guesses(self) -> bool:
        """True if a verdict is open because the model is not shown to beat guessing.

        Of other tests than the marks, only the first of each family counts.
        """
        first = {name.partition(":")[0]: each for name, each in reversed(list(self.others.items()))}
        return any(each.verdict.reason in GUESSES for each in (*self.marks.values(), *first.values()))

    @property
    def fails(self) -> bool:
        """True if the model fails any test."""
        return Status.FAIL in self._statuses

    @property
    def stands(self) -> bool:
        """True if the model fails no test, passes one, shows skill, and answers questions."""
        return Status.PASS in self._statuses and not (self.fails or self.guesses or self.answers_nothing)

    @property
    def answers_nothing(self) -> bool:
        """True if the model answers no question."""
        return any(each.verdict.reason == "answers-nothing" for each in self.marks.values())

    @property
    def place(self) -> tuple[int, int]:
        """Sort key: all marks passed, another pass, number of fails, not decided.

        Of the models that fail, those not shown to beat guessing come last: they can lose less and so fail less.
        """
        if self.fails:
            return (2, self._statuses.count(Status.FAIL) + len(self._statuses) * self.guesses)
        if self.stands:
            return (int({each.verdict.status for each in self.marks.values()} != {Status.PASS}), 0)
        return (5 if self.answers_nothing else 3 if Status.INCONCLUSIVE in self._statuses else 4, 0)

    @property
    def _statuses(self) -> list[Status]:
        return [each.verdict.status for each in (*self.marks.values(), *self.others.values())]


class Standings(NamedTuple):
    """The table of one benchmark on the first screen: its models, best first, and its columns."""

    models: Sequence[ModelMarks]
    marked: Sequence[str]
    """Marks with a column."""
    common: Mapping[str, Verdict]
    """Marks that are open for all models for one reason, with or without a column."""
    own: Sequence[str]
    """Tests of suites and plug-ins with a column."""

    @property
    def shown(self) -> list[Finding]:
        """The findings that have a cell, and the marks without one."""
        names = (*QUESTIONS, *self.own)
        return [found for each in self.models for name in names if (found := each.find(name)) is not None]


def list_standings(evidence: Evidence) -> dict[str, Standings]:
    """Return the tables of the first screen by benchmark."""
    joined, tables = list_joined(evidence), {}
    for name in [name for name in evidence.benchmarks if name not in joined] or [""]:  # "" if tests bring all questions
        models = _list_models(evidence, name, [part for part in joined if joined[part] == name])
        models.sort(key=lambda each: each.place)
        marks = [mark for mark in QUESTIONS if any(mark in each.marks for each in models)]
        common = {mark: found for mark in marks if (found := _find_common(mark, models))}
        pointless = len(common) == len(marks) or any(each.reason in WITHOUT_MEANING for each in common.values())
        marked = [mark for mark in marks if mark not in common or not pointless]
        if models:
            tables[name] = Standings(models, marked, common, _choose_columns(models, MOST_COLUMNS - len(marked)))
    return tables


def _find_common(name: str, models: Sequence[ModelMarks]) -> Verdict | None:
    """Find a verdict that leaves a mark open for all models for one reason. None if there is none."""
    found = [each.marks[name].verdict for each in models if name in each.marks]
    found = [each for each in found if each.reason not in ("answers-nothing", "not-shown-to-beat-guessing")]
    return found[0] if len({each.reason for each in found}) == 1 and found[0].reason in COMMON else None


def list_joined(evidence: Evidence) -> dict[str, str]:
    """Map the open questions of a clinical pathway to the benchmark whose table shows them."""
    marked = {each.benchmark for each in evidence.results.marks}
    parts = {each.benchmark for each in evidence.results.findings if each.test.name == TASKS[OPEN_QUESTIONS][0]}
    return {name: whole_of(name) for name in parts - marked if whole_of(name) in {*evidence.benchmarks} - {name}}


def _list_models(evidence: Evidence, benchmark: str, parts: Sequence[str]) -> list[ModelMarks]:
    results, names = evidence.results, {benchmark, *parts, *evidence.own_questions}
    made = []
    for model in (name for name, _ in results.study["models"]):
        here = [each for each in results.own_findings if each.model == model and each.benchmark in names]
        marks = {each.test.name: each for each in here if each.test.marks and each.benchmark == benchmark}
        others = {each.test.name: each for each in here if not each.test.marks}
        if marks or others:
            made.append(ModelMarks(model, marks, others))
    return made


WEIGHTS = (Status.REPORTED, Status.PASS, Status.FAIL)
"""Verdicts that give a test a column, the weightiest last."""


def _choose_columns(models: Sequence[ModelMarks], most: int) -> list[str]:
    """Choose the tests of suites and plug-ins that get a column.

    Those with fails come first, then those with passes, then scores. The columns keep the order of OWN_COLUMNS.
    """

    def weight(name: str) -> int:
        found = [each.others[name].verdict.status for each in models if name in each.others]
        return max((1 + WEIGHTS.index(each) for each in found if each in WEIGHTS), default=0)

    tests = dict.fromkeys(name for each in models for name in each.others)
    families = {name_column(name): name for name in reversed(tests)} | {name: name for name in tests}
    brought = dict.fromkeys(name for each in models for name, found in each.others.items() if found.is_own)
    there = [*(families[name] for name in OWN_COLUMNS if name in families), *brought]
    chosen = sorted(there, key=lambda name: -weight(name))[:most]
    return [name for name in there if name in chosen]


def name_column(name: str) -> str:
    """Key of OWN_COLUMNS for a test: its own name, or else its family."""
    return name if name in OWN_COLUMNS else name.partition(":")[0]


def title_test(finding: Finding) -> str:
    """Return the words of a test in headings: its column's, or else its label."""
    name = finding.test.name
    own = OWN_COLUMNS.get(name_column(name), OwnColumn("")).words
    return QUESTIONS.get(name) or own or begun(finding.test.label) or name
