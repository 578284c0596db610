"""`snellen benchmark degrade`, as a user meets it."""

import json
from functools import partial
from types import SimpleNamespace

import pytest

from cli.test_cli import snellen
from image_files import GREY, png
from snellen import cluster
from snellen.cli import degrade, terminal
from snellen.errors import ClusterError
from snellen.tools.degrade import Progress


@pytest.fixture
def typed(tmp_path):
    """A function that types the command beside a folder of images and gives what it prints; it checks how it ended."""
    (tmp_path / "images").mkdir()
    for name in ("a.png", "b.png"):
        (tmp_path / "images" / name).write_bytes(png(GREY))
    (tmp_path / "images" / "bad\x1b[2J.png").write_bytes(b"no image")
    command = partial(snellen, "benchmark", "degrade", cwd=tmp_path)
    return lambda *words, status=0: " ".join(command(*words, status=status).split())


def test_copies_and_what_was_left_out_are_told(typed, tmp_path):
    """How many, with which settings, where; a second time nothing is made; hostile names are inert."""
    words = ("images", "--artefacts", "noise", "--artefacts", "crop,0.3", "--out", "out", "--modality", "brain MRI")
    said = typed(*words, "--workers", "1")
    assert said.startswith("4 copies of 2 of 3 images written in ")
    assert "(2 artefacts, settings for MRI, seed 0, cpu); 1 file left out. " in said
    assert "left out: 1 file: is not a readable image (8 bytes) (bad⟨U+001B⟩[2J.png)" in said
    assert (tmp_path / "out" / "crop-0.3" / "a.png").is_file()
    said = typed(*words, "--workers", "1")
    assert said.startswith("0 copies of 0 of 3 images written in ")
    assert "; the copies of 2 were there already; 1 file left out. " in said


def test_a_gpu_makes_the_copies_of_the_processor(typed, tmp_path):
    """`--device cuda` needs neither torch nor a GPU, says that it has no effect, and either goes on with the other."""
    words = ("images", "--artefacts", "motion", "--workers", "1", "--out")
    assert "--device cuda has no effect" in typed(*words, "out", "--device", "cuda")
    typed(*words, "other")
    one, other = ((tmp_path / out / "motion-weak" / "a.png").read_bytes() for out in ("out", "other"))
    assert one == other
    assert typed(*words, "out").startswith("0 copies of 0 of 3 images written in ")


def test_ctrl_c_keeps_what_there_is(typed, tmp_path, monkeypatch):
    """The command says how to go on, and goes on."""

    def stopped(progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(degrade, "describe_progress", stopped)
    words = ("images", "--artefacts", "noise", "--out", "out", "--workers", "1")
    assert "All copies so far are kept. Run the same command to continue." in typed(*words, status=130)
    monkeypatch.undo()
    rows = (tmp_path / "out" / "manifest.jsonl").read_text().splitlines()
    assert {"a.png", "b.png"} < {json.loads(row).get("image") for row in rows}


def test_bad_input_is_one_sentence(typed, tmp_path, monkeypatch):
    """What there is not and what cannot be; nothing is made by then."""

    def silent(address):
        raise ClusterError("No Ray cluster answers at 127.0.0.1:1.")

    monkeypatch.setattr(cluster, "_ray", lambda address: SimpleNamespace(is_initialized=lambda: False))
    monkeypatch.setattr(cluster, "_try", silent)
    (tmp_path / "images" / "none").mkdir()
    (tmp_path / "images" / "none" / "words.txt").touch()
    for words, said in (
        (("--artefacts", "fog", "--out", "out"), "There is no artefact 'fog'."),
        (("--artefacts", "noise", "--out", "images/out"), "Choose another --out."),
        (("--artefacts", "noise", "--out", "out", "--on", "ray://"), "Expected --on ray"),
        (("--artefacts", "noise", "--out", "out", "--on", "ray://127.0.0.1:1"), "No Ray cluster answers"),
    ):
        assert said in typed("images", *words, status=1)
    assert "holds no image" in typed("images/none", "--artefacts", "noise", "--out", "out", status=1)
    assert not (tmp_path / "out").exists()


def test_how_far_it_is(capsys, monkeypatch):
    """Without a terminal, a line now and then has the rate and the time left."""
    monkeypatch.setattr(terminal, "LINE_EVERY", 0)
    with terminal.ProgressBars() as bars:
        for done in (4, 1_000):
            far = Progress(done=done, total=4_000, left_out=0, seconds=10.0)
            bars("degrading", done, 4_000, degrade.describe_progress(far))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "degrading 4 of 4,000 0.4/s"
    assert second == "degrading 1,000 of 4,000 100/s · 30 s left"
