"""Phantoms for writing reports: one patient, one image and one indication, and the report that the image deserves.

Five patients in fifteen are normal, and each of the five findings of a modality is shown by two; the fifteen come in an
order drawn anew for every round. The indication is drawn without regard to what the patient has, so that a report
written from it alone is right by luck only. The reference says all that is known of the image by construction (finding,
number, size, side and place), denies the other findings of the modality, and says nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL, Modality
from snellen.benchmarks.phantoms.patients import pick, with_finding, with_one_lesion
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Item

REPORT = "report"
QUESTION = "Write the report of this {modality}."
NORMAL_OF_FIFTEEN = 5
OF_EACH_FINDING = 2
_STREAM = 7
"""Parts the draws from those of the other tasks."""
_TURNS, _IMAGE, _INDICATION, _WORDS = range(4)


@dataclass(frozen=True)
class Words:
    """How a report says that a finding is there, once or several times, and that it is not.

    The place follows the words unless `{side}` or `{place}` stands among them. What is absent is a sentence, or a noun
    that follows "no".
    """

    one: tuple[str, ...]
    several: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


_CHEST = {
    "pleural effusion": Words(
        ("a {size} {side} pleural effusion", "a {size} pleural effusion", "a {size} {side}-sided pleural effusion"),
        ("{size} {side} pleural effusions", "{size} pleural effusions"),
        ("pleural effusion",),
    ),
    "pneumothorax": Words(
        ("a {side} pneumothorax", "a pneumothorax", "a {side}-sided pneumothorax"),
        ("{side} pneumothoraces", "pneumothoraces"),
        ("pneumothorax",),
    ),
    "consolidation": Words(
        ("a {size} area of consolidation", "a {size} consolidation", "a {size} focus of airspace consolidation"),
        ("{size} areas of consolidation", "{size} consolidations"),
        ("consolidation", "focal consolidation", "airspace consolidation"),
    ),
    "lung nodules": Words(
        ("a single {size} nodule", "a solitary {size} pulmonary nodule", "a {size} lung nodule"),
        ("{number} {size} nodules", "{number} {size} pulmonary nodules", "{number} {size} lung nodules"),
        ("pulmonary nodules", "lung nodule", "pulmonary nodule"),
    ),
    "cardiomegaly": Words(
        ("cardiomegaly", "enlargement of the heart", "an enlarged cardiac silhouette"),
        absent=(
            "The heart is normal in size.",
            "Heart size is within normal limits.",
            "The cardiac silhouette is not enlarged.",
        ),
    ),
}
_BRAIN = {
    "tumour": Words(
        ("a {size} tumour{place} with surrounding oedema", "a {size} mass{place} with surrounding oedema"),
        ("{size} tumours{place} with surrounding oedema", "{size} masses{place} with surrounding oedema"),
        ("mass", "tumour", "intracranial mass"),
    ),
    "infarct": Words(
        ("an infarct", "a wedge-shaped infarct", "a territorial infarct"),
        ("infarcts", "wedge-shaped infarcts", "territorial infarcts"),
        ("infarct", "infarction", "territorial infarct"),
    ),
    "haemorrhage": Words(
        ("a {size} haemorrhage", "a {size} intracerebral haemorrhage", "a {size} parenchymal haemorrhage"),
        ("{size} haemorrhages", "{size} intracerebral haemorrhages", "{size} parenchymal haemorrhages"),
        ("haemorrhage", "intracranial haemorrhage"),
    ),
    "white matter lesions": Words(
        ("a single {size} white matter lesion", "a {size} hyperintense white matter lesion"),
        ("{number} {size} white matter lesions", "{number} {size} hyperintense white matter lesions"),
        ("white matter lesions", "focal white matter lesion"),
    ),
    "hydrocephalus": Words(
        ("hydrocephalus", "hydrocephalus with ventricular dilatation"),
        absent=("hydrocephalus", "ventricular dilatation"),
    ),
}
_OCT = {
    "macular hole": Words(
        ("a {size} full-thickness macular hole", "a {size} macular hole"),
        absent=("macular hole", "full-thickness macular hole"),
    ),
    "subretinal fluid": Words(
        ("a {size} collection of subretinal fluid", "a {size} pocket of subretinal fluid"),
        ("{size} collections of subretinal fluid", "{size} pockets of subretinal fluid"),
        ("subretinal fluid",),
    ),
    "intraretinal cysts": Words(
        ("a cluster of intraretinal cysts", "a group of intraretinal cysts"),
        ("clusters of intraretinal cysts", "groups of intraretinal cysts"),
        ("intraretinal cysts", "intraretinal cyst"),
    ),
    "drusen": Words(
        ("a single {size} druse", "a {size} druse"),
        ("{number} {size} drusen",),
        ("drusen",),
    ),
    "epiretinal membrane": Words(
        ("an epiretinal membrane", "an epiretinal membrane{place} with wrinkling of the inner retina"),
        absent=("epiretinal membrane",),
    ),
}
_FUNDUS = {
    "retinal haemorrhages": Words(
        ("a single {size} retinal haemorrhage", "a {size} retinal haemorrhage"),
        ("{number} {size} retinal haemorrhages",),
        ("retinal haemorrhages", "retinal haemorrhage"),
    ),
    "hard exudates": Words(
        ("a ring of hard exudates", "a group of hard exudates"),
        absent=("hard exudates", "exudates"),
    ),
    "cotton-wool spots": Words(
        ("a single {size} cotton-wool spot", "a {size} cotton-wool spot"),
        ("{number} {size} cotton-wool spots",),
        ("cotton-wool spots", "cotton-wool spot"),
    ),
    "glaucomatous cupping": Words(
        ("glaucomatous cupping of the optic disc", "glaucomatous cupping with a thin neuroretinal rim"),
        absent=("glaucomatous cupping", "The optic disc is normal, without glaucomatous cupping."),
    ),
    "branch vein occlusion": Words(
        (
            "a branch retinal vein occlusion{place} with flame-shaped haemorrhages",
            "a branch vein occlusion{place} with flame-shaped haemorrhages",
        ),
        absent=("vein occlusion", "branch retinal vein occlusion"),
    ),
}
WORDS: Mapping[str, Mapping[str, Words]] = {"cxr": _CHEST, "mri": _BRAIN, "oct": _OCT, "fundus": _FUNDUS}
SHOWN_TOO = {"branch vein occlusion": "retinal haemorrhages"}
"""What an image shows besides its finding, so that the report cannot deny it."""

_PRESENT = ("there {is_} {what}{place}.", "{what} {is_} seen{place}.", "{what} {is_} present{place}.")
_CONCLUDED = "{bare}{place}."
_ABSENT = ("No {listed}.", "No evidence of {listed}.", "There is no evidence of {listed}.")
_UNREMARKABLE = {
    "cxr": ("No acute cardiopulmonary abnormality.", "Normal chest X-ray.", "No acute cardiopulmonary disease."),
    "mri": ("Normal brain MRI.", "Unremarkable brain MRI."),
    "oct": ("Normal OCT scan.", "Unremarkable OCT scan."),
    "fundus": ("Normal fundus of the {side} eye.", "No abnormality of the fundus of the {side} eye."),
}
_NUMBERS = ("no", "one", "two", "three", "four", "five")
_PLEURAL = ("pleural effusion", "pneumothorax")
_HALF = {
    "cxr": ("lung", "lungs"),
    "mri": ("cerebral hemisphere", "cerebral hemispheres"),
    "oct": ("half of the scan", "halves of the scan"),
}
_ALONG_THE_SCAN = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
}

INDICATIONS: Mapping[str, tuple[str, ...]] = {
    "cxr": (
        "Shortness of breath.",
        "Cough for two weeks.",
        "Chest pain.",
        "{age}-year-old {person} with fever and cough.",
        "{age}-year-old {person}, short of breath on exertion.",
        "Weight loss and fatigue.",
        "Preoperative evaluation.",
        "{age}-year-old {person} with chest discomfort since yesterday.",
    ),
    "mri": (
        "Headache for two weeks.",
        "First seizure.",
        "{age}-year-old {person} with dizziness and unsteady gait.",
        "Memory complaints.",
        "{age}-year-old {person}, confused since this morning.",
        "Tingling on and off for some months.",
        "Fainting of unknown cause.",
        "{age}-year-old {person} with headache and vomiting.",
    ),
    "oct": (
        "Blurred vision for some weeks.",
        "Straight lines look bent.",
        "{age}-year-old {person} with difficulty in reading.",
        "A dim spot in the centre of vision.",
        "{age}-year-old {person}, referred by the optometrist.",
        "Loss of visual acuity.",
    ),
    "fundus": (
        "Diabetes.",
        "High blood pressure for ten years.",
        "{age}-year-old {person} with blurred vision.",
        "Floating spots since last month.",
        "{age}-year-old {person}, referred by the optometrist.",
        "Family history of eye disease.",
    ),
}
"""Why an image was asked for: every one fits every finding of the modality, and a normal image."""
SAYING_NOTHING = ("Screening.", "Routine examination.", "Follow-up.", "Not provided.")
"""The indications of one patient in four."""


def check(*, leak: float, language: str) -> None:
    """Raise where reports cannot be had in these settings."""
    if leak:
        raise StudyError(f"The text of {REPORT} gives nothing away; got leak={leak}. Leave it out, or task=questions.")
    if language != "en":
        raise StudyError(f"The task {REPORT} is asked in English only, got language={language!r}.")


def reports(modality: Modality, seed: int) -> Iterator[Item]:
    """The endless sequence of one modality's patients."""
    return (_item(modality, seed, number) for number in count())


