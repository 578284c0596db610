"""A folder degraded on a cluster whose workers are lost; `tests/test_on_ray.py` has it on Ray itself."""

from contextlib import nullcontext

import numpy as np
import pytest

from image_files import png
from snellen.conditions import ImageDegraded
from snellen.errors import ClusterError, LostError
from snellen.tools.degrade import Task, degrade_folder


@pytest.fixture
def folder(tmp_path):
    """Nine pictures, some in a sub-folder."""
    (tmp_path / "images" / "sub").mkdir(parents=True)
    for number in range(9):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 32), dtype=np.uint8)
        (tmp_path / "images" / ("sub" if number % 2 else "") / f"{number}.png").write_bytes(png(pixels))
    return tmp_path / "images"


class Fragile:
    """A cluster of which a worker is lost whenever it is handed poison."""

    def map(self, function, batches, **_):
        for number, (task, sources) in enumerate(batches):
            if any(source.path == "poison.png" for source in sources):
                raise LostError("a worker died")
            yield number, function((task, sources))


def test_a_file_that_ends_its_worker_costs_itself_alone(folder, tmp_path, monkeypatch):
    """What was in flight beside it is done again, and the rest goes on."""
    (folder / "poison.png").write_bytes(png())
    monkeypatch.setattr("snellen.tools.degrade.folder.connect", lambda on, needs: nullcontext(Fragile()))
    done = degrade_folder(Task(folder, tmp_path / "out", (ImageDegraded("crop"),)), on="ray")
    assert (done.copies, list(done.examples.values())) == (9, ["poison.png"])


def test_an_address_that_cannot_be_is_told_at_once(folder, tmp_path):
    """Before anything is written."""
    with pytest.raises(ClusterError, match="--on ray"):
        degrade_folder(Task(folder, tmp_path / "out", (ImageDegraded("crop"),)), on="spark")
    assert not (tmp_path / "out").exists()
