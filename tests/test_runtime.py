"""Collections are rarer inside the block, and as before outside it, whatever happens."""

import gc

import pytest

from snellen.runtime import YOUNG, few_collections


def fails(before):
    with few_collections():
        assert gc.get_threshold() == (YOUNG, *before[1:])
        assert gc.get_freeze_count() > 0
        raise ZeroDivisionError


def test_the_collector_is_as_it_was_afterwards():
    """Also where the block fails."""
    before = gc.get_threshold()
    with pytest.raises(ZeroDivisionError):
        fails(before)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
