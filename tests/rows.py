"""The rows of a table as one test: a case of its own for each row costs more than what it checks.

Long tables stand in `data/replies`, in a file for each file of tests: the rows of a test under its name, one on a line.
"""

from __future__ import annotations

import inspect
import json
from functools import cache, wraps
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

PATIENCE = 1800
"""Seconds until a table that hangs is given up."""
TESTS = Path(__file__).parent
DATA = TESTS / "data" / "replies"


@cache
def _read_tables(file):
    place = DATA / Path(file).resolve().relative_to(TESTS.resolve()).with_suffix(".json")
    return json.loads(place.read_text(encoding="utf-8"))


def _as_tuples(value):
    if isinstance(value, dict):
        return {key: _as_tuples(inner) for key, inner in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def read_table(file, name):
    """A table of a file of tests: a list of rows, or rows by name."""
    table = _read_tables(file)[name]
    return _as_tuples(table) if isinstance(table, dict) else [_as_tuples(row) for row in table]


def take_rows(columns):
    """Run a test with each row of its table in `data/replies`."""

    def parametrize(test):
        return pytest.mark.parametrize(columns, read_table(test.__code__.co_filename, test.__name__))(test)

    return parametrize


def merge_rows(collector, name, test):
    """One test for all rows of a function's `parametrize`; None if each row needs a setup or a mark of its own."""
    marks = getattr(test, "pytestmark", ())
    if not marks or any(mark.name != "parametrize" or mark.kwargs.keys() - {"ids"} for mark in marks):
        return None
    if hasattr(test, "is_hypothesis_test") or collector.get_closest_marker("parametrize"):
        return None
    tables = [(_split(mark.args[0]), list(mark.args[1])) for mark in marks]
    if any(isinstance(row, ParameterSet) for _, rows in tables for row in rows) or _is_set_up(collector, test):
        return None
    named = [
        [dict(zip(names, row if len(names) > 1 else (row,), strict=True)) for row in rows] for names, rows in tables
    ]
    rows = [{key: value for part in parts for key, value in part.items()} for parts in product(*named)]
    bound = test.__get__(collector.newinstance()) if isinstance(collector, pytest.Class) else test
    merged = pytest.Function.from_parent(collector, name=name, callobj=run_rows(bound, rows))
    merged.add_marker(pytest.mark.timeout(PATIENCE))
    return merged


def run_rows(test, rows):
    """A function that calls a test with every row; those that fail are all told with their values."""
    others = [each for each in inspect.signature(test).parameters.values() if each.name not in rows[0]]

    @wraps(test)
    def run(*given, **fixtures):
        fixtures.update((each.name, value) for each, value in zip(others, given, strict=False))
        failures = []
        for row in rows:
            try:
                test(**fixtures, **row)
            except Exception as error:
                error.add_note(f"row: {row!r}")
                failures.append(error)
        if failures:
            raise ExceptionGroup(f"{len(failures)} of {len(rows)} rows fail", failures)

    run.__signature__ = inspect.Signature(others)
    return run


def _split(names):
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _is_set_up(collector, test):
    """Whether a fixture is made anew for each case."""
    found = collector.session._fixturemanager.getfixtureinfo(node=collector, func=test, cls=collector.cls)
    return "request" in found.names_closure or any(
        each[-1].scope == "function" for each in found.name2fixturedefs.values()
    )
