"""What there is: datasets, models, suites, tests, conditions and parsers, ours and those of plug-ins, a line each."""

from __future__ import annotations

from typing import Any

from snellen.conditions import MEMBERS as CONDITIONS
from snellen.datasets import MEMBERS as DATASETS
from snellen.grading.parsers import parser_named, parser_names
from snellen.models import MEMBERS as MODELS
from snellen.plugins import find, names
from snellen.protocols import suites as known_suites
from snellen.stress import MEMBERS as TESTS
from snellen.stress import stress_test

Line = tuple[str, str]


def datasets() -> list[Line]:
    """Every dataset and what it is."""
    return [(name, _first_line(find("datasets", DATASETS, name))) for name in names("datasets", DATASETS)]


def models() -> list[Line]:
    """Every provider of models and what it is."""
    return [(f"{name}/…", _first_line(find("models", MODELS, name))) for name in names("models", MODELS)]


def tests() -> list[Line]:
    """Every stress test with its question."""
    return [(name, stress_test(name).asks) for name in names("stress", TESTS)]


def suites() -> list[Line]:
    """Every suite of tests and whose protocol it is."""
    return [(name, _first_line(suite)) for name, suite in known_suites().items()]


def conditions() -> list[Line]:
    """Every condition and what it does."""
    return [(name, _first_line(find("conditions", CONDITIONS, name))) for name in names("conditions", CONDITIONS)]


def parsers() -> list[Line]:
    """Every parser, whose form it takes, and what for an answer."""
    return [(name, parser_named(name).words) for name in parser_names()]


LISTS = {
    "datasets": datasets,
    "models": models,
    "suites": suites,
    "tests": tests,
    "conditions": conditions,
    "parsers": parsers,
}


def _first_line(member: Any) -> str:
    return (member.__doc__ or "").strip().partition("\n")[0]
