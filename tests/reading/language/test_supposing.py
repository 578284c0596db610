"""Sentences that name an image and a finding, and yet do not say what this image shows."""

from __future__ import annotations

import pytest

from snellen.items import Item
from snellen.reading.claims.parser import read_rationale
from snellen.reading.language.acts.supposing import asserted
from steps import lines_run


def claims(sentence, question="What does the image show?"):
    """The claims of a reply of one sentence."""
    return read_rationale(sentence, "", Item("1", question)).claims


@pytest.mark.parametrize(
    "sentence",
    [
        "I would need to see the opacity to say whether it is pneumonia.",
        "I'm sorry, but I can't interpret the lesion in the image.",
        "If there is consolidation on the X-ray, pneumonia is likely.",
        "Once I see the MRI, I can describe the lesion.",
        "Suppose the image shows a mass in the temporal lobe.",
        "What is the abnormality in the image?",
        "Look at the image for signs of an enlarged heart.",
        "To identify a pneumothorax in an image, look for a visible pleural line.",
        "It is important to look for fractures in the image.",
        "A pneumothorax is seen on a chest X-ray as a thin pleural line.",
        "In atrial fibrillation, the ECG shows no P waves.",
        "A fracture can be seen as a dark line in the image.",
        "In general, X-ray images show bones as white areas.",
        "MRI shows soft tissues better than CT.",
        "The image may show a ring-enhancing lesion.",
        "The X-ray shows a large effusion, as told in the question.",
        "The ECG is not provided, so no ST elevation can be seen in it.",
        "It is not possible to identify ST elevation without a clear ECG.",
        "User: What fracture does the image show?",
        "Se la radiografia mostra un versamento, è indicata una toracentesi.",
        "Wenn das Röntgenbild einen Erguss zeigt, sollte er punktiert werden.",
    ],
)
def test_talk_of_an_image_is_no_claim(sentence):
    """A wish, a condition, a method, general knowledge, a notice, the question again: nothing is said to be seen."""
    assert claims(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "The image shows a transverse fracture of the tibia.",
        "If you look at the image, the joint space is narrowed in the image.",
        "I cannot make a diagnosis, but the X-ray shows a large effusion.",
        "I don't see any abnormality in the lungs on this image.",
        "No fluid is visible in the image (which would appear white).",
        "Based on the provided image, the patient has a swollen knee.",
        "As you can see in the image, the joint space is narrowed.",
        "Both images show a dark lesion in the liver.",
    ],
)
def test_a_statement_about_this_image_stays_a_claim(sentence):
    """What stands around it does not hide it."""
    assert claims(sentence) != ()


@pytest.mark.parametrize(
    ("question", "told", "new"),
    [
        ("L'ECG mostra un sopraslivellamento del tratto ST in V1-V4. Diagnosi?", "ST elevation in V1-V4", "Q waves"),
        ("Donna con versamento pleurico destro. Terapia?", "a right pleural effusion", "a fracture of the clavicle"),
        ("Hombre con fractura de cadera derecha. ¿Tratamiento?", "a fracture of the right hip", "a dislocated knee"),
        ("Femme avec un épanchement pleural gauche. Traitement ?", "a left pleural effusion", "a collapsed lung"),
        ("Patient mit Pleuraerguss rechts. Therapie?", "a right pleural effusion", "a rounded mass"),
    ],
)
def test_what_a_question_told_in_one_language_is_told_in_another(question, told, new):
    """An English reply that says again what the question said claims nothing; a new finding is a claim."""
    assert claims(f"The image shows {told}.", question) == ()
    assert claims(f"The image shows {new}.", question) != ()


def test_pneumonia_is_not_told_by_a_pneumothorax():
    """Words that begin alike may name two things."""
    assert claims("The image shows pneumonia.", "A man with a pneumothorax. What now?") != ()


def test_the_time_grows_with_the_length():
    """No sentence takes more than in proportion to its length."""

    def steps(times):
        sentence = "i cannot help but in general the image can show a, which is (a) " * times
        return lines_run(lambda: asserted(sentence, sentence.split()))

    steps(10)
    assert steps(1000) < 15 * steps(100)
