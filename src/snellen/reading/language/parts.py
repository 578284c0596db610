"""Parts of a response (lesson, image, end), and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.reading.language.cleaning import lower_keeping_offsets
from snellen.reading.language.detection_roles import BETWEEN, COLON, LETTER, Vocabulary, merge_disease_letters, pattern
from snellen.reading.language.patterns import word_set
from snellen.reading.language.sentences import sentences_of
from snellen.runtime import regex

_LEXICON = read_lexicon("detection")

_AT_THE_IMAGE = pattern("this|the ..3 picture", "i ..3 see")
_POINTS = pattern("this ..1 body", "^ this $", "^ this !abnormal|normal")
_PLAINLY = pattern("there be|no|not|see", "see", "quote", "so", "concluding", "no|not ..3 finding")
_TELLS_WHAT_TO_DO = pattern("general", "order", "if")
_GENERAL = pattern(*_LEXICON.read_lines("general"))
_OF_ANYONE = pattern("^ with|a? ~1 normal picture|body", "^ a body", "^ doctor")
_ALWAYS = pattern("^ with spot|tell|see", "^ if !i", "^ with =1 abnormal", "^ be there")
_CAN = regex("(?<![nNi])(?<![nNi].)m(?![nN])[^;,]?(?![vBli])")
# A disease as the subject of a general sentence: "Gliomas infiltrate", "CNV is a", but not "A tumour is visible".
_SUBJECT = regex('[-@w]{0,2}_?1(?:,1,|[,&/_]{1,3}1)*(?![,:"vA;]|-(?!.*[B4gmWh])|B[^;,]{0,2}[vlA](?!Y)|$)')
_BRIEF = 3


def speaks_at_large(shape: str, *, lesson: bool = False, after: bool = False, end: bool = False) -> bool:
    """Return whether a sentence of this shape is general, not about this image.

    A sentence in a `lesson` is general unless it refers to the image. A sentence `after` a general one is general too
    unless it plainly reports. At the `end`, the name of a disease is the conclusion, not the topic of a lesson.
    """
    if len(shape) <= _BRIEF and _TELLS_WHAT_TO_DO.search(shape) is None:
        return lesson
    if _ALWAYS.search(shape):
        return True
    at_the_image = _AT_THE_IMAGE.search(shape) is not None
    if lesson and not at_the_image:
        return True
    subject = not end and (_SUBJECT.match(shape) or _OF_ANYONE.search(shape))
    general = any((subject, _GENERAL.search(shape), LETTER["can"] in shape and _CAN.search(shape)))
    if at_the_image or _POINTS.search(shape):
        return general and lesson
    return general or (after and not end and _PLAINLY.search(shape) is None)


_PREFIX = _LEXICON.compile_text("prefix", re.IGNORECASE)
_STEPS = frozenset(("step", "schr", "pass", "paso", "étap"))
_HEADING, _LABEL, _BRIEF = 9, 8, 3
"""Maximum words: heading without a colon, label before a colon, short "In conclusion"."""
_OBSERVED = word_set("observation observations observed observing findings analysis inspect inspection assessment")
_TAUGHT = _LEXICON.read_words("taught")
_THIS_IMAGE = regex(f"[{LETTER['the']}{LETTER['this']}{LETTER['with']}].?{LETTER['picture']}")
_LESSON = regex(f"[{LETTER['general']}{LETTER['how']}]|{LETTER['see']}{LETTER['with']}")
_CLAUSE = regex(f"[,;{LETTER['be']}{LETTER['show']}{LETTER['see']}]")
_CONCLUDES = regex(f"[{LETTER['concluding']}{LETTER['so']}]")
_FINAL_DIAGNOSIS = regex(f"[^0-9fk]{{0,2}}{LETTER['diagnosis']}$")
_ILL = regex("[f1]")
_NAMED = regex(f"[1{LETTER['normal']}]")


class ResponsePart(Enum):
    """Topic of a part of a response."""

    PLAIN = auto()
    LESSON = auto()
    """How diseases look in general."""
    IMAGE = auto()
    """What this image shows."""
    END = auto()
    """What the response concludes."""


class Sentence(NamedTuple):
    """A sentence with its words, shape, part, and the end of its label.

    `naming` is the shape with a separate letter for each disease among the options, if there are several.
    """

    text: str
    shape: str
    naming: str
    part: ResponsePart
    label: int
    place: int
    closes: bool
    """True if the sentence ends a line that is not a list entry."""
    general: bool
    """True if the sentence is about such images in general; headings count as general."""

    @property
    def body(self) -> str:
        """The shape after the label."""
        return self.shape[self.label :]


class _ListedLine(NamedTuple):
    """A line of a response without its bullet or number. `opens` if it begins a paragraph."""

    sentences: Sequence[str]
    listed: bool
    numbered: bool
    opens: bool


def sentences(said: str, vocabulary: Vocabulary) -> list[Sentence]:
    """Split a cleaned response into sentences."""
    lines = _lines(said)
    if not lines:
        return []
    low = lower_keeping_offsets(BETWEEN.join([text for line in lines for text in line.sentences]))
    texts, naming = low.split(BETWEEN), vocabulary.shapes(low)
    if not vocabulary.several:
        return list(_split_parts(lines, texts, naming))
    parted = _split_parts(lines, texts, [merge_disease_letters(shape) for shape in naming])
    return [one._replace(naming=named) for one, named in zip(parted, naming, strict=True)]


def _lines(text: str) -> list[_ListedLine]:
    found, opens = [], True
    for raw in text.split("\n"):
        marked = not raw[:1].isalpha() or raw[:4].lower() in _STEPS
        start = prefix.end() if marked and (prefix := _PREFIX.match(raw)) else 0
        rest = raw[start:].strip()
        if rest:
            sign = raw[:start].strip()
            numbered = sign[-2:-1].isdigit() or sign[-1:].isdigit()
            listed = (start > 1 or bool(sign)) and not numbered
            found.append(_ListedLine(sentences_of(rest), listed, numbered, opens))
        opens = not rest
    return found


def _split_parts(lines: Sequence[_ListedLine], texts: Sequence[str], shapes: Sequence[str]) -> Iterator[Sentence]:
    part, place, headed = ResponsePart.PLAIN, 0, False
    for at, line in enumerate(lines):
        stop = place + len(line.sentences)
        follows = lines[at + 1] if at + 1 < len(lines) else None
        if follows and _is_heading(line, texts[stop - 1], shapes[place]):
            closes = not (line.numbered or follows.listed or follows.numbered)
            for here in range(place, stop):
                yield Sentence(
                    line.sentences[here - place], shapes[here], shapes[here], part, 0, here, closes=closes, general=True
                )
            part = _read_heading(texts[stop - 1], shapes[stop - 1]) or (part if line.numbered else ResponsePart.PLAIN)
            place, headed = stop, True
            continue
        if part is ResponsePart.LESSON and line.opens and not (headed or line.listed or line.numbered):
            part = part if COLON in shapes[place][: _LABEL + 1] else ResponsePart.PLAIN
        yield from _of_a_line(line, part, texts[place:stop], shapes[place:stop], place)
        place, headed = stop, False


def _of_a_line(
    line: _ListedLine, part: ResponsePart, texts: Sequence[str], shapes: Sequence[str], place: int
) -> Iterator[Sentence]:
    here, lectured = part, False
    for at, (text, shape) in enumerate(zip(texts, shapes, strict=True)):
        label = shape.find(COLON, 0, _LABEL + 1) + 1
        if label and _CLAUSE.search(shape, 0, label) is None:
            here = _read_label(text.partition(":")[0], shape[: label - 1], part)
        elif len(shape) <= _BRIEF and _CONCLUDES.search(shape):
            here = ResponsePart.END
        closes = at + 1 == len(texts) and not (line.listed or line.numbered)
        general = speaks_at_large(
            shape[label:], lesson=here is ResponsePart.LESSON, after=lectured, end=here is ResponsePart.END
        )
        lectured = general and _ILL.search(shape) is not None
        yield Sentence(line.sentences[at], shape, shape, here, label, place + at, closes=closes, general=general)


def _is_heading(line: _ListedLine, last: str, shape: str) -> bool:
    if last.endswith(":"):
        return len(last) < 30 * _LABEL and not line.listed
    few = len(line.sentences) == 1 and len(shape) <= _HEADING
    return few and not line.listed and last[-1] not in ".!?,;" and COLON not in shape


def _read_heading(text: str, shape: str) -> ResponsePart | None:
    """Return the part of the response that a heading opens. None if the heading does not tell."""
    words = text.rstrip(":").split()
    taught = not _TAUGHT.isdisjoint(words)
    seen = _THIS_IMAGE.search(shape) or not _OBSERVED.isdisjoint(words)
    if seen and not taught and LETTER["concluding"] not in shape:
        return ResponsePart.IMAGE
    if taught or _LESSON.search(shape):
        return ResponsePart.LESSON
    if _CONCLUDES.search(shape) or _FINAL_DIAGNOSIS.match(shape):
        return ResponsePart.END
    return ResponsePart.LESSON if _NAMED.search(shape) else None


def _read_label(text: str, shape: str, part: ResponsePart) -> ResponsePart:
    """Return the part to which the text after a label belongs. A disease's name does not end a part about the image."""
    found = _read_heading(text, shape) or part
    named = found is ResponsePart.LESSON and part is ResponsePart.IMAGE and _NAMED.search(shape) is not None
    return part if named else found
