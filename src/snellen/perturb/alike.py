"""Similar options: avoid that a question gets two correct answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from snellen.lexicon import read_lexicon
from snellen.perturb.words import SIGN, STOP, fold_spelling, list_stems, recognise_token, simplify_text, stem, tokens
from snellen.runtime import regex

_WORDS = read_lexicon("synonyms")

Keys = Mapping[str, frozenset[str]]
"""Keys by which each word may be recognised: itself, misspellings, and its lines of synonyms."""


def are_alike(one: str, other: str) -> bool:
    """Return True if two options may mean the same, also in doubt.

    >>> are_alike("Heart attack", "Acute myocardial infarction"), are_alike("Left lung", "Right lung")
    (True, False)
    """
    if one == other:
        return True
    a, b = _meaning(one), _meaning(other)
    if a.joined == b.joined:
        return True
    if a.joined > b.joined:  # words are paired in one order, whichever option comes first
        a, b = b, a
    abbreviated = not (a.short.isdisjoint(b.initials) and b.short.isdisjoint(a.initials))
    if not abbreviated and a.shared.isdisjoint(b.shared):
        return False
    return _same(a, b, abbreviated=abbreviated)


def content(text: str) -> frozenset[str]:
    """Return the content words of a text as stems, and its numbers.

    >>> content("The oedemas of both lungs") == content("bilateral pulmonary EDEMA")
    True
    """
    return _meaning(text).written.words


def places_in(text: str) -> frozenset[str]:
    """Return the body places that a text names, as stems.

    >>> places_in("Which lesion of the kidneys is this?") == places_in("renal cyst")
    True
    """
    return content(text) & _PLACES


def names_thing(text: str) -> bool:
    """Return True if a text names more than a place, size, side or number.

    >>> names_thing("Right lower lobe"), names_thing("Diffuse"), names_thing("Renal cyst")
    (False, False, True)
    """
    telling = content(text) - _PLACES - _QUALIFIERS
    return any(len(word) > 1 and not any(map(str.isdigit, word)) for word in telling)


@dataclass(frozen=True, slots=True)
class _OptionWords:
    """Words of an option: all, those with content, and groups that distinguish options."""

    words: frozenset[str]
    core: frozenset[str]
    kinds: frozenset[str]
    places: frozenset[str]
    numbers: frozenset[str]
    letters: frozenset[str]
    sides: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _OptionMeaning:
    """An option's words in three forms: as written, with joined names, with split compounds."""

    joined: str
    written: _OptionWords
    named: _OptionWords
    parts: frozenset[str]
    keys: Keys
    shared: frozenset[str]
    short: frozenset[str]
    initials: frozenset[str]


def _same(a: _OptionMeaning, b: _OptionMeaning, *, abbreviated: bool) -> bool:
    keys = (a.keys, b.keys)
    if _compatible(a.written, b.written, keys):
        if abbreviated or _overlapping(a.written, b.written, keys):
            return True
        small, large = sorted((a.parts, b.parts), key=len)
        if small <= large and (len(small) > 1 or small <= _PROCESSES):
            return True
    if a.named is a.written and b.named is b.written:
        return False
    return _compatible(a.named, b.named, keys) and _overlapping(a.named, b.named, keys)


def _compatible(a: _OptionWords, b: _OptionWords, keys: tuple[Keys, Keys]) -> bool:
    """Return True if no number, letter or side of one option contradicts the other."""
    (plus, minus), (other_plus, other_minus) = a.sides, b.sides
    if (plus & ~minus & other_minus & ~other_plus) | (minus & ~plus & other_plus & ~other_minus):
        return False
    if a.letters and b.letters and not (a.letters <= b.letters or b.letters <= a.letters):
        return False
    if not a.numbers or not b.numbers:
        return True
    return _count_pairs(a.numbers, b.numbers, keys) == min(len(a.numbers), len(b.numbers))


def _overlapping(a: _OptionWords, b: _OptionWords, keys: tuple[Keys, Keys]) -> bool:
    """Return True if two options share enough words or are of the same kind."""
    for one, other in ((a.words, b.words), (a.core, b.core)):
        small, large = (one, other) if len(one) < len(other) else (other, one)
        common = _count_pairs(one, other, keys)
        if common == len(small) and (common > 1 or not any(map(SIGN.fullmatch, small))):
            return True
        if 2 * common >= len(small) + len(large) - common:
            return True
    return _of_one_kind(a, b, keys)


def _of_one_kind(a: _OptionWords, b: _OptionWords, keys: tuple[Keys, Keys]) -> bool:
    """Return True if half of the words besides the place are shared. The places must be compatible."""
    common = _count_pairs(a.kinds, b.kinds, keys)
    if not common or 2 * common < min(len(a.kinds), len(b.kinds)):
        return False
    return not a.places or not b.places or not a.places.isdisjoint(b.places)


def _count_pairs(one: frozenset[str], other: frozenset[str], keys: tuple[Keys, Keys]) -> int:
    """Count the pairs of words that are equal or share a key."""
    common = one & other
    count = len(common)
    if count == min(len(one), len(other)):
        return count
    free = sorted(other - common)
    for word in sorted(one - common):
        known = keys[0][word]
        match = next((each for each in free if not known.isdisjoint(keys[1][each])), None)
        if match is not None:
            free.remove(match)
            count += 1
    return count


