"""What a plan says of a test's power: the shipped table covers every test, and is read by size and chance."""

from dataclasses import replace
from importlib.resources import files
from itertools import product

import orjson
import pytest

from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.papers import suite_named, suites
from snellen.stress import MEMBERS
from snellen.study import Study
from snellen.tools.planner.claims import REPORTED
from snellen.tools.planner.power import NO_VERDICT, NOT_SIMULATED, PowerTable, Simulated, power_of, power_table
from strategies import items

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
SHARES = {"finding-removed", "finding-moved"}
"""Shares of answers that are reported; an interval of this kind is tested with the statistics."""
MARKS = {"follows", "honest", "steady"}


def test_every_registered_test_was_simulated():
    """A new test needs rows in research/verdicts; only those that judge nothing by rules of its own have none."""
    simulated = {row.test.partition(":")[0] for row in power_table().rows}
    assert simulated == set(MEMBERS) - {"comparison", "one-of-several", "video-used", *PUBLISHED, *SHARES, *MARKS}


def test_a_plan_tells_the_power_of_every_test_that_has_a_verdict():
    """In every suite, both what is found and what passes; the others say that they have no verdict."""
    for test in {test for name in suites() for test in suite_named(name).tests}:
        told, name = power_of(test, 200, 0.2), test.partition(":")[0]
        if name in MARKS:
            assert len(told) in (2, 3), test
            assert all(" of 100 simulated studies; " in line for line in told)
        elif name in {*REPORTED, *SCORES}:
            assert told == (NO_VERDICT,), test
        else:
            assert len(told) == 2, test
            assert all(line.endswith("%") for line in told)
    assert set(REPORTED) > PUBLISHED


@pytest.mark.parametrize("which", ["tests", "marks"])
def test_the_table_is_whole(which):
    """Every row has a count for every number of questions, and the file is small."""
    table = power_table(which)
    for row in table.rows:
        assert len(row.counts) in (0, len(table.items)), row
        assert all(0 <= count <= table.repeats for count in row.counts), row
        assert bool(row.counts) == bool(row.right), row
    assert len(files("snellen.tools.planner").joinpath("power.json").read_bytes()) < 64_000


def test_the_three_verdicts_are_rarely_wrong_in_the_table():
    """For each of them, a model that should pass and one that should fail, at all sizes; wrong in at most 5%."""
    record = orjson.loads(files("snellen.tools.planner").joinpath("power.json").read_bytes())["marks"]
    assert (record["repeats"], record["items"]) == (100, [30, 60, 100, 200, 400, 1000])
    for name in (*MARKS, "follows:image-exchanged"):
        rows = [row for row in record["rows"] if row["test"] == name]
        assert {(row["right"], row["chance"]) for row in rows} == set(product(("pass", "fail"), (0.25, 0.5)))
        assert max(max(row["fail" if row["right"] == "pass" else "pass"]) for row in rows) <= 5


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
    assert (count.simulated, count.observed, count.chance) == ("text-needed", 100, 0.5)
    assert power_of("text-needed", 100, 0.5) != power_of("text-needed", 100, 0.2)
    [few] = replace(made, limit=60).plan().counts()
    assert power_of(few.simulated, few.observed, few.chance) == ("not known for fewer than 60 questions",)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((0, 80, 79, 80), "a: 80% of 100 simulated studies; 1,000 questions give 80%"),
        ((0, 80, 90, 95), "a: 80% of 100 simulated studies; 60 questions give 80%"),
        ((0, 10, 20, 79), "a: 10% of 100 simulated studies; 1,000 are too few for 80%"),
        ((99, 99, 99, 99), "a: 99% of 100 simulated studies; 30 questions give 80%"),
    ],
)
def test_a_plan_names_the_number_of_questions_that_decides(counts, told):
    """The smallest from which on every larger number decides in at least 80% of the simulated studies."""
    row = Simulated("follows", "a model", 0.25, "pass", "a", counts)
    table = PowerTable("study.py", 100, (30, 60, 100, 1000), (row,), marks=True)
    assert power_of("follows", 99, 0.25, table) == (told,)


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
