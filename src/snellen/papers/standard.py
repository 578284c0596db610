"""The standard exam: what every model should be asked first."""

from __future__ import annotations

from snellen.papers.protocol import Protocol, Suite


def standard() -> Suite:
    """The standard exam."""
    verdicts = ("follows", "honest", "steady")
    published = ("image-needed", "blank-image", "image-used", "rationale", "option-order")
    return Suite((*verdicts, *published, "open-answers", "reports"))


PROTOCOL = Protocol(standard)
