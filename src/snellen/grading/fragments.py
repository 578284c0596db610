"""Short pieces of text that ought to be an answer: a tag's content, a first line, what follows "the answer is"."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.grading.option_text import OptionWords
from snellen.grading.phrases import ANSWER_NOUNS, DENIALS, NO_WORDS, OPTION_NOUNS, ORDINALS, YES_WORDS, one_of, word_set
from snellen.items import LETTERS

EDGES = " \t\r\n\"'()[]{}<>.,;:!|_-•·→⇒=/\\✓✔☑✅👉"
"""What may stand around an answer without being part of it."""

LATIN = "0-9A-Za-zÀ-ɏ"
NOT_IN_WORD = f"(?![{LATIN}])"


class Fragment(NamedTuple):
    """The option a piece of text names and by what; or no option, and the rule says what is wrong with it."""

    choice: int | None
    rule: str


TWO_OPTIONS = Fragment(None, "two-options")
NOT_OFFERED = Fragment(None, "letter-not-offered")
NONE_OF_THESE = Fragment(None, "none-of-these")

_ARABIC_ORDER = "أبجدهوزحطيكل"
_NOUNS = one_of(noun for nouns in (*OPTION_NOUNS.values(), *ANSWER_NOUNS.values()) for noun in nouns)
_LEAD = re.compile(
    rf"(?:(?:the|my|to be|most likely|likely|probably|definitely|clearly|therefore|thus|indeed|la|il|lo|l'|el|le|die|"
    rf"der|das|"
    rf"probabilmente|quella|probablemente|probablement|wahrscheinlich|correct|final|best|number|numero|{_NOUNS})"
    rf"(?![a-zà-ɏ])[\s:\"'(\[-]*){{1,5}}",
    re.IGNORECASE,
)
_HEAD = re.compile(rf"([A-Za-z]){NOT_IN_WORD}")
_CONNECTORS = word_set(
    "because since as is was would based due given which with for from and but or the this that it's therefore seems "
    "appears fits best matches perché poiché in è dato con per e o que porque "
    "ya es por con y parce car est puisque et "
    "ou weil da denn ist und oder aufgrund wegen mit only alone both sono are if when although though rather not"
)
_WORDLIKE = "AEIOUYaeiouy"
_AFTER_WORDLIKE = word_set(
    "because since as is based due given which perché poiché è es est ist porque parce car weil denn"
)
_REPEATED = re.compile(r"([A-Z])(?:[\s,.;]+\1){1,400}[\s,.;]*")
_ANOTHER = re.compile(
    rf"[\s)\].:\"']{{0,4}}(?:(?:,|/|&|\+|;|and/or|and|or|e|o|ed|et|ou|y|und|oder|和|或|或者|及|与)\s{{0,3}}){{1,2}}"
    rf"(?:option |opzione |the |la )?[(\[\"']?([A-Z]){NOT_IN_WORD}"
    rf"(?=\s{{0,2}}(?:$|[).,;:\]\"'&+/-]|\n|(?:and|or|e|o|et|ou|y|und|oder|are|both|sono|sont|son|sind|都)\b))"
)
_RANGE = re.compile(rf"\s?-\s?([A-Z]){NOT_IN_WORD}\s{{0,2}}(?:$|[.,;)])")
_DENIED = re.compile(
    rf"[)\].\"']{{0,2}}\s{{0,2}}(?:\([^()\n]{{0,80}}\)\s?)?(?:(?:is|are|was|would be|seems|è|sono|es|son|est|sont|"
    rf"ist|sind|n'est)\s)?"
    rf"\s?(?:\w+\s){{0,1}}(?:{DENIALS})"
)
_YES_NO = re.compile(
    rf"({one_of(map(re.escape, YES_WORDS | NO_WORDS))}|sì|sí|não|да|нет)(?![{LATIN}а-я])", re.IGNORECASE
)
_JOINED_YES_NO = word_set("是 否 有 没有 无 無 不是 对 不 没 存在 不存在")
_NONE = re.compile(
    r"(?:none|neither) of (?:the|these|those|them)|no (?:correct )?option|nessuna (?:delle|di|opzione|risposta)|"
    r"ninguna de|aucune? (?:des|de|réponse|option)|keine (?:der|dieser|davon|antwort|option)|nenhuma d|"
    r"以上(?:都|皆|均)(?:不|非)|都不(?:是|对|正确)|没有正确",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"#?\(?(\d{1,2})(?:[).:\s]|$)")
_ORDINAL = tuple(
    re.compile(
        rf"(?:the |la |il |el |le |die |der )?(?:{'|'.join(words)})[\s-]?(?:个|項|项)?\s?"
        rf"(?:$|(?:{_NOUNS}|choice|möglichkeit|个|项)(?:\s|[.,:;)]|$))",
        re.IGNORECASE,
    )
    for words in ORDINALS
)
_LETTER_BEHIND = re.compile(r"[^()\n]{1,200}\(([A-Z])(?:\)|$)")
_BEHIND_TEXT = re.compile(r"(?:\b(?:or|and|o|e|und|oder|et|ou|y)|[,/&+])\s{0,2}\(?([A-Z])[).:]\s")
_SHORT = 80
_CONSIDERED = 300


def read_fragment(text: str, words: OptionWords) -> Fragment | None:
    """What a short text names at its beginning: a letter, an option's words, yes or no, an ordinal."""
    whole = words.whole(text[:_CONSIDERED])
    if whole is None and text.strip(EDGES).lower() in ("n/a", "none", "null"):
        return None
    if whole is not None:
        return Fragment(whole, "option-text")
    body = text[:_CONSIDERED].strip(EDGES)
    if len(body) <= 1:
        return _lone(body, words) if body else None
    body = without_lead(body)
    if len(body) == 1 or _REPEATED.fullmatch(body):
        return _lone(body[0], words)
    return read_letter(body, words) or _read_words(body, words)


