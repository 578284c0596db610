"""Portions done side by side by processes: in their order, and an error or an end is told."""

import os
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from snellen.errors import StoreError, StudyError
from snellen.scoring.processes import processes_for, side_by_side


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers, prints, and fails or ends over some."""

    @contextmanager
    def begun(self, tell):
        """What is done with a number."""

        def do(number):
            print("this is no answer")
            if number == 7:
                raise StudyError("seven cannot be doubled")
            if number == 8:
                os._exit(3)
            tell(number)
            return 2 * number

        yield do


def test_everything_is_done_in_order():
    """Whichever process does it."""
    heard = []
    assert list(side_by_side(Doubling(), range(6), tell=heard.append, processes=2)) == [0, 2, 4, 6, 8, 10]
    assert sorted(heard) == list(range(6))


@pytest.mark.parametrize(("number", "error", "words"), [(7, StudyError, "seven"), (8, StoreError, "exit status 3")])
def test_an_error_and_an_end_are_told(number, error, words):
    """An error as it was raised; a process that is gone by a sentence."""
    with pytest.raises(error, match=words):
        list(side_by_side(Doubling(), [1, number], tell=lambda count: None, processes=1))


def test_small_studies_start_no_process():
    """Nor does a study of one model on one benchmark."""
    assert processes_for(1000, 50) == processes_for(10**7, 1) == 1
