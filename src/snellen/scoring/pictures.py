"""Pictures of a stored study: how many of each benchmark were sent by which rule, and which show next to nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from snellen.asking.asked import limit_asked
from snellen.images import PicturesSent
from snellen.items import Benchmark
from snellen.store import Store


def pictures_sent(
    store: Store, study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark]
) -> dict[str, PicturesSent]:
    """What is known of the pictures of each benchmark that was asked with any; nothing of those that others sent."""
    if "imported" in study:
        return {}
    known = store.images.pictures()
    found = {}
    for name, arms in study["arms"].items():
        items = benchmarks[name].items[: limit_asked(study, name)]
        sent: set[str] = set()
        shades: dict[str, dict[str, None]] = {}
        for digest in arms.values():
            number, _ = store.studies.arm(digest)
            sent |= {each for at, images in store.variants.shown(number).items() if at < len(items) for each in images}
            for at, those in store.variants.shades(number).items():
                for shade in filter(None, those if at < len(items) else ()):
                    shades.setdefault(shade, {})[items[at].id] = None
        rules = Counter(rule for each in sent if each in known for rule in known[each].rule.split("; ") if rule)
        if sent:
            found[name] = PicturesSent(len(sent), rules, {shade: tuple(those) for shade, those in shades.items()})
    return found
