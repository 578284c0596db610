"""Phantoms with premises: pairs of one wording, of which one image bears the premise out."""

from collections import Counter, defaultdict

from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.premises import ALIKE, QUESTIONS

MANY = load(task="premises", items=4 * 2 * 90, seed=3)
PAIRS = list(zip(MANY.items[::2], MANY.items[1::2], strict=True))


def phantom(item):
    """What is drawn."""
    return item.images[0].source


def test_nothing_in_the_words_tells_a_false_premise_from_a_true_one():
    """The two of a pair are asked in the same words, and which comes first is drawn: guessing gets half."""
    for one, other in PAIRS:
        assert (one.question, one.context, one.category) == (other.question, other.context, other.category)
        assert one.premise.claims == other.premise.claims
        assert one.premise.holds != other.premise.holds
    first = sum(one.premise.holds for one, _ in PAIRS)
    assert len({item.cluster for item in MANY}) == len(MANY)
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
