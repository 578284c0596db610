"""What the organisms know of medicine: which words mean what, and which option says what was seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import Question


class Noticed(Protocol):
    """What is known of an image: a percept, or what a report says."""

    @property
    def modality(self) -> str:
        """The kind of image."""

    @property
    def finding(self) -> str:
        """The finding, or normal."""

    @property
    def count(self) -> int:
        """How many there are of it."""


class Meaning(NamedTuple):
    """What an option says: of which kind it is (finding, side, location, count, size, answer) and what."""

    kind: str
    value: str


_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=512)
def plain(text: str) -> str:
    """The text as lower-case words with single spaces, a space at either end: fit for finding whole words."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@lru_cache(maxsize=512)
def meaning(text: str, kind: str = "", language: str = "en") -> Meaning | None:
    """What a text says, by the longest phrase known (of one kind, where given); None where none is known.

    >>> meaning("Just left of the fovea")
    Meaning(kind='location', value='near left')
    """
    words, phrases = plain(text), _phrases(language)
    if LANGUAGES[language].spaced:
        return next((said for phrase, said in phrases if phrase in words and kind in ("", said.kind)), None)
    return next((said for phrase, said in phrases if kind in ("", said.kind) and within(words, phrase)), None)


@cache
def _phrases(language: str) -> list[tuple[str, Meaning]]:
    """Every phrase of a language with what it means, the longest first."""
    phrases = [
        (plain(phrase), Meaning(kind, value))
        for kind, meanings in LANGUAGES[language].words.items()
        for value, said in meanings.items()
        for phrase in said
    ]
    return sorted(phrases, key=lambda pair: -len(pair[0]))


_IDEOGRAPH = re.compile("[\u3040-\u9fff]")
_IDEOGRAPHS = re.compile("[\u3040-\u9fff]+")


def within(words: str, phrase: str) -> bool:
    """Whether plain words hold a plain phrase that may begin and end within a word, as in scripts without spaces.

    A single sign is too common for that, and so is a number: they have to stand alone.
    """
    sought = phrase.strip()
    if phrase in words or not sought:
        return bool(sought)
    if _IDEOGRAPH.search(sought):
        return len(sought) > 1 and sought in words
    return phrase in f" {_IDEOGRAPHS.sub(' ', words)} "


@lru_cache(maxsize=512)
def modality_named(text: str, language: str = "en") -> str | None:
    """The kind of image a text speaks of."""
    words = plain(text)
    for name, phrases in _modality_phrases(language):
        if any(phrase in words if LANGUAGES[language].spaced else within(words, phrase) for phrase in phrases):
            return name
    return None


@cache
def _modality_phrases(language: str) -> list[tuple[str, list[str]]]:
    return [(name, [plain(phrase) for phrase in said]) for name, said in LANGUAGES[language].modalities.items()]


def findings_of(modality: str | None) -> tuple[str, ...]:
    """The abnormal findings one may claim of a kind of image; of any kind where it is not known."""
    names = tuple(name for name in LANGUAGES["en"].words["finding"] if name != "normal")
    blocks = {"chest X-ray": names[:5], "brain MRI": names[5:10], "OCT": names[10:15], "fundus photograph": names[15:]}
    return blocks.get(modality or "", names)


def asked_kind(question: Question) -> str | None:
    """What kind of answer is asked for: by the question's words, or by what most of its options are."""
    meanings = [meaning(option, language=question.language) for option in question.options]
    kinds = Counter(said.kind for said in meanings if said is not None and said.kind != "abstention")
    if kinds and kinds["answer"] == kinds.total():
        return "answer"
    words = plain(question.stem)
    worded = next((kind for kind, pattern in LANGUAGES[question.language].asked.items() if pattern.search(words)), None)
    if worded is not None and (kinds[worded] or not question.options):
        return worded
    return kinds.most_common(1)[0][0] if kinds and 2 * kinds.total() > len(question.options) else None


