"""What tests of the papers' printed figures share; each module names its PAPER and the NUMBER of its text."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from snellen.papers import printed

SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.fixture(scope="session")
def oracles():
    """The printed figures of all papers as somebody else wrote them down."""
    published = SHARED / "oracles" / "published.json"
    if not published.exists():
        pytest.skip(f"the printed figures are not at {published}")
    return json.loads(published.read_text())


@pytest.fixture(scope="module")
def oracle(request, oracles):
    """Those of the paper."""
    return oracles[request.module.PAPER]


@pytest.fixture(scope="module")
def text(request):
    """The paper, with its line breaks."""
    paper = next((SHARED / "papers").glob(f"{request.module.NUMBER}_*.txt"), None)
    if paper is None:
        pytest.skip(f"the text of the paper is not in {SHARED / 'papers'}")
    return paper.read_text()


@pytest.fixture
def record(request):
    """The figures, to be changed."""
    return deepcopy(printed(request.module.PAPER))
