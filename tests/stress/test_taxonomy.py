"""Tags by rule: only what is known for certain, counted by hand."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from snellen.judging.opinions import ResponseOpinion, tags
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NEW_OPTION
from snellen.reading.outcomes import Outcome
from snellen.stress.taxonomy import (
    BIT,
    BY_RULE,
    DESCRIBES,
    JUDGED,
    MODES,
    ONLY_A_JUDGE,
    PATTERNS,
    TAGS,
    by_rule,
    hides_image,
)
from tables import table

RIGHT, WRONG, SILENT = Outcome.CORRECT, Outcome.WRONG, Outcome.ABSTAINED


def said(grades, claims=(), notices=(), hedges=(), contradicts=(), explains=range(99)):
    """Grades whose replies at these places make claims, notice, hedge, contradict, or explain as all do by default."""
    marks = [np.isin(np.arange(len(grades)), places) for places in (claims, notices, hedges, contradicts, explains)]
    nothing = np.zeros(len(grades), dtype=np.int64)
    return grades.having(Rationales(marks[0].astype(np.int64), *marks[1:], nothing, *2 * [nothing.astype(bool)]))


def tagged(found, arm, *, baseline="original", **marks):
    """The names of the tags of each reply of an arm."""
    made = replace(found, arms={**found.arms, arm: said(found.arms[arm], **marks)})
    bits = by_rule(made, arm, baseline)
    return [{name for name, bit in BIT.items() if reply & bit} for reply in bits]


ASKED = [(0, 0, RIGHT, 0), (1, 0, WRONG, 1), (2, 0, SILENT, 0), (3, 0, RIGHT, 0)]


def test_claims_without_an_image_are_certain():
    """Right by what was not there, wrong by it without doubt, wrong with doubt, and a reply that only says so."""
    found = table(
        original=ASKED, **{"image-blank": [(0, 0, RIGHT, 0), (1, 0, WRONG, 2), (2, 0, WRONG, 1), (3, 0, SILENT, 0)]}
    )
    right, wrong, doubtful, silent = tagged(found, "image-blank", claims=[0, 1, 2], hedges=[2], notices=[3])
    made_up = {"hallucinated features", "visual misperception", "justification error"}
    assert right == made_up | {"hallucinated perception"}
    assert wrong == made_up | {"overconfident but wrong", "fluent factual error", "refusal miscalibration"}
    assert doubtful == made_up | {"refusal miscalibration"}
    assert silent == set()


def test_the_same_answer_for_contradicting_reasons_is_answer_driven():
    """Only where the choice stayed and the claims contradict each other."""
    found = table(original=ASKED, **{"image-removed": [(0, 0, RIGHT, 0), (1, 0, RIGHT, 0)]})
    stayed, moved = tagged(found, "image-removed", claims=[0, 1], contradicts=[0, 1])
    assert "answer-driven reasoning" in stayed
    assert "answer-driven reasoning" not in moved
    assert "logical inconsistency" in stayed & moved


def test_the_same_choice_among_the_same_options_without_the_image_neglects_it():
    """Lent options are told apart by their place; the question with its own options is no measure of these."""
    arm, first, second = "distractors-replaced:count=2", NEW_OPTION - 1, NEW_OPTION - 2
    replies = [(0, 0, WRONG, first), (1, 0, WRONG, first), (2, 0, WRONG, 3)]
    found = table(
        original=ASKED,
        **{
            "image-removed": [(0, 0, WRONG, 1), (1, 0, WRONG, 2), (2, 0, WRONG, 3)],
            f"image-removed+{arm}": [(0, 0, WRONG, first), (1, 0, WRONG, second), (2, 0, WRONG, second)],
            arm: replies,
        },
    )
    assert ["modality neglect" in tags for tags in tagged(found, arm)] == [True, False, False]


def test_without_the_words_there_is_nothing_to_see_either():
    """Claims are made up under both; with the options alone a guess is asked for, so that a wrong one is no fault."""
    replies = [(0, 0, RIGHT, 0), (1, 0, WRONG, 1), (3, 0, WRONG, 2)]
    found = table(original=ASKED, **{"question-only": replies, "options-only": replies})
    made_up = {"hallucinated features", "visual misperception", "justification error"}
    for arm, fault in (("question-only", {"refusal miscalibration"}), ("options-only", set())):
        right, wrong, doubtful = tagged(found, arm, claims=[0], notices=[2])
        assert right == made_up | {"hallucinated perception"}
        assert (wrong, doubtful) == (fault, set())


def test_who_gives_the_same_answer_to_fewer_words_did_not_neglect_the_image():
    """That is told only by an arm in the same words."""
    wrong = [(0, 0, WRONG, 1)]
    for arm in ("question-only", "options-only"):
        assert tagged(table(**{arm: wrong, "original": wrong}), "original") == [set()]
        both = table(**{arm: [(0, 0, WRONG, 2)], "image-removed": wrong, "original": wrong})
        assert tagged(both, "original") == [{"modality neglect"}]


@pytest.mark.parametrize("baseline", ["original", "image-removed"])
def test_an_answer_lost_to_other_distractors_hung_on_them(baseline):
    """Right before and wrong now, with the image or on the words alone; wrong before, or silent now, says nothing."""
    arm = "distractors-replaced:count=4" if baseline == "original" else "image-removed+distractors-replaced:count=4"
    before = [(0, 0, RIGHT, 0), (1, 0, WRONG, 2), (2, 0, RIGHT, 2), (3, 0, RIGHT, 3)]
    after = [(0, 0, WRONG, 1), (1, 0, WRONG, 2), (2, 0, SILENT, 0), (3, 0, RIGHT, 3)]
    found = table(**{baseline: before, arm: after})
    hung = ["heuristic dependence" in tags for tags in tagged(found, arm, baseline=baseline)]
    assert hung == [True, False, False, False]


def test_to_answer_where_unknown_was_offered_and_nothing_shown_is_miscalibrated():
    """Right or wrong; not to take Unknown, nor to say that there is no image."""
    arm = "image-removed+unknown-offered"
    replies = [(0, 0, RIGHT, 0), (1, 0, WRONG, 2), (2, 0, SILENT, 0), (3, 0, RIGHT, 3)]
    found = table(**{"image-removed": replies, arm: replies})
    tags = tagged(found, arm, baseline="image-removed", notices=[3])
    assert ["refusal miscalibration" in each for each in tags] == [True, True, False, False]


KEYS = [(at, 0, RIGHT, at) for at in range(4)]
MISMATCHED = [(0, 0, RIGHT, 0), (1, 0, WRONG, 1), (3, 0, SILENT, 0)]
MOVES_AWAY = [(0, 0, WRONG, 1), (1, 0, WRONG, 1), (3, 0, RIGHT, 3)]


@pytest.mark.parametrize(
    ("arm", "arms", "claims", "expected"),
    [
        # whether claims are true is not known with the image; that the same wrong answer comes without it is
        ("original", {"original": ASKED, "image-removed": [(0, 0, RIGHT, 0), (1, 0, WRONG, 1)]}, [0, 1, 2, 3],
         [set(), {"modality neglect"}, set(), set()]),
        # the image was there, and another run could read it
        ("original", {"original": [(0, 0, RIGHT, 0), (0, 1, SILENT, 0), (1, 0, SILENT, 0)]}, [],
         [set(), {"refusal miscalibration"}, set()]),
        # a choice that moves with the order depends on it
        ("options-shuffled", {"original": ASKED, "options-shuffled": [(0, 0, WRONG, 1), (3, 0, RIGHT, 0)]}, [],
         [{"heuristic dependence"}, set()]),
        # to flee into Unknown with the image there; an answer that gets worse hangs on the options
        ("unknown-offered",
         {"original": ASKED, "unknown-offered": [(0, 0, SILENT, 0), (1, 0, SILENT, 0), (3, 0, WRONG, 1)]}, [],
         [{"refusal miscalibration"}, set(), {"heuristic dependence"}]),
        # the old answer again neglects a swapped image; another wrong one misreads it; the new right one is neither
        ("image-substituted",
         {"original": KEYS, "image-substituted": [(0, 0, WRONG, 0), (1, 0, WRONG, 3), (2, 0, RIGHT, 0),
                                                  (3, 0, SILENT, 0)]}, [],
         [{"modality neglect", "heuristic dependence"}, {"visual misperception"}, set(), {"refusal miscalibration"}]),
        # a contradiction that is not named left the image or the words out; to be silent about one is no miscalibration
        ("image-mismatched", {"original": ASKED, "image-mismatched": MISMATCHED}, [],
         [set(), {"modality neglect"}, set()]),
        ("report-for-image", {"original": ASKED, "report-for-image": MISMATCHED}, [], [set(), set(), set()]),
        # an answer that steps lead away from: right without them, wrong with them
        ("original+cot", {"original": ASKED, "original+cot": MOVES_AWAY}, [],
         [{"justification error"}, set(), set()]),
    ],
)  # fmt: skip
def test_what_a_change_shows_for_certain(arm, arms, claims, expected):
    """Each reply by what it chose as asked and under the change."""
    assert tagged(table(**arms), arm, claims=claims) == expected


def test_no_reason_is_no_wrong_reason():
    """Of two answers that steps were to lead to and that are lost, the bare one gives no reason that could be wrong."""
    found = table(original=ASKED, **{"original+cot": [(0, 0, WRONG, 1), (3, 0, WRONG, 1)]})
    assert tagged(found, "original+cot", explains=[1]) == [set(), {"justification error"}]
    assert by_rule(found, "original+cot", "original").tolist() == [0, 0]  # no parser has read what they say


def test_on_the_words_alone_order_is_judged_by_the_words_alone():
    """A choice that left with the image did not leave with the order: the baseline is that without the image."""
    arm = "image-removed+options-shuffled"
    found = table(original=[(0, 0, RIGHT, 0)], **{"image-removed": [(0, 0, WRONG, 2)], arm: [(0, 0, WRONG, 2)]})
    assert "heuristic dependence" not in tagged(found, arm, baseline="image-removed")[0]
    assert "heuristic dependence" in tagged(found, arm, baseline="original")[0]


def test_a_reply_that_names_two_answers_contradicts_itself():
    """By the rule that read it."""
    found = table(original=[(0, 0, Outcome.UNPARSED, 0)])
    grades = replace(found.arms["original"], rules=("two-options",))
    assert tagged(replace(found, arms={"original": grades}), "original") == [{"logical inconsistency"}]


def test_a_judge_can_give_every_tag_that_is_called_judged_and_no_other():
    """Over all opinions, outcomes and arms, the tags that come of them are those."""
    words, truth = ((), ("x",)), (False, True)
    opinions = [
        ResponseOpinion(sees, unsupported, *flags, contradicts)
        for sees, unsupported in product(words, words)
        for flags in product(truth, repeat=5)
        for contradicts in ((), (1,))
    ]
    found = 0
    for opinion, outcome, arm in product(opinions, (RIGHT, WRONG, SILENT), ("original", "image-removed")):
        found |= tags(opinion, outcome, arm=arm, same=True)
    assert {name for name, bit in BIT.items() if found & bit} == JUDGED
    assert found & DESCRIBES
    assert DESCRIBES not in BIT.values()


def test_the_taxonomy_is_whole():
    """Four patterns and three, and eight modes in three stages, each with its consequence and its tests."""
    assert [tag.source for tag in PATTERNS].count("The Illusion of Readiness") == 4
    assert len(PATTERNS) == 7
    assert len(MODES) == 8
    assert [
        len([mode for mode in MODES if mode.stage == stage]) for stage in ("perception", "reasoning", "communication")
    ] == [3, 3, 2]
    assert all(mode.consequence and mode.tests for mode in MODES)
    assert len({tag.name for tag in TAGS}) == len(BIT) == 15


@pytest.mark.parametrize(
    ("arm", "nothing"),
    [
        ("image-removed", True),
        ("image-blank:fill=noise", True),
        ("image-removed+guess", True),
        ("unknown-offered+image-removed", True),
        ("image-removed+distractors-replaced:count=4", True),
        ("original+cot", False),
        ("original", False),
        ("image-blanket", False),
    ],
)
def test_arms_under_which_nothing_could_be_seen(arm, nothing):
    """By the condition's name, whatever its settings and prompt."""
    assert hides_image(arm) is nothing


