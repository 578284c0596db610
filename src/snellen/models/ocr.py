"""ocr/rapidocr: a reader of printed text as a model, without any other knowledge.

It is a real model for testing the eye chart: it sees letters, costs nothing, and runs on this machine. Its package
contains its weights (extra `ocr`). The audit reads burned-in text with it too.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from snellen.errors import ImageError, MissingExtraError, PluginError, RejectedError, UnusableModelError
from snellen.images import EncodedImage, Pixels, decode
from snellen.models.base import Response, receipt
from snellen.models.local import ThreadedModel
from snellen.plugins import did_you_mean
from snellen.prompts import Request
from snellen.prompts.letters import asks_for_letters

EXTRA = "ocr"
VERSION = "1"
"""Increased whenever the same weights would answer differently."""
NO_IMAGE = "There is no image here to read."
NOTHING_READ = "I cannot read any letters in this image."
_PARTS = ("det", "cls", "rec")
"""The three networks: they detect text, find out whether it is upside down, and read it."""
_KEPT = 1024


class TextLine(NamedTuple):
    """A line of text found by OCR, with its score and its box in pixels."""

    text: str
    score: float
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


Reader = Callable[[Pixels], Iterable[TextLine]]


def reader() -> Reader:
    """Return RapidOCR with its package's weights, or raise an error with the install line."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise MissingExtraError(str(error.name).partition(".")[0], EXTRA) from error
    # RapidOCR downloads weights, unless it is told which files to use.
    paths = {f"{part.capitalize()}.model_path": str(path) for part, path in zip(_PARTS, _weights(), strict=True)}
    engine: Any = RapidOCR(params={"Global.log_level": "error", **paths})

    def read(pixels: Pixels) -> Iterator[TextLine]:
        found = engine(pixels)
        if found.txts is None:
            return
        for text, score, box in zip(found.txts, found.scores, found.boxes, strict=True):
            (left, top), (right, bottom) = box.min(axis=0), box.max(axis=0)
            yield TextLine(str(text), float(score), float(left), float(top), float(right), float(bottom))

    return read


def _weights() -> tuple[Path, ...]:
    import rapidocr

    folder = Path(str(rapidocr.__file__)).parent / "models"
    found = [sorted(folder.glob(f"*_{part}_*.onnx")) for part in _PARTS]
    for part, files in zip(_PARTS, found, strict=True):
        if len(files) != 1:
            raise UnusableModelError(
                f"Expected the package rapidocr to hold one file of weights named *_{part}_*.onnx, found {len(files)}. "
                f"Install it again: pip install --force-reinstall 'snellen[{EXTRA}]'"
            )
    return tuple(files[0] for files in found)


def _revision() -> str:
    digest = hashlib.sha256()
    for path in _weights():
        digest.update(path.read_bytes())
    return f"{VERSION}+rapidocr-{version('rapidocr')}+{digest.hexdigest()[:12]}"


class OCR(ThreadedModel):
    """Reads the text in the image, in rows from top to bottom.

    Asked which letters are shown, it gives rows of capital letters. Asked anything else, it quotes the text it reads
    and gives no other answer. Without an image it says so. `read` stands in for RapidOCR in tests.
    """

    takes_examples = False

    def __init__(self, model: str = "rapidocr", *, read: Reader | None = None) -> None:
        if model != "rapidocr":
            raise PluginError(f"There is no OCR {model!r}.{did_you_mean(model, ['rapidocr'])} There is: ocr/rapidocr.")
        self.name = f"ocr/{model}"
        self._read = reader() if read is None else read
        self.revision = _revision() if read is None else f"{VERSION}+own-reader"
        self._known: OrderedDict[str, tuple[TextLine, ...]] = OrderedDict()

    async def answer(self, request: Request) -> Response:
        """Return the text in the images; a thread reads one request after the other."""
        started = time.perf_counter()
        text = await self._compute(self._word_answer, request)
        return Response(
            text,
            latency=time.perf_counter() - started,
            served_by=self.name,
            sent=tuple(receipt(image) for image in request.images),
        )

    def _word_answer(self, request: Request) -> str:
        if not request.images:
            return NO_IMAGE
        found = [row for image in request.images for row in rows(self._lines(image))]
        if asks_for_letters(request.text):
            return "\n".join(filter(None, map(letters, found))) or NOTHING_READ
        return f"The text in the image reads: {' / '.join(found)}" if found else "I read no text in this image."

    def _lines(self, image: EncodedImage) -> tuple[TextLine, ...]:
        if image.sha256 not in self._known:
            try:
                pixels = decode(image.data, name=f"of sha256 {image.sha256[:12]}…")
            except ImageError as error:
                raise RejectedError(f"{self.name} cannot be shown this image: {error}") from error
            self._known[image.sha256] = tuple(self._read(pixels))
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(image.sha256)
        return self._known[image.sha256]


def rows(lines: Sequence[TextLine]) -> list[str]:
    """Return text lines as rows, from top to bottom and left to right.

    >>> rows([TextLine("K", 1, 50, 10, 60, 20), TextLine("Z", 1, 5, 31, 15, 41), TextLine("N", 1, 5, 11, 15, 21)])
    ['N K', 'Z']
    """
    made: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda each: each.top + each.bottom):
        if made and made[-1][0].top <= (line.top + line.bottom) / 2 <= made[-1][0].bottom:
            made[-1].append(line)
        else:
            made.append([line])
    return [" ".join(each.text.strip() for each in sorted(row, key=lambda each: each.left)) for row in made]


def letters(text: str) -> str:
    """Return a row as capital letters. Zero becomes O, and any other sign that is not a letter becomes ?.

    >>> letters("k 0sC#")
    'K O S C ?'
    """
    signs = text.replace("0", "O").upper().split()
    return " ".join(sign if sign in ascii_uppercase else "?" for sign in "".join(signs))
