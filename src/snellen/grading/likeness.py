"""Options meant but not written out: a slip of the pen, a word cut short, initials, letters that make up an option."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from snellen.grading.phrases import word_set
from snellen.items import LETTERS

_STOP = word_set(
    "a an the of and or with in on at to for by from this that it is are was be i e il lo la le un una di del della "
    "el los las de du des der die das ein eine und type class form probably likely up"
)
_JOINING = word_set("and both only or are is correct true statements statement options option choices all")
_NUMERALS = word_set("i ii iii iv v vi vii viii ix x xi xii")
_ALL = re.compile(r"all (?:of )?(?:the )?(?:above|these|options|answers|choices)")
_NONE = re.compile(r"none|neither|no ")
_SPECIES = re.compile(r"([A-Z][a-z]{3,})((?: [a-z]{4,}).*)")
_SHORTEST_SLIP = 7
_MOST_WORDS = 14
_SHORT_WORD = 3


def telling_words(spoken: Sequence[str]) -> list[str]:
    """The words that tell options apart; none where there are too many, or where all are short."""
    if len(spoken) > _MOST_WORDS:
        return []
    telling = [word for at, word in enumerate(spoken) if word not in _STOP or (at and len(word) == 1)]
    return telling if telling and max(map(len, telling)) > _SHORT_WORD else []


def covers(option: Sequence[str], telling: Sequence[str]) -> bool:
    """Whether every word is one of the option's: written out, cut short, or off by one letter.

    >>> covers(["staphylococcus", "aureus"], ["staph", "aureus"]), covers(["hyperkalemia"], ["hypokalemia"])
    (True, False)
    """
    if "".join(telling) == "".join(word for word in option if word not in _STOP):
        return True
    left = list(option)
    for word in telling:
        found = next((own for own in left if _same(own, word)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _same(own: str, word: str) -> bool:
    if own == word or own == word + "s" or word == own + "s":
        return True
    if not word.isalpha() or len(word) < 4:
        return False
    return own.startswith(word) or (min(len(own), len(word)) >= _SHORTEST_SLIP and _one_slip(own, word))


def _one_slip(own: str, word: str) -> bool:
    """Whether one letter is missing, added, changed, or swapped with its neighbour, beyond the first four."""
    if abs(len(own) - len(word)) > 1 or own[:4] != word[:4]:
        return False
    at = next((place for place, (one, other) in enumerate(zip(own, word, strict=False)) if one != other), None)
    if at is None:
        return True
    swapped = own[at + 1 : at + 2] + own[at : at + 1] + own[at + 2 :]
    return word[at:] in (own[at + 1 :], swapped) or own[at:] == word[at + 1 :] or own[at + 1 :] == word[at + 1 :]


def initials(keys: Sequence[str]) -> Mapping[str, int]:
    """Options by the first letters of their words, where these differ.

    >>> initials(["open reduction and internal fixation", "left lower lobe"])
    {'orif': 0, 'lll': 1, 'ori': 0}
    """
    made = ["".join(word[0] for word in key.split() if word not in _STOP) for key in keys]
    found = {short: place for place, short in enumerate(made) if len(short) > 1 and made.count(short) == 1}
    for place, short in enumerate(made):
        # "LAD" for the left anterior descending artery: the last word is left out.
        if len(short) > _SHORT_WORD and sum(other.startswith(short[:-1]) for other in made) == 1:
            found.setdefault(short[:-1], place)
    return found


def combination(words: str) -> frozenset[str] | None:
    """The letters or numerals that a text names together, if it is nothing but these.

    >>> sorted(combination("both a and c"))
    ['a', 'c']
    """
    named = [word for word in words.split() if word not in _JOINING]
    if named and (all(word in _NUMERALS for word in named) or all(len(word) == 1 and word.isalpha() for word in named)):
        return frozenset(named)
    return None


def combinations(keys: Sequence[str]) -> Mapping[frozenset[str], int]:
    """Options by the letters or numerals they stand for; "all of the above" stands for all plain ones before it."""
    made: dict[frozenset[str], int] = {}
    plain: list[str] = []
    for place, key in enumerate(keys):
        named = combination(key)
        if named is not None and (len(named) > 1 or "only" in key):
            made[named] = place
        elif _ALL.fullmatch(key):
            made[frozenset(plain)] = place
        elif not _NONE.match(key) and place < len(LETTERS):
            plain.append(LETTERS[place].lower())
    return made


def species(text: str, keys: Sequence[str]) -> str:
    """A species by the initial of its genus, "c albicans", unless that reads like a label before another option."""
    found = _SPECIES.fullmatch(text.strip())
    if found is None:
        return ""
    letter, rest = found.group(1)[0], found.group(2).strip().lower()
    place = LETTERS.index(letter)
    return "" if place < len(keys) and keys[place].startswith(rest) else f"{letter.lower()} {rest}"
