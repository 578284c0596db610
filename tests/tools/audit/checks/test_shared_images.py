"""Images shared between training and test and between patients are found, copies too; different images are not."""

import io
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import pytest

from snellen.benchmarks import load
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.tools.audit.audited import Audited, prepare_benchmark
from snellen.tools.audit.checks.shared_images import CHECK
from snellen.tools.audit.looks import look_of

DATA = Path(__file__).parents[5] / "shared" / "data" / "vqa-rad"
SIDES = (Option("Left"), Option("Right"))


def film(seed):
    """A smooth picture with details of its own."""
    rng = np.random.default_rng(seed)
    coarse = cv2.resize(rng.random((6, 6)).astype(np.float32), (240, 200), interpolation=cv2.INTER_CUBIC)
    fine = cv2.resize(rng.random((40, 40)).astype(np.float32), (240, 200), interpolation=cv2.INTER_CUBIC)
    return np.clip(255 * (0.75 * coarse + 0.25 * fine), 0, 255).astype(np.uint8)


def item(name, pixels, **fields):
    source = pixels if isinstance(pixels, bytes) else Image(pixels).source
    return Item(name, "Which side?", SIDES, 0, images=(Image(source),), **fields)


def jpeg(pixels, quality):
    buffer = io.BytesIO()
    PIL.Image.fromarray(pixels).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


def findings(items, training=()):
    return CHECK.look(Audited("b", tuple(items), tuple(training))).findings


def test_the_same_pixels_are_found_whatever_the_file():
    """A PNG in grey, one in colours that are none, and a BMP are one image."""
    buffer = io.BytesIO()
    PIL.Image.fromarray(film(1)).save(buffer, "BMP")
    coloured = np.repeat(film(1)[..., None], 3, axis=2)
    (finding,) = findings([item("a", film(1)), item("b", coloured), item("c", film(2))], [item("t", buffer.getvalue())])
    assert [each.item_id for each in finding.items] == ["a", "b"]
    assert finding.sentence.startswith("1 of 2 test images (50.0%)")
    assert finding.items[0].with_items == ("t",)


COPIES = {
    "compressed": lambda a: jpeg(a, 30),
    "half the size": lambda a: cv2.resize(a, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA),
    "brighter": lambda a: cv2.add(a, 25),
    "darker by gamma": lambda a: (255 * (a / 255) ** 1.3).astype(np.uint8),
    "cropped": lambda a: np.ascontiguousarray(a[4:-4, 5:-5]),
    "mirrored": lambda a: np.ascontiguousarray(a[:, ::-1]),
}


@pytest.mark.parametrize("kind", COPIES)
def test_changed_copies_look_the_same(kind):
    """A changed copy of a training image is found, and only it."""
    tests = [item("copy", COPIES[kind](film(3))), *(item(f"other {n}", film(n)) for n in range(10, 20))]
    (finding,) = findings(tests, [item("t", film(3)), *(item(f"t {n}", film(n)) for n in range(30, 40))])
    assert [(each.item_id, each.with_items) for each in finding.items] == [("copy", ("t",))]
    assert "look the same" in finding.sentence
    assert "bits of the hash" in finding.items[0].evidence


def test_different_images_are_not_alike():
    """A hundred and twenty images of different patients give no finding."""
    made = [item(str(n), film(n), cluster=str(n)) for n in range(120)]
    assert findings(made[:60], made[60:]) == ()


def test_phantoms_of_different_patients_are_not_alike():
    """Drawn films of one kind look much alike, and are not taken for copies."""
    items = load("phantoms:items=120").items
    assert findings(items[:60]) == ()


@pytest.mark.parametrize(("seed", "first"), [(9, "fundus"), (48, "cxr")])
def test_a_shared_outline_does_not_make_two_images_the_same(seed, first):
    """Fundus photographs have one rim and chests one outline: such pairs are candidates to be read, no finding."""
    items = [each for each in load(f"phantoms:items=200,seed={seed}") if each.id.split("/")[-1].startswith(first)]
    checked = CHECK.look(Audited("b", tuple(items)))
    assert checked.findings == ()
    assert len(checked.lists["look-alikes"]) >= 2
    assert "(look-alikes.txt)" in checked.notes[1]


def test_several_questions_on_one_image_are_normal():
    """Ten test questions of one patient on one image are no finding."""
    assert findings([item(str(n), film(1), cluster="p") for n in range(10)]) == ()


def test_one_image_of_two_patients_is_found():
    """The same pixels, and a compressed copy, under another patient are two findings."""
    one, other = item("1", film(1), cluster="a"), item("2", film(1), cluster="b")
    copied = item("3", jpeg(film(2), 60), cluster="c"), item("4", film(2), cluster="d")
    exact, like = findings([one, other, *copied])
    assert [each.item_id for each in exact.items] == ["1", "2"]
    assert exact.items[0].with_items == ("2",)
    assert {each.item_id for each in like.items} == {"3", "4"}
    assert "looks the same as one of 1 item of another patient (" in like.items[0].evidence


def test_blank_images_are_nobodys():
    """White images of test and training are no leak."""
    white = np.full((64, 64), 255, np.uint8)
    assert (
        findings([item("1", white, cluster="a"), item("2", film(1), cluster="c")], [item("t", white, cluster="b")])
        == ()
    )


def test_what_is_lacking_is_said():
    """Without training items, or without images, a sentence says what cannot be said."""
    alone = CHECK.look(Audited("b", (item("1", film(1)),)))
    assert "no training items" in alone.cannot[0]
    text = CHECK.look(Audited("b", (Item("1", "Which side?", SIDES, 0),)))
    assert text.findings == ()
    assert len(text.cannot) == 1


@pytest.mark.skipif(not DATA.is_dir(), reason="VQA-RAD's files are not there")
def test_vqa_rad_tests_on_images_that_it_trains_on(monkeypatch):
    """202 of 203 images of the authors' test rows and all 240 of testset.json are training images as well."""

    @cache  # both are sets of the same images; each is looked at once, at a quarter of its size
    def looked_at(image):
        read = cv2.imdecode(np.frombuffer(image.read(), np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_4)
        return look_of(read, image.fingerprint)

    monkeypatch.setattr("snellen.tools.audit.looks.look_at", looked_at)
    everything = load(f"vqa-rad:{DATA},split=all")
    marked = load(f"vqa-rad:{DATA},split=authors-test")
    rest = Benchmark("rest", tuple(each for each in everything if each.id not in marked.by_id))
    usual = prepare_benchmark(load(f"vqa-rad:{DATA}"), load(f"vqa-rad:{DATA},split=train"))
    for given, shared, of in ((prepare_benchmark(marked, rest), 202, 203), (usual, 240, 240)):
        checked = CHECK.look(given)
        images, patients = [finding.sentence for finding in checked.findings]
        assert images.startswith(f"{shared} of {of} test images (")
        assert " patients of the test items also have training items" in patients
        (number,) = checked.numbers
        assert (number.estimate.value, number.estimate.n) == (shared / of, of)
