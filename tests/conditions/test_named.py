"""Conditions by their label."""

import pytest

from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    OPTIONS_ONLY,
    ORIGINAL,
    QUESTION_ONLY,
    DistractorsReplaced,
    ImageBlank,
    ImageDegraded,
    ImageMirrored,
    ImageMismatched,
    ImageRemoved,
    ImageSubstituted,
    OneFrame,
    OptionsShuffled,
    QuestionOnly,
    ReportForImage,
    Together,
    UnknownOffered,
    condition_named,
)
from snellen.errors import StudyError

LABELLED = [
    ORIGINAL, IMAGE_REMOVED, IMAGE_BLANK, ImageBlank("noise", "placeholder"), OptionsShuffled(), UnknownOffered(),
    DistractorsReplaced(4), ImageSubstituted(), ImageSubstituted(2), Together((IMAGE_REMOVED, UnknownOffered())),
    ImageDegraded("noise"), ImageDegraded("noise/crop", 0.25), ImageDegraded("motion", "strong", "stretched"),
    ImageMismatched(), ImageMismatched("modality"), ReportForImage(), QUESTION_ONLY, OPTIONS_ONLY,
    ImageMirrored(), ImageMirrored("sides"),
]  # fmt: skip


@pytest.mark.parametrize("condition", LABELLED, ids=lambda condition: condition.label)
def test_a_label_leads_back_to_its_condition(condition):
    """With all its settings."""
    assert condition_named(condition.label) == condition


@pytest.mark.parametrize("label", ["with-tool", "original+cot", "image-removed+with-tool", "", "image"])
def test_what_is_not_ours_is_none(label):
    """Arms of others have names that mean nothing here."""
    assert condition_named(label) is None


@pytest.mark.parametrize(
    "label",
    [
        "image-removed:size=3", "distractors-replaced", "distractors-replaced:count=0", "distractors-replaced:count=x",
        "distractors-replaced:count=1.5", "image-substituted:nth=0", "image-substituted:nth=true",
        "options-shuffled+unknown-offered", "image-blank:fill=pink", "image-removed+options-only",
        "question-only+options-only", "mirrored:questions=none", "mirrored+options-shuffled",
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(label):
    """Ours, but not like this."""
    with pytest.raises(StudyError):
        condition_named(label)


IN_WORDS = {
    ORIGINAL: "as asked",
    ImageRemoved("prior"): "without the prior image",
    IMAGE_BLANK: "with blank images",
    ImageBlank("black", which="first"): "with the first image blank (black)",
    ImageDegraded("noise"): "under degraded:noise,weak",
    DistractorsReplaced(1): "with 1 wrong option replaced",
    DistractorsReplaced(2): "with 2 wrong options replaced",
    ImageSubstituted(): "with another image",
    ImageSubstituted(2): "with another image (no. 2)",
    ImageMismatched(): "with an image of another part of the body",
    ImageMismatched("modality"): "with an image of another modality",
    ImageMismatched("none"): "with its own image, asked in the same words",
    OneFrame(): "with one frame alone",
    OneFrame("last"): "with one frame alone (last)",
    QUESTION_ONLY: "with question and options alone",
    QuestionOnly("hidden"): "with the question alone",
    Together((IMAGE_REMOVED, OptionsShuffled())): "without the image and with the options reordered",
}


def test_a_verdict_tells_every_condition_as_what_it_is():
    """Each in its own words, with the settings that are not the usual ones."""
    assert {condition.label: condition.in_words for condition in IN_WORDS} == {
        condition.label: words for condition, words in IN_WORDS.items()
    }


def test_a_request_can_hold_an_image_where_no_part_takes_it_away():
    """Part by part; options are hidden where one part hides them."""
    shown = (ORIGINAL, IMAGE_BLANK, ImageRemoved("prior"), Together((IMAGE_BLANK, OptionsShuffled())))
    gone = (IMAGE_REMOVED, OPTIONS_ONLY, ReportForImage(), Together((IMAGE_REMOVED, OptionsShuffled())))
    assert [each.effects.sends_image for each in (*shown, *gone)] == [True] * 4 + [False] * 4
    hidden = Together((QuestionOnly("hidden"), OptionsShuffled()))
    assert [each.hides_options for each in (*shown, *gone, hidden)] == [False] * 8 + [True]
