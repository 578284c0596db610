"""Counterfactual tests: the answer follows the finding, stays, or does neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from organisms import scored
from snellen.items import Substitute
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings
from snellen.stats import proportion
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from tables import grades, rated

TEST = stress_test("finding-moved")
ARM = TEST.compared[0].name
NAMES = ("follows_finding_rate", "keeps_answer_rate", "neither_rate")
CHOSEN = {"+": 0, "m": 1, "-": 2}
"""The old answer, the new one, and another; any other sign is no answer."""


def said(signs, key):
    """The grades of a line of signs, whose right answer is `key`."""
    replies = [
        (at, 0, Outcome.ABSTAINED, -1)
        if sign not in CHOSEN
        else (at, 0, Outcome.CORRECT if CHOSEN[sign] == key else Outcome.WRONG, CHOSEN[sign])
        for at, sign in enumerate(signs)
    ]
    return replace(grades(replies), key=np.full(len(signs), key))


def finding(own, moved):
    """The result of these responses."""
    lent = (Substitute((), "1", change="moved"),)
    items = tuple(replace(item, answer=0, substitutes=lent) for item in rated(len(own), options=4))
    [found] = findings([TEST], Table("m", "b", items, {"original": said(own, 0), ARM: said(moved, 1)}))
    return found


def estimates(found):
    """The measures of the changed image by name."""
    return {each.name: each.estimate for each in found.measures if each.arm == ARM}


def test_counts_by_hand():
    """Of 8 right answers 4 follow, 2 stay and 2 do neither; of 9 pairs with two answers, 4 are alike."""
    found = finding("++++++++m-", "mmmm++-om-")
    by_name = estimates(found)
    assert [(round(by_name[name].value * 8), by_name[name].n) for name in NAMES] == [(4, 8), (2, 8), (2, 8)]
    assert (round(by_name["alike_rate"].value * 9), by_name["alike_rate"].n) == (4, 9)
    assert found.verdict.status is Status.REPORTED
    assert "of 8 questions right about the original, 50%" in found.verdict.numbers


@given(st.lists(st.tuples(st.sampled_from("+m-o"), st.sampled_from("+m-o")), min_size=1, max_size=40))
def test_the_shares_are_those_of_brute_force(pairs):
    """And the three of them are the whole."""
    by_name = estimates(finding(*("".join(each) for each in zip(*pairs, strict=True))))
    right = [after for before, after in pairs if before == "+"]
    if right:
        expected = [proportion(np.array([each == sign for each in right], float)) for sign in "m+"]
        assert [by_name[name] for name in NAMES[:2]] == expected
        assert sum(by_name[name].value for name in NAMES) == pytest.approx(1)
    else:
        assert not by_name.keys() & set(NAMES)
    answered = [(before, after) for before, after in pairs if "o" not in (before, after)]
    alike = np.mean([before == after for before, after in answered]) if answered else None
    assert (by_name["alike_rate"].value if answered else None) == pytest.approx(alike)


def test_items_without_a_counterpart_do_not_count():
    """They are left out, and the verdict says if that is all of them."""
    items = rated(5, options=4)
    [found] = findings([TEST], Table("m", "b", items, {"original": said("+++++", 0)}))
    assert found.verdict.reason == "nothing-asked"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Organisms on counterfactual phantoms."""
    benchmark = "phantoms:task=counterfactual,items=40"
    names = ("grounded", "blind", "pretender", "prior:task=counterfactual")
    tests = ("finding-removed", "finding-moved")
    with scored(tmp_path_factory.mktemp("counterfactual") / "out", names, (benchmark,), tests) as (found, _):
        yield {(each.model.removeprefix("organism/"), each.test.name): each for each in found.findings}


@pytest.mark.parametrize("test", ["finding-removed", "finding-moved"])
def test_only_who_looks_follows_the_finding(results, test):
    """All others answer alike, whichever image they get; `grounded` never does (n is 14 pairs or more)."""
    for name, expected in (("grounded", 0), ("blind", 1), ("pretender", 1), ("prior", 1)):
        [found] = [each for (model, named), each in results.items() if model.startswith(name) and named == test]
        by_name = {each.name: each.estimate for each in found.measures if each.name == "alike_rate"}
        assert by_name["alike_rate"].n >= 14
        assert by_name["alike_rate"].value == pytest.approx(expected, abs=0.1), name
