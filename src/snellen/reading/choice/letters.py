"""A letter at the beginning of a text: it may be an answer, a list label, a word or a denied letter."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.items import LETTERS
from snellen.reading.choice.option_names import combination
from snellen.reading.choice.option_words import OptionWords
from snellen.reading.language.acts import answering as cues
from snellen.reading.language.sentences import SENTENCE_END
from snellen.runtime import regex

EDGES = " \t\r\n\"'()[]{}<>.,;:!?|_-•·→⇒=/\\✓✔☑✅👉"
"""Signs that may surround an answer without being part of it."""

_REMARK = 24
"""A misquoted option may be this many characters longer than the longest option."""
NOT_IN_WORD = f"(?![{cues.LATIN}])"


class Fragment(NamedTuple):
    """The option that a short text names, and the rule. Without an option, the rule names the problem."""

    choice: int | None
    rule: str


TWO_OPTIONS = Fragment(None, "two-options")
CONFLICT = Fragment(None, "letter-text-conflict")
NOT_OFFERED = Fragment(None, "letter-not-offered")

_HEAD = regex(rf"([A-Za-z]){NOT_IN_WORD}")
_GLUED = regex(r"([A-Z])(?=\d)")
_FORMULA = regex(r"[\^_×*]|\((?:[a-z]|j\w|[^\W\d]\d)(?:\)|$)")
"""Text directly after a letter that makes it a formula, such as "B^2" or "H(s)"."""
_ANOTHER_LETTER = regex(rf"[).:\]]{{1,2}}\s{{0,2}}\(?([A-Z])\)?{NOT_IN_WORD}")
_WORDLIKE = "AEIOUYaeiouy"
_LETTER_LIST = rf"[(\[\"']?[A-Z]{NOT_IN_WORD}[)\]\"'.]{{0,2}}"
_SERIES = regex(rf"{_LETTER_LIST}(?:{cues.LETTERS_JOINED}{_LETTER_LIST}){{1,11}}")
_RANGE = regex(rf"[(\[]?([A-Z])[)\]]?\s?(?:-|to|through)\s?[(\[]?([A-Z]){NOT_IN_WORD}[)\]]?\s{{0,2}}(?:$|[.,;)])")
_LETTER = regex(rf"(?<![{cues.LATIN}])[A-Z](?![{cues.LATIN}])")
_PARTS_WITHIN = 2000


def read_letter(body: str, words: OptionWords) -> Fragment | None:
    """Read the letter that a text begins with. Words, parts of words and denied letters do not count."""
    head = _HEAD.match(body)
    if head is None:
        return _before_number(body, words)
    letter, rest = head.group(1), body[head.end() :]
    place = LETTERS.index(letter.upper())
    offered = place < words.size
    after = rest.strip(EDGES)
    if not after:
        return Fragment(place, "letter") if offered else NOT_OFFERED
    if offered and _begins_with(words.normal(rest), words.keys[place]):
        return _with_own_text(rest, place, words)
    if (
        letter.islower()
        and (another := _ANOTHER_LETTER.match(rest))
        and not (offered and another.group(1) == words.texts[place].strip())
    ):
        return None
    if _genus(body, letter, rest, words):
        return None
    several = _several(body, letter, words)
    if several is not None:
        return several[0]
    if (said := _beside_yes_no(letter, rest, after, words)) is not None:
        return said
    if not _stands_apart(letter, rest) or (words.opening(after) is None and _is_denied(rest, words)):
        return None
    return _beside_text(body, rest, after, place, words)


def _before_number(body: str, words: OptionWords) -> Fragment | None:
    """Read a letter glued to the number that is its option's text: "C10.36"."""
    glued = _GLUED.match(body)
    place = LETTERS.index(glued.group(1)) if glued else words.size
    if place >= words.size or not _begins_with(words.normal(body[1:]), words.keys[place]):
        return None
    return Fragment(place, "letter-and-text")


def _with_own_text(rest: str, place: int, words: OptionWords) -> Fragment | None:
    sentence = SENTENCE_END.search(rest, 3)
    end = sentence.start() if sentence else len(rest)
    if cues.LETTER_TAKEN_BACK.search(rest.lower(), 0, end):
        return None
    behind = cues.LETTER_ASIDE.search(rest, min(end, len(words.texts[place])), end)
    conflicting = behind is not None and LETTERS.index(behind.group(1)) != place
    return TWO_OPTIONS if conflicting else Fragment(place, "letter-and-text")


