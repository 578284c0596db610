"""Every word the phantoms' questions use, by language."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.benchmarks.phantoms.wording.chinese import CHINESE
from snellen.benchmarks.phantoms.wording.english import ENGLISH
from snellen.benchmarks.phantoms.wording.italian import ITALIAN
from snellen.benchmarks.phantoms.wording.wording import Wording

__all__ = ["ENGLISH", "WORDING", "Wording"]

WORDING: Mapping[str, Wording] = {"en": ENGLISH, "it": ITALIAN, "zh": CHINESE}
