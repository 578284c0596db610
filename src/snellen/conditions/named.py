"""Conditions by their label, as arms are named in files."""

from __future__ import annotations

from snellen.conditions.base import Condition
from snellen.conditions.degraded import ImageDegraded
from snellen.conditions.image import ImageBlank, ImageRemoved, NoImage, Original
from snellen.conditions.options import DistractorsReplaced, OptionsShuffled, UnknownOffered
from snellen.conditions.substitution import ImageSubstituted
from snellen.conditions.together import Together
from snellen.plugins import read_settings

KNOWN: dict[str, type[Condition]] = {
    condition.name: condition
    for condition in (
        Original,
        ImageRemoved,
        NoImage,
        ImageBlank,
        ImageDegraded,
        ImageSubstituted,
        OptionsShuffled,
        DistractorsReplaced,
        UnknownOffered,
    )
}


def condition_named(label: str) -> Condition | None:
    """The condition of ours that a label names; None where it is none of ours, StudyError where its settings are off.

    >>> condition_named("image-removed+distractors-replaced:count=2").label
    'image-removed+distractors-replaced:count=2'
    """
    parts = [_single(part) for part in label.split("+")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0] if len(known) == 1 else Together(tuple(known))


def _single(label: str) -> Condition | None:
    name, _, rest = label.strip().partition(":")
    if name not in KNOWN:
        return None
    bare, named = read_settings(KNOWN[name], rest, failure=f"The condition {label!r} cannot be made")
    return KNOWN[name](*bare, **named)
