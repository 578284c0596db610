"""Chapters on the questions of the page, such as "Does it follow the image?"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from snellen.report.components import Fold, Link, Listing, Note, Part, Section
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import forest
from snellen.report.sections.tests import ShownTest, by_benchmark, draw_test, label, verdict_cell
from snellen.stress.base import Expectation, Status
from snellen.stress.verdicts.sentences import NAMED, share_with_interval

RERUN = "rerun_changed_rate"


class PageQuestion(NamedTuple):
    """A question of the page; its chapter holds the tests with this expectation."""

    anchor: str
    title: str
    expects: Expectation
    missing: str
    """Note if no test answers the question; "" leaves the chapter out."""


NO_VERDICT = "No test of this study draws a verdict on this."
NO_CHANGE = "No test of this study made a harmless change or asked a question twice."
QUESTIONS = (
    PageQuestion("looks", "Does it follow the image?", Expectation.CHANGE, NO_VERDICT),
    PageQuestion("knows", "Is it honest without it?", Expectation.ABSTAIN, NO_VERDICT),
    PageQuestion("stable", "Is it steady?", Expectation.INVARIANT, NO_CHANGE),
    PageQuestion(
        "benchmark", "What does the benchmark give away?", Expectation.WORSE, "Nothing was asked without the image."
    ),
    PageQuestion("conditions", "Other conditions", Expectation.UNKNOWN, ""),
)


class AnsweredQuestion(NamedTuple):
    """A question with its tests in this chapter (`here`) and in others (`elsewhere`)."""

    asked: PageQuestion
    here: tuple[ShownTest, ...]
    elsewhere: tuple[tuple[ShownTest, str], ...]

    @property
    def result(self) -> str:
        """Short result of the tests."""
        return describe_result([*self.here, *(each for each, _ in self.elsewhere)])


def questions(sections: Sequence[ShownTest], told_in: Mapping[str, str]) -> dict[str, AnsweredQuestion]:
    """Return the questions by anchor. `told_in` names the chapters of tests shown elsewhere."""
    made = {}
    for asked in QUESTIONS:
        those = [each for each in sections if each.test.expects is asked.expects and not each.test.scores]
        here = tuple(each for each in those if each.anchor not in told_in)
        there = tuple((each, told_in[each.anchor]) for each in those if each.anchor in told_in)
        made[asked.anchor] = AnsweredQuestion(asked, here, there if here or asked.missing else ())
    return made


def draw_question(evidence: Evidence, question: AnsweredQuestion, more: Sequence[Part]) -> Fold:
    """Draw the chapter of a question: its tests and further parts."""
    asked = question.asked
    parts: list[Part] = []
    for shown, chapter in question.elsewhere:
        verdicts = ((label(each, evidence), verdict_cell(evidence, each)) for each in shown.findings)
        cells = tuple(replace(cell, words=f"{name} {cell.words}".rstrip()) for name, cell in verdicts)
        note = Note(f"In “{chapter}”:", look="quiet", links=(Link(shown.test.name, shown.anchor),))
        parts.append(Section(shown.test.asks, (note, Listing(cells))))
    parts += [*(draw_test(evidence, each) for each in question.here), *more]
    missing, said, lines = Note(f"Not examined. {asked.missing}", look="quiet"), "", evidence.results.lines
    if asked.anchor == "benchmark":  # the score possible without images
        known = [(share_with_interval(each.best.accuracy), each.benchmark) for each in lines if each.best]
        said = ", ".join(f"{share} without images{f' on {name}' if len(lines) > 1 else ''}" for share, name in known)
    return Fold(asked.title, tuple(parts) or (missing,), said or question.result, asked.anchor, "chapter")


def describe_result(sections: Sequence[ShownTest]) -> str:
    """Count passes and fails. Names the models that fail one of the three verdicts."""
    marks = [each for each in sections if each.test.marks]
    found = [finding for each in marks or sections for finding in each.findings]
    statuses = Counter(each.verdict.status for each in found)
    said = []
    for status in (Status.PASS, Status.FAIL, Status.INCONCLUSIVE, Status.NOT_APPLICABLE, Status.WITHHELD):
        those = list(dict.fromkeys(each.model.rpartition("/")[2] for each in found if each.verdict.status is status))
        named = f" ({', '.join(those)})" if marks and status is Status.FAIL and len(those) <= NAMED else ""
        said += [f"{statuses[status]} {status.words}{named}"] if statuses[status] else []
    return ", ".join(said) or ("reported" if found else "not examined")


def draw_reruns(evidence: Evidence, sections: Sequence[ShownTest]) -> Iterator[Section]:
    """Draw whether repeats of a question give the same answer, if questions were repeated."""
    measured = next((each for each in sections if any(one.measure(one.test.baseline.name, RERUN)
                                                      for one in each.findings)), None)  # fmt: skip
    if measured is None:
        return
    arm = measured.test.baseline.name
    for benchmark, findings in by_benchmark(measured.findings).items():
        plot = forest(findings, arm, RERUN, evidence=evidence, label=lambda each: label(each, evidence))
        if plot is not None:
            name = benchmark if evidence.several else ""
            yield Section("Does another run give the same answer?", (plot,), name=name)
