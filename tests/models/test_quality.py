"""The judge of image quality: from pixels alone it tells phantoms that can be read from those that cannot."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.benchmarks import phantoms
from snellen.conditions.degraded import kind_of
from snellen.errors import ImageError
from snellen.images import encode
from snellen.models.organisms import quality as quality_module
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.quality import WEIGHTS, features, judge, judge_quality, quality
from snellen.perturb.artefacts import ARTEFACTS, PUBLISHED, Degradation
from steps import lines_run

FRESH = phantoms.load(task="detection", items=36, seed=90_002).items
OTHERS = sorted(set(ARTEFACTS) - set(PUBLISHED))


@pytest.fixture(scope="module")
def pictures():
    """The fresh phantoms' pixels."""
    return [item.images[0].pixels() for item in FRESH]


@pytest.fixture(scope="module")
def judged_poor(pictures):
    """What the judge says of the first of them with one artefact each, as many of every kind of image."""

    @cache
    def judged_one(artefact, severity, at):
        kind = kind_of(FRESH[at].category)
        drawn = ARTEFACTS[artefact].draw(severity, np.random.default_rng([7, at]), kind=kind)
        return quality(Degradation((drawn,))(pictures[at]))

    def judged_first(artefact, severity, count):
        return [judged_one(artefact, severity, at) for at in range(count)]

    return judged_first


def share_poor(found):
    """The share called too poor."""
    return np.mean([not each.readable for each in found])


def test_clean_pictures_are_readable(pictures):
    """At most three of a hundred are called poor, on patients that it was never trained on."""
    assert share_poor(map(quality, pictures)) <= 0.03


@pytest.mark.parametrize("artefact", PUBLISHED)
def test_strong_artefacts_are_called_poor(judged_poor, artefact):
    """Nine of ten for each artefact of the paper, and mostly by their names."""
    found = judged_poor(artefact, 1.0, 8)
    assert share_poor(found) >= 0.9
    assert np.mean([one.problem == artefact for one in found]) >= 0.7


@pytest.mark.parametrize("artefact", OTHERS)
def test_most_other_strong_artefacts_are_called_poor(judged_poor, artefact):
    """Three of four for each of the others."""
    assert share_poor(judged_poor(artefact, 1.0, 4)) >= 0.75


def test_the_poorer_the_picture_the_surer_the_judge(judged_poor):
    """Over all artefacts, what is called poor grows with severity, from a few to nearly all."""
    shares = [
        np.mean([share_poor(judged_poor(artefact, severity, 3)) for artefact in PUBLISHED])
        for severity in (0.25, 0.5, 0.75, 1.0)
    ]
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] > 0.9


def test_stretched_pictures_are_called_poor_too(pictures):
    """A grey scale that was stretched afterwards hides nothing."""
    for artefact in PUBLISHED:
        drawn = [
            ARTEFACTS[artefact].draw(1.0, np.random.default_rng([8, at]), kind=kind_of(item.category))
            for at, item in enumerate(FRESH[:4])
        ]
        spoilt = [Degradation((part,), "stretched")(p) for part, p in zip(drawn, pictures[:4], strict=True)]
        assert share_poor(map(quality, spoilt)) >= 0.75, artefact


@pytest.mark.parametrize("side", [300, 700])
def test_another_size_is_no_fault(pictures, side):
    """A clean picture may be smaller or larger."""
    resized = [cv2.resize(pixels, (side, side), interpolation=cv2.INTER_AREA) for pixels in pictures[:12]]
    assert share_poor(map(quality, resized)) <= 0.1


def test_every_problem_has_a_name():
    """What the judge can believe in, an organism can say; and every artefact is a problem, under some name."""
    assert set(judge().problems) == set(LANGUAGES["en"].problems)
    assert {name.removesuffix("-as-published") for name in ARTEFACTS} == set(judge().problems)


def test_a_file_is_judged_as_its_pixels_are(pictures):
    """Lossless files change nothing, unreadable ones raise our own error."""
    assert judge_quality(encode(pictures[0]).data) == quality(pictures[0])
    with pytest.raises(ImageError):
        judge_quality(b"not an image")


