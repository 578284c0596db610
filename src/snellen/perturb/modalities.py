"""Modalities: which kinds of image a text names, whatever it calls them, in six languages."""

from __future__ import annotations

from snellen.perturb.words import lettered
from snellen.runtime import regex

_CALLED = {
    "x-ray": r"x ?-?rays?|radiogra\w*|rx|cxr|rontgen\w*|roentgen\w*|plain films?|x ?线|x ?光|胸片|平片",
    "mammography": r"mammo\w*|mamo\w*|乳腺摄影|钼靶",
    "ct": r"ct|cct|tac|tc|tdm|computed tomogra\w*|computertomogra\w*|tomodensitom\w*|tomografia (?:computerizzata"
    r"|computada|computarizada)|scanner",
    "mri": r"mri|mr|rm|rmn|irm|mrt|magnetic resonance|risonanza|resonancia|resonance magnetique|kernspin\w*"
    r"|magnetresonanz\w*|磁共振|核磁",
    "ultrasound": r"ultraso\w*|ultrascha\w*|sonogra\w*|ecogra\w*|echogra\w*|echocardiogra\w*|ecocardiogra\w*|超声|b超",
    "oct": r"oct|optical coherence|相干断层",
    "fundus": r"fundus\w*|眼底",
    "pet": r"pet",
    "scintigraphy": r"scintigra\w*|gammagra\w*|szintigra\w*|bone scans?|核素",
    "endoscopy": r"\w*endosc\w*|colonosc\w*|gastrosc\w*|bronchosc\w*|内镜|内窥镜",
    "histology": r"histolog\w*|histopath\w*|istolog\w*|microscop\w*|biops\w*|病理|活检",
    "photograph": r"photo\w*|fotogra\w*|foto|dermosc\w*|dermatosc\w*|照片",
    "angiography": r"angiogra\w*|dsa|血管造影",
}
MODALITIES = frozenset(_CALLED)
_CODES = {"cr": "x-ray", "dx": "x-ray", "dr": "x-ray", "us": "ultrasound", "mg": "mammography", "pt": "pet"}
"""How DICOM calls some, which are words of their own elsewhere."""
_EACH = {kind: regex(rf"(?<![a-z])(?:{called})(?![a-z])") for kind, called in _CALLED.items()}


def modalities_of(text: str) -> frozenset[str]:
    """The kinds of image that a text names.

    >>> sorted(modalities_of("Radiograph")), sorted(modalities_of("PET-CT")), sorted(modalities_of("scan"))
    (['x-ray'], ['ct', 'pet'], [])
    """
    plain = lettered(text)
    if plain.strip() in _CODES:
        return frozenset({_CODES[plain.strip()]})
    return frozenset(kind for kind, pattern in _EACH.items() if pattern.search(plain))
