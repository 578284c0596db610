"""The small network the organisms see with: right about phantoms, from pixels alone, and aware of empty pictures."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from snellen.benchmarks.phantoms import load
from snellen.errors import ImageError
from snellen.images import Encoder, encode
from snellen.items import Item
from snellen.models.organisms import vision
from snellen.models.organisms.sight import Percept
from snellen.models.organisms.vision import look
from steps import lines_run

FRESH = load(items=60, seed=90_001).items
ENCODED = Encoder()


@pytest.fixture(scope="module")
def percepts() -> dict[str, Percept]:
    """What is seen in each of the fresh items' pictures."""
    seen = {image.fingerprint: look(ENCODED(image).data) for image in dict.fromkeys(i.images[0] for i in FRESH)}
    return {item.id: seen[item.images[0].fingerprint] for item in FRESH}


def agrees(item: Item, percept: Percept) -> bool:
    """Whether what was seen answers the item's own question."""
    phantom, kind = item.images[0].source, item.metadata["question_kind"]
    asked = "finding" if kind == "presence" else kind
    return percept.modality == phantom.modality and getattr(percept, asked) == getattr(phantom, asked)


def share_right(items: list[Item], percepts: dict[str, Percept]) -> float:
    """The share of the items whose question is answered by what was seen."""
    return float(np.mean([agrees(item, percepts[item.id]) for item in items]))


def test_it_answers_nine_of_ten_questions(percepts):
    """On patients it was never trained on, it is right about the attribute each question asks for."""
    assert share_right(list(FRESH), percepts) >= 0.9


@pytest.mark.parametrize("modality", ["chest X-ray", "brain MRI", "OCT", "fundus photograph"])
def test_no_modality_is_its_blind_spot(percepts, modality):
    """Each modality by itself is read well."""
    assert share_right([item for item in FRESH if item.category == modality], percepts) >= 0.9


def test_it_always_knows_the_modality(percepts):
    """Modalities are never confused."""
    assert [item.id for item in FRESH if percepts[item.id].modality != item.category] == []


def test_confidence_means_something(percepts):
    """Where it is surer of the finding it is right more often."""
    hits = [percepts[i.id].finding == i.metadata["finding"] for i in FRESH]
    sure = [percepts[i.id].confidence["finding"] for i in FRESH]
    assert all(0 < value <= 1 for value in sure)
    assert np.mean(sure) == pytest.approx(np.mean(hits), abs=0.1)


@pytest.mark.parametrize("shade", [0, 60, 128, 255])
@pytest.mark.parametrize("shape", [(512, 512), (512, 512, 3), (40, 90), (1, 1)])
def test_an_even_shade_shows_nothing(shade, shape):
    """Black, white and grey pictures of any size are recognised as empty."""
    assert look(encode(np.full(shape, shade, np.uint8)).data).modality == "none"


@pytest.mark.parametrize("seed", range(4))
def test_noise_shows_nothing(seed):
    """Pure noise, grey or coloured, is recognised as empty."""
    rng = np.random.default_rng(seed)
    for shape in ((512, 512), (300, 700, 3)):
        assert look(encode(rng.integers(0, 256, shape, dtype=np.uint8)).data).modality == "none"


def test_another_size_and_format_make_no_difference():
    """A phantom halved in size and stored as JPEG is read as before."""
    items = [item for item in FRESH if item.metadata["question_kind"] == "finding"][:12]
    same = 0
    for item in items:
        pixels = cv2.resize(item.images[0].pixels(), (256, 256), interpolation=cv2.INTER_AREA)
        data = cv2.imencode(".jpg", pixels if pixels.ndim == 2 else pixels[:, :, ::-1])[1].tobytes()
        same += look(data).finding == look(ENCODED(item.images[0]).data).finding
    assert same == len(items)


def test_a_mirrored_picture_changes_the_side():
    """The side is read from the picture: mirrored, left becomes right."""
    sided = [item for item in FRESH if item.images[0].source.side in ("left", "right")][:24]
    swapped = 0
    for item in sided:
        mirrored = encode(np.ascontiguousarray(item.images[0].pixels()[:, ::-1])).data
        swapped += {look(ENCODED(item.images[0]).data).side, look(mirrored).side} == {"left", "right"}
    assert swapped >= 20


def test_threads_agree():
    """Many threads at once see the same."""
    data = [ENCODED(item.images[0]).data for item in FRESH[:6]]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(look, data * 4)) == [look(each) for each in data] * 4


def test_a_file_that_is_no_image_is_refused():
    """Unreadable bytes raise our own error."""
    with pytest.raises(ImageError):
        look(b"not an image")


def test_a_look_takes_few_steps():
    """It is made of operations on whole arrays: some 3,000 lines of Python."""
    data = [ENCODED(item.images[0]).data for item in FRESH[:4]]
    look(data[0])
    assert max(lines_run(partial(look, each)) for each in data) < 10_000


def test_the_weights_are_small():
    """The stored network is at most 1.5 MB."""
    assert vision.WEIGHTS.stat().st_size <= 1_500_000


def test_it_sees_pixels_only():
    """The network imports nothing of the data sets: what it knows of a phantom it was taught."""
    tree = ast.parse(Path(vision.__file__).read_text(encoding="utf-8"))
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any(str(name).startswith("snellen.benchmarks") for name in imported)


def test_a_convolution_is_a_convolution():
    """One matrix product gives what OpenCV's filter gives, at every stride."""
    rng = np.random.default_rng(0)
    picture, kernel = rng.normal(size=(16, 16, 1)).astype(np.float32), rng.normal(size=(3, 3, 1, 1)).astype(np.float32)
    expected = cv2.filter2D(picture[:, :, 0], -1, kernel[:, :, 0, 0], borderType=cv2.BORDER_CONSTANT)
    for stride in (1, 2, 4):
        actual = vision._convolve(picture, kernel, stride)[:, :, 0]
        np.testing.assert_allclose(actual, expected[::stride, ::stride], atol=1e-5)
