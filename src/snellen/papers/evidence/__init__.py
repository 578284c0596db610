"""Evidence: tests of where in the image an answer comes from, with a chapter."""

from __future__ import annotations

from snellen.papers.evidence.tests.rests_on_finding import DRAWS, FILL, name_test
from snellen.papers.protocol import Protocol, Suite
from snellen.perturb.hidden import Fill

__all__ = ["tests"]


def evidence(*, fill: Fill = FILL, draws: int = DRAWS) -> Suite:
    """Tests of where in the image an answer comes from.

    They need images with marked findings. `fill` covers what is hidden. `draws` is the number of other places that are
    hidden in turn. Only phantoms have images with the finding removed or moved; other benchmarks are not asked these
    two tests. `report-shortcuts` asks for reports, the others ask questions.
    """
    tests = ("label-swaps", "cues", "published-grounding", "finding-removed", "finding-moved", "report-shortcuts")
    return Suite((name_test(fill, draws), *tests))


PROTOCOL = Protocol(evidence)
