"""For an audit, loaders keep items whose images are missing or unreadable; an exam of such an item stops."""

import json

import numpy as np
import pytest

from snellen import Study
from snellen.benchmarks import load
from snellen.errors import BrokenRowsError, DataError, ImageError
from snellen.images import Image, Unreadable, encode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel

FILM = encode(np.random.default_rng(0).integers(0, 255, (40, 40), dtype=np.uint8)).data


def folder(path):
    row = {"question": "Effusion?", "options": ["Yes", "No"], "answer": "A"}
    rows = [{**row, "id": "good", "image": "a.png"}, {**row, "id": "gone", "image": "b.png"}]
    (path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (path / "a.png").write_bytes(FILM)
    return path


def test_an_unreadable_image_has_a_name_and_a_reason_and_nothing_else():
    """It is known by its name; reading, decoding and sending raise the reason."""
    image = Image(Unreadable("b.png", "image 'b.png' is not there"))
    assert image.fingerprint == Image(Unreadable("b.png", "another reason")).fingerprint
    assert image.fingerprint != Image(Unreadable("c.png", "image 'b.png' is not there")).fingerprint
    assert (image.name, image.path) == ("b.png", None)
    for made in (image.read, image.pixels, image.encoded, image.then(lambda pixels: pixels).encoded):
        with pytest.raises(ImageError, match="is not there"):
            made()


def test_a_folder_keeps_the_item_for_an_audit(tmp_path):
    """Strict as ever by default; with keep_unreadable the item is there and says what is wrong."""
    with pytest.raises(BrokenRowsError):
        load(folder(tmp_path))
    assert [item.id for item in load(tmp_path, allow_broken=True)] == ["good"]
    good, gone = load(tmp_path, keep_unreadable=True)
    assert good.images[0].pixels().shape == (40, 40)
    assert gone.images[0].source == Unreadable("b.png", "image 'b.png' is not there, or not a file")


def test_classes_keep_a_damaged_image(tmp_path):
    """A damaged file in a class is an item too."""
    for label in ("normal", "glioma"):
        (tmp_path / label).mkdir()
        (tmp_path / label / "a.png").write_bytes(FILM if label == "normal" else FILM[:-20])
    with pytest.raises(DataError):
        load(f"classes:{tmp_path}")
    kept = load(f"classes:{tmp_path}", keep_unreadable=True)
    assert sorted(isinstance(item.images[0].source, Unreadable) for item in kept) == [False, True]


def test_benchmarks_that_read_no_files_have_no_use_for_it():
    """Phantoms are drawn, and load as ever."""
    assert load("phantoms:items=4", keep_unreadable=True).items == load("phantoms:items=4").items


def test_an_exam_with_an_unreadable_image_stops(tmp_path):
    """No question goes out without its image, and the item is named."""
    (tmp_path / "b").mkdir()
    kept = load(folder(tmp_path / "b"), keep_unreadable=True)
    model = FakeModel(lambda request: "A", name="fake/m")
    study = Study(models=[model], benchmarks=[Benchmark("b", kept.items)], tests=["image-needed"], out=tmp_path / "out")
    with pytest.raises(ImageError, match=r"'gone'.*The run stops"):
        study.ask(lambda progress: None)
