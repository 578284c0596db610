"""What a plan says of a test's power: the shipped table covers every test, and is read by size and chance."""

import importlib.util
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import orjson
import pytest

from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.protocols import suite_named, suites
from snellen.stress import MEMBERS
from snellen.stress.claims import REPORTED
from snellen.stress.power import ELSEWHERE, NO_VERDICT, NOT_SIMULATED, PowerTable, Simulated, power_of, power_table
from snellen.study import Study
from strategies import items

STUDY = Path(__file__).parents[2] / "studies" / "verdicts.py"
MADE = PowerTable(
    "study.md",
    200,
    (60, 100),
    (
        Simulated("a", "nothing", 0.2, "pass", "passes", (50, 60)),
        Simulated("a", "a drop", 0.2, "fail", "finds it", (100, 198)),
        Simulated("a", "a drop", 0.5, "fail", "finds it", (20, 200)),
        Simulated("a:x=1", "a drop", 0.2, "fail", "finds it", (0, 1)),
        Simulated("b", "any", 0.2, "", "", ()),
    ),
)


SCORES = {"mirage-score", "mirage-words", "robustness", "grounded-reading", "pooled-artefacts"}
"""Scores, which no rule judges; their intervals are simulated."""
PUBLISHED = {"image-needed", "blank-image", "image-used", "option-order", "open-answers"}
"""Measures of papers that are reported: the three verdicts judge what they were judged for."""
MARKS = {"follows", "honest", "steady"}


def test_every_registered_test_was_simulated():
    """A new test needs rows in studies/verdicts.py; only those that judge nothing by rules of that study have none."""
    simulated = {row.test.partition(":")[0] for row in power_table().rows}
    assert simulated == set(MEMBERS) - {"comparison", "one-of-several", "video-used", *PUBLISHED, *MARKS}


def test_a_plan_tells_the_power_of_every_test_that_has_a_verdict():
    """In every suite, both what is found and what passes; the others say that they have no verdict."""
    for test in {test for name in suites() for test in suite_named(name).tests}:
        told, name = power_of(test, 200, 0.2), test.partition(":")[0]
        if name in MARKS:
            assert told == (ELSEWHERE,), test
        elif name in {*REPORTED, *SCORES}:
            assert told == (NO_VERDICT,), test
        else:
            assert len(told) == 2, test
            assert all(line.endswith("%") for line in told)
    assert set(REPORTED) > PUBLISHED


def test_the_table_is_whole():
    """Every row has a count for every number of questions, and the file is small."""
    table = power_table()
    for row in table.rows:
        assert len(row.counts) in (0, len(table.items)), row
        assert all(0 <= count <= table.repeats for count in row.counts), row
        assert bool(row.counts) == bool(row.right), row
    assert len(files("snellen.stress").joinpath("power.json").read_bytes()) < 64_000


@pytest.fixture(scope="module")
def study():
    """The script that simulates."""
    found = importlib.util.spec_from_file_location("verdicts", STUDY)
    made = importlib.util.module_from_spec(found)
    sys.modules["verdicts"] = made  # its records look their module up
    try:
        found.loader.exec_module(made)
    finally:
        del sys.modules["verdicts"]
    return made


def test_the_table_is_that_of_the_study(study):
    """The rows that the study simulates are those that the package ships, in its order."""
    shipped = [(row.test, row.planted, row.chance, row.says) for row in power_table().rows]
    assert shipped == [(row.test, row.planted, row.chance, row.says) for row in study.ALL]
    assert power_table().items == study.ITEMS


def test_a_test_is_simulated_again_without_the_others(study):
    """Its rows take the place of those that were there, every other row stays, and what was never drawn is missed."""
    before = orjson.loads(study.DATA.read_bytes())
    again = next(row for row in study.ALL if row.test == "text-needed")
    after = study.merged(before, {again.named: {"test": "text-needed", "planted": "anew"}})
    changed = [new for old, new in zip(before["rows"], after["rows"], strict=True) if old != new]
    assert changed == [{"test": "text-needed", "planted": "anew"}]
    assert study.merged(before, {}) == before
    rows = [row for row in before["rows"] if row["test"] != "text-needed"]
    with pytest.raises(SystemExit, match="never simulated, such as 'text-needed: keeps 0%"):
        study.merged({**before, "rows": rows}, {})


def test_rows_that_differ_are_never_taken_for_each_other(study):
    """A row is known by its test, what is planted, chance and the number that is checked."""
    assert len({row.named for row in study.ALL}) == len(study.ALL)


def test_a_row_is_drawn_alike_whatever_is_drawn_before_it(study, monkeypatch):
    """Its seed is its own."""
    monkeypatch.setattr(study, "made_quick", lambda: None)  # which would change the package for all other tests
    first, second = (row for row in study.ALL if row.test == "mismatched-image" and row.says)
    alone = study.counted(second, 60, 20)
    study.counted(first, 60, 20)
    assert study.counted(second, 60, 20) == alone
    assert alone["pass"] > 10


def test_a_plan_asks_for_the_chance_of_the_questions_that_are_asked():
    """Open questions beside those with two options are not asked, and do not make it a matter of five options."""
    in_words = [Item(f"o{at}", "What is it?", answer="a mass", kind="open") for at in range(200)]
    made = Study(
        models=[FakeModel(lambda request: "A")],
        benchmarks=[Benchmark("b", (*in_words, *items(100, options=2)))],
        tests=["text-needed"],
        out="nowhere",
    )
    [count] = made.plan().counts()
    assert count.power == power_of("text-needed", 100, 0.5) != power_of("text-needed", 100, 0.2)
    [few] = replace(made, limit=60).plan().counts()
    assert few.power == ("not known for fewer than 60 questions",)


@pytest.mark.parametrize(
    ("test", "n", "chance", "told"),
    [
        ("a", 60, 0.2, ("finds it: 50%", "passes: 25%")),
        ("a", 99, 0.25, ("finds it: 50%", "passes: 25%")),
        ("a", 5000, 0.2, ("finds it: 99%", "passes: 30%")),
        ("a", 100, 0.45, ("finds it: 100%",)),
        ("a:y=2", 60, 0.2, ("finds it: 50%", "passes: 25%")),
        ("a:x=1", 100, 0.2, ("finds it: 0.5%",)),
        ("a", 59, 0.2, ("not known for fewer than 60 questions",)),
        ("b", 100, 0.2, (NO_VERDICT,)),
        ("own", 100, 0.2, (NOT_SIMULATED,)),
    ],
)
def test_the_next_smaller_study_and_the_nearest_chance_are_told(test, n, chance, told):
    """What fails before what passes; a setting that was not simulated is told as the test without."""
    assert power_of(test, n, chance, MADE) == told
