"""Text in pixels is read once an image and told masked; markers and device settings are normal."""

import cv2
import numpy as np

from parts import require
from snellen.errors import MissingExtraError
from snellen.images import Image
from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import burned_in_text
from snellen.tools.audit.checks.burned_in_text import CHECK, Burned, TextLine, kind_of, look_with, reader
from snellen.tools.audit.finding import Severity

SIDES = (Option("Left"), Option("Right"))

KINDS = {
    Burned.MARKER: ["L", "R", "AP", "PA", "PORTABLE", "AP PORTABLE", "120 mm", "WL:2048", "WW:4095", "Zoom : 50.15%",
                    "W10538:L7117", "NEX: 1", "0366", "19cm", "SUPINE", "T2 FLAIR", "NS FS"],
    Burned.IDENTIFIER: ["SMITH, JOHN", "Name: MILLER A", "MRN 00123456", "Uploader:AnnaBMiller",
                        "Source: Dr. Anna Miller", "DOB 12/03/1961", "ID: A123456", "Acc#1234567"],
    Burned.DATE: ["07-28-2005", "12 Mar 2004", "St. Elsewhere General Hospital"],
    Burned.LONG: ["There is a large mass in the right upper lobe"],
    Burned.SHORT: ["MedPix®", "arrow here"],
}  # fmt: skip


def test_kinds_of_text():
    """Markers and settings are told from identifiers, dates, and long text."""
    wrong = [(text, kind_of(text).value) for kind, texts in KINDS.items() for text in texts if kind_of(text) != kind]
    assert wrong == []


def film(seed):
    return np.random.default_rng(seed).integers(0, 120, (120, 160), dtype=np.uint8)


def item(name, pixels):
    return Item(name, "Which side?", SIDES, 0, images=(Image(pixels),))


def test_each_image_is_read_once_and_nothing_is_printed():
    """Three items of two images: two readings, progress told, one finding of high severity, masked."""
    read, told = [], []

    def stand_in(pixels):
        read.append(pixels)
        return (
            [TextLine("R", 0.99), TextLine("SMITH, JOHN", 0.97)]
            if np.array_equal(pixels, film(1))
            else [TextLine("L", 0.9)]
        )

    items = (item("a", film(1)), item("b", film(1)), item("c", film(2)))
    audited = Audited("b", items, progress=lambda what, done, of: told.append((what, done, of)))
    checked = look_with(stand_in, audited)
    assert len(read) == 2
    assert told[-2:] == [("burned-in-text", 1, 2), ("burned-in-text", 2, 2)]
    (finding,) = checked.findings
    assert finding.severity is Severity.HIGH
    assert finding.sentence.startswith("1 of 2 images")
    assert [each.item_id for each in finding.items] == ["a", "b"]
    assert finding.items[0].quote == "•••••, •••• (11 characters)"
    assert "SMITH" not in repr(checked)
    assert checked.numbers[0].estimate.value == 1.0


def test_letters_that_ocr_is_not_sure_of_are_no_text():
    """What OCR reads into bones with a low score is left out."""
    checked = look_with(lambda pixels: [TextLine("SMITH, JOHN", 0.3)], Audited("b", (item("a", film(1)),)))
    assert checked.findings == ()


def test_an_image_that_ocr_fails_on_is_counted():
    """A failure of OCR is a sentence, and the others are read."""

    def stand_in(pixels):
        if np.array_equal(pixels, film(1)):
            raise RuntimeError("odd image")
        return []

    checked = look_with(stand_in, Audited("b", (item("a", film(1)), item("b", film(2)))))
    assert checked.looked_at == 1
    assert checked.cannot == ("1 images could not be read for text.",)


def test_without_the_extra_the_install_line_is_given(monkeypatch):
    """The check says what to install instead of failing."""

    def missing():
        raise MissingExtraError("rapidocr", "ocr")

    monkeypatch.setattr(burned_in_text, "reader", missing)
    (sentence,) = CHECK.look(Audited("b", ())).cannot
    assert "pip install 'snellen[ocr]'" in sentence


def test_ocr_reads_planted_text():
    """The real reader finds a name that was written into an image."""
    require("rapidocr")
    planted = np.zeros((300, 500), np.uint8)
    cv2.putText(planted, "SMITH, JOHN", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.2, 255, 2)
    checked = look_with(reader(), Audited("b", (item("a", planted),)))
    assert [finding.severity for finding in checked.findings] == [Severity.HIGH]
