"""Regions: body parts, and those that an image of another part may also show. In doubt, an image may show them."""

from __future__ import annotations

import re

from snellen.perturb.topics import parts_of
from snellen.runtime import regex

TOGETHER = {
    "brain": ("eye", "head and neck", "spine"),
    "eye": ("brain", "head and neck"),
    "head and neck": ("brain", "eye", "spine", "chest", "arm"),
    "chest": ("head and neck", "spine", "abdomen", "arm"),
    "abdomen": ("chest", "spine", "pelvis", "leg"),
    "pelvis": ("abdomen", "spine", "leg"),
    "spine": ("brain", "head and neck", "chest", "abdomen", "pelvis", "leg"),
    "arm": ("chest", "head and neck"),
    "leg": ("pelvis", "abdomen", "spine"),
}
"""Per region, others that its images may show: a chest film shows a shoulder, one of the hip the lower spine."""
REGIONS = frozenset(TOGETHER)
_EVERYWHERE = regex(r"\b(?:whole|entire|total|full)[ -]?body\b|\btrunk\b|\btorso\b|全身", re.IGNORECASE)


def regions_of(text: str) -> frozenset[str]:
    """Return the body regions that a text names.

    Tissues that are everywhere, such as bone or skin, do not count.

    >>> sorted(regions_of("left knee joint")), sorted(regions_of("lung")), sorted(regions_of("bone"))
    (['leg'], ['chest'], [])
    """
    return REGIONS if _EVERYWHERE.search(text) else parts_of(text) & REGIONS


def may_be_shown(regions: frozenset[str]) -> frozenset[str]:
    """Return all regions that images of these may show.

    >>> sorted(may_be_shown(regions_of("shoulder")))
    ['arm', 'chest', 'head and neck']
    """
    return regions.union(*(TOGETHER[region] for region in regions))
