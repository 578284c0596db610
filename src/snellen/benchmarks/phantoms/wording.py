"""Wording: every word that the phantoms' questions use, by language; and what reads the files of their `texts`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.phantoms.catalogue import MODALITIES

Words = Mapping[str, str]


@dataclass(frozen=True)
class Wording:
    """One language's questions, options, vignettes and give-away sentences, keyed by modality code and attribute.

    The tuples are as long in every language, so that the same draws say the same. `space` stands between sentences.
    """

    modality: Words
    option: Words
    shown: Words
    side: Mapping[str, Words]
    question: Mapping[str, Words]
    size_rule: Words
    size_asked: Words
    patient: tuple[str, ...]
    sex: tuple[tuple[str, str], ...]
    complaint: Mapping[str, tuple[str, ...]]
    history: tuple[str, ...]
    given_away: Mapping[str, str]
    source: tuple[str, ...]
    space: str = " "


def read_texts(name: str) -> Any:
    """What a file of `texts` holds; its lists are tuples, as nobody changes them."""
    return _fixed(tomllib.loads(files(__package__).joinpath("texts", f"{name}.toml").read_text(encoding="utf-8")))


def _fixed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _fixed(each) for name, each in value.items()}
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def _wording(language: str) -> Wording:
    """The words of a language; a question that is written once is asked of every modality."""
    told = read_texts(language)
    codes = [modality.code for modality in MODALITIES]
    asked = told["question"].items()
    told["question"] = {kind: dict.fromkeys(codes, each) if isinstance(each, str) else each for kind, each in asked}
    return Wording(**told)


WORDING: Mapping[str, Wording] = MappingProxyType({language: _wording(language) for language in ("en", "it", "zh")})
ENGLISH = WORDING["en"]
