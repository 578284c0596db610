"""Degraded copies made on a Ray cluster: those of one machine, to the byte."""

import json
from contextlib import nullcontext

import numpy as np
import pytest

from image_files import png
from snellen.cluster import connected
from snellen.conditions import ImageDegraded
from snellen.errors import ClusterError, LostError
from snellen.perturb.artefacts import ARTEFACTS
from snellen.tools.degrade import Task, degrade_folder


@pytest.fixture(scope="module")
def cluster():
    """A cluster on this machine, for all tests here; whoever asks for `ray` is given it."""
    with connected("ray") as own:
        yield own


@pytest.fixture
def folder(tmp_path):
    """Nine pictures, some in a sub-folder."""
    (tmp_path / "images" / "sub").mkdir(parents=True)
    for number in range(9):
        pixels = np.random.default_rng(number).integers(0, 256, (40, 32), dtype=np.uint8)
        (tmp_path / "images" / ("sub" if number % 2 else "") / f"{number}.png").write_bytes(png(pixels))
    return tmp_path / "images"


def made(out):
    """Every copy, and the lines of the manifest in one order."""
    copies = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.png")}
    rows = map(json.loads, (out / "manifest.jsonl").read_text().splitlines())
    return copies, sorted(rows, key=lambda row: (row.get("image", ""), row.get("artefact", "")))


def test_a_cluster_makes_the_same(folder, tmp_path, cluster):
    """Copies and lines are those of one process, under every artefact; a second run finds all done."""
    every = tuple(ImageDegraded(name) for name in ARTEFACTS)
    alone, there = (Task(folder, tmp_path / name, every) for name in ("alone", "there"))
    degrade_folder(alone, workers=1)
    assert degrade_folder(there, on="ray").copies == 9 * len(ARTEFACTS)
    assert made(there.out) == made(alone.out)
    assert degrade_folder(there, on="ray").copies == 0


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
    monkeypatch.setattr("snellen.tools.degrade.folder.connected", lambda on, needs: nullcontext(Fragile()))
    done = degrade_folder(Task(folder, tmp_path / "out", (ImageDegraded("crop"),)), on="ray")
    assert (done.copies, list(done.examples.values())) == (9, ["poison.png"])


def test_an_address_that_cannot_be_is_told_at_once(folder, tmp_path):
    """Before anything is written."""
    with pytest.raises(ClusterError, match="--on ray"):
        degrade_folder(Task(folder, tmp_path / "out", (ImageDegraded("crop"),)), on="spark")
    assert not (tmp_path / "out").exists()
