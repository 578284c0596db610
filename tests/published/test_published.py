"""Printed figures: ours to carry, and equal to the papers'."""

import json
from pathlib import Path

import pytest

from snellen.errors import StudyError
from snellen.published import PAPERS, compared, printed

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "oracles" / "published.json"


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the printed figures are not at {PUBLISHED}")
def test_the_italian_table_is_the_printed_one():
    """Every model and arm, value and interval."""
    table = json.loads(PUBLISHED.read_text())["italian"]["table"]
    ours = {(line.model, line.arm.removeprefix("image-")): list(line.printed) for line in compared("italian")}
    assert ours == {(model, arm): figures for model, arms in table.items() for arm, figures in arms.items()}


@pytest.mark.parametrize("paper", PAPERS)
def test_without_replies_there_is_nothing_to_compare(paper):
    """The printed figures stand alone."""
    assert {line.agrees for line in compared(paper)} == {None}
    assert printed(paper)["paper"]


def test_an_unknown_paper_is_refused():
    """With those there are."""
    with pytest.raises(StudyError, match="There are: italian"):
        printed("nature")
