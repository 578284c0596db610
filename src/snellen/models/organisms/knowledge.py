"""What the organisms know of medicine: which words mean what, and which option says what was seen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from snellen.models.organisms.reading import Question

if TYPE_CHECKING:
    from snellen.models.organisms.vision import Percept


class Meaning(NamedTuple):
    """What an option says: of which kind it is (finding, side, location, count, size, answer) and what."""

    kind: str
    value: str


_SIDES = ("left", "right")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_WORDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "finding": {
        "normal": ("no abnormality", "no abnormalities", "no abnormal findings", "normal", "unremarkable"),
        "pleural effusion": ("effusion", "pleural fluid"),
        "pneumothorax": ("collapsed lung",),
        "consolidation": ("airspace opacity",),
        "lung nodules": ("lung nodule", "pulmonary nodule", "pulmonary nodules", "nodules", "nodule"),
        "cardiomegaly": ("enlarged heart", "heart enlarged"),
        "tumour": ("brain tumour", "brain tumor", "tumor"),
        "infarct": ("infarction", "cerebral infarct", "cerebral infarction", "ischaemic stroke", "ischemic stroke"),
        "haemorrhage": (
            "hemorrhage",
            "intracerebral haemorrhage",
            "intracerebral hemorrhage",
            "intracranial haemorrhage",
            "intracranial hemorrhage",
        ),
        "white matter lesions": ("white matter lesion",),
        "hydrocephalus": ("enlarged ventricles",),
        "macular hole": (),
        "subretinal fluid": (),
        "intraretinal cysts": ("intraretinal cyst", "intraretinal fluid"),
        "drusen": ("druse",),
        "epiretinal membrane": (),
        "retinal haemorrhages": ("retinal haemorrhage", "retinal hemorrhage", "retinal hemorrhages"),
        "hard exudates": ("exudates",),
        "cotton wool spots": ("cotton wool spot",),
        "glaucomatous cupping": ("glaucoma",),
        "branch vein occlusion": ("branch retinal vein occlusion", "vein occlusion"),
    },
    "side": {
        "both": ("both sides", "both halves", "bilateral"),
        "left": ("left side", "left half", "left eye"),
        "neither": ("neither side", "neither half"),
        "right": ("right side", "right half", "right eye"),
    },
    "location": {
        **{f"{side} {zone} zone": () for side in _SIDES for zone in ("lower", "mid", "upper")},
        **{f"{side} {lobe} lobe": () for side in _SIDES for lobe in ("frontal", "occipital", "temporal")},
        "fovea": ("at the fovea",),
        "far left": ("far left of the scan",),
        "far right": ("far right of the scan",),
        "near left": ("just left of the fovea", "just left"),
        "near right": ("just right of the fovea", "just right"),
        "macula": (),
        **{f"{height}{width}": () for height in ("infero", "supero") for width in ("nasal", "temporal")},
    },
    "count": {str(number): (word,) for number, word in enumerate(_NUMBERS)},
    "size": {"small": (), "medium": (), "large": ()},
    "answer": {"yes": ("present", "true"), "no": ("absent", "false")},
    "abstention": {
        "unknown": ("cannot be determined", "cannot tell", "not enough information", "i do not know", "i don t know"),
    },
}

_MODALITIES: Mapping[str, tuple[str, ...]] = {
    "chest X-ray": ("chest x ray", "chest radiograph", "chest film", "patient s chest", "patient s lungs"),
    "brain MRI": ("brain mri", "mri of the brain", "head mri", "patient s brain"),
    "OCT": ("oct", "optical coherence tomography"),
    "fundus photograph": ("fundus", "optic disc"),
}

_ASKED = (
    ("count", re.compile(r"\bhow many\b|\bnumber of\b")),
    ("size", re.compile(r"\bhow (?:large|big)\b|\bwhat size\b")),
    ("side", re.compile(r"\bwhich (?:side|half|eye)\b|\bwhich of the patient s eyes\b|\bleft or right\b")),
    ("location", re.compile(r"\bwhere\b|\bwhich (?:zone|lobe|quadrant|part|region)\b|\blocated\b")),
    ("finding", re.compile(r"\bmain finding\b|\bwhat (?:is|are) (?:the )?(?:finding|abnormality|diagnosis)")),
)


_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=512)
def plain(text: str) -> str:
    """The text as lower-case words with single spaces, a space at either end: fit for finding whole words."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


