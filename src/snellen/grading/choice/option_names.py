"""Finding the options' words in a text, at word boundaries and in the plural too, without a pattern per item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from snellen.grading.language.patterns import word_set
from snellen.items import LETTERS

_NUMBERS = (
    "zero nessuno ninguno aucun kein",
    "",
    "two due dos deux zwei",
    "three tre tres trois drei",
    "four quattro cuatro quatre vier",
    "five cinque cinco cinq funf",
    "six sei seis sechs",
    "seven sette siete sept sieben",
    "eight otto ocho huit acht",
    "nine nove nueve neuf neun",
    "ten dieci diez dix zehn",
    "eleven undici once onze elf",
    "twelve dodici doce douze zwolf",
)
_DIGITS = {word: str(number) for number, words in enumerate(_NUMBERS) for word in words.split()}
# "One" is mostly a pronoun or an article: it counts only after a word that counts.
_ONE = re.compile(
    r"(?<![^ ])((?:^|(?:only|just|exactly|is|solo|soltanto|solamente|n e|seulement|nur) ))"
    r"(?:one|uno|una|un|une|eine?r?)"
    r"(?![^ ])(?! (?:of|di|de|von)\b)"
)
_CHINESE = re.compile(r"(十[一二]|[零一二两三四五六七八九十])(?=[个處处枚颗条只张块根])")
_CHINESE_DIGITS = {
    **{sign: str(number) for number, sign in enumerate("零一二三四五六七八九十")},
    "两": "2",
    "十一": "11",
    "十二": "12",
}
_JOINED = re.compile("(?<=[\u4e00-\u9fff])(?=[0-9])|(?<=[0-9])(?=[\u4e00-\u9fff])")


def in_digits(words: str) -> str:
    """Words that have lost case and accents, with their counts as digits.

    >>> in_digits("ce ne sono quattro"), in_digits("this is one of two"), in_digits("可见三个结节")
    ('ce ne sono 4', 'this is one of 2', '可见 3 个结节')
    """
    if not words.isascii():
        words = _CHINESE.sub(lambda found: _CHINESE_DIGITS[found.group()], words)
        words = _JOINED.sub(" ", words)
    words = _ONE.sub(r"\g<1>1", words)
    return " ".join(_DIGITS.get(word, word) for word in words.split(" "))


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


IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDINGS = ("", "s", "es")


@dataclass(frozen=True)
class Names:
    """Words to be found in a text that has been brought into the same form; the longest name wins at each place.

    >>> Names(("effusion", "left effusion")).all("a left effusion and effusions")
    [(2, 15), (20, 29)]
    """

    keys: tuple[str, ...]

    def at(self, words: str, start: int) -> int | None:
        """Where the name that begins here ends."""
        space = words.find(" ", start)
        first = words[start:] if space < 0 else words[start:space]
        for name in self._by_first_word.get(first, ()):
            end = start + len(name)
            if words.startswith(name, start) and (end == len(words) or words[end] == " "):
                return end
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    def all(self, words: str) -> list[tuple[int, int]]:
        """Every name in the text, from left to right, none within another."""
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(words):
            end = self.at(words, start) if start == 0 or words[start - 1] == " " else self._inside(words, start)
            if end is not None:
                found.append((start, end))
                start = end
            elif self._unspaced is not None:
                start += 1
            else:
                space = words.find(" ", start)
                start = len(words) if space < 0 else space + 1
        return found

    def _inside(self, words: str, start: int) -> int | None:
        """Names of scripts without spaces may begin anywhere."""
        found = self._unspaced.match(words, start) if self._unspaced else None
        return found.end() if found else None

    @cached_property
    def _by_first_word(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for key in _longest_first(key for key in self.keys if not IDEOGRAPH.search(key)):
            for ending in reversed(_ENDINGS):
                name = key + ending
                names.setdefault(name.partition(" ")[0], []).append(name)
        return names

    @cached_property
    def _unspaced(self) -> re.Pattern[str] | None:
        keys = _longest_first(key for key in self.keys if IDEOGRAPH.search(key))
        return re.compile("|".join(map(_unspaced, keys))) if keys else None


def _longest_first(keys: Iterable[str]) -> list[str]:
    return sorted(keys, key=len, reverse=True)


def _unspaced(key: str) -> str:
    """A name in a script without spaces; a single character must end its word, as in "较大" but not in "大小"."""
    return re.escape(key) if len(key) > 1 else f"(?<![增扩变缩放]){re.escape(key)}(?![^ 的])"


_COMPOUND = re.compile(r"([^\W\d_]{3,})-(?!(?:the|not|and|this|that|with|which|because|but|its)\b)([^\W\d_]{3,})")


def compounds(text: str) -> set[tuple[str, str]]:
    """The words joined by a hyphen, two by two: "amoxicillin-clavulanic acid" is not amoxicillin.

    >>> compounds("Pre-eclampsia, not eclampsia - or so")
    {('pre', 'eclampsia')}
    """
    return set(_COMPOUND.findall(text.lower())) if "-" in text else set()


def within_compound(words: str, start: int, end: int, joined: set[tuple[str, str]]) -> bool:
    """Whether a name is only one half of words joined by a hyphen."""
    if not joined:
        return False
    before, after = words[: max(0, start - 1)].rpartition(" ")[2], words[end + 1 :].partition(" ")[0]
    own = words[start:end]
    return (before, own.partition(" ")[0]) in joined or (own.rpartition(" ")[2], after) in joined
