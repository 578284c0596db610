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
    ImageSubstituted,
    OptionsShuffled,
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
