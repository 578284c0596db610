"""Answers that are taken back in the same breath, or hold only on a condition; each beside one that stands."""

import pytest

from snellen.items import Item, Option
from snellen.reading import read_choice
from snellen.reading.outcomes import Outcome

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
STANDING = [
    (MASS, "Yes, but it is hard to say for certain.", "A"),
    (MASS, "Yes, a mass is present, although the quality is poor.", "A"),
    (MASS, "Yes. There is a mass in the left breast. Please consult a radiologist.", "A"),
    (MASS, "No, there is no evidence of a mass. I cannot provide medical advice.", "B"),
    (MASS, "No, I cannot identify a mass.", "B"),
    (MASS, "Yes, a mass is seen, but it is not possible to tell whether it is malignant.", "A"),
    (MASS, "There is a mass. Answer: X", "A"),
    (ABILITY, "No, I cannot determine the sex.", "B"),
    (SHARP, "No, the quality is not sufficient to make a diagnosis.", "B"),
    (SEEN, "No, I cannot see the trachea.", "B"),
    (ITALIAN, "Sì, ma la qualità è scarsa.", "A"),
    (SPANISH, "No, no se observa ninguna masa.", "B"),
    (FRENCH, "Non, aucune masse n'est visible.", "B"),
    (GERMAN, "Nein, es ist keine Raumforderung zu sehen.", "B"),
    (CHINESE, "否，未见肿块。", "B"),
    (GRADED, "The patient does not have pneumonia.", "B"),
    (GRADED, "The lungs are clear.", "B"),
    (GRADED, "The image is too blurry to tell.", "C"),
    (SIDES, "The lesion is in the left hemisphere.", "B"),
    (SIDES, "There are lesions in both hemispheres.", "A"),
    (SIDES, "No abnormality is seen.", "C"),
    (EYE, "Glucoma", "A"),
]
WITHHELD = [
    (MASS, "No, the quality does not allow an answer.", Outcome.FLAGGED_QUALITY),
    (MASS, "Yes, the image is too blurry to tell if there is a mass.", Outcome.FLAGGED_QUALITY),
    (MASS, "No, it is impossible to determine.", Outcome.ABSTAINED),
    (MASS, "No. I can't see the image.", Outcome.ABSTAINED),
    (MASS, "No, I'm unable to display images.", Outcome.ABSTAINED),
    (MASS, "No, I'm sorry, but I can't assist with that.", Outcome.REFUSED),
    (MASS, "It is difficult to make an accurate diagnosis.", Outcome.ABSTAINED),
    (MASS, "On this view the appearance of the mass is unclear.", Outcome.ABSTAINED),
    (MASS, "I am unable to express any opinion on this.", Outcome.REFUSED),
    (ITALIAN, "No, la qualità non consente una risposta.", Outcome.FLAGGED_QUALITY),
    (ITALIAN, "È difficile stabilire se vi sia una massa.", Outcome.ABSTAINED),
    (SPANISH, "No, no puedo determinarlo.", Outcome.ABSTAINED),
    (SPANISH, "Es difícil determinar si hay una masa.", Outcome.ABSTAINED),
    (FRENCH, "Non, la qualité ne permet pas de répondre.", Outcome.FLAGGED_QUALITY),
    (FRENCH, "Il est difficile de dire s'il y a une masse.", Outcome.ABSTAINED),
    (GERMAN, "Nein, die Qualität reicht nicht aus.", Outcome.FLAGGED_QUALITY),
    (GERMAN, "Es ist unklar, ob eine Raumforderung vorliegt.", Outcome.ABSTAINED),
    (CHINESE, "否，无法判断。", Outcome.ABSTAINED),
    (MASS, "If the margins are spiculated, the answer is Yes. If they are not, the answer is No.", Outcome.UNPARSED),
    (EYE, "B) Granulomatosis with polyangiitis", Outcome.UNPARSED),
    (EYE, "The question is whether the patient has glaucoma.", Outcome.UNPARSED),
]


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
