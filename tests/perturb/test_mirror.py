"""Mirroring: which answers stay, which change sides, and which questions are left out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table
from snellen.errors import DataError, Inapplicable
from snellen.images import Image, encode
from snellen.items import Item, Option
from snellen.perturb.mirror import MIRROR, mirror_image, mirroring


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


def read_items(name):
    """The rows of a table, each with its item first."""
    for question, *rest in read_table(__file__, name):
        part, role = question.get("part"), question.get("role")
        fields = {key: value for key, value in question.items() if key not in ("part", "role")}
        images = (Image(b"", role=role),) if role else ()
        yield asked(**fields, metadata={"body_part": part} if part else {}, images=images), *rest


def test_an_answer_that_names_a_side_becomes_that_of_the_other():
    """Whatever the language calls it, if the other side is offered once."""
    for item, other in read_items("CHANGES"):
        assert becomes(item) == other, item


def test_an_answer_that_names_no_side_stays():
    """Both sides, above and below, from the midline, and what is as normal in a mirror."""
    for [item] in read_items("STAYS"):
        found = mirroring(item)
        assert (found.answer, found.swaps) == (item.answer, False), item


def test_what_is_not_certain_is_left_out_with_the_reason():
    """The question's own side, organs of one side, what is written, traces, and normal organs on the wrong side."""
    for item, why in read_items("LEFT_OUT"):
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
    assert mirror_image(mirror_image(image)) == image
    assert np.array_equal(mirror_image(image).pixels(), MIRROR(pixels))
