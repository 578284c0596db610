"""Words for comparing options: lower case, without accents or endings, in one spelling."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("synonyms")
STOP = _WORDS.read_words("stop")

_SIGNS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
SIGN = regex(f"[{_SIGNS}]")
"""One character of a script written without spaces, or with syllables as characters."""

_MARKS = regex("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _WORDS.read_text("greek").split(), strict=True))
_LONE_GREEK = regex("(?<![α-ω])[α-ω](?![α-ω])")
_UNITS = {
    name: (base, Decimal(size))
    for (base, size), names in ((unit.split(), names) for unit, names in _WORDS.read_table("units").items())
    for name in names.split()
}
_LETTER = rf"(?:(?![{_SIGNS}])[^\W_]|[\u0900-\u0dff])"
_TOKEN = regex(
    rf"(?P<number>\d+(?:\.\d+)?)(?:\s?(?P<unit>{'|'.join(_UNITS)}|st|nd|rd|th))?(?!{_LETTER})"
    rf"|(?P<word>[{_SIGNS}]|{_LETTER}+)"
)
_NUMBERS = {word: value for value, words in _WORDS.read_table("numbers").items() for word in words.split()}
_NUMBER_WORD = regex(rf"\b(?:{'|'.join(_NUMBERS)})\b")
_ROMAN = {word: str(value) for value, word in enumerate(_WORDS.read_text("roman").split(), start=1)}
_NUMBERED = _WORDS.read_words("numbered")
_REWRITTEN, _SPELLINGS = _WORDS.compile_rules("rewritten"), _WORDS.compile_rules("spellings")
_PREFIXED = regex(
    rf"\b(?:({'|'.join(_WORDS.read_text('prefixes').split())})-|(non|sub|anti) |([a-z]{{3,}}o)-)(?=[a-z])"
)


def simplify_text(text: str) -> str:
    """Return the text in lower case without accents, with meaningful symbols written out.

    >>> simplify_text("β-Thalassämie < 5 %")
    ' beta -thalassamie  less  5 %'
    """
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    text = unicodedata.normalize("NFC", _MARKS.sub("", text))
    for pattern, put in _REWRITTEN:
        text = pattern.sub(put, text)
    return _LONE_GREEK.sub(lambda found: f" {_GREEK[found.group()]} ", text)


def tokens(plain: str) -> list[str]:
    """Split a simplified text into words, numbers and characters. A number with a unit has its size after it.

    >>> tokens("type ii, sub-acute, 5mm")
    ['type', '2', 'subacute', '5×0.001m 0.005m']
    """
    plain = _NUMBER_WORD.sub(lambda found: _NUMBERS[found.group()], _PREFIXED.sub(r"\1\2\3", plain))
    found = [_token(match) for match in _TOKEN.finditer(plain)]
    bare, before = all(token in _ROMAN for token in found), ["", *found]
    return [_numeral(token, before[i], bare=bare, last=i == len(found) - 1) for i, token in enumerate(found)]


def _token(match: re.Match[str]) -> str:
    number, unit = match["number"], match["unit"]
    if not number:
        return match["word"]
    value = Decimal(number)
    if unit not in _UNITS:
        return _digits(value)
    base, size = _UNITS[unit]
    return f"{_digits(value)}×{size}{base} {_digits(value * size)}{base.strip('%')}"


def _digits(value: Decimal) -> str:
    return format(value.normalize(), "f")


def _numeral(word: str, before: str, *, bare: bool, last: bool) -> str:
    if word not in _ROMAN or before in _NUMBERED or bare:
        return _ROMAN.get(word, word)
    if word == "iv":
        return _ROMAN[word] if last else "intravenous"
    return word if word == "x" or (len(word) == 1 and not before) else _ROMAN[word]


@lru_cache(maxsize=2**14)
def recognise_token(token: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the words of a token, each with keys that tolerate typing errors."""
    if token[0].isdigit():
        return ((token, _number_keys(token)),)
    if any(map(str.isdigit, token)):  # TP53 is p53
        return ((token, frozenset((token, token[token[1].isalpha() :]))),)
    if not token.isascii():
        return ((token, frozenset((token,))),)
    word = fold_spelling(token)
    pieces = _taken_apart(stem(word))
    keys = [{_ALIASES.get(piece, piece)} | _slips(piece) for piece in pieces]
    keys[-1] |= _slips(_squash_doubled(word)) | _slips(token)
    return tuple((_ALIASES.get(piece, piece), frozenset(known)) for piece, known in zip(pieces, keys, strict=True))