def test_every_tag_can_be_given_by_a_rule_or_by_a_judge():
    """None is only a name."""
    assert set(ONLY_A_JUDGE) <= JUDGED
    assert set(BIT) == BY_RULE | JUDGED
    assert not BY_RULE & set(ONLY_A_JUDGE)


def test_what_the_baseline_has_too_has_changed_nothing():
    """At high effort throughout: an answer lost with the image is no error of reasoning; against low effort it is."""
    right, wrong = [(0, 0, Outcome.CORRECT, 0)], [(0, 0, Outcome.WRONG, 1)]
    arms = {"original+high": right, "options-shuffled+high": wrong, "original+low": right}
    found = table(**arms)
    for baseline, expected in (("original+high", set()), ("original+low", {"justification error"})):
        (tags_found,) = tagged(found, "options-shuffled+high", baseline=baseline)
        assert tags_found & {"justification error"} == expected


def test_the_same_answer_without_the_image_is_looked_for_at_the_same_effort():
    """Blind at high effort is the twin of the original at high effort; the plain one stands in where there is none."""
    wrong = [(0, 0, Outcome.WRONG, 1)]
    for blind in ("image-removed+high", "image-removed"):
        bits = int(by_rule(table(**{"original+high": wrong, blind: wrong}), "original+high", "original+high")[0])
        assert bits & BIT["modality neglect"]
