"""Reports in benchmarks: what is asked for, and the reference of findings and impression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.benchmarks.answers import as_text

ASKED = "Write the report of this {image}."
SECTIONS = ("findings", "impression")
_OF_QUESTIONS = {"question", "input", "options", "choices", "answer", "target", "answers"}


def reference_of(findings: str, impression: str) -> str:
    """The reference of a report item; a section that there is not is left out with its heading.

    >>> reference_of("Clear lungs.", "")
    'FINDINGS: Clear lungs.'
    """
    parts = zip(SECTIONS, (findings, impression), strict=True)
    return "\n\n".join(f"{name.upper()}: {text.strip()}" for name, text in parts if text.strip())


def is_report(left: Mapping[str, Any]) -> bool:
    """Whether a row asks for a report: it says so, or has sections of one and neither question nor answer."""
    if "kind" in left:
        return bool(left["kind"] == "report")
    return not left.keys().isdisjoint(SECTIONS) and left.keys().isdisjoint(_OF_QUESTIONS)


def asked_for(left: Mapping[str, Any]) -> str:
    """What is asked for in a row that says no question of its own, by the modality that it names."""
    named = left.get("modality")
    return ASKED.format(image=named if isinstance(named, str) and named.strip() else "image")


def take_sections(left: dict[str, Any]) -> str:
    """The reference in a row's `findings` and `impression`, taken out of it; "" where it has neither."""
    found = [as_text(left.pop(name), f"its {name}") if name in left else "" for name in SECTIONS]
    return reference_of(*found)
