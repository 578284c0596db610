"""The Italian clinical questions, whose responses are public: the printed figures, recomputed from them."""

from __future__ import annotations

from snellen.protocols.protocol import Protocol

PROTOCOL = Protocol(tables="snellen.protocols.italian.published")
