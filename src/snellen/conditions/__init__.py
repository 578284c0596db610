"""Conditions: controlled changes to an item, each with its draw apart from its doing."""

from __future__ import annotations

from snellen.conditions.base import Condition, Drawn, Variant, generator, vary
from snellen.conditions.degraded import STRENGTHS, ImageDegraded
from snellen.conditions.image import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    NO_IMAGE,
    ORIGINAL,
    Given,
    ImageBlank,
    ImageRemoved,
    NoImage,
    Original,
)
from snellen.conditions.named import condition_named
from snellen.conditions.options import DistractorsReplaced, OptionsShuffled, UnknownOffered
from snellen.conditions.pool import Pool
from snellen.conditions.substitution import ImageSubstituted
from snellen.conditions.together import Together

__all__ = [
    "IMAGE_BLANK",
    "IMAGE_REMOVED",
    "NO_IMAGE",
    "ORIGINAL",
    "STRENGTHS",
    "Condition",
    "DistractorsReplaced",
    "Drawn",
    "Given",
    "ImageBlank",
    "ImageDegraded",
    "ImageRemoved",
    "ImageSubstituted",
    "NoImage",
    "OptionsShuffled",
    "Original",
    "Pool",
    "Together",
    "UnknownOffered",
    "Variant",
    "condition_named",
    "generator",
    "vary",
]