def without_lead(body: str) -> str:
    """A text without the words that only introduce an answer: "the correct option"."""
    lead = _LEAD.match(body)
    return body[lead.end() :].strip(EDGES) if lead and len(body) > lead.end() else body


def _lone(sign: str, words: OptionWords) -> Fragment | None:
    place = LETTERS.find(sign.upper()) if sign.isascii() else _ARABIC_ORDER.find(sign)
    if 0 <= place < words.size:
        return Fragment(place, "letter")
    if sign.isdigit():
        return _numbered(sign, words)
    return NOT_OFFERED if sign.isascii() and sign.isalpha() else _yes_no(sign, words)


def read_letter(body: str, words: OptionWords) -> Fragment | None:
    """The letter a text begins with, unless it is a word, part of one, or denied."""
    head = _HEAD.match(body)
    if head is None:
        return None
    letter, rest = head.group(1), body[head.end() :]
    place = LETTERS.index(letter.upper())
    offered = place < words.size
    after = rest.strip(EDGES)
    if not after:
        return Fragment(place, "letter") if offered else NOT_OFFERED
    if offered and _begins_with(words.normal(rest), words.keys[place]):
        behind = _BEHIND_TEXT.search(rest)
        return TWO_OPTIONS if behind and behind.group(1) != letter.upper() else Fragment(place, "letter-and-text")
    if _genus(body, letter, words):
        return None
    if _names_another(rest, letter, words):
        return TWO_OPTIONS
    if not _stands_apart(letter, rest) or _DENIED.match(rest.lower()):
        return None
    named = words.opening(after)
    if named is not None and named != place and not (offered and _own_words(after, words, place, named)):
        return TWO_OPTIONS if offered else Fragment(named, "option-text")
    if not offered:
        return NOT_OFFERED if letter.isupper() and rest[0] in ").]:" else None
    if rest[0] == " " and words.opening(body) is not None:
        return None
    return Fragment(place, "letter")


def _begins_with(text: str, key: str) -> bool:
    return bool(key) and (text == key or text.startswith((f"{key} ", f"{key}s")))


def _own_words(after: str, words: OptionWords, place: int, named: int) -> bool:
    """Whether the words after a letter are that letter's own option, cut short or in another order."""
    spoken, own = words.normal(after), words.keys[place]
    if len(spoken) > 3 and own.startswith(spoken):
        return True
    return len(own) > len(words.keys[named]) and set(own.split()) <= set(spoken.split()[:12])


