"""The verdict of a test that is not Snellen's: terminal, first table and results.json show the same status."""

import json
from functools import partial

import pytest

from snellen import Expectation, FunctionModel, StressTest, Study
from snellen.cli.terminal import list_verdict_lines
from snellen.conditions import QUESTION_ONLY
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.first_screen import list_tables
from snellen.report.sections.tests import sections
from snellen.store import Store
from snellen.stress.base import Status, Verdict
from snellen.stress.measures import of_arm
from strategies import items

GIVEN = {
    "own-pass": Status.PASS,
    "own-fail": "fail",
    "own-open": "inconclusive",
    "own-none": Status.NOT_APPLICABLE,
}
"""The status that each test concludes, as itself or as a word."""


def conclude(status, test, measures):
    """The same whatever was measured."""
    return Verdict(status, "half is kept", "so it is", rests_on=measures["original", "accuracy"])


def measure(test, table):
    """How often it is right."""
    return of_arm("original", table)


def test_every_place_shows_the_same_status(tmp_path):
    """Also beside the three verdicts that every model gets."""
    tests = [
        StressTest(name, "Is it?", (QUESTION_ONLY,), Expectation.UNKNOWN, headline="accuracy", measuring=measure,
                   concluding=partial(conclude, status))
        for name, status in GIVEN.items()
    ]  # fmt: skip
    study = Study(
        models=[FunctionModel(lambda request: "Answer: A")],
        benchmarks=[Benchmark("b", items(6))],
        tests=[*tests, "image-needed"],
        out=tmp_path / "o",
        canary=False,
    )
    results = study.run(lambda _: None)
    wanted = {name: Status(status) for name, status in GIVEN.items()}
    verdicts = json.loads((tmp_path / "o" / "results.json").read_text())["verdicts"]
    assert {each["test"]: each["status"] for each in verdicts if each["test"] in GIVEN} == wanted
    printed = "\n".join(list_verdict_lines(results))
    for words in ("passes: own-pass", "fails: own-fail", "not decided: own-open", "not applicable: own-none"):
        assert words in printed
    with Store.open(tmp_path / "o") as store:
        evidence = Evidence(results, store)
        [table, *_] = list_tables(evidence, sections(evidence))
    cells = dict(zip((column.words for column in table.columns[1:]), table.rows[0].cells, strict=True))
    assert {name: cells[name].status for name in GIVEN} == wanted


def test_a_status_that_is_none_is_refused():
    """With those that there are."""
    with pytest.raises(StudyError, match=r"one of the statuses Status\.PASS, .* got 'great'"):
        Verdict("great")
