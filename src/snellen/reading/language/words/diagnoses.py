"""Words of a diagnosis in a uniform spelling, with their roles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("diagnoses")

_TOKEN = regex(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_CHINESE = regex(r"[\u3400-\u9fff]")
_POSSESSIVE = regex(r"(?<=[^\W_])'s\b")
_BRITISH = regex(
    r"oedem|haem|aemi|(?<=n)aev|tumour|oesoph|rrhoe|(?<=p)aed(?=i)|gynaec|oestr|foet|faec|coelia|fibre\b|"
    r"grey|colour|(?<=c)aec|centre|(?:(?<=al|an|at|in|on|er|or)|(?<=lar))is(?=ed\b|ing\b|ation)"
)
_AMERICAN = _WORDS.read_table("american")
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ß": "ss", "ı": "i", "ø": "o", "ł": "l"})
_SAME = _WORDS.read_table("same")
_NO_PLURAL = _WORDS.read_words("no plural")

NOISE = _WORDS.read_words("noise")
SHORTHAND = _WORDS.compile_rules("shorthand")
CARRIED = _WORDS.read_words("carried")
OPENERS = _WORDS.read_words("openers")
URGENT_WORDS = _WORDS.read_words("urgent words")
URGENT_ENDINGS = _WORDS.read_lines("urgent endings")
WAITING_WORDS = _WORDS.read_words("waiting words")
HARMLESS_WORDS = _WORDS.read_words("harmless words")
ALIASES = _WORDS.read_groups("aliases")
PLACES = _WORDS.read_lines("places")


def words(text: str) -> list[str]:
    """Return the words of a text in a uniform spelling. A Chinese character is a word.

    >>> words("Ischaemic infarcts & naevi")
    ['ischemic', 'infarction', 'nevus']
    """
    return [normalise_spelling(token) for token in _TOKEN.findall(plain(text))]


def plain(text: str) -> str:
    """Return the text in lower case, without accents and possessives."""
    text = unicodedata.normalize("NFKD", text).lower().translate(_LIGATURES).replace("’", "'")
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _POSSESSIVE.sub("", text)


def normalise_spelling(token: str) -> str:
    """Return a plain word in American spelling and the singular; listed synonyms become one word."""
    token = _SAME.get(token, token)
    token = _BRITISH.sub(lambda found: _AMERICAN[found.group()], token)
    token = _SAME.get(token, token)
    return _SAME.get(single := _singular(token), single)


def _singular(token: str) -> str:
    if len(token) < 4 or token in _NO_PLURAL or not token.endswith("s") or token.endswith(("ss", "us", "is")):
        return token
    for plural, single in (("sses", "ss"), ("oses", "osis"), ("xes", "x"), ("ies", "y")):
        if token.endswith(plural):
            return token.removesuffix(plural) + single
    return token[:-1]


def join_tokens(tokens: Sequence[str]) -> str:
    """Join words to a name: with spaces, except between Chinese characters."""
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", " ".join(tokens))


def names_nothing(token: str) -> bool:
    """Return whether a word alone names no disease."""
    return token in NOISE or token.isdigit() or (len(token) == 1 and _CHINESE.match(token) is None)


class WordRole(Enum):
    """Effect of words on the statements around them."""

    DENY = auto()
    DENY_BEFORE = auto()
    ASIDE_BEFORE = auto()
    ASIDE = auto()
    ALTERNATIVE = auto()
    RETURN = auto()
    FIRM = auto()
    LOOSE = auto()
    BREAK = auto()
    PLAIN = auto()


_CUES = {tuple(words(cue)): WordRole[kind] for kind, cues in _WORDS.split_forms("cues").items() for cue in cues}
_LONGEST_CUE = max(map(len, _CUES))


def written_out(text: str) -> str:
    """Return a text in plain lower case with abbreviations written out and sizes removed.

    >>> written_out("dysplastic nevus 5 x 4 mm, r/o melanoma")
    'dysplastic nevus  , rule out melanoma'
    """
    for pattern, full in SHORTHAND:
        text = pattern.sub(full, text)
    return text


def cue_at(tokens: list[str], place: int) -> tuple[WordRole | None, int]:
    """Return the role of the longest cue at a place, and its end. Without a cue, None and the next place."""
    for length in range(_LONGEST_CUE, 0, -1):
        if cue := _CUES.get(tuple(tokens[place : place + length])):
            return cue, place + length
    return None, place + 1
