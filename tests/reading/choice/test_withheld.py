"""Answers that are taken back in the same breath, or hold only on a condition; each beside one that stands."""

import pytest

from rows import read_table
from snellen.items import Item, Option
from snellen.reading import read_choice

MASS = ("Is there a mass?", ("Yes", "No"))
ABILITY = ("Can you determine the sex of the patient?", ("Yes", "No"))
SHARP = ("Is the image quality sufficient for a diagnosis?", ("Yes", "No"))
SEEN = ("Is the trachea visible?", ("Yes", "No"))
ITALIAN = ("C'è una massa?", ("Sì", "No"))
SPANISH = ("¿Hay una masa?", ("Sí", "No"))
FRENCH = ("Y a-t-il une masse ?", ("Oui", "Non"))
GERMAN = ("Gibt es eine Raumforderung?", ("Ja", "Nein"))
CHINESE = ("是否有肿块？", ("是", "否"))
GRADED = ("Does the patient have pneumonia?", ("Pneumonia", "Normal", "The image quality is too poor to tell"))
SIDES = ("On which side, if any, is the abnormality?", ("Both sides", "Left side", "Neither side", "Right side"))
EYE = ("What is the diagnosis?", ("Glaucoma", "Cataract", "Granulomatosis with polyangitis"))
STANDING = read_table(__file__, "STANDING")
WITHHELD = read_table(__file__, "WITHHELD")


def _read(asked, text):
    question, options = asked
    return read_choice(text, Item(id="1", question=question, options=tuple(map(Option, options))))


@pytest.mark.parametrize(("asked", "text", "letter"), STANDING)
def test_an_answer_stands(asked, text, letter):
    assert _read(asked, text).choice == "ABCD".index(letter)


@pytest.mark.parametrize(("asked", "text", "silence"), WITHHELD)
def test_no_answer_is_given(asked, text, silence):
    read = _read(asked, text)
    assert (read.choice, read.silence) == (None, silence)
