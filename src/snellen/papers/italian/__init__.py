"""The Italian clinical questions, whose responses are public: the printed figures, recomputed from them."""

from __future__ import annotations

from snellen.papers.protocol import Protocol

PROTOCOL = Protocol(tables="snellen.papers.italian.published")
