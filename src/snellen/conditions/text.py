"""Conditions on the text: the question without context and image, and the options alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import Pool
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item
from snellen.runtime import regex

CHOOSE = {
    "en": "Choose the most likely answer.", "it": "Scegli la risposta più probabile.",
    "es": "Elige la respuesta más probable.", "fr": "Choisissez la réponse la plus probable.",
    "de": "Wählen Sie die wahrscheinlichste Antwort.", "zh": "请选择最可能的答案。",
}  # fmt: skip
"""Replacement for the question if only the options are shown, by language."""

_STOP = regex(r"""[.!?]["”’')\]*_]*\s+(?=[^\sa-z])|[。！？]["”’」]?|\n[ \t]*(?=[^\sa-z])""")
_ABBREVIATED = regex(r"\b(?:dr|mr|mrs|ms|prof|st|figs?|vs|cf|e\.g|i\.e|approx)\.\s*\Z", re.IGNORECASE)
_CLOSING = " \t\n\"”’')]*_」"


@dataclass(frozen=True)
class QuestionOnly(Condition):
    """The question and its options alone, without context, image and story.

    The question begins at the last sentence with a question mark, or at those before it if they ask without a break. It
    includes all that follows. Without a question mark, it is the last sentence. If an item has no context and no story,
    this is the request without its image, which is sent once.

    With `options=hidden` the options are not sent either. The model answers in words, which are then matched with an
    option.
    """

    name: ClassVar[str] = "question-only"
    declared: ClassVar[Effects] = Effects("none", text="question")
    later: ClassVar[frozenset[str]] = frozenset({"options"})

    options: Literal["kept", "hidden"] = "kept"

    def __post_init__(self) -> None:
        if self.options not in ("kept", "hidden"):
            raise StudyError(f"Expected options to be kept or hidden, got options={self.options}.")

    @property
    def in_words(self) -> str:
        """Words that name what is left."""
        return "with the question alone" if self.hides_options else "with question and options alone"

    @property
    def hides_options(self) -> bool:
        """True for `options=hidden`."""
        return self.options == "hidden"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Select the part of the text that asks."""
        if item.kind == "report":
            raise Inapplicable("it asks for a report, not a question")
        if self.hides_options and item.kind != "choice":
            raise Inapplicable("the question offers no options")
        story, asked = told_and_asked(item.question)
        if not (self.hides_options or item.images or item.context.strip() or story):
            raise Inapplicable("it has no image, no context and no story that could be taken away")
        return {"question": asked}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with only the question. Its options stay, to match the answer with them."""
        return replace(item, images=(), context="", question=drawn["question"])


@dataclass(frozen=True)
class OptionsOnly(Condition):
    """The options alone: no context, no image, and a line that asks to choose."""

    name: ClassVar[str] = "options-only"
    declared: ClassVar[Effects] = Effects("none", text="options")
    told: ClassVar[str] = "with the options alone"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the line that asks to choose, in the item's language."""
        if item.kind != "choice" or len(item.options) < 2:
            raise Inapplicable("the question offers no options")
        return {"question": item.in_its_language(CHOOSE)}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with only its options."""
        return replace(item, images=(), context="", question=drawn["question"])


QUESTION_ONLY = QuestionOnly()
OPTIONS_ONLY = OptionsOnly()


def told_and_asked(question: str) -> tuple[str, str]:
    """Split a question into its story and the asking part, with all text after it.

    >>> told_and_asked("A man of 70 is seen by Dr. Hill. What is shown? Choose one.")
    ('A man of 70 is seen by Dr. Hill.', 'What is shown? Choose one.')
    """
    starts = [0, *_starts(question)]
    sentences = [question[start:end] for start, end in zip(starts, [*starts[1:], len(question)], strict=True)]
    asking = [place for place, sentence in enumerate(sentences) if _asks(sentence)]
    spoken = [place for place, sentence in enumerate(sentences) if sentence.strip(_CLOSING)]
    first = (asking or spoken or [0])[-1]
    while first and _asks(sentences[first - 1]):
        first -= 1
    return question[: starts[first]].strip(), question[starts[first] :].strip()


def _starts(question: str) -> list[int]:
    """Return where sentences begin, except the first; an abbreviation does not end one."""
    ends = (found.end() for found in _STOP.finditer(question))
    return [end for end in ends if end < len(question) and not _ABBREVIATED.search(question, max(0, end - 20), end)]


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING).endswith(("?", "？"))
