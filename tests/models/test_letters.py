"""Organisms read letters from the pixels alone, down to the size that is known."""

import asyncio

import numpy as np
import pytest

from snellen.images import Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.letters import SMALLEST, rows_in
from snellen.prompts import Request
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import LetterOutcome, read_letters


def chart(row, size, *, side=448, y=40, **how):
    placed = (PlacedLetter(letter, 10 + at * 2 * size, y, size) for at, letter in enumerate(row))
    return LetterChart(side, side, tuple(placed), **how)


def asked(name, *charts):
    images = tuple(Image(each).encoded() for each in charts)
    return asyncio.run(open_organism(name).answer(Request("", LETTERS_QUESTION, images=images))).text


@pytest.mark.parametrize(
    "how", [{}, {"light_on_dark": True}, {"contrast": 0.1}, {"ground": "x-ray"}, {"ground": "x-ray", "contrast": 0.6}]
)
def test_letters_are_read_down_to_the_known_size(how):
    """At the smallest size and above every letter is read; below it none is, and none is made up."""
    rng = np.random.default_rng(0)
    for size in (SMALLEST, 10, 20, 40):
        row = "".join(rng.choice(list(SLOAN), 5))
        assert rows_in(chart(row, size, **how).draw()) == (row,)
    small = rows_in(chart("CDHKN", SMALLEST - 1, **how).draw())
    assert set("".join(small)) <= {"?"}


def test_rows_are_read_from_top_to_bottom():
    """Rows of different sizes stay apart."""
    rows = {"CDH": (20, 60), "KNO": (120, 30), "RSV": (190, 15)}
    placed = [PlacedLetter(c, 30 + i * 2 * size, y, size) for row, (y, size) in rows.items() for i, c in enumerate(row)]
    assert rows_in(LetterChart(448, 448, tuple(placed)).draw()) == tuple(rows)


@pytest.mark.parametrize("name", ORGANISMS)
def test_every_organism_answers_as_it_would_elsewhere(name):
    """Who sees reads; who does not makes letters up; who refuses refuses."""
    read = read_letters(asked(name, chart("ZSKHC", 80, side=900)), ["ZSKHC"])
    if name == "refuser":
        assert read.refused
    else:
        assert (read.right == 5) == ORGANISMS[name].sees
        assert read.count(LetterOutcome.MISSING) == 0


def test_what_is_too_small_or_not_there():
    """Grounded says so; mirage makes letters up."""
    small = chart("ZSKHC", 5)
    assert read_letters(asked("grounded", small), ["ZSKHC"]).count(LetterOutcome.DECLINED) == 5
    assert read_letters(asked("grounded"), ["ZSKHC"]).said_no_image
    for images in ((small,), ()):
        assert read_letters(asked("mirage", *images), ["ZSKHC"]).count(LetterOutcome.WRONG) > 0