def _genus(body: str, letter: str, words: OptionWords) -> bool:
    """Whether the letter belongs to an option's own words, as in "E. coli"."""
    named = words.opening(body)
    return named is not None and words.keys[named].startswith(f"{letter.lower()} ")


def _stands_apart(letter: str, rest: str) -> bool:
    """Whether a letter is used as a letter, judging by what follows it."""
    sign, following = rest[0], rest[1:2]
    if sign in "'-" and following.isalnum():
        return False
    if (sign == "'" and letter in "Ee") or rest.lstrip()[0] == "=":
        return False
    if sign == "." and following.isalpha() and rest[2:3] in (".", ""):
        return False
    if letter.islower():
        return sign in ").]:" or (sign in ",;\n" and letter not in _WORDLIKE)
    if sign != " ":
        return True
    word = rest.split(maxsplit=1)[0].lower()
    if word[0].isdigit():
        return False
    known = _AFTER_WORDLIKE if letter in _WORDLIKE else _CONNECTORS
    if not word[0].isalpha() or word.strip(".,:;)") in known:
        return True
    return letter not in _WORDLIKE and ord(word[0]) < 0x250 and rest.strip()[0].islower()


def _names_another(rest: str, letter: str, words: OptionWords) -> bool:
    for pattern in (_ANOTHER, _RANGE):
        other = pattern.match(rest)
        if other and other.group(1) != letter.upper() and LETTERS.index(other.group(1)) < words.size:
            return True
    return False


def _read_words(body: str, words: OptionWords) -> Fragment | None:
    opening = words.opening(body)
    if opening is not None and opening in words.named(body):
        return TWO_OPTIONS if _contradicted(body, opening, words) else Fragment(opening, "option-text")
    if _NONE.match(body):
        return NONE_OF_THESE
    agreed = _yes_no(body, words)
    if agreed is not None:
        return agreed
    counted = _ordinal(body, words)
    if counted is not None:
        return counted
    if len(body) <= _SHORT:
        part = words.part(body)
        if part is not None:
            return Fragment(part, "part-of-option-text")
    return None


def _contradicted(body: str, opening: int, words: OptionWords) -> bool:
    """Whether an option's words are followed at once by another option, or by another option's letter in brackets."""
    if set(words.series(body)) - {opening}:
        return True
    letter = _LETTER_BEHIND.match(body)
    return letter is not None and LETTERS.index(letter.group(1)) not in (opening, *range(words.size, len(LETTERS)))


def _yes_no(body: str, words: OptionWords) -> Fragment | None:
    """Yes or no as the first word, set off from what follows: "No, …" but not "No evidence of …"."""
    if not words.polarity:
        return None
    found = _YES_NO.match(body)
    if found is None:
        return None
    word = words.normal(found.group())
    rest = body[found.end() :]
    positive = word in YES_WORDS
    if rest and not positive and rest[0] not in ",.;:!\n-)(" and word not in _JOINED_YES_NO:
        return None
    return Fragment(words.polarity["yes" if positive else "no"], "yes-no")


def _numbered(body: str, words: OptionWords) -> Fragment | None:
    """A number as the place of an option, where no option has a number in its own words."""
    found = _NUMBER.match(body)
    if found is None or any(letter.isdigit() for key in words.keys for letter in key):
        return None
    place = int(found.group(1)) - 1
    return Fragment(place, "ordinal") if 0 <= place < words.size else None


def _ordinal(body: str, words: OptionWords) -> Fragment | None:
    if len(body) > _SHORT:
        return None
    listed = _NUMBER.match(body)
    if listed and words.opening(body[listed.end() :]) is not None:
        return Fragment(words.opening(body[listed.end() :]), "option-text")
    if _NUMBER.fullmatch(body) or _NUMBER.fullmatch(body + ")"):
        return _numbered(body, words)
    for place, pattern in enumerate(_ORDINAL[: words.size]):
        if pattern.match(body):
            return Fragment(place, "ordinal")
    return None
