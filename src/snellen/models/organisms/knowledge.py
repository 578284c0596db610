"""The organisms' medicine: meanings of words, and matching of options with what an image shows.

A "percept" is what the bundled network sees in an image: modality, finding, side, location, size and count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.sight import Percept, ShownFinding


class Meaning(NamedTuple):
    """Meaning of a phrase: its kind, such as side, and its value, such as left."""

    kind: str
    value: str


_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=512)
def plain(text: str) -> str:
    """Return the text as lower-case words with single spaces, to find whole words in it."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@lru_cache(maxsize=512)
def meaning(text: str, kind: str = "", language: str = "en") -> Meaning | None:
    """Return the meaning of a text's longest known phrase, of one kind if given. None if there is none.

    >>> meaning("Just left of the fovea")
    Meaning(kind='location', value='near left')
    """
    words, phrases = plain(text), _phrases(language)
    if LANGUAGES[language].spaced:
        return next((said for phrase, said in phrases if phrase in words and kind in ("", said.kind)), None)
    return next((said for phrase, said in phrases if kind in ("", said.kind) and is_within(words, phrase)), None)


@cache
def _phrases(language: str) -> list[tuple[str, Meaning]]:
    """Return every phrase of a language with its meaning, the longest phrase first."""
    phrases = [
        (plain(phrase), Meaning(kind, value))
        for kind, meanings in LANGUAGES[language].words.items()
        for value, said in meanings.items()
        for phrase in said
    ]
    return sorted(phrases, key=lambda pair: -len(pair[0]))


IDEOGRAPH = re.compile("[\u3040-\u9fff]")
_IDEOGRAPHS = re.compile("[\u3040-\u9fff]+")


def is_within(words: str, phrase: str) -> bool:
    """Return whether a text contains a phrase, also within words of scripts without spaces.

    A single sign or a number is too frequent within words, so it must stand by itself.
    """
    sought = phrase.strip()
    if phrase in words or not sought:
        return bool(sought)
    if IDEOGRAPH.search(sought):
        return len(sought) > 1 and sought in words
    return phrase in f" {_IDEOGRAPHS.sub(' ', words)} "


@lru_cache(maxsize=512)
def modality_named(text: str, language: str = "en") -> str | None:
    """Return the kind of image that a text mentions; None if it mentions none."""
    words = plain(text)
    for name, phrases in _modality_phrases(language):
        if any(phrase in words if LANGUAGES[language].spaced else is_within(words, phrase) for phrase in phrases):
            return name
    return None


@cache
def _modality_phrases(language: str) -> list[tuple[str, list[str]]]:
    return [(name, [plain(phrase) for phrase in said]) for name, said in LANGUAGES[language].modalities.items()]


def findings_of(modality: str | None) -> tuple[str, ...]:
    """Return the abnormal findings of a modality; of all modalities if it is unknown."""
    names = tuple(name for name in LANGUAGES["en"].words["finding"] if name != "normal")
    blocks = {"chest X-ray": names[:5], "brain MRI": names[5:10], "OCT": names[10:15], "fundus photograph": names[15:]}
    return blocks.get(modality or "", names)


def asked_kind(question: ParsedQuestion) -> str | None:
    """Return the kind of answer that the question or most of its options ask for. None if unclear."""
    meanings = [meaning(option, language=question.language) for option in question.options]
    kinds = Counter(said.kind for said in meanings if said is not None and said.kind != "abstention")
    if kinds and kinds["answer"] == kinds.total():
        return "answer"
    words = plain(question.stem)
    worded = next((kind for kind, pattern in LANGUAGES[question.language].asked.items() if pattern.search(words)), None)
    if worded is not None and (kinds[worded] or not question.options):
        return worded
    return kinds.most_common(1)[0][0] if kinds and 2 * kinds.total() > len(question.options) else None


def finding_asked(question: ParsedQuestion) -> str | None:
    """Return the finding that the question names; None if it names none."""
    said = meaning(question.stem, "finding", question.language)
    return None if said is None else said.value


_ANY_SIGN = " whether or not the image shows signs of "


def detection(question: ParsedQuestion) -> int | None:
    """Return the position of the option "normal", in a choice between normal and abnormal. None for other questions.

    >>> detection(ParsedQuestion("", options=("lung diseases", "normal")))
    1
    """
    if len(question.options) != 2 or (question.letters and _ANY_SIGN not in plain(question.stem)):
        return None
    normal = Meaning("finding", "normal")
    places = [at for at, option in enumerate(question.options) if meaning(option, "", question.language) == normal]
    return places[0] if len(places) == 1 else None


def looks_for_disease(question: ParsedQuestion) -> bool:
    """Return whether the question asks if there is a disease, or which one."""
    if question.letters and _ANY_SIGN not in plain(question.stem):
        return False
    return detection(question) is not None or asked_kind(question) == "finding"


def is_answerable(question: ParsedQuestion) -> bool:
    """Return whether a percept could answer the question."""
    if detection(question) is not None:
        return True
    kind = asked_kind(question)
    return kind is not None and (kind != "answer" or finding_asked(question) is not None)


def read_percept(percept: Percept | ShownFinding, kind: str) -> str:
    """Return a percept's value of this kind, as meanings name it."""
    if kind == "count":
        return str(percept.count)
    text = str(getattr(percept, kind))
    said = meaning(text, kind)
    return said.value if said is not None else "neither" if kind == "side" else text


def matching_option(question: ParsedQuestion, percept: Percept | ShownFinding) -> int | None:
    """Return the option that fits a percept; None if not exactly one does."""
    if (normal := detection(question)) is not None:
        return normal if read_percept(percept, "finding") == "normal" else 1 - normal
    kind = asked_kind(question)
    if kind is None or not is_answerable(question):
        return None
    if kind == "answer":
        wanted = Meaning("answer", "yes" if finding_asked(question) == read_percept(percept, "finding") else "no")
    else:
        wanted = Meaning(kind, read_percept(percept, kind))
    found = [at for at, option in enumerate(question.options) if meaning(option, kind, question.language) == wanted]
    return found[0] if len(found) == 1 else None


def abstaining_option(question: ParsedQuestion) -> int | None:
    """Return the option that means "I do not know"; None if there is none."""
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
"""English words by which meanings are sorted alphabetically, if they differ from the meaning's name."""


def usual_order(options: Sequence[str], language: str = "en") -> list[int]:
    """Return the options' indices in the order in which such options are usually listed.

    Numbers and sizes ascend, yes comes before no, and all else is alphabetical. Translated questions keep the order of
    the English ones.

    >>> usual_order(["Large", "Small"]), usual_order(["10", "9"]), usual_order(["Cyst", "Abscess", "Bulla"])
    ([1, 0], [1, 0], [1, 2, 0])
    >>> usual_order(["Tumore cerebrale", "Infarto cerebrale"], "it")
    [0, 1]
    """

    def place(at: int) -> tuple[float, str]:
        said = None if language == "en" else meaning(options[at], language=language)
        english = options[at] if said is None else _LISTED_AS.get(said.value, said.value)
        text = english.strip().casefold()
        number = re.match(r"\d+(?:\.\d+)?", text)
        return (float(number.group()), text) if number else (_RANKS.get(text.rstrip("."), 0.0), text)

    return sorted(range(len(options)), key=place)
