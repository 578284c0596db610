"""Sight: replies that say there was nothing to see, and replies that voice doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.reading.language.acts.doubting import hedges
from snellen.reading.language.acts.missing import every_missing, says_missing


@pytest.mark.parametrize(
    "text",
    [
        "No image was provided.",
        "The image is blank.",
        "The figure appears to be a blank white square.",
        "It appears that the image did not load.",
        "I'm unable to view the image.",
        "I'm sorry, but I can't deduce any information from the image provided.",
        "I don't see an image attached.",
        "The ECG image is not clearly visible.",
        "Without seeing the image, A is most likely.",
        "Non riesco a vedere l'immagine.",
        "L'immagine fornita è vuota.",
        "Nessuna immagine è stata allegata.",
        "Sebbene l’immagine non sia perfettamente visibile, A.",
        "L'ECG (che purtroppo non è visibile) dovrebbe mostrare un infarto.",
        "La imagen está en blanco.",
        "No puedo ver la imagen.",
        "L'image est vide.",
        "Je ne vois pas l'image.",
        "Das Bild ist leer.",
        "Ich kann das Bild nicht sehen.",
        "图片是空白的。",
        "没有提供图片。",
    ],
)
def test_notices_that_there_is_nothing_to_see(text):
    """No picture, an empty one, or one that cannot be seen is noticed in each language."""
    assert says_missing(text)


@pytest.mark.parametrize(
    "text",
    [
        "No fracture is visible in the image.",
        "The image shows no abnormality.",
        "The image does not show any fracture.",
        "The image is blurry.",
        "The lesion is not visible on this projection.",
        "The area appears black on the image.",
        "White matter appears bright in the image.",
        "The X-ray is not available in all centres.",
        "I'm sorry, I can't assist with that.",
        "L'immagine mostra una lesione bianca.",
        "Addensamento polmonare - non visibile nell'immagine",
        "Non si vedono fratture nell'immagine.",
        "图像未见骨折。",
        "",
    ],
)
def test_a_finding_that_is_missing_is_not_a_missing_picture(text):
    """What is not seen in a picture, and a picture of poor quality, mean that there was one."""
    assert not says_missing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not certain, but B.",
        "I cannot be certain without the image.",
        "Without the image I assume it is A.",
        "My best guess is C.",
        "It is hard to say from this.",
        "The image presumably shows a fracture.",
        "While the image quality is limited, A is best.",
        "Sebbene l'immagine sia di bassa qualità, A.",
        "L'ECG probabilmente mostra uno STEMI.",
        "L'immagine appare vuota, quindi devo basarmi sul contesto.",
        "Non sono del tutto sicuro della risposta.",
        "No estoy seguro.",
        "Je ne suis pas certain.",
        "Ich bin nicht sicher.",
        "我不确定。",
    ],
)
def test_doubt_is_heard(text):
    """Poor sight conceded, a picture presumed, an answer not sure of: each is doubt."""
    assert hedges(text)


@pytest.mark.parametrize(
    "text",
    [
        "The most likely diagnosis is A.",
        "La diagnosi più probabile è B.",
        "Il paziente avrà probabilmente un infarto.",
        "The patient is likely to have pneumonia.",
        "A certain sign of fracture is seen.",
        "While the ECG shows ST elevation, there is no Q wave.",
        "Anche se riduce le radiazioni, la TC non è l'esame di prima scelta.",
        "The ECG shows ST elevation.",
        "",
    ],
)
def test_the_phrases_of_an_exam_are_no_doubt(text):
    """'Most likely' is what the question asked for."""
    assert not hedges(text)


@given(st.text())
def test_any_text_has_an_answer(text):
    """No text breaks either question, and more lines about other things take no doubt away."""
    assert says_missing(text) == says_missing(text)
    assert hedges(text) <= hedges(f"{text}\nThe answer is A.")


@pytest.mark.parametrize(
    "before", ["", "Hello there.\n", "- One\n  2) Two\n* ", "İ ", "The sign says: s'il vous plaît. "]
)
def test_the_places_are_those_of_the_text_given(before):
    """Bullets, capitals without a small letter and elisions before them move nothing."""
    text = f"{before}I cannot see the image, sorry. Please upload the image."
    places = [text[found.start : found.end].lower() for found in every_missing(text)]
    assert "cannot see the image" in places[0]
    assert "please upload" in places[1:]
