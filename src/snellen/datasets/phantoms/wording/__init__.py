"""Every word the phantoms' questions use, by language."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.datasets.phantoms.wording.chinese import CHINESE
from snellen.datasets.phantoms.wording.english import ENGLISH
from snellen.datasets.phantoms.wording.italian import ITALIAN
from snellen.datasets.phantoms.wording.wording import Wording

__all__ = ["ENGLISH", "WORDING", "Wording"]

WORDING: Mapping[str, Wording] = {"en": ENGLISH, "it": ITALIAN, "zh": CHINESE}
