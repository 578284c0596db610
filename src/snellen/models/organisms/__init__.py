"""organism/…: small bundled models with known flaws, which check that every stress test detects them.

An organism sees only the request: the image's pixels and the text. Only the memoriser knows more, which is its flaw.
"""

from __future__ import annotations

from typing import Any

from snellen.errors import PluginError, StudyError
from snellen.models.organisms.blind import Blind
from snellen.models.organisms.contrarian import Contrarian
from snellen.models.organisms.flagger import Flagger
from snellen.models.organisms.grounded import Grounded
from snellen.models.organisms.longest_option import LongestOption
from snellen.models.organisms.memoriser import Memoriser
from snellen.models.organisms.mirage import Mirage
from snellen.models.organisms.nearsighted import Nearsighted2, Nearsighted4, Nearsighted8
from snellen.models.organisms.normal_report import NormalReport
from snellen.models.organisms.organism import Organism
from snellen.models.organisms.positional import Positional
from snellen.models.organisms.pretender import Pretender
from snellen.models.organisms.prior import Prior
from snellen.models.organisms.rambler import Rambler
from snellen.models.organisms.random_choice import RandomChoice
from snellen.models.organisms.reader import ReportReader
from snellen.models.organisms.refuser import Refuser
from snellen.models.organisms.tag_reader import TagReader
from snellen.models.organisms.text_driven import TextDriven
from snellen.plugins import did_you_mean, read_settings

__all__ = ["ORGANISMS", "open_organism", "organism"]

_MEMBERS = (
    Grounded, Blind, Mirage, Positional, Refuser, RandomChoice, Memoriser, Rambler, Flagger, Pretender,
    ReportReader, TextDriven, NormalReport, Contrarian, LongestOption, Nearsighted2, Nearsighted4, Nearsighted8,
    TagReader, Prior,
)  # fmt: skip
ORGANISMS: dict[str, type[Organism]] = {organism.behaviour: organism for organism in _MEMBERS}


def open_organism(name: str, **settings: Any) -> Organism:
    """Open an organism by name, with or without "organism/", and with settings after a colon.

    >>> open_organism("organism/refuser").name, open_organism("grounded:looks=all").name
    ('organism/refuser', 'organism/grounded:looks=all')
    """
    behaviour, _, line = name.removeprefix("organism/").partition(":")
    organism = ORGANISMS.get(behaviour)
    if organism is None:
        hint = did_you_mean(behaviour, ORGANISMS)
        raise PluginError(f"There is no organism {behaviour!r}.{hint} There are: {', '.join(ORGANISMS)}.")
    _, named = read_settings(organism, line, failure=f"The organism {name!r} cannot be opened")
    if "eyes" in named:
        raise StudyError(f"The organism {name!r} cannot be opened: eyes are set in Python alone.")
    return organism(**named, **settings)
