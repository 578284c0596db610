"""The standard exam."""

from __future__ import annotations

from snellen.papers.protocol import Protocol, Suite


def standard() -> Suite:
    """The standard exam: the tests to run first on any model."""
    verdicts = ("follows", "honest", "steady")
    published = ("image-needed", "blank-image", "image-used", "rationale", "option-order")
    return Suite((*verdicts, *published, "open-answers", "reports"))


PROTOCOL = Protocol(standard)
