"""The headline says who was examined on what, and the most important thing found; on every organism the right thing."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.headline import headline
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.base import Status
from snellen.study import Study

pytestmark = pytest.mark.usefixtures("no_groups")

TESTS = ("image-needed", "image-used", "rationale", "option-order")
LEAKY, TIGHT = "phantoms:items=60,leak=0.5", "phantoms:items=60"
SAYS = {
    ("blind",): ("organism/blind keeps 67% accuracy without the image (guessing: ", Status.FAIL),
    ("memoriser",): ("organism/memoriser keeps 100% accuracy without the image", Status.FAIL),
    ("blind", "memoriser"): ("Both models keep 67% to 100% accuracy without the image", Status.FAIL),
    ("pretender",): ("organism/pretender does not use the image", Status.FAIL),
    ("positional",): ("organism/positional gives other answers when the options are reordered", Status.FAIL),
    ("mirage",): ("organism/mirage describes findings in ", Status.REPORTED),
    ("random",): ("organism/random is not shown to be better than guessing", Status.INCONCLUSIVE),
    ("refuser",): ("organism/refuser is not shown to be better than guessing", Status.INCONCLUSIVE),
    ("grounded",): ("organism/grounded uses the image", Status.PASS),
    ("grounded", "flagger", "rambler"): ("All 3 models use the image", Status.PASS),
}


def asked(out, organisms, benchmarks=(LEAKY,), tests=TESTS, **settings):
    """Ask organisms what nobody has asked them yet in this folder."""
    models = [f"organism/{name}" for name in organisms]
    study = Study(models=models, benchmarks=list(benchmarks), tests=list(tests), out=out, **settings)
    study.ask(lambda progress: None)


@contextmanager
def scored(out, organisms, *what, **settings):
    """The results of a study of organisms, with its store."""
    asked(out, organisms, *what, **settings)
    with Store.open(out) as store:
        yield score(store), store


def told(*study, **settings):
    """The headline of a study of organisms."""
    with scored(*study, **settings) as (results, store):
        return headline(Evidence(results, store))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where every organism has answered; each study of some of them is one more study there."""
    out = tmp_path_factory.mktemp("organisms")
    asked(out, {name: None for organisms in SAYS for name in organisms})
    return out


ON_THE_PAGE = {("blind", "memoriser"), ("mirage",), ("random",), ("grounded",)}
"""One for each status: a page takes a second to draw."""


@pytest.mark.parametrize("organisms", SAYS, ids="-".join)
def test_the_most_important_thing_is_found(folder, organisms):
    """What was found of each organism is what it was made to do; whatever its status, it stands before the verdicts."""
    with scored(folder, organisms) as (results, store):
        found = headline(Evidence(results, store))
        page = render(results, store) if organisms in ON_THE_PAGE else None
    begins, status = SAYS[organisms]
    assert found.found.startswith(begins)
    assert found.status is status
    assert found.title.endswith(f"on {LEAKY}, 60 questions")
    assert page is None or page.index(found.found) < page.index('id="verdicts"')


def test_a_model_is_named_only_for_the_benchmark_on_which_it_fails(folder):
    """One benchmark leaks and the other does not; the title counts the questions that were asked."""
    found = told(folder, ("blind", "grounded"), (TIGHT, LEAKY), limit=40)
    assert found.found.startswith("organism/blind keeps ")
    assert f" accuracy without the image on {LEAKY} (guessing: " in found.found
    assert found.title == f"blind and grounded on {TIGHT} (40 questions) and {LEAKY} (40 questions)"


def test_a_verdict_of_any_test_is_something_settled(folder):
    """Where the tests are others, the first that fails is told, else the first that passes."""
    assert told(folder, ("mirage",), (), ("mirage-rate",), limit=40).status is Status.FAIL
    found = told(folder, ("blind",), ("phantoms:items=100,leak=0.5",), ("option-order",))
    assert (found.found, found.status) == ("organism/blind passes the test “same answer in any order?”", Status.PASS)
    found = told(folder, ("random",), (LEAKY,), ("option-order",), limit=8)
    assert (found.found, found.status) == ("Nothing is settled by 8 questions", Status.INCONCLUSIVE)
