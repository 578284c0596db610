"""Words and image that contradict each other: only a response that says so has named the contradiction."""

from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
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
NAMED = read_table(__file__, "NAMED")
NOT_NAMED = read_table(__file__, "NOT_NAMED")


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
    """A joint of the same limb is another part."""
    text = "The history is about the hip, but the image shows a knee."
    hip = {"body_part": "hip", "shown_body_part": "knee"}
    assert read(text, Item(id="1", question="?", kind="open", metadata=hip)).named


def test_another_modality_of_the_same_part_is_named_by_the_modalities():
    """Only where the body part is one."""
    told = {"body_part": "knee", "shown_body_part": "knee", "modality": "MRI", "shown_modality": "X-ray"}
    item = Item(id="1", question="?", kind="open", metadata=told)
    assert read("The history mentions an MRI, but this is an X-ray.", item).named
    assert not read("The X-ray shows the knee. No fracture.", item).named


@take_rows("text, finish, outcome")
def test_the_grade_is_right_where_the_contradiction_is_named(text, finish, outcome):
    """What was cut off before it named anything is not wrong; what a filter held back is refused."""
    assert grade(text, finish, KNEE, "mismatch").outcome == outcome


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