def finding_asked(question: Question) -> str | None:
    """The finding that the question names."""
    said = meaning(question.stem, "finding", question.language)
    return None if said is None else said.value


_ANY_SIGN = " whether or not the image shows signs of "


def detection(question: Question) -> int | None:
    """The place of the option that means normal, where the only other one means that anything at all is wrong.

    >>> detection(Question("", options=("lung diseases", "normal")))
    1
    """
    if len(question.options) != 2 or (question.letters and _ANY_SIGN not in plain(question.stem)):
        return None
    normal = Meaning("finding", "normal")
    places = [at for at, option in enumerate(question.options) if meaning(option, "", question.language) == normal]
    return places[0] if len(places) == 1 else None


def looks_for_disease(question: Question) -> bool:
    """Whether signs of disease are sought: any at all, or those of one finding out of several."""
    if question.letters and _ANY_SIGN not in plain(question.stem):
        return False
    return detection(question) is not None or asked_kind(question) == "finding"


def understood(question: Question) -> bool:
    """Whether a percept could answer the question: its kind is known, and for yes or no also what is asked about."""
    if detection(question) is not None:
        return True
    kind = asked_kind(question)
    return kind is not None and (kind != "answer" or finding_asked(question) is not None)


def seen(percept: Noticed, kind: str) -> str:
    """What a percept holds of a kind, as meanings are named."""
    if kind == "count":
        return str(percept.count)
    text = str(getattr(percept, kind))
    said = meaning(text, kind)
    return said.value if said is not None else "neither" if kind == "side" else text


def matching_option(question: Question, percept: Noticed) -> int | None:
    """The option that says what was seen; None where the question is beyond this module's words."""
    if (normal := detection(question)) is not None:
        return normal if seen(percept, "finding") == "normal" else 1 - normal
    kind = asked_kind(question)
    if kind is None or not understood(question):
        return None
    if kind == "answer":
        wanted = Meaning("answer", "yes" if finding_asked(question) == seen(percept, "finding") else "no")
    else:
        wanted = Meaning(kind, seen(percept, kind))
    found = [at for at, option in enumerate(question.options) if meaning(option, kind, question.language) == wanted]
    return found[0] if len(found) == 1 else None


def abstaining_option(question: Question) -> int | None:
    """The option that means "I do not know", if one is offered."""
    said = (meaning(option, language=question.language) for option in question.options)
    return next((at for at, found in enumerate(said) if found is not None and found.kind == "abstention"), None)


_RANKS = {word: rank for rank, word in enumerate(("small", "medium", "large", "yes", "no"))}
_LISTED_AS = {
    "normal": "no abnormality",
    "tumour": "brain tumour",
    "infarct": "cerebral infarct",
    "haemorrhage": "intracerebral haemorrhage",
    "branch vein occlusion": "branch retinal vein occlusion",
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
}
"""The English words by which a meaning finds its place in the alphabet, where they are not its name."""


def usual_order(options: Sequence[str], language: str = "en") -> list[int]:
    """The options' indices in the order in which such options are usually listed.

    Numbers and sizes ascend, yes stands before no, all else is alphabetical; translated questions keep the order of the
    English ones.

    >>> usual_order(["Large", "Small"]), usual_order(["10", "9"]), usual_order(["Cyst", "Abscess", "Bulla"])
    ([1, 0], [1, 0], [1, 2, 0])
    >>> usual_order(["Tumore cerebrale", "Infarto cerebrale"], "it")
    [0, 1]
    """

    def place(at: int) -> tuple[float, str]:
        text = _in_english(options[at], language).strip().casefold()
        number = re.match(r"\d+(?:\.\d+)?", text)
        return (float(number.group()), text) if number else (_RANKS.get(text.rstrip("."), 0.0), text)

    return sorted(range(len(options)), key=place)


def _in_english(option: str, language: str) -> str:
    said = None if language == "en" else meaning(option, language=language)
    return option if said is None else _LISTED_AS.get(said.value, said.value)
