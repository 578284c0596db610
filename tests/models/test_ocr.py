"""A reader of text as a model: rows of letters, text quoted, nothing from the network."""

import asyncio
import threading

import cv2
import numpy as np
import pytest

from parts import require
from snellen.errors import PluginError, RejectedError
from snellen.images import EncodedImage, Image
from snellen.models import ocr, open_model
from snellen.models.base import check_sent
from snellen.models.ocr import OCR, TextLine
from snellen.prompts import Request
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.tools.audit.checks import burned_in_text

WHICH = LETTERS_QUESTION


def picture(*words, side=320):
    pixels = np.full((side, side), 255, np.uint8)
    for row, text in enumerate(words):
        cv2.putText(pixels, text, (30, 90 + 90 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.6, 0, 3)
    return Image(pixels).encoded()


def asked(model, text, *images):
    request = Request(model.name, text, images=images)
    response = asyncio.run(model.answer(request))
    check_sent(request, response)
    return response.text


def test_what_is_read_is_said_in_rows():
    """Pieces on one height are one row from the left; asked for letters, a zero is an O, what is no letter a ?."""
    pieces = [
        TextLine("k", 0.9, 90, 10, 110, 30),
        TextLine("Z#N", 0.9, 10, 50, 60, 70),
        TextLine("C0", 0.9, 10, 12, 60, 32),
    ]
    model = OCR(read=lambda pixels: pieces)
    assert asked(model, WHICH, picture()) == "C O K\nZ ? N"
    assert asked(model, "Is there a fracture?", picture()) == "The text in the image reads: C0 k / Z#N"


def test_nothing_to_read_is_said():
    """No image, and an image without text, are two things, and neither is an answer."""
    model = OCR(read=lambda pixels: [])
    assert asked(model, WHICH) == ocr.NO_IMAGE
    assert asked(model, WHICH, picture()) == ocr.NOTHING_READ
    assert asked(model, "Is there a fracture?", picture()) == "I read no text in this image."


def test_an_image_is_read_once_and_off_the_event_loop():
    """The second question about an image costs nothing, and reading never holds up other models."""
    threads = []

    def read(pixels):
        threads.append(threading.current_thread())
        return []

    model = OCR(read=read)
    same = picture("K")
    asked(model, WHICH, same)
    asked(model, "Is there text?", same)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_a_damaged_image_is_rejected():
    """What cannot be decoded is an error of that request, not an image without text."""
    with pytest.raises(RejectedError, match="ocr/rapidocr cannot be shown this image"):
        asked(OCR(read=lambda pixels: []), WHICH, EncodedImage(b"no image", "image/png", 8, 8))


def test_one_door():
    """The audit reads burned-in text by the same function; another name of a reader is an error that says which."""
    assert burned_in_text.reader is ocr.reader
    with pytest.raises(PluginError, match="There is: ocr/rapidocr"):
        open_model("ocr/rapid")


def test_rapidocr_reads_without_a_network(monkeypatch):
    """The real one reads large letters, twice the same, and opens no connection to fetch weights."""

    def refused(*arguments, **named):
        raise AssertionError("a connection was opened")

    require("rapidocr")
    monkeypatch.setattr("socket.socket.connect", refused)
    model, again = open_model("ocr/rapidocr"), open_model("ocr/rapidocr")
    shown = picture("KSNRD", "HVCZO")
    assert asked(model, WHICH, shown) == "K S N R D\nH V C Z O" == asked(again, WHICH, shown)
    assert model.revision == again.revision
    assert model.revision.startswith("1+rapidocr-")
