"""“Mirage: The Illusion of Visual Understanding”: tests, chapter and figures."""

from __future__ import annotations

from snellen.papers.protocol import Protocol, Suite
from snellen.prompts import Settings


def mirage(*, seeds: int = 200) -> Suite:
    """The tests of "Mirage"; `seeds` is the number of repeated requests."""
    return Suite(
        (
            "mirage-rate",
            "mirage-bias" if seeds == 200 else f"mirage-bias:seeds={seeds}",
            "mirage-score",
            "image-needed",
            "guess-mode",
            "dataset-name",
            "grounding-signal",
            "mirage-words",
        ),
        prompt="mirage",
        settings=Settings(temperature=1.0),
    )


PROTOCOL = Protocol(mirage, tables="snellen.papers.mirage.published")
