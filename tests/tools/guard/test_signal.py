"""The guard's signal: options and findings are compared, not strings, and what cannot be compared is undecided."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from snellen.tools.guard import signal
from snellen.tools.guard.signal import (
    CHANGED,
    GENERAL,
    ComparisonKind,
    GuardResponse,
    GuardStatus,
    choice_asked,
    compare,
    read_response,
)

SIDES = "Which side is the effusion on?\nA. Left\nB. Right"
OPEN = "What does this chest X-ray show?"
NO_IMAGE = GuardResponse("I don't see any image in your message. Could you upload it?")


def judged(question, reply, *without, stand_in=(), threshold=None):
    """The verdict on responses given as texts."""
    replies = [GuardResponse(each) if isinstance(each, str) else each for each in without]
    shown = [GuardResponse(each) for each in stand_in]
    return compare(question, GuardResponse(reply), replies, shown, threshold=threshold)


def test_suspicion_rises_from_admitting_to_guessing_to_repeating():
    """Who says that the image is missing is trusted most, who gives the same answer least."""
    ways = (NO_IMAGE, "I cannot see an image, but my guess is B.", "The answer is A.", "The answer is **B**.")
    told = [judged(SIDES, "B", way) for way in ways]
    assert [each.score for each in told] == sorted({each.score for each in told})
    assert [each.status.value for each in told] == ["moved", "moved", "moved", "unmoved"]


def test_more_options_make_the_same_answer_more_telling():
    """One of two is chosen twice by luck more often than one of five."""
    five = "Which lobe?\n" + "\n".join(f"{letter}. lobe {number}" for number, letter in enumerate("ABCDE"))
    assert judged(five, "C", "C").score > judged(SIDES, "A", "A").score


@pytest.mark.parametrize(
    ("reply", "other", "status"),
    [
        ("There is a left pleural effusion.", "Pleural effusion on the left side.", GuardStatus.UNMOVED),
        ("There is a left pleural effusion.", "There is a right pleural effusion.", GuardStatus.MOVED),
        ("There is a left pleural effusion.", "There is no pleural effusion.", GuardStatus.MOVED),
        ("A large pneumothorax. No effusion.", "No effusion. Cardiomegaly is present.", GuardStatus.MOVED),
    ],
)
def test_free_text_is_compared_by_finding_presence_and_side(reply, other, status):
    """Other words for the same finding are the same; another side or an absence is not."""
    told = judged(OPEN, reply, other)
    assert (told.status, told.kind) == (status, ComparisonKind.FINDINGS)


EFFUSION, BOTH = "There is a left pleural effusion.", "There is a left pleural effusion. There is cardiomegaly."
GUESS = "I can only guess without more information"
DARK = "The film is underexposed, the patient is turned to one side, and a tube ends near the carina. " * 3
OLD = "The exposure is high, the film is old, and a wire ends near the skin of the left arm, as it seems. " * 3


@pytest.mark.parametrize(
    ("question", "reply", "without", "stand_in", "odds", "says"),
    [
        (SIDES, "B", "I see no image, but my guess is B.", [], -1.5, "guesses the same answer, B."),
        (SIDES, "B", "I see no image, but my guess is A.", [], -3, "the model says that there is none."),
        (SIDES, "B", "I cannot tell.", [], -3, "the model says that it cannot tell."),
        (SIDES, "B", f"{GUESS}. Answer: B", [], np.log(2), "the model gives the same answer, B."),
        (SIDES, "B", "A", [], -0.6, "the model still answers, but differently: A and not B."),
        ("Is there an effusion?", "Yes.", "No.", [], -0.6, "differently: no and not yes."),
        (SIDES, "B", "B", ["A"], np.log(2) - 2.5, "About another image the model answers differently: A and not B."),
        (SIDES, "B", "B", ["I cannot tell."], np.log(2) - 2.5, "image the model says that it cannot tell."),
        (SIDES, "B", "B", ["B"], np.log(4), "About another image the model gives the same answer, B."),
        (OPEN, DARK, NO_IMAGE, [OLD], -3, "The response about another image cannot be compared."),
        (SIDES, "B", "B", [""], np.log(2), "The response about another image is empty."),
        (OPEN, EFFUSION, f"{GUESS}: probably a left pleural effusion.", [], 0.375, "the same answer with doubts."),
        (
            OPEN,
            EFFUSION,
            f"In general, a chest X-ray can show {EFFUSION[9:]}",
            [],
            0,
            "in general but gives the same answer.",
        ),
        (OPEN, BOTH, f"{BOTH} There is consolidation.", [], 2.5 * 0.64, "the model gives the same answer."),
        (OPEN, BOTH, "There is a right pneumothorax.", [], -0.6, "but differently: right pneumothorax."),
        (OPEN, "Melanoma", "Psoriasis", [], -0.6, "the model still answers, but differently."),
    ],
)
def test_what_is_seen_has_its_weight_and_its_sentence(question, reply, without, stand_in, odds, says):
    """The score is the sum of log odds, and the evidence names what they rest on."""
    told = judged(question, reply, without, stand_in=stand_in)
    assert told.score == pytest.approx(expit(odds))
    assert told.evidence[-1].endswith(says)
    assert told.status == (
        GuardStatus.UNMOVED if odds > 0 else GuardStatus.MOVED if odds < 0 else GuardStatus.UNDECIDED
    )


def test_reports_that_agree_in_part_count_as_less_changed():
    """One of three findings shared speaks for looking less than none: log odds −0.6 × (1 − agreement / 0.5)."""
    reply = "There is a left pleural effusion. There is cardiomegaly."
    none = judged(OPEN, reply, "There is a right pneumothorax. There is consolidation.")
    part = judged(OPEN, reply, "There is a left pleural effusion. There is a pneumothorax. There is consolidation.")
    assert none.score == pytest.approx(expit(CHANGED))
    assert part.score == pytest.approx(expit(CHANGED * (1 - 0.4 / 0.5)))
    assert (none.status, part.status) == (GuardStatus.MOVED, GuardStatus.MOVED)


def test_a_reply_that_speaks_in_general_without_the_image_speaks_for_looking():
    """It describes no image, so that nothing is repeated; that is a reading, not an unreadable response."""
    general = "A chest X-ray is an imaging test that is used to look at the lungs, the heart and the bones. " * 3
    told = judged(OPEN, DARK, general)
    assert (told.status, told.kind) == (GuardStatus.MOVED, ComparisonKind.ADMISSION)
    assert told.score == pytest.approx(expit(GENERAL))


def test_nothing_wrong_twice_is_weaker_than_the_same_finding_twice():
    """Most images show nothing wrong, so that a model that looks also says so."""
    normal = judged(OPEN, "The lungs are clear. No effusion.", "No effusion. The lungs are clear.")
    finding = judged(OPEN, "There is a left pneumothorax.", "Left pneumothorax.")
    assert 0.5 < normal.score < finding.score


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (GuardResponse("The finding in this image is that", "length"), ComparisonKind.TRUNCATED),
        (GuardResponse("", "content_filter"), ComparisonKind.REFUSED),
        (GuardResponse("I'm sorry, but I can't assist with interpreting medical images."), ComparisonKind.REFUSED),
        (GuardResponse("", failure="time limit"), ComparisonKind.FAILED),
        (GuardResponse("..."), ComparisonKind.UNREADABLE),
    ],
)
def test_what_cannot_be_compared_is_undecided_for_its_own_reason(other, kind):
    """Cut off, declined, failed and unreadable are four things, on either side of the comparison."""
    for told in (judged(OPEN, "A left effusion.", other), compare(OPEN, other, [GuardResponse("A left effusion.")])):
        assert (told.status, told.score, told.kind) == (GuardStatus.UNDECIDED, None, kind)
        assert told.evidence


def test_one_failed_call_does_not_spoil_the_others():
    """What came is compared, and the failure is told."""
    told = judged(SIDES, "B", GuardResponse("", failure="time limit"), "B")
    assert told.status is GuardStatus.UNMOVED
    assert any("time limit" in each for each in told.evidence)


def test_a_reply_that_claims_nothing_is_not_suspected():
    """A response that says that it cannot see is undecided, even though the image changed nothing."""
    told = compare(SIDES, NO_IMAGE, [NO_IMAGE])
    assert (told.status, told.kind) == (GuardStatus.UNDECIDED, ComparisonKind.ABSTAINED)
    assert judged(SIDES, "B").kind is ComparisonKind.NOTHING


def test_replies_without_the_image_count_by_their_mean():
    """They repeat each other: three that say the same are no more telling than one."""
    assert judged(SIDES, "B", "B", "B", "B").score == pytest.approx(judged(SIDES, "B", "B").score)
    mixed = [judged(SIDES, "B", *replies).score for replies in (["A"], ["A", "B"], ["B"])]
    assert mixed[0] < mixed[1] < mixed[2]


def test_stand_in_images_add_up():
    """Another answer about another image speaks for looking; the same one about several against it."""
    assert judged(SIDES, "B", "B", stand_in=["A"]).status is GuardStatus.MOVED
    pretending = [judged(SIDES, "B", NO_IMAGE, stand_in=["B"] * times).score for times in range(8)]
    assert pretending == sorted(pretending)
    assert pretending[-1] > 0.5


def test_the_words_unmoved_and_moved_stay_true_at_any_threshold():
    """A changed answer is never called unmoved, and the same answer never moved: they become undecided."""
    for other, threshold, word in (("A", 0.1, "reaches"), ("B", 0.9, "does not reach")):
        told = judged(SIDES, "B", other, threshold=threshold)
        assert (told.status, f" {word} the threshold" in told.evidence[-1]) == (GuardStatus.UNDECIDED, True)
    for threshold in (0.1, 0.9):
        assert judged(OPEN, DARK, OLD, threshold=threshold).status is GuardStatus.UNDECIDED
    assert judged(SIDES, "B", NO_IMAGE, threshold=0.1).status is GuardStatus.MOVED


def test_options_are_found_however_a_client_writes_them():
    """Lists in brackets, with signs, in one line or bold; yes or no in five languages; and no list in prose."""
    lists = (
        "Side? (A) Left (B) Right", "Side?\nA) Left\nB) Right", "Side?\n- **A**: Left\n- **B**: Right",
        "Side?\nA. Left\nB. Right\n\nAnswer with the letter.", "Side? [A] Left [B] Right",
    )  # fmt: skip
    assert [[each.text for each in choice_asked(one).options] for one in lists] == [["Left", "Right"]] * len(lists)
    polar = ("Is there a fracture?", "È presente una frattura?", "¿Hay una fractura?", "Ist eine Fraktur zu sehen?")
    assert all(choice_asked(one) is not None for one in polar)
    others = ("What is shown?", "Is this a CT or an MRI?", "Hepatitis A. Hepatitis C. Which?", "Is it so? What is it?")
    assert [choice_asked(one) for one in others] == [None] * len(others)


@pytest.mark.parametrize(
    ("question", "reply", "other"),
    [
        (OPEN, "The nodule measures 3 cm.", "The nodule measures 5 cm."),
        (OPEN, "A right upper lobe consolidation.", "A right lower lobe consolidation."),
        (OPEN, "Open fracture", "Closed fracture"),
        (OPEN, "Fracture of the 5th rib.", "Fracture of the 9th rib."),
        (OPEN, "Bilateral effusions", "Left effusion"),
        (OPEN, "Diabetic retinopathy, mild", "Diabetic retinopathy, severe"),
        (OPEN, '{"finding": "effusion", "present": true}', '{"finding": "effusion", "present": false}'),
        ("Is there an effusion?", '{"effusion": true}', '{"effusion": false}'),
        ("Qual è la diagnosi?", "È un melanoma.", "Non è un melanoma."),
        ("Cosa mostra?", "Mostra un versamento pleurico sinistro.", "Mostra un versamento pleurico destro."),
        ("Cosa mostra?", "Si vede una frattura del polso.", "Si vede una frattura della caviglia."),
    ],
)
def test_replies_that_contradict_each_other_are_never_called_unmoved(question, reply, other):
    """Sizes, places, degrees, denials and fields that the reader of findings passes over keep a reply from a block."""
    assert GuardStatus.UNMOVED not in {judged(question, *pair).status for pair in ((reply, other), (other, reply))}


@pytest.mark.parametrize(
    ("reply", "other"),
    [("Cardiomegaly.", "Enlarged heart."), ("3 cm", "30 mm"), ("Small left effusion.", "Left effusion.")],
)
def test_other_words_for_the_same_stay_the_same(reply, other):
    """What holds back a hasty verdict does not make every paraphrase another answer."""
    assert judged(OPEN, reply, other).status is GuardStatus.UNMOVED


def test_a_textbook_sentence_does_not_repeat_a_finding():
    """A response that speaks in general names findings, but describes no image."""
    told = judged(
        OPEN, "A left effusion.", "A chest X-ray typically shows the lungs; common findings include effusion."
    )
    assert told.status is not GuardStatus.UNMOVED


def test_a_question_of_many_letters_is_read_at_once(monkeypatch):
    """Thousands of options called A are looked at once each: nobody else waits for the guard meanwhile."""
    marks = signal._letter_of
    looked = []
    monkeypatch.setattr(signal, "_letter_of", lambda mark: looked.append(mark) or marks(mark))
    assert choice_asked("A. " * 5000) is None
    assert len(looked) < 3 * 5000


@settings(deadline=None, max_examples=10)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_any_text_gets_a_verdict(question, reply, other):
    """Nothing that clients or models write makes the signal fail, and a score is a share."""
    told = compare(question, GuardResponse(reply), [GuardResponse(other)], [GuardResponse(reply)])
    assert told.score is None or 0 < told.score < 1
    assert told.evidence
    read_response.cache_clear()