def _number_keys(number: str) -> frozenset[str]:
    """Keys of a number: one without a unit may have any unit, and 0 means no."""
    units = {f"{number}×{size}{base}" for base, size in _UNITS.values()} if " " not in number else set()
    return frozenset(number.split()) | units | ({_ALIASES["no"]} if number == "0" else set())


def fold_spelling(word: str) -> str:
    """Return one spelling for all the variants of a word's spelling."""
    for pattern, put in _SPELLINGS:
        word = pattern.sub(put, word)
    return word


def _squash_doubled(word: str) -> str:
    return _DOUBLED.sub(r"\1", word)


def stem(word: str) -> str:
    """Remove the ending of a folded word: the same stem for noun and adjective, singular and plural.

    >>> [stem(fold_spelling(word)) for word in ("oedematous", "metastases", "metastatic", "fractured", "fibre")]
    ['edem', 'met', 'met', 'fractur', 'fiber']
    """
    if ending := _GREEK_ENDED.search(word):
        return _squash_doubled(word[: ending.start()])
    if word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    word = _FRENCH_ENDED.sub("er", word)
    if len(word) < 5:
        return _squash_doubled(word[:-1] if len(word) == 4 and word.endswith("e") else word)
    for endings in (_ENDED, _VOWELS_ENDED, _SHORT_ENDED, _VOWELS_ENDED):
        word = endings.sub("", word)
    return _squash_doubled(word)


def _taken_apart(word: str) -> list[str]:
    """Split compounds: hyperkalaemia is a high potassium, a bronchopneumonia a pneumonia."""
    for prefix, said in _PARTED.items():
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= 4 and not rest.startswith(_NOT_PARTED):
            return [said, *_taken_apart(rest)]
    for tail in _TAILS:
        head = word.removesuffix(tail)
        if head != word and len(head) >= 3:
            return [stem(head), tail]
    return [word]


def _slips(word: str) -> frozenset[str]:
    """Keys of a long word: with one letter missing, or with its consonants only."""
    lost = {word[:i] + word[i + 1 :] for i in range(1, len(word))} if len(word) >= 7 else set()
    bones = {"~" + word[0] + _VOWELS.sub("", word[1:])} if len(word) >= 9 else set()
    return frozenset(lost | bones | {word})


def list_stems(text: str) -> frozenset[str]:
    """Return the stems of a list of words."""
    return frozenset(word for token in text.split() for word, _ in recognise_token(token))


_DOUBLED = regex(r"(.)\1+")
_VOWELS = regex("[aeiou]")
_VOWELS_ENDED = regex("(?<=.{3})[aeiou]{1,2}$")
_FRENCH_ENDED = regex("(?<=[bt])re$")
_GREEK_ENDED, _ENDED, _SHORT_ENDED = (
    regex(f"(?<=.{{{least}}})(?:{'|'.join(map(fold_spelling, _WORDS.read_text(endings).split()))})$")
    for least, endings in ((3, "greek endings"), (4, "endings"), (3, "short endings"))
)
_PARTED = _WORDS.read_table("parted")
_NOT_PARTED = tuple(_WORDS.read_text("not parted").split())
_TAILS = tuple(stem(fold_spelling(tail)) for tail in _WORDS.read_text("tails").split())
_ALIASES = {
    stem(fold_spelling(word)): stem(fold_spelling(line.split()[0]))
    for line in _WORDS.read_lines("aliases")
    for word in line.split()
}
