"""How far the missing-image parser agrees with the labels of the rows kept for testing; writes what the report quotes.

Run as `python research/missing_image/measure.py`.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from snellen.judging.qualify import qualify
from snellen.judging.qualify.missing_image import flagging
from snellen.stats import Estimate

HERE = Path(__file__).parent
LABELLED = HERE.parents[1] / "tests" / "data" / "labelled" / "missing_image.jsonl"
FILE = "agreement.json"


def rows(split: str) -> list[dict[str, Any]]:
    """The labelled replies of a split."""
    lines = LABELLED.read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


KEPT_APART = {
    "test": "replies of our own that are hard on purpose, in six languages",
    "log": "replies of our own that imitate a plain log of chat models",
}
"""The splits that nobody who wrote the rules has seen."""


def measured() -> list[dict[str, Any]]:
    """For each split kept apart: Cohen's κ over the six labels, and on whether a reply is flagged, with intervals."""
    return [_measured(split) for split in KEPT_APART]


def _measured(split: str) -> dict[str, Any]:
    done = qualify("missing-image", rows(split))
    return {
        "of": KEPT_APART[split],
        "n": done.kappa.n,
        "kappa": _ends(done.kappa),
        "flagged_kappa": _ends(flagging(done).kappa),
    }


def _ends(estimate: Estimate) -> list[float]:
    return [round(end, 3) for end in (estimate.value, estimate.low, estimate.high)]


if __name__ == "__main__":
    found = json.dumps(measured(), indent=2)
    Path(str(files("snellen.reading.missing_image").joinpath(FILE))).write_text(f"{found}\n", encoding="utf-8")
    print(found)
