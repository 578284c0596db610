"""Wording of the phantoms' questions by language, and a reader for the files in `texts`."""

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
class PhantomWording:
    """One language's questions, options, vignettes and sentences that leak the answer.

    Keys are modality codes and attributes. Tuples have the same length in every language, so that the same random draw
    has the same meaning. `space` separates sentences.
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
    """Return the content of a file in `texts`, with its lists as tuples."""
    return _freeze_lists(
        tomllib.loads(files(__package__).joinpath("texts", f"{name}.toml").read_text(encoding="utf-8"))
    )


def _freeze_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _freeze_lists(each) for name, each in value.items()}
    return tuple(map(_freeze_lists, value)) if isinstance(value, list) else value


def _wording(language: str) -> PhantomWording:
    """Return the wording of a language. A question written once is used for every modality."""
    told = read_texts(language)
    codes = [modality.code for modality in MODALITIES]
    asked = told["question"].items()
    told["question"] = {kind: dict.fromkeys(codes, each) if isinstance(each, str) else each for kind, each in asked}
    return PhantomWording(**told)


WORDING: Mapping[str, PhantomWording] = MappingProxyType(
    {language: _wording(language) for language in ("en", "it", "zh")}
)
ENGLISH = WORDING["en"]
