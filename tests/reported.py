"""What a report says of a phantom, read by plain words: written apart from how phantoms and organisms word reports."""

import re
from typing import NamedTuple

from snellen.benchmarks.phantoms.catalogue import MODALITIES, NORMAL

KNOWN = {
    "pleural effusion": r"effusions?|pleural fluid",
    "pneumothorax": r"pneumothora(?:x|ces)",
    "consolidation": r"consolidations?",
    "lung nodules": r"nodules?",
    "cardiomegaly": r"cardiomegaly|heart|cardiac silhouette",
    "tumour": r"tumours?|mass(?:es)?",
    "infarct": r"infarct(?:s|ion)?",
    "haemorrhage": r"(?<!retinal )(?<!flame-shaped )haemorrhages?",
    "white matter lesions": r"white matter lesions?",
    "hydrocephalus": r"hydrocephalus|ventricular",
    "macular hole": r"macular hole|hole in the macula",
    "subretinal fluid": r"subretinal fluid",
    "intraretinal cysts": r"intraretinal cysts?",
    "drusen": r"drusen?",
    "epiretinal membrane": r"epiretinal membrane",
    "retinal haemorrhages": r"(?:retinal|flame-shaped) haemorrhages?",
    "hard exudates": r"exudates",
    "cotton-wool spots": r"cotton-wool spots?",
    "glaucomatous cupping": r"cupping",
    "branch vein occlusion": r"vein occlusion",
}
"""The words by which a reader of reports knows each finding."""
DENIES = re.compile(r"\bnot?\b|\bwithout\b|\bnormal\b", re.IGNORECASE)
NUMBERS = {"single": 1, "solitary": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
PLACES = {
    r"at the fovea": "fovea",
    r"(?:just|immediately) left of the fovea": "near left",
    r"(?:just|immediately) right of the fovea": "near right",
    r"far left of the scan": "far left",
    r"far right of the scan": "far right",
    **{place: place for modality in MODALITIES[:2] for place in modality.locations},
    **{rf"in the {place}\b": place for place in MODALITIES[3].locations},
}


class Said(NamedTuple):
    """What a section says is there, with its sides, place, number and size as far as it says them."""

    affirmed: frozenset[str]
    denied: frozenset[str]
    sides: frozenset[str]
    place: str
    count: int
    size: str


def sections(report):
    """The findings and the impression of a report."""
    found = re.fullmatch(r"FINDINGS: (.+)\n\nIMPRESSION: (.+)", report)
    return found.groups()


def said_in(text):
    """What a section says."""
    affirmed, denied, told = set(), set(), []
    for sentence in re.findall(r"[^.]+\.", text):
        named = {name for name, words in KNOWN.items() if re.search(rf"\b(?:{words})\b", sentence, re.IGNORECASE)}
        if DENIES.search(sentence):
            denied |= named
        else:
            affirmed |= named
            told.append(sentence.lower())
    return Said(frozenset(affirmed), frozenset(denied), *_attributes(" ".join(told)))


def _attributes(told):
    sides = set(re.findall(r"\b(?:left|right)\b", told))
    if re.search(r"\bboth\b|\bbilateral", told):
        sides = {"left", "right"}
    place = next((place for words, place in PLACES.items() if re.search(words, told)), "")
    count = next((number for word, number in NUMBERS.items() if re.search(rf"\b{word}\b", told)), 0)
    size = re.search(r"\b(small|moderate|medium|large)\b", told)
    return frozenset(sides), place, count, size.group(1).replace("moderate", "medium") if size else ""


def shown_by(phantom, *, findings):
    """What a section on a phantom should say; only `findings` denies what is not there."""
    modality = next(each for each in MODALITIES if each.name == phantom.modality)
    there = {phantom.finding} - {NORMAL}
    if phantom.finding == "branch vein occlusion":
        there |= {"retinal haemorrhages"}
    absent = {each.name for each in modality.findings} - there if findings else set()
    sides = {"left", "right"} if phantom.side == "both" else {phantom.side} & {"left", "right"}
    return Said(
        frozenset(there),
        frozenset(absent),
        frozenset(sides if there else ()),
        phantom.location,
        phantom.count,
        phantom.size,
    )
