"""What a plan says of a test's power: the shipped table covers every test, and is read by size and chance."""

import importlib.util
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from snellen.protocols import suite_named, suites
from snellen.stress import MEMBERS
from snellen.stress.power import NO_VERDICT, NOT_SIMULATED, PowerTable, Simulated, power_of, power_table

STUDY = Path(__file__).parents[2] / "studies" / "verdicts.py"
REPORTED = {"rationale", "robustness", "grounded-reading", "mirage-score", "guess-mode", "dose-response"}
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


def test_every_registered_test_was_simulated():
    """A new test needs rows in studies/verdicts.py; only `comparison`, which judges nothing, has none."""
    simulated = {row.test.partition(":")[0] for row in power_table().rows}
    assert simulated == set(MEMBERS) - {"comparison"}


def test_a_plan_tells_the_power_of_every_test_that_has_a_verdict():
    """In every suite, both what is found and what passes; the others say that they have no verdict."""
    for test in {test for name in suites() for test in suite_named(name).tests}:
        told = power_of(test, 200, 0.2)
        if test.partition(":")[0] in REPORTED:
            assert told == (NO_VERDICT,), test
        else:
            assert len(told) == 2, test
            assert all(line.endswith("%") for line in told)


def test_the_table_is_whole():
    """Every row has a count for every number of questions, and the file is small."""
    table = power_table()
    for row in table.rows:
        assert len(row.counts) in (0, len(table.items)), row
        assert all(0 <= count <= table.repeats for count in row.counts), row
        assert bool(row.counts) == bool(row.right), row
    assert len(files("snellen.stress").joinpath("power.json").read_bytes()) < 60_000


def test_the_table_is_that_of_the_study():
    """The rows that the study simulates are those that the package ships, in its order."""
    found = importlib.util.spec_from_file_location("verdicts", STUDY)
    study = importlib.util.module_from_spec(found)
    sys.modules["verdicts"] = study  # its records look their module up
    try:
        found.loader.exec_module(study)
    finally:
        del sys.modules["verdicts"]
    shipped = [(row.test, row.planted, row.chance, row.says) for row in power_table().rows]
    assert shipped == [(row.test, row.planted, row.chance, row.says) for row in study.ALL]
    assert power_table().items == study.ITEMS


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
