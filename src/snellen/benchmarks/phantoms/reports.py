"""Phantoms for report generation, with reference reports.

In each fifteen patients of a modality, five are normal and two have each of the five findings; their order is random.
The indication is independent of the finding, so a report written only from it is correct only by chance. The reference
states what is known of the image (finding, number, size, side and location), denies the modality's other findings, and
contains nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL, Modality
from snellen.benchmarks.phantoms.diseases import DISEASES, NUMBERS, PLACES
from snellen.benchmarks.phantoms.patients import generator_of, pick, with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.regions import show
from snellen.benchmarks.phantoms.wording import ENGLISH, read_texts
from snellen.items import Item
from snellen.plugins import join_with_or

REPORT = "report"
QUESTION = "Write the report of this {modality}."
NORMAL_OF_FIFTEEN = 5
OF_EACH_FINDING = 2
_rng = partial(generator_of, stream=7)
_TURNS, _IMAGE, _INDICATION, _WORDS = range(4)


SHOWN_TOO = {"branch vein occlusion": "retinal haemorrhages"}
"""Second finding that an image shows, so that the report cannot deny it."""

_PRESENT = ("there {is_} {what}{place}.", "{what} {is_} seen{place}.", "{what} {is_} present{place}.")
_CONCLUDED = "{bare}{place}."
_ABSENT = ("No {listed}.", "No evidence of {listed}.", "There is no evidence of {listed}.")
_UNREMARKABLE = {
    "cxr": ("No acute cardiopulmonary abnormality.", "Normal chest X-ray.", "No acute cardiopulmonary disease."),
    "mri": ("Normal brain MRI.", "Unremarkable brain MRI."),
    "oct": ("Normal OCT scan.", "Unremarkable OCT scan."),
    "fundus": ("Normal fundus of the {side} eye.", "No abnormality of the fundus of the {side} eye."),
}
_PLEURAL = ("pleural effusion", "pneumothorax")
_HALF = {
    "cxr": ("lung", "lungs"),
    "mri": ("cerebral hemisphere", "cerebral hemispheres"),
    "oct": ("half of the scan", "halves of the scan"),
}

_SAID = read_texts("indications")
SAYING_NOTHING: tuple[str, ...] = _SAID["says_nothing"]
"""Indications without information, for one patient in four."""
INDICATIONS: Mapping[str, tuple[str, ...]] = {modality.code: _SAID[modality.code] for modality in MODALITIES}
"""Indications that fit every finding of the modality, and a normal image."""


def reports(modality: Modality, seed: int) -> Iterator[Item]:
    """Yield one modality's patients without end."""
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
        images=(show(phantom),),
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


def phantom_of(modality: Modality, seed: int, number: int) -> Phantom:
    """Return the image of a patient; half of locatable findings have a single lesion."""
    shown = [NORMAL] * NORMAL_OF_FIFTEEN + [finding.name for finding in modality.findings] * OF_EACH_FINDING
    turn, place = divmod(number, len(shown))
    finding = shown[int(_rng(seed, modality, turn, _TURNS).permutation(len(shown))[place])]
    rng = _rng(seed, modality, number, _IMAGE)
    alone = modality.finding(finding).located and rng.integers(2) == 0
    return with_finding(modality, finding, rng, at_one_location=bool(alone))


def reference(modality: Modality, phantom: Phantom, rng: Generator) -> str:
    """Write the report of an image; the generator draws only the wording.

    >>> heart = Phantom("chest X-ray", "cardiomegaly", side="neither")
    >>> reference(MODALITIES[0], heart, _rng(1, MODALITIES[0], 0, _WORDS)).partition("IMPRESSION: ")[2]
    'Enlargement of the heart.'
    """
    told = _write_denials(modality, phantom, rng)
    if phantom.finding == NORMAL:
        concluded = pick(rng, _UNREMARKABLE[modality.code]).format(side=phantom.side)
    else:
        told.insert(int(rng.integers(len(told) + 1)), _write_finding(modality, phantom, pick(rng, _PRESENT), rng))
        concluded = _write_finding(modality, phantom, _CONCLUDED, rng)
    return f"FINDINGS: {' '.join(told)}\n\nIMPRESSION: {concluded}"


def _write_finding(modality: Modality, phantom: Phantom, sentence: str, rng: Generator) -> str:
    words = DISEASES[modality.code][phantom.finding]
    several = bool(words.several) and (phantom.count > 1 or (phantom.count == 0 and phantom.side == "both"))
    named = pick(rng, words.several if several else words.one)
    place = "" if "{side}" in named else pick(rng, _places(modality, phantom))
    place = f" {place}" if place else ""
    what = named.format(
        place=place,
        size=_size(phantom),
        side="bilateral" if phantom.side == "both" else phantom.side,
        number=NUMBERS[phantom.count],
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
    """Return wordings of the location; one empty text if there is none."""
    side, location, both = phantom.side, phantom.location, phantom.side == "both"
    if modality.code == "fundus":
        quadrant = "macula" if location == "macula" else f"{location} quadrant"
        return (f"in the {quadrant} of the {side} eye" if location else f"in the {side} eye",)
    if location:
        return (PLACES.get(location, f"in the {location}"),)
    if side not in ("left", "right", "both"):
        return ("",)
    if phantom.finding in _PLEURAL:
        return ("on both sides", "bilaterally") if both else (f"on the {side}", f"on the {side} side")
    one, two = _HALF[modality.code]
    return (f"in both {two}" if both else f"in the {side} {one}",)


def _write_denials(modality: Modality, phantom: Phantom, rng: Generator) -> list[str]:
    """Write sentences that deny absent findings, separately or as a list."""
    shown = (NORMAL, phantom.finding, SHOWN_TOO.get(phantom.finding, ""))
    drawn = [pick(rng, words.absent) for name, words in DISEASES[modality.code].items() if name not in shown]
    sentences = [said for said in drawn if said.endswith(".")]
    nouns = [said for said in drawn if not said.endswith(".")]
    listed = [join_with_or(nouns)] if rng.integers(2) else nouns
    absent = pick(rng, _ABSENT)
    told = [*sentences, *(absent.format(listed=each) for each in listed)]
    return [told[at] for at in rng.permutation(len(told))]
