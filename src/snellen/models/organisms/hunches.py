"""Answers without looking: what the text gives away, or a fixed preference."""

from __future__ import annotations

import hashlib
import re

from snellen.models.organisms.knowledge import abstaining_option, finding_asked, is_within, meaning, plain
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion

_UNSPACED = re.compile("[\u3040-\u9fff]")
_SENTENCE = re.compile(r"[^.!?:\"“”«»。！？：\n]+")


def hunch(question: ParsedQuestion) -> int:
    """Return the option that the text suggests."""
    given = given_away(question)
    return leaning(question) if given is None else given


def given_away(question: ParsedQuestion) -> int | None:
    """Return the one option that the vignette contains or affirms; None if there is none.

    >>> given_away(ParsedQuestion("Main finding?", 'On file: "Drusen."', ("Cyst", "Drusen")))
    1
    """
    if not question.vignette:
        return None
    answers = [meaning(option, language=question.language) for option in question.options]
    if all(said is not None and said.kind == "answer" for said in answers):
        affirmed = _is_affirmed(question)
        wanted = None if affirmed is None else "yes" if affirmed else "no"
        return next((at for at, said in enumerate(answers) if said is not None and said.value == wanted), None)
    words = plain(question.vignette)
    named = [at for at, option in enumerate(question.options) if _holds(words, plain(option))]
    longest = [at for at in named if not any(_is_part_of(question.options, at, other) for other in named)]
    return longest[0] if len(longest) == 1 else None


def leaning(question: ParsedQuestion, salt: str = "", *, besides: int | None = None) -> int:
    """Return the option of a fixed preference, which ignores order and letters.

    Each option has its own rank, so replacing an option that is not preferred changes nothing, unless the new one ranks
    higher. An option that means "I do not know" is chosen only if there is no other. `besides` excludes one option.
    """
    unsure = abstaining_option(question)
    others = [at for at in range(len(question.options)) if at != besides]
    real = [at for at in others if at != unsure] or others
    return max(real, key=lambda at: _rank(question.stem, question.options[at], salt))


def _rank(*texts: str) -> bytes:
    return hashlib.sha256("\x00".join(plain(text) for text in texts).encode()).digest()


def _is_part_of(options: tuple[str, ...], at: int, other: int) -> bool:
    """Return whether an option's words are part of a longer option's."""
    return at != other and plain(options[at]) in plain(options[other])


def _holds(words: str, option: str) -> bool:
    """Return whether the text contains the option; scripts without spaces are searched letter by letter."""
    return is_within(words, option) if _UNSPACED.search(option) else bool(option.strip()) and option in words


def _is_affirmed(question: ParsedQuestion) -> bool | None:
    """Return whether the vignette affirms what a yes-or-no question asks about. None if it does not mention it."""
    spoken = LANGUAGES[question.language]
    for sentence in _SENTENCE.findall(question.vignette):
        if _speaks_of(question, sentence):
            return spoken.negation.search(plain(sentence)) is None
    return None


def _speaks_of(question: ParsedQuestion, sentence: str) -> bool:
    """Return whether a sentence has all the question's words, or names its finding."""
    spoken = LANGUAGES[question.language]
    if not spoken.spaced:
        asked = finding_asked(question)
        said = meaning(sentence, "finding", question.language)
        return said is not None and said.value == asked
    words = plain(sentence)
    sought = [word for word in plain(question.stem).split() if word not in spoken.filler]
    return bool(sought) and all(f" {word} " in words for word in sought)
