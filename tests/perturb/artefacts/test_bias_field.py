"""Bias field: a smooth factor, by hand where that is easy."""

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.conditions import ImageDegraded
from snellen.conditions.degraded import kind_of
from snellen.perturb.artefacts import BiasField, Degradation
from snellen.perturb.artefacts.bias_field import MOST_WHITE, POWERS


def field(shape, **coefficients):
    values = {tuple(map(int, name[1:])): value for name, value in coefficients.items()}
    return BiasField(tuple(values.get(power, 0.0) for power in POWERS))(np.ones(shape, dtype=np.float32))


def test_one_coefficient_at_a_time():
    """The constant brightens all; y runs down from −1 to 1, x across; the powers are those of the formula."""
    assert POWERS == ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0))
    np.testing.assert_allclose(field((2, 3), c00=0.5), np.full((2, 3), np.exp(0.5)), rtol=1e-6)
    np.testing.assert_allclose(field((1, 3), c01=0.5), np.exp([[-0.5, 0, 0.5]]), rtol=1e-6)
    np.testing.assert_allclose(field((5, 1), c30=1), np.exp([[-1], [-0.125], [0], [0.125], [1]]), rtol=1e-6)
    np.testing.assert_allclose(field((2, 2), c11=0.7), np.exp([[0.7, -0.7], [-0.7, 0.7]]), rtol=1e-6)


def test_colours_share_one_field():
    """The field is of the place, not of the colour."""
    picture = np.random.default_rng(1).random((6, 5, 3), dtype=np.float32)
    drawn = BiasField.draw(1.0, np.random.default_rng(2), kind="MRI")
    factor = drawn(picture) / picture
    np.testing.assert_allclose(factor, factor[..., :1].repeat(3, axis=2), rtol=1e-5)


def test_coefficients_are_even_over_their_range():
    """Over many draws they fill −1.8 to 1.8, and a weaker field is the same with smaller ones."""
    values = np.array([BiasField.draw(1, np.random.default_rng(i), kind="OCT").coefficients for i in range(400)])
    assert np.abs(values).max() <= 1.8
    assert values.std() == pytest.approx(1.8 / np.sqrt(3), rel=0.05)
    weak = BiasField.draw(0.5, np.random.default_rng(0), kind="OCT").coefficients
    np.testing.assert_allclose(np.array(weak) / 0.7, values[0] / 1.8)


@pytest.mark.parametrize("modality", ["cxr", "mri", "oct", "fundus"])
def test_tissue_is_seldom_lost_in_white_or_black(modality):
    """Over 32 weak draws, at most 2% of the tissue becomes black or white, and a strong field whitens no more."""
    items = load(f"phantoms:items=8,modality={modality},seed=3").items
    pictures = [item.images[0].pixels()[::8, ::8] for item in items]
    for draw in range(32):
        before, kind = pictures[draw % 8], kind_of(items[0].category)
        tissue = _brightest(before) >= 13
        for severity, ends in ((0.5, (0, 255)), (1.0, (255,))):
            drawn = BiasField.draw(severity, np.random.default_rng(draw), kind=kind)
            after = _brightest(Degradation((drawn,))(before))
            assert np.isin(after, ends)[tissue].mean() <= 0.02


def _brightest(pixels):
    return pixels if pixels.ndim == 2 else pixels.max(axis=2)


def test_only_a_share_of_what_is_lit_becomes_white():
    """By hand: of 100 lit pixels one may pass white; black ones do not count, and a dark result stays as it is."""
    lit = np.linspace(0.01, 1, 100, dtype=np.float32)
    picture = np.concatenate([np.zeros(300, np.float32), lit]).reshape(20, 20)
    doubled = tuple(np.log(2) if power == (0, 0) else 0.0 for power in POWERS)
    after = BiasField(doubled, MOST_WHITE)(picture)
    assert (after > 1).sum() == 1
    np.testing.assert_allclose(after, picture / np.float32(0.99), rtol=1e-6)
    np.testing.assert_allclose(BiasField(doubled)(picture), 2 * picture, rtol=1e-6)
    np.testing.assert_allclose(BiasField(doubled, MOST_WHITE)(picture / 3), picture * 2 / 3, rtol=1e-6)


def test_colours_are_darkened_together():
    """The brightest channel of a pixel decides, and the colour stays the same."""
    picture = np.tile(np.float32([0.9, 0.3, 0.0]), (10, 10, 1))
    after = BiasField(tuple(np.log(4) if power == (0, 0) else 0.0 for power in POWERS), MOST_WHITE)(picture)
    np.testing.assert_allclose(after, np.tile([1, 1 / 3, 0], (10, 10, 1)), atol=1e-6)


def test_other_pixels_are_another_condition():
    """Responses to the fields of before do not answer for these; other artefacts keep their identity."""
    before = 'degraded{"artefact":"%s","scale":"kept","strength":"weak"}'
    assert ImageDegraded("bias-field").identity == before % "bias-field" + "@bias-field-2"
    assert ImageDegraded("noise").identity == before % "noise"
    assert ImageDegraded("noise/bias-field").label == "degraded:noise/bias-field,weak"


def test_stretched_is_the_published_image():
    """One factor for all is undone by the stretch: the plotting library would save the same levels."""
    before = load("phantoms:items=1,modality=cxr,seed=3").items[0].images[0].pixels()[::4, ::4]
    drawn = BiasField.draw(0.5, np.random.default_rng(4), kind="X-ray")
    published = BiasField(drawn.coefficients)(before / np.float32(255))
    levels = 255 * (published - published.min()) / np.ptp(published)
    assert drawn.most_white < 1 < published.max()
    assert np.abs(Degradation((drawn,), "stretched")(before) - levels).max() <= 0.51