shapes = st.tuples(st.integers(1, 70), st.integers(1, 70)).flatmap(
    lambda size: st.sampled_from([size, (*size, 3)])
)  # fmt: skip


@settings(deadline=None)
@given(shapes, st.sampled_from([np.uint8, np.uint16]), st.integers(0, 2**32 - 1), st.booleans())
def test_any_picture_can_be_measured(shape, dtype, seed, even):
    """Whatever its size and type: as many finite numbers, the same again, and the picture untouched."""
    rng = np.random.default_rng(seed)
    full = np.iinfo(dtype).max
    pixels = np.full(shape, rng.integers(full + 1), dtype) if even else rng.integers(0, full + 1, shape, dtype)
    before = pixels.copy()
    measured = features(pixels)
    assert measured.shape == judge().middle.shape
    assert np.isfinite(measured).all()
    np.testing.assert_array_equal(measured, features(pixels))
    np.testing.assert_array_equal(pixels, before)
    assert 0 <= quality(pixels).poor <= 1


def test_depth_and_colours_make_no_difference(pictures):
    """A grey picture stored with 16 bits, or as three equal channels, is the same picture."""
    for pixels in [p for p in pictures if p.ndim == 2][:6]:
        for same in (pixels.astype(np.uint16) * 257, cv2.merge([pixels] * 3)):
            np.testing.assert_allclose(features(same), features(pixels), atol=2e-3)


def test_threads_agree(pictures):
    """Many threads at once judge the same."""
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(quality, pictures[:3] * 4)) == [quality(each) for each in pictures[:3]] * 4


def test_noise_is_measured():
    """On an even picture the first measures of edges are the noise's quartiles, at its own spread."""
    noise = np.random.default_rng(0).normal(0.5, 0.05, (512, 512)).astype(np.float32)
    quartiles = np.exp(quality_module._edges(noise)[:3]) - 1e-4
    np.testing.assert_allclose(quartiles, 0.05 * np.array([0.319, 0.674, 1.150]), rtol=0.03)


def test_slopes_are_no_noise():
    """A smooth slope leaves nothing of itself in the high-pass."""
    slope = np.add.outer(np.linspace(0, 0.4, 256), np.linspace(0, 0.4, 256)).astype(np.float32)
    assert np.exp(quality_module._edges(slope)[1]) == pytest.approx(1e-4, rel=0.05)


def test_blocks_are_found():
    """Steps at every eighth pixel are told from steps anywhere else."""
    rng = np.random.default_rng(0)
    blocks = rng.random((32, 32), dtype=np.float32).repeat(8, 0).repeat(8, 1)
    for axis in (0, 1):
        assert quality_module._blocks(blocks, axis)[0] > 3
        assert abs(quality_module._blocks(rng.random((256, 256), dtype=np.float32), axis)[0]) < 0.1
        assert quality_module._blocks(np.roll(blocks, 4, axis), axis)[0] < 0


def test_streaks_lean_to_one_axis():
    """What changes along the rows only has its power there, and turned by a quarter on the other axis."""
    streaks = np.tile(np.random.default_rng(0).random(256, dtype=np.float32), (256, 1))
    _, along, down = quality_module._spectrum(streaks).reshape(3, -1)
    assert (along[1:] > down[1:] + 3).all()
    _, along, down = quality_module._spectrum(np.ascontiguousarray(streaks.T)).reshape(3, -1)
    assert (down[1:] > along[1:] + 3).all()


def test_a_judgement_takes_few_steps(pictures):
    """It is made of operations on whole arrays: some 2,700 lines of Python, however large the picture."""
    quality(pictures[0])
    assert max(lines_run(partial(quality, pixels)) for pixels in pictures[:8]) < 10_000


def test_the_weights_are_small():
    """The stored judge is at most half a megabyte."""
    assert WEIGHTS.stat().st_size <= 500_000


def test_it_sees_pixels_only():
    """Neither the judge nor its measures import the data sets or the artefacts: what they know was learnt."""
    tree = ast.parse(Path(quality_module.__file__).read_text(encoding="utf-8"))
    imported = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert "snellen.images" in imported
    assert not any(name.startswith(("snellen.benchmarks", "snellen.perturb")) for name in imported)
