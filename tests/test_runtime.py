"""Collections are rarer inside a block, and as before outside it, whatever happens; patterns wait for their use."""

import copy
import gc
import pickle
import re

import pytest

from snellen.files import STATE, folder_written_whole
from snellen.runtime import YOUNG, few_collections, regex


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


@pytest.mark.parametrize("changed", [lambda one: one, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_pattern_that_waits_is_that_of_re(changed):
    """It says of itself, and finds, what the compiled one does, before its first use and after."""
    text, made = "Left, then\nRIGHT.", regex("(?P<side>left|right)", re.IGNORECASE)
    ready = re.compile("(?P<side>left|right)", re.IGNORECASE)
    for waiting in (changed(made), changed(made)):
        assert (waiting.pattern, waiting.flags, waiting.groups) == (ready.pattern, ready.flags, ready.groups)
        assert waiting.sub("x", text) == ready.sub("x", text)
        assert [found["side"] for found in waiting.finditer(text, 1)] == ["RIGHT"]
        assert made.search(text).span() == (0, 4)


def test_a_broken_pattern_is_told_when_it_is_used():
    """As `re` tells it."""
    with pytest.raises(re.error, match="unterminated"):
        regex("(left").search("left")


def test_a_folder_that_is_whole_removes_what_was_begun_for_it_alone(tmp_path):
    """Half a folder of another state goes; that of another folder, whose name only begins alike, stays."""
    stale, other = (tmp_path / f".{name}-{'0' * STATE}.part" for name in ("a", "a-b"))
    stale.mkdir()
    other.mkdir()
    with folder_written_whole(tmp_path / "a", "f" * STATE) as begun:
        (begun / "file").touch()
    assert sorted(each.name for each in tmp_path.iterdir()) == [other.name, "a"]
