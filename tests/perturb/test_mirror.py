"""Mirroring: which answers stay, which change sides, and which questions are left out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import DataError, Inapplicable
from snellen.images import Image, encode
from snellen.items import Item, Option
from snellen.perturb.mirror import MIRROR, mirrored, mirroring


def asked(question, options="", answer=0, **fields):
    """A question with options, or an open one whose answer is a text."""
    offered = tuple(map(Option, options.split("/"))) if options else ()
    kind = "choice" if options else "open"
    return Item(**{"id": "q", "question": question, "options": offered, "answer": answer, "kind": kind, **fields})


def becomes(item):
    """The right answer in the mirror, in words; why there is none."""
    try:
        found = mirroring(item)
    except Inapplicable as reason:
        return f"unfit: {reason}"
    return item.options[found.answer].text if item.kind == "choice" else found.answer


CHEST, HEAD, ABDOMEN = ({"metadata": {"body_part": part}} for part in ("chest", "head", "abdomen"))
CHANGES = (
    (asked("Which lung is affected?", "Left lung/Right lung"), "Right lung"),
    (asked("Where is the opacity?", "RUL/LUL/RLL/LLL", 3), "RLL"),
    (asked("Where is it?", "Upper left/Upper right/Lower left/Lower right", 2), "Lower right"),
    (asked("Is the mass on the left or right?", "left/right", 1), "left"),
    (asked("Where is the mass?", "2 o'clock/10 o'clock/6 o'clock", 0), "10 o'clock"),
    (asked("Dov'è l'opacità?", "Polmone destro/Polmone sinistro"), "Polmone sinistro"),
    (asked("¿Qué riñón?", "Riñón izquierdo/Riñón derecho"), "Riñón derecho"),
    (asked("Quel poumon ?", "Poumon droit/Poumon gauche"), "Poumon gauche"),
    (asked("Welche Seite?", "links/rechts/beidseits"), "rechts"),
    (asked("病变位于哪一侧？", "左侧/右侧/双侧"), "右侧"),
    (asked("Where is the lesion?", answer="left temporal lobe", **HEAD), "right temporal lobe"),
    (asked("Where is the hematoma?", answer="right lateral ventricle", **HEAD), "left lateral ventricle"),
)
STAYS = (
    asked("Which side?", "Left/Right/Both", 2),
    asked("Is there a pneumothorax?", "Yes/No", 1, **CHEST),
    asked("Is the heart enlarged?", "Yes/No", 1, **CHEST),
    asked("Is the heart size normal?", "Yes/No", 0, **CHEST),
    asked("Are the lungs normal?", "Yes/No", 0, **CHEST),
    asked("Is this a normal image?", "Yes/No", 0, **HEAD),
    asked("Is the chest X-ray normal?", "Yes/No", 1, **CHEST),
    asked("Where is the tear?", "Medial meniscus/Lateral meniscus"),
    asked("Which quadrant?", "Superonasal/Superotemporal/Inferonasal/Inferotemporal", 2),
    asked("Is it above the hilum?", "Yes/No"),
    asked("Where is the mass?", answer="Pineal gland"),
)
LEFT_OUT = (
    (asked("Is there an effusion on the left?", "Yes/No"), "question names a side"),
    (asked("What is in the right upper quadrant?", answer="Gallstones"), "question names a side"),
    (asked("右肺有结节吗？", "是/否"), "question names a side"),
    (asked("What is shown?", "Tumour/Cyst", context="Pain in the left knee."), "context names a side"),
    (asked("Which lobe?", "Right middle lobe/Left lower lobe/Left upper lobe"), "on one side"),
    (asked("Which lobe?", "Right upper lobe/Left lower lobe"), "not among the options"),
    (asked("Where is the liver?", "Left/Right", 1), "on one side"),
    (asked("Wo liegt das Herz?", "links/rechts"), "on one side"),
    (asked("Where is the lesion?", answer="Right lobe", **ABDOMEN), "on one side"),
    (asked("Which organ is swollen?", answer="Appendix", **ABDOMEN), "on one side"),
    (asked("What is the diagnosis?", "Dextrocardia/Pneumonia", 1), "how the organs or the image lie"),
    (asked("Which letter is written in the corner?", "R/L"), "written in the image"),
    (asked("Which axis does this ECG show?", "Left axis deviation/Right axis deviation"), "a trace"),
    (asked("Which deficit follows?", "Left hemiparesis/Right hemiparesis"), "does not show"),
    (asked("Is this film normal?", "Yes/No", 0, **CHEST), "nothing is wrong"),
    (asked("What does this chest X-ray show?", "No abnormality/Effusion", 0, **CHEST), "nothing is wrong"),
    (asked("Is the cardiac contour normal?", "Yes/No", 0, **CHEST), "nothing is wrong"),
    (asked("Report.", answer="Clear lungs.", kind="report"), "report"),
)


def test_an_answer_that_names_a_side_becomes_that_of_the_other():
    """Whatever the language calls it, if the other side is offered once."""
    for item, other in CHANGES:
        assert becomes(item) == other, item


def test_an_answer_that_names_no_side_stays():
    """Both sides, above and below, from the midline, and what is as normal in a mirror."""
    for item in STAYS:
        found = mirroring(item)
        assert (found.answer, found.swaps) == (item.answer, False), item


def test_what_is_not_certain_is_left_out_with_the_reason():
    """The question's own side, organs of one side, what is written, traces, and normal organs on the wrong side."""
    for item, why in LEFT_OUT:
        assert becomes(item).startswith("unfit"), item
        assert why in becomes(item), (item, becomes(item))


def test_the_benchmark_has_the_last_word():
    """Its own column goes before the rule; a word that it does not know is an error."""
    sided, polar = asked("Is it on the left?", "Yes/No"), asked("Which lung?", "Left/Right")
    assert becomes(replace(sided, metadata={"mirror": "swaps"})) == "No"
    assert becomes(replace(sided, metadata={"mirror": "same"})) == "Yes"
    assert becomes(replace(polar, metadata={"mirror": "unfit"})).startswith("unfit")
    with pytest.raises(DataError, match="'q' has mirror='swap' in its metadata, expected same, swaps or unfit"):
        mirroring(replace(polar, metadata={"mirror": "swap"}))


@given(st.integers(1, 7), st.integers(1, 7), st.booleans(), st.integers(0, 2**32 - 1))
def test_twice_mirrored_is_as_it_was(height, width, colour, seed):
    """Every pixel comes back, the input stays untouched, and an image that was mirrored last is not mirrored twice."""
    shape = (height, width, 3) if colour else (height, width)
    pixels = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    before = pixels.copy()
    assert np.array_equal(MIRROR(MIRROR(pixels)), before)
    assert np.array_equal(MIRROR(pixels)[:, 0], before[:, -1])
    assert np.array_equal(pixels, before)
    image = Image(encode(pixels).data)
    assert mirrored(mirrored(image)) == image
    assert np.array_equal(mirrored(image).pixels(), MIRROR(pixels))
