"""Phantoms with premises: pairs of one wording, of which one image bears the premise out."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.premises import ALIKE, QUESTIONS
from snellen.errors import StudyError
from snellen.testing import check_dataset

MANY = load(task="premises", items=4 * 2 * 90, seed=3)
PAIRS = list(zip(MANY.items[::2], MANY.items[1::2], strict=True))


def phantom(item):
    """What is drawn."""
    return item.images[0].source


def test_the_benchmark_keeps_the_contract():
    """Every item is usable and loads twice as the same; no two share a patient."""
    check_dataset(MANY, load(task="premises", items=len(MANY), seed=3))
    assert len({item.cluster for item in MANY}) == len(MANY)


@given(seed=st.integers(0, 2**40), fewer=st.integers(1, 40), more=st.integers(0, 40))
def test_a_smaller_benchmark_is_the_beginning_of_a_larger_one(seed, fewer, more):
    """An item depends on the seed and its place only, and at most one pair is broken."""
    few, many = (load(task="premises", items=items, seed=seed).items for items in (fewer, fewer + more))
    assert few == many[:fewer]
    assert abs(sum(1 if item.premise.holds else -1 for item in few)) <= 1


def test_nothing_in_the_words_tells_a_false_premise_from_a_true_one():
    """The two of a pair are asked in the same words, and which comes first is drawn: guessing gets half."""
    for one, other in PAIRS:
        assert (one.question, one.context, one.category) == (other.question, other.context, other.category)
        assert one.premise.claims == other.premise.claims
        assert one.premise.holds != other.premise.holds
    first = sum(one.premise.holds for one, _ in PAIRS)
    assert 0.4 < first / len(PAIRS) < 0.6
    by_words = defaultdict(Counter)
    for item in MANY:
        by_words[item.metadata["claimed"], item.question][item.premise.holds] += 1
    assert all(counts[True] == counts[False] for counts in by_words.values())


def test_the_image_bears_a_true_premise_out_and_no_false_one():
    """By what is drawn: the finding, its side and its number."""
    sides = {"left", "right"}
    for true, false in ((one, other) if one.premise.holds else (other, one) for one, other in PAIRS):
        claimed, claims = true.metadata["claimed"], true.metadata["claims"]
        assert true.metadata["finding"] == claimed
        if claims == "finding":
            assert false.metadata["finding"] != claimed
            assert frozenset((false.metadata["finding"], claimed)) not in ALIKE
        elif claims == "side":
            assert {true.images[0].fingerprint} != {false.images[0].fingerprint}
            [side] = sides & set(true.premise.claims.replace("-", " ").split())
            assert side in true.question.replace("-", " ").split()
            assert false.metadata["finding"] == claimed
        else:
            assert false.metadata["finding"] == claimed
        assert true.answer
        assert false.answer == f"The image does not show {true.premise.claims}."


def test_all_that_can_be_asked_is_asked_in_several_wordings():
    """Size, side, location, number, cause and treatment; a finding, its side and its number are taken for granted."""
    assert {item.metadata["question_kind"] for item in MANY} == set(QUESTIONS)
    assert {item.metadata["claims"] for item in MANY} == {"finding", "side", "count"}
    assert all(len(wordings) > 1 for wordings in QUESTIONS.values())
    shown = Counter(item.metadata["finding"] for item in MANY if item.metadata["claims"] == "finding")
    assert shown["normal"] > 0


@pytest.mark.parametrize("settings", [{"leak": 0.5}, {"language": "it"}])
def test_it_cannot_be_had_leaked_or_in_another_language(settings):
    """Said in one sentence."""
    with pytest.raises(StudyError, match="premises"):
        load(task="premises", items=2, **settings)