def _beside_yes_no(letter: str, rest: str, after: str, words: OptionWords) -> Fragment | None:
    """Read a letter followed by a yes or no that is not its own option.

    "A: No" gives the answer "no". If the letter is not offered, yes or no counts too. Otherwise this is a conflict.
    """
    found = cues.YES_OR_NO.match(after) if words.polarity and rest[0] in ".):" else None
    if found is None or after[found.end() : found.end() + 1] not in ("", ",", ".", ";", "\n"):
        return None
    named = words.polarity["yes" if words.normal(found.group()) in cues.YES_WORDS else "no"]
    speaks = letter == "A" and rest[0] == ":"
    return Fragment(named, "option-text") if speaks or LETTERS.index(letter.upper()) >= words.size else CONFLICT


def _beside_text(body: str, rest: str, after: str, place: int, words: OptionWords) -> Fragment | None:
    """Return the letter, unless the next words belong to another option or change its meaning."""
    offered = place < words.size
    named = words.opening(after)
    if named is None and rest[0] in ".):" and len(after) <= words.longest + _REMARK:
        named = words.part(after) if len(after) <= words.longest else None
        named = words.nearest(after, place) if named is None and offered else named
    if named is not None and named != place and not (offered and _own_words(after, words, place, named)):
        return CONFLICT if offered else Fragment(named, "option-text")
    if not offered:
        return NOT_OFFERED if body[0].isupper() and rest[0] in ").]:" else None
    if rest[0] == " " and words.opening(body) is not None:
        return None
    return Fragment(place, "letter")


def _begins_with(text: str, key: str) -> bool:
    return bool(key) and (text == key or text.startswith((f"{key} ", f"{key}s")))


def _own_words(after: str, words: OptionWords, place: int, named: int) -> bool:
    """Return whether the words after a letter are its own option, shortened or reordered."""
    spoken, own = words.normal(after), words.keys[place]
    if len(spoken) > 3 and own.startswith(spoken):
        return True
    return len(own) > len(words.keys[named]) and set(own.split()) <= set(spoken.split()[:12])


def _genus(body: str, letter: str, rest: str, words: OptionWords) -> bool:
    """Return whether the letter is the initial of a name, as in "E. coli"."""
    following = rest[1:].split(maxsplit=1)[:1]
    if rest[0] in ". " and following and following[0].strip(".,:;)") in cues.SPECIES_NAMES:
        return True
    named = words.opening(body)
    return named is not None and words.keys[named].startswith(f"{letter.lower()} ")


def _is_denied(rest: str, words: OptionWords) -> bool:
    """Return whether text after a letter denies it, asks, or turns to another letter."""
    low = rest.lower()
    if (
        cues.LETTER_DENIED.match(low)
        or cues.LEFT_OPEN.match(low)
        or (cues.JUDGED_WRONG.match(low) and not words.polarity)
    ):
        return True
    ended = SENTENCE_END.search(rest)
    sentence = rest[: ended.start()] if ended else rest
    if cues.LETTER_TAKEN_BACK.search(sentence.lower()):
        return True
    if ended and ended.group() == "?" and rest[ended.end() :].strip():
        return True
    if cues.LETTER_AS_SUBJECT.match(low) is None:
        return False
    other = next((found for found in _LETTER.finditer(rest) if found.group() not in "AI"), None)
    return other is not None and not cues.APPROVED.search(sentence[: other.start()].lower())


def _several(body: str, letter: str, words: OptionWords) -> tuple[Fragment | None] | None:
    """Read several letters in a row: one option that combines them, or two options.

    Return (None,) if the letters are denied or asked, and None if there is no such row.
    """
    series = _SERIES.match(body)
    named = set(_LETTER.findall(series.group())) if series else set()
    if series and len(named) > 1:
        together = words.combined.get(combination(words.normal(series.group())) or frozenset())
        if together is not None:
            return (Fragment(together, "combined-letters"),)
        after = body[series.end() :]
        asked = after.lstrip().startswith("?") and after.strip(EDGES)
        if named & {"A", "I"} and len(named) == 2 and re.match(r"\s[a-z]", after) and not cues.SERIES_END.match(after):
            return None
        if asked or not cues.SERIES_END.match(after) or cues.SERIES_DENIED.match(after.lower()):
            return (None,)
        if any(LETTERS.index(one) < words.size for one in named - {letter.upper()}):
            return (TWO_OPTIONS,)
    within = _RANGE.match(body)
    if within and within.group(1) != within.group(2) and LETTERS.index(within.group(2)) < words.size:
        return (TWO_OPTIONS,)
    return None


