"""Pictures of a study from the file to the report: rules and sizes stand in the row, black ones are named."""

from dataclasses import replace

import numpy as np
import pytest

from image_files import RGB, deep_png, png
from snellen.cli.terminal import show_results
from snellen.errors import StoreError, StudyError
from snellen.images import USUAL_SIDE, Encoder, Image, encode
from snellen.items import Benchmark
from snellen.models.base import receipt
from snellen.models.fake import FakeModel
from snellen.scoring.result_files import record_results
from snellen.store import Store
from snellen.study import Study
from strategies import items

DEEP = "values 0 to 4,095 of 16 bits shown as 0 to 255: the brightest value fits 12 bits"
SCALED = "scaled down to 64 pixels on the longer side, each the mean of those it covers"


@pytest.fixture
def benchmark(tmp_path):
    """Four questions: one on a plain file, one on a deep one, one on a large one, one on a black one."""
    files = {
        "plain": png(RGB),
        "deep": deep_png((np.arange(120, dtype=np.uint16) * 34).reshape(12, 10)),
        "large": encode(np.tile(np.arange(0, 256, 2, dtype=np.uint8), (40, 1))).data,
        "black": encode(np.zeros((8, 8), np.uint8)).data,
    }
    for name, data in files.items():
        (tmp_path / f"{name}.png").write_bytes(data)
    named = zip(items(4), files, strict=True)
    return Benchmark(
        "b", tuple(replace(item, id=name, images=(Image(tmp_path / f"{name}.png"),)) for item, name in named)
    )


def study(tmp_path, benchmark, **settings):
    """The exam with a side that makes one of the four pictures large."""
    asked = {"models": [FakeModel(lambda request: "Answer: A")], "tests": ["image-needed", "blank-image"], "seed": 1}
    return Study(**{**asked, "benchmarks": [benchmark], "out": tmp_path / "out", "image_side": 64, **settings})


def test_rules_and_sizes_stand_in_the_row(tmp_path, benchmark, capsys):
    """In exported rows, in results.json, in the terminal and in the report; what is plain says nothing."""
    progress = study(tmp_path, benchmark).ask(lambda progress: None)
    results = study(tmp_path, benchmark).score()
    rows = {row["item_id"]: row for row in results.responses() if row["arm"] == "original"}
    told = {name: (row["image_original"], row["image_sent"], row["image_rule"]) for name, row in rows.items()}
    assert told == {
        "plain": ("10x12", "10x12", None),
        "deep": ("10x12", "10x12", DEEP),
        "large": ("128x40", "64x20", SCALED),
        "black": ("8x8", "8x8", None),
    }
    assert {row["image_sent"] for row in results.responses() if row["arm"] == "image-removed"} == {None}
    assert progress.pictures.shades == {"nearly black": ("black",)}
    assert progress.pictures == results.pictures["b"]
    assert record_results(results)["pictures"]["b"] == {
        "pictures": progress.pictures.number,
        "rules": {DEEP: 2, SCALED: 2},  # of the original and of what its blank was made from
        "nearly_black": ["black"],
        "nearly_white": [],
    }
    show_results(results)
    shown, page = capsys.readouterr().out, (results.folder / "report.html").read_text()
    assert page.count("Images as sent") == 1
    for text in (shown, page):
        assert DEEP in text
        assert SCALED in text
        assert "The image of 1 item was sent nearly black" in text


def test_a_scaled_image_can_be_sent_again_as_it_was(tmp_path, benchmark):
    """A judge sees the very bytes that the model saw, though only the path of the original is stored."""
    study(tmp_path, benchmark).ask(lambda progress: None)
    sent = Encoder(side=64)(benchmark.items[2].images[0])
    with Store.open(tmp_path / "out") as store:
        assert store.images.load_encoded(sent.sha256).data == sent.data
        assert store.connections.main.execute("SELECT count(*) FROM images WHERE path IS NOT NULL").fetchone() == (4,)
    assert receipt(sent)[3:] == (SCALED, (128, 40))


def test_another_side_is_another_study_and_the_usual_one_is_none(tmp_path, benchmark):
    """Conditions asked with other images are kept apart; what was stored before there was a side stays the same."""
    plans = [study(tmp_path, benchmark, image_side=side).plan() for side in (None, USUAL_SIDE, 64, 0)]
    records = [plan.arms_of(benchmark)[0].record(1) for plan in plans]
    assert [record.get("image_side", "unsaid") for record in records] == ["unsaid", "unsaid", 64, None]
    assert [plan.image_side for plan in plans] == [2048, 2048, 64, None]
    few = FakeModel(lambda request: "Answer: A")
    few.largest_side = 1568
    assert study(tmp_path, benchmark, models=[few], image_side=None).plan().image_side == 1568
    with pytest.raises(StudyError, match="at least 32 pixels, or 0"):
        study(tmp_path, benchmark, image_side=31)


def test_a_study_begun_by_another_rule_is_not_mixed(tmp_path, benchmark):
    """An item that was sent deep or large before this rule stops the run; bytes of another codec alone do not."""
    study(tmp_path, benchmark, epochs=1).ask(lambda progress: None)

    def altered(change):
        with Store.open(tmp_path / "out", write=True) as store:
            store.connections.main.execute(change)

    altered("UPDATE images SET sha256 = 'other codec' || sha256")
    altered("UPDATE variants SET images = replace(images, '[\"', '[\"other codec')")
    study(tmp_path, benchmark, epochs=2).ask(lambda progress: None)
    altered("UPDATE images SET rule = NULL")
    with pytest.raises(StoreError, match="'deep' under original would differ from the one sent"):
        study(tmp_path, benchmark, epochs=3).ask(lambda progress: None)
