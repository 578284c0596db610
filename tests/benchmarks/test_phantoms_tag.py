"""Tagged phantoms: letters in a corner that agree with the answer in a known share of the items."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.benchmarks.phantoms import load
from snellen.errors import StudyError
from snellen.images.tags import find_corner, tag_of


def agreeing(share: float, items: int = 1000) -> float:
    """The share of items whose tag is that of the right option."""
    tagged = [(item.images[0].steps[-1].letters, item.options[item.answer]) for item in load(items=items, tag=share)]
    return float(np.mean([letters == tag_of(right.text) for letters, right in tagged]))


def test_the_tag_agrees_with_the_answer_as_often_as_is_asked() -> None:
    """All tags with 1; with 0, as many as by chance (n = 1,000; four standard errors)."""
    chance = np.mean([1 / len(item.options) for item in load(items=1000)])
    for share in (0.0, 0.5, 0.9, 1.0):
        expected = share + (1 - share) * chance
        assert abs(agreeing(share) - expected) <= 4 * np.sqrt(expected * (1 - expected) / 1000), share


def test_a_tag_changes_its_corner_alone() -> None:
    """The rest of the image is the phantom's, and the region of the tag is that corner."""
    for plain, tagged in zip(load(items=4), load(items=4, tag=1), strict=True):
        [region] = [each for each in tagged.images[0].regions if each.finding == "tag"]
        assert region.shape == find_corner(512, 512)
        before, after = plain.images[0].pixels(), tagged.images[0].pixels()
        differs = (before != after).reshape(512, 512, -1).any(axis=2)
        assert differs.any()
        assert not differs[~region.pixels((512, 512))].any()


def test_a_counterpart_keeps_the_tag() -> None:
    """Only the finding differs between the two images of a pair."""
    for item in load(task="counterfactual", items=8, tag=1):
        assert {each.images[0].steps[-1].letters for each in item.substitutes} == {item.images[0].steps[-1].letters}


def test_more_items_and_another_share_leave_the_questions_as_they_are() -> None:
    """An item depends on seed and place only."""
    few, many, other = load(items=5, tag=0.5), load(items=9, tag=0.5), load(items=5, tag=0.2)
    assert few.items == many.items[:5]
    assert [item.question for item in few] == [item.question for item in other]


def test_reports_have_no_tag() -> None:
    """A tag stands for an option."""
    assert load(task="report", items=3, tag=1).digest == load(task="report", items=3).digest


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_is_from_0_to_1(share: float) -> None:
    """Other shares are refused."""
    with pytest.raises(StudyError, match="from 0 to 1"):
        load(tag=share)
