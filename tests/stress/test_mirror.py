"""Mirror: answers that change sides with the image pass, answers that stay fail; silence and guesses decide nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import StudyError
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.study import Study
from snellen.testing import own_benchmark
from studied import results_of
from tables import grades, rated

TEST = stress_test("mirror")
ARM = TEST.compared[0].name
CHOSEN = {"+": 0, "m": 1, "-": 2}
"""The side that the image shows, the other side, and something else; any other sign is silence."""


def said(signs, key):
    """The grades of a line of signs, for items whose own answer is option 0 and whose right one here is `key`."""
    replies = [
        (at, 0, Outcome.ABSTAINED, 0)
        if sign not in CHOSEN
        else (at, 0, Outcome.CORRECT if CHOSEN[sign] == key else Outcome.WRONG, CHOSEN[sign])
        for at, sign in enumerate(signs)
    ]
    return replace(grades(replies), key=np.full(len(signs), key))


def finding(own, mirrored, options=4):
    """The finding on these responses."""
    items = tuple(replace(item, answer=0) for item in rated(len(own), options=options))
    [found] = findings([TEST], Table("m", "b", items, {"original": said(own, 0), ARM: said(mirrored, 1)}))
    return found


@pytest.mark.parametrize(
    ("own", "mirrored", "status", "why"),
    [
        ("+" * 60, "m" * 60, Status.PASS, "change sides with the image"),
        ("+" * 50 + "-" * 10, "m" * 48 + "-" * 12, Status.PASS, "of 50 right answers, 96%"),
        ("+" * 60, "+" * 60, Status.FAIL, "100% (95% CI 94 to 100) name the same side"),
        ("m" * 60, "m" * 60, Status.FAIL, "name the same side, whatever"),
        ("+" * 60, "m" * 30 + "+" * 30, Status.FAIL, "do not change sides"),
        ("+" * 60, "m" * 45 + "-" * 15, Status.FAIL, "do not change sides"),
        ("+" * 60, "m" * 20 + "o" * 40, Status.INCONCLUSIVE, "67% more questions get no answer"),
        ("+" * 12, "m" * 9 + "+" * 3, Status.INCONCLUSIVE, "oo few to tell"),
        ("+" * 60, "m" * 56 + "-" * 4, Status.INCONCLUSIVE, "oo few to tell; about"),
        ("+m" * 6 + "-" * 48, "m+" * 6 + "-" * 48, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        ("o" * 60, "o" * 60, Status.INCONCLUSIVE, "not shown to be better than guessing"),
        ("+" * 60, "", Status.INCONCLUSIVE, "no question has an answer with a side"),
    ],
)
def test_verdicts(own, mirrored, status, why):
    """By what the answers do, with the numbers and the reason in the sentence."""
    found = finding(own, mirrored).verdict
    assert (found.status, why.lower() in found.sentence.lower()) == (status, True), found.sentence


def test_counts_by_hand():
    """Of 20 questions 16 are right, of these 12 change sides and 3 stay; with two that are wrong both times, 5 stay."""
    found = finding("+" * 16 + "mm--", "m" * 12 + "+++" + "-" + "mm--")
    by_name = {each.name: each.estimate for each in found.measures if each.arm == ARM}
    counted = {name: (round(by_name[name].value * by_name[name].n), by_name[name].n) for name in (
        "right_in_both_rate", "follows_mirror_rate", "unmoved_rate")}  # fmt: skip
    assert counted == {"right_in_both_rate": (12, 20), "follows_mirror_rate": (12, 16), "unmoved_rate": (5, 17)}
    assert {each.subset for each in found.measures} == {"questions whose answer names a side"}


@given(st.lists(st.sampled_from("+m-o"), min_size=12, max_size=60).map("".join))
def test_who_does_not_look_never_passes(text):
    """Whatever the words make it answer."""
    assert finding(text, text).verdict.status is not Status.PASS


def test_organisms(tmp_path):
    """Who looks changes sides with the image; who goes by the text stays, and fails."""
    models = ("grounded", "blind", "text-driven")
    benchmark = ("phantoms:items=144,modality=oct,leak=1",)
    study = Study(
        models=[f"organism/{name}" for name in models], benchmarks=benchmark, tests=("mirror",), out=tmp_path / "out"
    )
    scored = results_of(study)
    found = {each.model.partition("/")[2]: str(each.verdict.status) for each in scored.findings}
    assert found == {"grounded": "pass", "blind": "fail", "text-driven": "fail"}
    asked = {len(table.items) for table in scored.tables.values()}
    assert asked == {sum(item.metadata.get("mirror") == "swaps" for item in study.plan().benchmarks[0])}


def test_answers_in_words_change_sides_too(tmp_path):
    """With open questions, the references change sides and the parser reads the responses by them."""
    from snellen.images import encode

    picture = np.zeros((16, 16), np.uint8)
    picture[:, 8:] = 200
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one.png").write_bytes(encode(picture).data)
    rows = [
        {"id": f"q{at}", "question": f"Where is lesion {at}?", "answer": "left temporal lobe", "image": "one.png"}
        for at in range(8)
    ]
    own_benchmark(tmp_path / "b", rows)
    study = Study(
        models=["organism/blind"], benchmarks=(str(tmp_path / "b"),), tests=("mirror:kind=open",), out=tmp_path / "out"
    )
    [found] = results_of(study).findings
    assert found.test.name == "mirror:kind=open"
    assert {each.arm for each in found.measures} == {"original", ARM}


def test_a_kind_that_it_cannot_ask_is_refused():
    """Reports name sides throughout."""
    with pytest.raises(StudyError, match="Expected kind to be choice or open, got 'report'"):
        stress_test("mirror:kind=report")


def test_the_line_says_on_how_many_questions_it_rests():
    """One question whose answer changes sides is one, whatever the benchmark has."""
    assert "on 1 question whose answer changes sides" in finding("+", "m").verdict.sentence