def _item(modality: Modality, seed: int, number: int) -> Item:
    phantom = phantom_of(modality, seed, number)
    drawn = _rng(seed, modality, number, _INDICATION)
    age, (sex, person) = int(drawn.integers(22, 90)), pick(drawn, ENGLISH.sex)
    said = pick(drawn, SAYING_NOTHING if drawn.integers(4) == 0 else INDICATIONS[modality.code])
    series = f"phantoms/{REPORT}/{seed}/{modality.code}"
    return Item(
        id=f"{series}-{number:06d}",
        question=QUESTION.format(modality=ENGLISH.modality[modality.code]),
        answer=reference(modality, phantom, _rng(seed, modality, number, _WORDS)),
        images=(Image(phantom),),
        kind="report",
        context=said.format(age=age, person=person),
        category=modality.name,
        cluster=f"{series}-patient-{number:06d}",
        metadata={
            "modality": modality.name,
            "body_part": modality.body_part,
            "finding": phantom.finding,
            "age": age,
            "sex": sex,
        },
    )


def _rng(seed: int, modality: Modality, number: int, part: int) -> Generator:
    return np.random.default_rng([seed, MODALITIES.index(modality), number, part, _STREAM])


def phantom_of(modality: Modality, seed: int, number: int) -> Phantom:
    """The image of the patient at a place; half of the lesions that can be alone at a named place are."""
    shown = [NORMAL] * NORMAL_OF_FIFTEEN + [finding.name for finding in modality.findings] * OF_EACH_FINDING
    turn, place = divmod(number, len(shown))
    finding = shown[int(_rng(seed, modality, turn, _TURNS).permutation(len(shown))[place])]
    rng = _rng(seed, modality, number, _IMAGE)
    alone = modality.finding(finding).located and rng.integers(2) == 0
    return with_one_lesion(modality, finding, rng) if alone else with_finding(modality, finding, rng)