def _stands_apart(letter: str, rest: str) -> bool:
    """Return whether the text after a letter shows that it is used as a letter."""
    sign, following = rest[0], rest[1:2]
    if (sign in "'-+" and following.isalnum()) or _FORMULA.match(rest):
        return False
    if (sign == "'" and letter in "Ee") or rest.lstrip()[:1] == "=":
        return False
    if sign == "." and following.isalpha() and rest[2:3] in (".", ""):
        return False
    word = (rest[1:].split(maxsplit=1) or [""])[0].lower().strip(".,:;)")
    if letter.islower():
        return sign in ").]:" or (sign in ",;\n" and letter not in _WORDLIKE)
    if sign == "," and letter == "I":
        return (
            word in cues.AFTER_VOWEL
            or not word.isascii()
            or word in ("the", "not", "i", "i'd", "i'm")
            or following == "\n"
        )
    if sign != " ":
        return True
    if rest.strip()[:1].isdigit():
        return re.match(r"\s\d{1,3} ?%", rest) is not None
    known = cues.AFTER_VOWEL if letter in _WORDLIKE else cues.AFTER_LETTER
    return not word[:1].isalpha() or word in known


_ID_ALONE = regex(r"\s*(?:id\s?[:#]?\s?)?[A-Za-z_/-]{1,20}[-_/]?\d{2,8}[\s:.,]*", re.IGNORECASE)

_IN_ONE_LINE = regex(r"[\s>•-]{0,8}[(\[]?A[)\].:]\s[^\n]{1,200}?\s[(\[]?B[)\].:]\s[^\n]{1,200}?\s[(\[]?C[)\].:]\s")
_LATER_LABELS = regex(r"^[\s>•-]{0,8}[(\[]?([BC])[)\].:]\s", re.MULTILINE)


def opens_verdicts(text: str) -> bool:
    """Return whether a text begins by judging option after option: "A: no, B: yes"."""
    return cues.JUDGED_IN_TURN.match(text) is not None


def goes_through_options(text: str) -> bool:
    """Return whether a text starts with label A and later lines with B and C."""
    label = cues.OPTION_LABEL.match(text)
    return label is not None and label.group(1) == "A" and {"B", "C"} <= set(_LATER_LABELS.findall(text, label.end()))


def opens_list(text: str) -> bool:
    """Return whether a text begins with a list of options: labels in its first line or first two lines."""
    line, _, following = text.lstrip().partition("\n")
    if _IN_ONE_LINE.match(line):
        return True
    label, after = cues.OPTION_LABEL.match(line), cues.OPTION_LABEL.match(following.lstrip())
    return bool(label and after and label.group(1) != after.group(1))


def is_id(line: str) -> bool:
    """Return whether a line is only an item's id."""
    return len(line) < 60 and _ID_ALONE.fullmatch(line) is not None


def id_line(line: str, words: OptionWords) -> Fragment | None:
    """Read the letter in a line that otherwise has only an item's id or number: "IT0006, C"."""
    if len(line) > 140:
        return None
    found = cues.ID_LINE.match(line)
    if found is None:
        return None
    place = LETTERS.index(next(filter(None, found.groups())).upper())
    return Fragment(place, "letter") if place < words.size else Fragment(None, "letter-not-offered")


def answers_in_parts(text: str) -> bool:
    """Return whether a text gives different letters for several parts: "b. C / d. B", or "1. C" above "2. A"."""
    body = text.strip()
    last = body.rfind("\n") + 1
    if not (cues.SUB_LABEL.match(body) or cues.SUB_LABEL.match(body, max(0, last - 1))):
        return False
    found = cues.SUB_LABEL.findall(body[-_PARTS_WITHIN:])
    return len({label for label, _ in found}) > 1 and len({letter for _, letter in found}) > 1
