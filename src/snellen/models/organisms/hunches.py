"""What can be answered without looking: what the text gives away, or else a fixed leaning of one's own."""

from __future__ import annotations

import hashlib
import re

from snellen.models.organisms.knowledge import abstaining_option, finding_asked, meaning, plain, within
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question

_UNSPACED = re.compile("[\u3040-\u9fff]")
_SENTENCE = re.compile(r"[^.!?:\"“”«»。！？：\n]+")


def hunch(question: Question) -> int:
    """The option that the words alone suggest."""
    given = given_away(question)
    return leaning(question) if given is None else given


def given_away(question: Question) -> int | None:
    """The one option whose words the vignette holds, or None; for yes and no, whether it affirms what is asked.

    >>> given_away(Question("Main finding?", 'On file: "Drusen."', ("Cyst", "Drusen")))
    1
    """
    if not question.vignette:
        return None
    answers = [meaning(option, language=question.language) for option in question.options]
    if all(said is not None and said.kind == "answer" for said in answers):
        affirmed = _affirmed(question)
        wanted = None if affirmed is None else "yes" if affirmed else "no"
        return next((at for at, said in enumerate(answers) if said is not None and said.value == wanted), None)
    words = plain(question.vignette)
    named = [at for at, option in enumerate(question.options) if _holds(words, plain(option))]
    longest = [at for at in named if not any(_within(question.options, at, other) for other in named)]
    return longest[0] if len(longest) == 1 else None


def leaning(question: Question, salt: str = "", *, besides: int | None = None) -> int:
    """A fixed preference: the content of question and option decides, never the order or the letters.

    Each option has a rank of its own, so replacing one the organism does not prefer changes nothing (unless the new
    one ranks higher). An option that means "I do not know" is never preferred to a real one; one may be left out.
    """
    unsure = abstaining_option(question)
    others = [at for at in range(len(question.options)) if at != besides]
    real = [at for at in others if at != unsure] or others
    return max(real, key=lambda at: _rank(question.stem, question.options[at], salt))


def _rank(*texts: str) -> bytes:
    return hashlib.sha256("\x00".join(plain(text) for text in texts).encode()).digest()


def _within(options: tuple[str, ...], at: int, other: int) -> bool:
    """Whether an option's words are part of a longer option's."""
    return at != other and plain(options[at]) in plain(options[other])


def _holds(words: str, option: str) -> bool:
    """Whether the words hold the option's; scripts without spaces are searched letter by letter."""
    return within(words, option) if _UNSPACED.search(option) else bool(option.strip()) and option in words


def _affirmed(question: Question) -> bool | None:
    """Whether a sentence of the vignette affirms or denies what a yes-or-no question asks about."""
    spoken = LANGUAGES[question.language]
    for sentence in _SENTENCE.findall(question.vignette):
        if _speaks_of(question, sentence):
            return spoken.negation.search(plain(sentence)) is None
    return None


def _speaks_of(question: Question, sentence: str) -> bool:
    """Whether a sentence has all the question's words, or names its finding where words cannot be told apart."""
    spoken = LANGUAGES[question.language]
    if not spoken.spaced:
        asked = finding_asked(question)
        said = meaning(sentence, "finding", question.language)
        return said is not None and said.value == asked
    words = plain(sentence)
    sought = [word for word in plain(question.stem).split() if word not in spoken.filler]
    return bool(sought) and all(f" {word} " in words for word in sought)