def reference(modality: Modality, phantom: Phantom, rng: Generator) -> str:
    """The report of an image; the generator draws its wording, never what it says.

    >>> heart = Phantom("chest X-ray", "cardiomegaly", side="neither")
    >>> reference(MODALITIES[0], heart, np.random.default_rng(1)).partition("IMPRESSION: ")[2]
    'Enlarged cardiac silhouette.'
    """
    told = _denied(modality, phantom, rng)
    if phantom.finding == NORMAL:
        concluded = pick(rng, _UNREMARKABLE[modality.code]).format(side=phantom.side)
    else:
        told.insert(int(rng.integers(len(told) + 1)), _said(modality, phantom, pick(rng, _PRESENT), rng))
        concluded = _said(modality, phantom, _CONCLUDED, rng)
    return f"FINDINGS: {' '.join(told)}\n\nIMPRESSION: {concluded}"


def _said(modality: Modality, phantom: Phantom, sentence: str, rng: Generator) -> str:
    """A sentence that says what is there, and where."""
    words = WORDS[modality.code][phantom.finding]
    several = bool(words.several) and (phantom.count > 1 or (phantom.count == 0 and phantom.side == "both"))
    named = pick(rng, words.several if several else words.one)
    place = "" if "{side}" in named else pick(rng, _places(modality, phantom))
    place = f" {place}" if place else ""
    what = named.format(
        place=place,
        size=_size(phantom),
        side="bilateral" if phantom.side == "both" else phantom.side,
        number=_NUMBERS[phantom.count],
    )
    bare = what.removeprefix("a ").removeprefix("an ")
    said = sentence.format(
        is_="are" if several else "is", what=what, bare=bare, place="" if "{place}" in named else place
    )
    return f"{said[:1].upper()}{said[1:]}"


def _size(phantom: Phantom) -> str:
    if phantom.size == "medium":
        return "moderate" if phantom.finding == "pleural effusion" else "moderate-sized"
    return phantom.size


def _places(modality: Modality, phantom: Phantom) -> Sequence[str]:
    """The wordings of where it is; a single empty one where the finding is always at the same place."""
    side, location, both = phantom.side, phantom.location, phantom.side == "both"
    if modality.code == "fundus":
        quadrant = "macula" if location == "macula" else f"{location} quadrant"
        return (f"in the {quadrant} of the {side} eye" if location else f"in the {side} eye",)
    if location:
        return (_ALONG_THE_SCAN.get(location, f"in the {location}"),)
    if side not in ("left", "right", "both"):
        return ("",)
    if phantom.finding in _PLEURAL:
        return ("on both sides", "bilaterally") if both else (f"on the {side}", f"on the {side} side")
    one, two = _HALF[modality.code]
    return (f"in both {two}" if both else f"in the {side} {one}",)


def _denied(modality: Modality, phantom: Phantom, rng: Generator) -> list[str]:
    """Sentences that deny what the image does not show: each finding alone, or all that can be listed in one."""
    shown = (phantom.finding, SHOWN_TOO.get(phantom.finding, ""))
    drawn = [pick(rng, words.absent) for name, words in WORDS[modality.code].items() if name not in shown]
    sentences = [said for said in drawn if said.endswith(".")]
    nouns = [said for said in drawn if not said.endswith(".")]
    listed = [_listed(nouns)] if rng.integers(2) else nouns
    absent = pick(rng, _ABSENT)
    told = [*sentences, *(absent.format(listed=each) for each in listed)]
    return [told[at] for at in rng.permutation(len(told))]


def _listed(nouns: Sequence[str]) -> str:
    *others, last = nouns
    return f"{', '.join(others)} or {last}" if others else last
