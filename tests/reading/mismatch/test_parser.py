"""Words and image that contradict each other: only a response that says so has named the contradiction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.items import Item
from snellen.models.base import Response
from snellen.reading import grade
from snellen.reading.mismatch import MISMATCH, read_mismatch
from snellen.reading.outcomes import Outcome
from snellen.testing import check_parser

KNEE = Item(
    id="k/1",
    question="He twisted his knee. What is the diagnosis?",
    answer="Torn ligament",
    kind="open",
    metadata={"body_part": "left knee", "shown_body_part": "shoulder", "modality": "MRI", "shown_modality": "MRI"},
)
NAMED = {
    "other-part": (
        "The image shows a shoulder, not a knee.",
        "Although he twisted his knee, the MRI is of the shoulder.",
        "The patient hurt his knee. However, the image depicts the shoulder.",
        "L'immagine mostra una spalla e non un ginocchio.",
        "La imagen muestra un hombro, mientras que la historia habla de la rodilla.",
        "L'image montre une épaule alors que le patient s'est blessé au genou.",
        "Das Bild zeigt eine Schulter, während die Anamnese das Knie betrifft.",
        "图像显示的是肩关节，而不是膝关节。",
        "The picture doesn't show a knee at all; it shows a shoulder.",
        "The knee cannot be evaluated because the image is a shoulder radiograph.",
        "The image is of a shoulder. The knee in question isn't included.",
        "This is a shoulder MRI. I would need imaging of the knee to answer.",
    ),
    "misfit": (
        "The provided image does not match the clinical information.",
        "The history of a knee injury appears to be inconsistent with the image.",
        "There is a discrepancy between the picture and the symptoms.",
        "The MRI of the shoulder is irrelevant here.",
        "Die Aufnahme passt nicht zur Krankengeschichte.",
        "该图像与病史不符。",
    ),
    "wrong-image": (
        "The wrong image may have been attached.",
        "Please provide the correct MRI.",
        "Are you sure this is the correct image?",
        "Possible upload error: shoulder MRI with a history of the knee.",
        "Image and history are of different parts of the body.",
    ),
}
NOT_NAMED = {
    "describes-other": (
        "The MRI of the shoulder shows a torn supraspinatus tendon.",
        "The shoulder is dislocated in this image. Diagnosis: dislocation.",
    ),
    "follows-words": (
        "Diagnosis: torn anterior cruciate ligament of the left knee.",
        "The findings are not consistent with a fracture.",
        "The pain is out of proportion to the radiograph.",
        "The image does not match the severity of the symptoms.",
        "If the image does not match the history, repeat it.",
        "There is no discrepancy between the image and the history.",
        "Make sure that the image corresponds to the patient.",
        "The knee is swollen, but the MRI shows no meniscal tear.",
        "The image is of poor quality. Torn meniscus of the knee.",
        "Correlate clinically.",
        "Option C is wrong because the image does not show a meniscal tear.",
    ),
}


def read(text, item=KNEE):
    """What is read in a text."""
    return read_mismatch(Response(text), item)


def test_what_names_the_contradiction_and_what_does_not():
    """In six languages, plainly or hedged; what only describes, doubts a finding or gives advice does not."""
    for expected, told in ((True, NAMED), (False, NOT_NAMED)):
        for rule, texts in told.items():
            assert [(text, read(text).rule, read(text).named) for text in texts] == [
                (text, rule, expected) for text in texts
            ]


def test_silence_is_told_from_what_was_not_noticed():
    """No image, a refusal, nothing at all."""
    assert read("I don't see any image attached.").silence is Outcome.ABSTAINED
    assert read("I'm sorry, but I cannot help with medical images.").silence is Outcome.REFUSED
    assert read(" \n").silence is Outcome.UNPARSED
    assert read("The image shows a shoulder, not a knee. I cannot give a diagnosis.").named


def test_the_item_tells_what_the_image_shows():
    """The same words contradict one case and fit another; a joint of the same limb is another part."""
    text = "The history is about the hip, but the image shows a knee."
    hip = {"body_part": "hip", "shown_body_part": "knee"}
    assert read(text, Item(id="1", question="?", kind="open", metadata=hip)).named
    assert not read(text, Item(id="1", question="?", kind="open", metadata={**hip, "shown_body_part": "eye"})).named


def test_another_modality_of_the_same_part_is_named_by_the_modalities():
    """Only where the body part is one."""
    told = {"body_part": "knee", "shown_body_part": "knee", "modality": "MRI", "shown_modality": "X-ray"}
    item = Item(id="1", question="?", kind="open", metadata=told)
    assert read("The history mentions an MRI, but this is an X-ray.", item).named
    assert not read("The X-ray shows the knee. No fracture.", item).named


@pytest.mark.parametrize(
    ("text", "finish", "outcome"),
    [
        ("The image shows a shoulder, not a knee.", "stop", Outcome.CORRECT),
        ("The image shows a shoulder, not a knee. So I", "length", Outcome.CORRECT),
        ("Torn ligament of the knee.", "stop", Outcome.WRONG),
        ("Torn ligament of the", "length", Outcome.TRUNCATED),
        ("<think>The image shows a shoulder, not a knee.", "length", Outcome.TRUNCATED),
        ("", "length", Outcome.TRUNCATED),
        ("The image shows a shoulder, not a knee.", "content_filter", Outcome.REFUSED),
        ("I cannot see the image.", "stop", Outcome.ABSTAINED),
    ],
)
def test_the_grade_is_right_where_the_contradiction_is_named(text, finish, outcome):
    """What was cut off before it named anything is not wrong; what a filter held back is refused."""
    assert grade(text, finish, KNEE, "mismatch").outcome is outcome


def test_the_parser_keeps_its_contract():
    """It reads hostile texts, twice the same, by rules that have words."""
    check_parser(MISMATCH, [text for texts in NAMED.values() for text in texts], [KNEE])


PIECES = st.sampled_from(
    ["The image", "does not match", "not", "knee", "shoulder", "the history", "but", "although", ",", ".", "\n", "if",
     "shows", "MRI", "图像", "不符", "non", "unrelated", "<think>", "wrong image", "of", "'"]
)  # fmt: skip


@given(
    text=st.text(max_size=200) | st.lists(PIECES, max_size=20).map(" ".join), told=st.sampled_from(["knee", "", "x"])
)
def test_any_text_is_read(text, told):
    """Nothing breaks the parser; what is silent names nothing."""
    found = read(text, Item(id="1", question="?", kind="open", metadata={"body_part": told, "shown_body_part": "lung"}))
    assert found.rule in MISMATCH.rules
    assert not (found.named and found.silence)
