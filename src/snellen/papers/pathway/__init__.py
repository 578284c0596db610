"""“The Illusion of Clinical Reasoning” (Bones & Joints): eight tasks and figures."""

from __future__ import annotations

from snellen.papers.protocol import Protocol, Suite


def pathway() -> Suite:
    """The eight tasks of "The Illusion of Clinical Reasoning"."""
    return Suite(
        ("pathway-choices", "pathway-answers", "mismatched-image"),
        prompt="pathway",
        benchmark="phantoms:task=pathway",
    )


PROTOCOL = Protocol(pathway, tables="snellen.papers.pathway.published")
