"""The Italian clinical questions: printed figures, recomputed from the public responses."""

from __future__ import annotations

from snellen.papers.protocol import Protocol

PROTOCOL = Protocol(tables="snellen.papers.italian.published")
