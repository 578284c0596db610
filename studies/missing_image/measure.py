"""How far the missing-image reader agrees with the labels of the rows kept for testing; writes what the report quotes.

    python studies/missing_image/measure.py
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from snellen.qualify import flagging, qualify
from snellen.stats import Estimate

HERE = Path(__file__).parent
FILE = "missing_image_agreement.json"


def rows(split: str) -> list[dict[str, Any]]:
    """The labelled replies of a split."""
    lines = (HERE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["split"] == split]


def measured() -> dict[str, Any]:
    """Cohen's κ over the six labels, and on whether a reply is flagged, with intervals."""
    kept = rows("test")
    done = qualify("missing-image", kept)
    languages = len({row["language"] for row in kept})
    return {
        "n": len(kept),
        "kappa": _ends(done.kappa),
        "flagged_kappa": _ends(flagging(done).kappa),
        "of": f"hard replies of our own in {languages} languages, kept apart while the rules were written",
    }


def _ends(estimate: Estimate) -> list[float]:
    return [round(end, 3) for end in (estimate.value, estimate.low, estimate.high)]


if __name__ == "__main__":
    found = json.dumps(measured(), indent=2)
    Path(str(files("snellen.grading").joinpath(FILE))).write_text(f"{found}\n", encoding="utf-8")
    print(found)
