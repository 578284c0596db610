"""Organisms that see images k times smaller read letters from k times the known size on."""

import asyncio

import numpy as np
import pytest

from snellen.images import Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.models.base import check_sent
from snellen.models.organisms import open_organism
from snellen.models.organisms.letters import SMALLEST
from snellen.prompts import Request
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import LetterOutcome, read_letters

LINE = 10**0.1
"""One line of an eye chart."""


def read(model, size, *, rng, side=1120):
    """What it makes of a row of letters anywhere in the image."""
    row = "".join(rng.choice(list(SLOAN), 5))
    left, top = int(rng.integers(0, side - 9 * size)), int(rng.integers(0, side - size))
    placed = tuple(PlacedLetter(letter, left + 2 * size * at, top, size) for at, letter in enumerate(row))
    request = Request(model.name, LETTERS_QUESTION, images=(Image(LetterChart(side, side, placed)).encoded(),))
    response = asyncio.run(model.answer(request))
    check_sent(request, response)
    return read_letters(response.text, [row])


@pytest.mark.parametrize("times", [2, 4, 8])
def test_letters_are_read_from_so_many_times_the_known_size(times):
    """One line above it nearly all letters are read, one line below it none is, and none is made up."""
    model, rng = open_organism(f"nearsighted-{times}"), np.random.default_rng(times)
    known = times * SMALLEST
    above = [read(model, round(known * LINE), rng=rng) for _ in range(4)]
    below = [read(model, int(known / LINE), rng=rng) for _ in range(4)]
    assert sum(each.right for each in above) >= 15, "of 20 letters"
    assert sum(each.right for each in below) <= 2
    assert sum(each.count(LetterOutcome.WRONG) for each in above + below) == 0


def test_it_is_billed_for_the_image_as_sent():
    """Poor eyes are no shrunken delivery: tokens grow with the image that was sent."""
    model = open_organism("nearsighted-8")
    small, large = (LetterChart(side, side, (PlacedLetter("K", 0, 0, 200),)) for side in (448, 1120))
    requests = (Request(model.name, LETTERS_QUESTION, images=(Image(each).encoded(),)) for each in (small, large))
    billed = [asyncio.run(model.answer(request)).usage.image_tokens for request in requests]
    assert billed == [16**2, 40**2]
