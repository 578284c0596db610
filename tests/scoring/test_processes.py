"""Portions done side by side by processes: in their order, and an error or an end is told."""

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

import cv2
import numpy as np
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


ELSEWHERE = """
import sys
from pathlib import Path
from snellen import cluster
from snellen.tools.degrade import Task, degrade_folder
from snellen.conditions import ImageDegraded
from snellen.images.apart import Worker
if __name__ == "__main__":
    cluster.ANSWERS_WITHIN = 1
    degrade_folder(Task(Path("images"), Path("out"), (ImageDegraded("noise", "weak"),)), workers=2)
    for starts in (lambda: Worker()(Path("none.dcm"), 0), lambda: cluster._try("127.0.0.1:9")):
        try:
            starts()
        except Exception as error:
            print(error)
"""


def test_no_module_of_the_working_folder_takes_the_place_of_another(tmp_path, monkeypatch):
    """A folder from elsewhere may hold a json.py: processes that we start there run nothing of it."""
    for name in ("json", "logging", "multiprocessing", "ray", "signal"):
        (tmp_path / f"{name}.py").write_text(f"open('ran-{name}', 'w')\nraise SystemExit")
    (tmp_path / "images").mkdir()
    for number in range(40):
        cv2.imwrite(str(tmp_path / "images" / f"{number}.png"), np.full((32, 32), number, np.uint8))
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(ELSEWHERE)
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    monkeypatch.chdir(tmp_path)
    assert list(side_by_side(Doubling(), range(3), tell=lambda count: None, processes=2)) == [0, 2, 4]
    assert [path.name for path in tmp_path.glob("ran-*")] == []
    assert len(list((tmp_path / "out").rglob("*.png"))) == 40