_PHRASES = sorted(
    ((plain(phrase), Meaning(kind, value)) for kind, all_words in _WORDS.items()
     for value, others in all_words.items() for phrase in (value, *others)),
    key=lambda pair: -len(pair[0]),
)  # fmt: skip


@lru_cache(maxsize=512)
def meaning(text: str, kind: str = "") -> Meaning | None:
    """What a text says, by the longest phrase known (of one kind, where given); None where none is known.

    >>> meaning("Just left of the fovea")
    Meaning(kind='location', value='near left')
    """
    words = plain(text)
    return next((said for phrase, said in _PHRASES if phrase in words and kind in ("", said.kind)), None)


@lru_cache(maxsize=512)
def modality_named(text: str) -> str | None:
    """The kind of image a text speaks of."""
    words = plain(text)
    return next((name for name, others in _MODALITIES.items() if any(f" {word} " in words for word in others)), None)


def findings_of(modality: str | None) -> tuple[str, ...]:
    """The abnormal findings one may claim of a kind of image; of any kind where it is not known."""
    names = tuple(name for name in _WORDS["finding"] if name != "normal")
    blocks = {"chest X-ray": names[:5], "brain MRI": names[5:10], "OCT": names[10:15], "fundus photograph": names[15:]}
    return blocks.get(modality or "", names)


def asked_kind(question: Question) -> str | None:
    """What kind of answer is asked for: by the question's words, or by what most of its options are."""
    meanings = [meaning(option) for option in question.options]
    kinds = Counter(said.kind for said in meanings if said is not None and said.kind != "abstention")
    if kinds and kinds["answer"] == kinds.total():
        return "answer"
    words = plain(question.stem)
    worded = next((kind for kind, pattern in _ASKED if pattern.search(words)), None)
    if worded is not None and (kinds[worded] or not question.options):
        return worded
    return kinds.most_common(1)[0][0] if kinds and 2 * kinds.total() > len(question.options) else None


def understood(question: Question) -> bool:
    """Whether a percept could answer the question: its kind is known, and for yes or no also what is asked about."""
    kind = asked_kind(question)
    return kind is not None and (kind != "answer" or meaning(question.stem, "finding") is not None)


def seen(percept: Percept, kind: str) -> str:
    """What a percept holds of a kind, in this module's words."""
    if kind == "count":
        return str(percept.count)
    text = str(getattr(percept, kind))
    said = meaning(text, kind)
    return said.value if said is not None else "neither" if kind == "side" else text


def matching_option(question: Question, percept: Percept) -> int | None:
    """The option that says what was seen; None where the question is beyond this module's words."""
    kind = asked_kind(question)
    if kind is None or not understood(question):
        return None
    if kind == "answer":
        asked = meaning(question.stem, "finding")
        assert asked is not None
        wanted = Meaning("answer", "yes" if asked.value == seen(percept, "finding") else "no")
    else:
        wanted = Meaning(kind, seen(percept, kind))
    found = [at for at, option in enumerate(question.options) if meaning(option, kind) == wanted]
    return found[0] if len(found) == 1 else None


def abstaining_option(question: Question) -> int | None:
    """The option that means "I do not know", if one is offered."""
    said = (meaning(option) for option in question.options)
    return next((at for at, found in enumerate(said) if found is not None and found.kind == "abstention"), None)


_RANKS = {word: rank for rank, word in enumerate(("small", "medium", "large", "yes", "no"))}


def usual_order(options: Sequence[str]) -> list[int]:
    """The options' indices in the order in which such options are usually listed.

    Numbers and sizes ascend, yes stands before no, all else is alphabetical.

    >>> usual_order(["Large", "Small"]), usual_order(["10", "9"]), usual_order(["Cyst", "Abscess", "Bulla"])
    ([1, 0], [1, 0], [1, 2, 0])
    """

    def place(at: int) -> tuple[float, str]:
        text = options[at].strip().casefold()
        number = re.match(r"\d+(?:\.\d+)?", text)
        return (float(number.group()), text) if number else (_RANKS.get(text.rstrip("."), 0.0), text)

    return sorted(range(len(options)), key=place)
