"""Opinions and grades together make tags: what the judge says, joined to what is known without it."""

from itertools import product

import pytest

from snellen.judging.opinions import ResponseOpinion, tags
from snellen.reading.outcomes import Outcome
from snellen.stress.taxonomy import BIT, DESCRIBES, JUDGED, TAGS

FALSE = {"hallucinated features", "visual misperception", "justification error"}
X = ("x",)


def named(bits):
    """The tags whose bit is set."""
    return {name for name, bit in BIT.items() if bits & bit}


@pytest.mark.parametrize(
    ("opinion", "outcome", "arm", "expected"),
    [
        (ResponseOpinion(), Outcome.WRONG, "image-blank", set()),
        (ResponseOpinion(sees=X), Outcome.CORRECT, "original", set()),
        (ResponseOpinion(sees=X), Outcome.WRONG, "original", {"overconfident but wrong"}),
        (ResponseOpinion(sees=X, doubt=True), Outcome.WRONG, "original", set()),
        (ResponseOpinion(sees=X), Outcome.ABSTAINED, "image-removed", FALSE),
        (ResponseOpinion(sees=X), Outcome.CORRECT, "image-blank", FALSE | {"hallucinated perception"}),
        (ResponseOpinion(sees=X), Outcome.WRONG, "image-blank:fill=noise",
         FALSE | {"overconfident but wrong", "fluent factual error"}),
        (ResponseOpinion(sees=X, unsupported=X), Outcome.CORRECT, "original", FALSE | {"hallucinated perception"}),
        (ResponseOpinion(sees=X, unsupported=X), Outcome.WRONG, "original",
         FALSE | {"misgrounded reasoning", "overconfident but wrong", "fluent factual error"}),
        (ResponseOpinion(sees=X, unsupported=X, doubt=True), Outcome.WRONG, "original",
         FALSE | {"misgrounded reasoning"}),
        (ResponseOpinion(habit=True), Outcome.WRONG, "original", {"confident false heuristic"}),
        (ResponseOpinion(habit=True, doubt=True), Outcome.WRONG, "original", set()),
        (ResponseOpinion(habit=True), Outcome.CORRECT, "original", set()),
        (ResponseOpinion(informative=False), Outcome.CORRECT, "original", {"uninformative steps"}),
        (ResponseOpinion(follows=False), Outcome.CORRECT, "original", {"justification error", "logical inconsistency"}),
        (ResponseOpinion(unsafe=True), Outcome.ABSTAINED, "original", {"unsafe recommendation"}),
        (ResponseOpinion(contradicts=(1,)), Outcome.CORRECT, "original",
         {"answer-driven reasoning", "logical inconsistency"}),
    ],
)  # fmt: skip
def test_opinions_and_grades_make_tags(opinion, outcome, arm, expected):
    """The judge says what it sees; whether the answer was right is known without it."""
    bits = tags(opinion, outcome, arm=arm, same=True)
    assert named(bits) == expected
    assert bool(bits & DESCRIBES) == bool(opinion.sees)


def test_reasoning_is_answer_driven_only_where_the_answer_stayed():
    """Findings that contradict each other under two answers are an inconsistency, no more."""
    bits = tags(ResponseOpinion(contradicts=(1,)), Outcome.WRONG, arm="original", same=False)
    assert named(bits) == {"logical inconsistency"}


def test_a_judge_can_set_every_tag_that_is_its_to_set_and_no_other():
    """All opinions on all outcomes, with and without an image: together they set the judge's tags, and no other bit."""
    either = (True, False)
    found = 0
    for sees, unsupported, contradicts in product(((), X), ((), X), ((), (1,))):
        for marks in product(either, repeat=5):
            opinion = ResponseOpinion(sees, unsupported, *marks, contradicts)
            for outcome, arm, same in product(Outcome, ("original", "image-removed"), either):
                found |= tags(opinion, outcome, arm=arm, same=same)
    assert named(found) == JUDGED
    assert found & ~sum(BIT.values()) == DESCRIBES == 1 << len(TAGS)
