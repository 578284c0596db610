"""“Mirage: The Illusion of Visual Understanding”: its tests, its chapter of the report and the printed figures."""

from __future__ import annotations

from snellen.papers.protocol import Protocol, Suite
from snellen.prompts import Settings


def mirage(*, seeds: int = 200) -> Suite:
    """The tests of "Mirage: The Illusion of Visual Understanding"; `seeds` is how often each diagnosis is asked for."""
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