@lru_cache(maxsize=2**14)
def _meaning(text: str) -> _OptionMeaning:
    plain = simplify_text(text)
    found = tokens(plain) or [plain.strip() or " "]
    keys = _keys(found)
    written = _reading(keys.keys() - _VAGUE or keys)
    names = _names(written.words)
    for name, lines in names.items():
        keys[name] = lines | keys[name] if name in keys else lines
    used = {word for name in names for word in name.split("+")}
    named = _reading((written.words - used) | names.keys()) if names else written
    whole = written.core | (keys.keys() & _DISEASE)
    parts = frozenset(part for word in whole for part in _compounds().get(word, (word,)))
    shared = parts.union(*(keys[word] for word in written.words | names.keys()))
    joined = "".join(token if token.isalpha() else f" {token} " for token in found)
    spelled = _WORD.findall(plain)
    return _OptionMeaning(joined, written, named, parts, keys, shared, _short(spelled), _initials(spelled))


def _keys(found: list[str]) -> dict[str, frozenset[str]]:
    """Return the meaningful words of the tokens, with their keys."""
    last = len(found) - 1
    telling = [each for i, each in enumerate(found) if each not in STOP or (i == last and len(each) == 1)]
    keys: dict[str, frozenset[str]] = {}
    for word, known in (pair for token in telling or found for pair in recognise_token(token)):
        keys[word] = known | keys[word] if word in keys else known
    return keys


def _reading(words: Iterable[str]) -> _OptionWords:
    every = frozenset(words)
    letters = frozenset(word for word in every if len(word) == 1 and "a" <= word <= "z")
    core = (every - letters - _QUALIFIERS) or (every - letters) or every
    sides = (sum({1 << side[word] for word in every & side.keys()}) for side in _SIDES)
    return _OptionWords(
        words=every,
        core=core,
        kinds=frozenset(word for word in core - _PLACES if not SIGN.fullmatch(word)),
        places=core & _PLACES,
        numbers=frozenset(word for word in every if "+" not in word and any(map(str.isdigit, word))),
        letters=letters,
        sides=(next(sides), next(sides)),
    )


def _names(words: frozenset[str]) -> Keys:
    """Return the known names among the words, in any word order. Only the longest of overlapping names counts."""
    found = [name for word in words for name in _names_by_word().get(word, ()) if name <= words]
    return {"+".join(sorted(name)): _lines()[name] for name in found if not any(name < larger for larger in found)}


def _short(spelled: list[str]) -> frozenset[str]:
    """Possible abbreviations, also without plural s and without a leading "a" or "c" (acute, chronic)."""
    short = {each for each in spelled if 2 <= len(each) <= 6 and (each not in STOP or len(spelled) == 1)}
    short |= {each[:-1] for each in short if each.endswith("s") and len(each) > 2}
    return frozenset(short | {each[1:] for each in short if each[0] in "ac" and len(each) > 2})


def _initials(spelled: list[str]) -> frozenset[str]:
    """Initials of every run of two to six words, also with one more letter."""
    if len(spelled) > 12:
        return frozenset()
    telling = [word for word in spelled if word not in STOP]
    parts = [part for word in telling for part in _COMPOUND_PART.findall(fold_spelling(word))]
    lines = {"".join(word[0] for word in words) for words in (spelled, telling, parts)}
    runs = {line[i : i + size] for line in lines for size in range(2, 7) for i in range(len(line) - size + 1)}
    line = "".join(word[0] for word in telling)
    if 2 <= len(line) <= 5:
        runs |= {line[: i + 1] + letter + line[i + 1 :] for i, word in enumerate(telling) for letter in word[1:]}
    return frozenset(runs)


@cache
def _lines() -> dict[frozenset[str], frozenset[str]]:
    """Every name of the synonym list as words, with the lines that have it."""
    lines: dict[frozenset[str], frozenset[str]] = {}
    for number, line in enumerate(_WORDS.read_groups("groups")):
        for name in line:
            every = _keys(tokens(simplify_text(name))).keys()
            words = frozenset(every - _VAGUE or every)
            lines[words] = lines.get(words, frozenset()) | {f"={number}"}
    return lines


@cache
def _names_by_word() -> dict[str, list[frozenset[str]]]:
    names: dict[str, list[frozenset[str]]] = {}
    for name in _lines():
        names.setdefault(max(sorted(name), key=len), []).append(name)
    return names


@cache
def _compounds() -> dict[str, frozenset[str]]:
    """Words composed of a root and a process, and roots alone, with their parts."""
    roots = _WORDS.read_table("roots").items()
    made = {stem(fold_spelling(root)): list_stems(place) for root, place in roots if len(root) > 3}
    for root, place in roots:
        for process, happening in _WORDS.read_table("processes").items():
            for word in (root + process, f"{root}o{process}"):
                made[stem(fold_spelling(word))] = list_stems(f"{place} {happening}")
    return made


_WORD = regex(r"[^\W\d_]+")
_COMPOUND_PART = regex("[a-z]{3,}?o(?=[a-z]{4})|.+")
_VAGUE, _QUALIFIERS, _PLACES = (list_stems(_WORDS.read_text(each)) for each in ("vague", "qualifiers", "places"))
_DISEASE = list_stems("disease")
_PROCESSES = frozenset(word for line in _WORDS.read_lines("processes") for word in list_stems(line)) - _DISEASE
_SIDES = [
    {word: axis for axis, line in enumerate(_WORDS.read_groups("opposites")) for word in list_stems(line[side])}
    for side in (0, 1)
]
