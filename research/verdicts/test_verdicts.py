"""The simulated verdicts that the package ships are those that the scripts plan, and can be drawn again in part."""

import importlib.util
import sys
from pathlib import Path

import orjson
import pytest

from snellen.tools.planner.power import power_table

STUDY = Path(__file__).with_name("verdicts.py")


def loaded(path):
    """A script as a module."""
    found = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = made  # its records look their module up
    try:
        found.loader.exec_module(made)
    finally:
        del sys.modules[path.stem]
    return made


@pytest.fixture(scope="module")
def study():
    """The script that simulates."""
    return loaded(STUDY)


def test_the_table_is_that_of_the_study(study):
    """The rows that the study simulates are those that the package ships, in its order."""
    shipped = [(row.test, row.planted, row.chance, row.says) for row in power_table().rows]
    assert shipped == [(row.test, row.planted, row.chance, row.says) for row in study.ALL]
    assert power_table().items == study.ITEMS


def test_the_rows_of_the_three_verdicts_are_those_that_their_study_plans(study, monkeypatch):
    """Of its simulated models, right marks and words; a new run of the other study keeps them."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "verdicts", study)
    rates, table = loaded(STUDY.with_name("verdict_rates.py")), power_table("marks")
    assert table.items == rates.PLANNED_SIZES
    planned = {(test, name, right, says) for test, name, right, says in rates.PLANNED}
    known = {(row.test.partition(":")[0], row.planted, row.right, row.says) for row in table.rows}
    assert known == planned
    before = orjson.loads(study.DATA.read_bytes())
    assert orjson.loads(study.written(study.merged(before, {}))) == before


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
