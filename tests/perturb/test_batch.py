"""Many pictures at once by torch: the same pictures as one by one."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.errors import ImageError
from snellen.perturb.artefacts import ARTEFACTS, Artefact, BiasField, Crop, Degradation, Exposure, Noise, Rotation
from snellen.perturb.artefacts.noise_field import noise_field
from snellen.perturb.batch import ONE_BY_ONE, STAGES, degrade_batch, stage
from snellen.perturb.batch.intensity import noise, noise_settings

NAMES = pytest.mark.parametrize("name", ARTEFACTS)
SHARE = 0.003
TIES = 0.2
"""Where levels are spread or drawn together evenly, many come to lie exactly between two, and round either way."""


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """Other tests run beside these."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pictures(count, shape, seed=0, dtype=np.uint8):
    """Smooth shapes and a little grain, over the whole range."""
    rng = np.random.default_rng(seed)
    down, right = (np.linspace(0, 3, size) for size in shape[:2])
    waves = (
        np.sin(down)[:, None] * np.cos(right)[None]
        if len(shape) == 2
        else np.sin(down)[:, None, None] * np.cos(right[:, None] + np.arange(3))
    )
    values = 0.5 + 0.4 * rng.uniform(-1, 1, (count, *[1] * len(shape))) * waves + 0.1 * rng.random((count, *shape))
    return np.rint(np.clip(values, 0, 1) * np.iinfo(dtype).max).astype(dtype)


def degradations(names, severity, count, scale="kept", seed=0):
    """One for each picture, each with draws of its own."""
    rngs = [np.random.default_rng([seed, index]) for index in range(count)]
    return [
        Degradation(tuple(ARTEFACTS[name].drawn(severity, rng, kind="MRI") for name in names.split("/")), scale)
        for rng in rngs
    ]


def one_by_one(pixels, steps):
    return np.stack([step(picture) for step, picture in zip(steps, pixels, strict=True)])


def at_once(pixels, steps, **settings):
    return degrade_batch(torch.from_numpy(pixels), steps, **settings).numpy()


def assert_alike(expected, actual, *, share=SHARE):
    """The same but for at most one level of 255 on a small share of the pixels."""
    assert (expected.dtype, expected.shape) == (actual.dtype, actual.shape)
    apart = np.abs(expected.astype(np.int64) - actual)
    level = 1 if expected.dtype == np.uint8 else 257
    assert apart.max() <= level
    if level == 1:
        assert np.mean(apart > 0) <= share


@NAMES
def test_grey_pictures_as_one_by_one(name):
    """At most 1 level of 255 apart, on 0.3% of the pixels at most; more only where levels may lie between two."""
    for severity, scale in product((0, 0.5, 1), ("kept", "stretched")):
        pixels, steps = pictures(3, (96, 75)), degradations(name, severity, 3, scale)
        share = TIES if scale == "stretched" or name == "low-contrast" else SHARE
        assert_alike(one_by_one(pixels, steps), at_once(pixels, steps), share=share)


@NAMES
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_colours_and_deep_pictures_as_one_by_one(name, dtype):
    """Three channels and 16 bits; of 16 bits, within one level of 255."""
    pixels, steps = pictures(2, (40, 61, 3), dtype=dtype), degradations(name, 0.7, 2)
    assert_alike(one_by_one(pixels, steps), at_once(pixels, steps), share=TIES if name == "low-contrast" else SHARE)


@NAMES
@given(
    size=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    severity=st.floats(0, 1),
    colour=st.booleans(),
    seed=st.integers(0, 999),
)
@settings(max_examples=3)
def test_any_size_and_severity(name, size, severity, colour, seed):
    """Down to a single pixel, at any severity, no pixel is further off than one level."""
    pixels = pictures(2, (*size, 3) if colour else size, seed=seed)
    steps = degradations(name, severity, 2, seed=seed)
    assert_alike(one_by_one(pixels, steps), at_once(pixels, steps), share=1)


@pytest.mark.parametrize(
    "names", ["noise/motion", "crop/bias-field", "rotation/blur", "jpeg/noise", "blur/burned-text"]
)
def test_compounds_as_one_by_one(names):
    """Several parts in their order, sizes that change in between included."""
    pixels, steps = pictures(2, (64, 50)), degradations(names, 0.5, 2)
    assert_alike(one_by_one(pixels, steps), at_once(pixels, steps))


def test_fields_with_and_without_a_limit_share_a_batch():
    """Each bias field whitens as much as it may, also where every pixel is lit and all of them pass white."""
    pixels = np.maximum(pictures(3, (20, 30)), 40)
    steps = [Degradation((BiasField((2.0, *[0.3] * 9), share),)) for share in (0.01, 0.3, 1.0)]
    assert_alike(one_by_one(pixels, steps), at_once(pixels, steps))


def test_a_mixed_batch_as_one_by_one():
    """Every artefact that keeps the size, in one batch, in any order, each picture in its place."""
    names = [name for name in ARTEFACTS if name not in ("crop", "rotation", "low-contrast")]
    steps = [degradations(name, severity, 1)[0] for severity in (0.5, 1) for name in names]
    for pixels in (pictures(len(steps), (48, 56)), pictures(len(steps), (48, 56, 3), dtype=np.uint16)):
        assert_alike(one_by_one(pixels, steps), at_once(pixels, steps))


def test_grey_stored_as_colours_beside_colours():
    """A picture of three equal channels gets one noise, beside a coloured one that gets three."""
    pixels = pictures(3, (30, 20, 3))
    pixels[1] = pixels[1, ..., :1]
    steps = degradations("noise", 1, 3)
    actual = at_once(pixels, steps)
    assert_alike(one_by_one(pixels, steps), actual)
    assert np.array_equal(actual[1, ..., 0], actual[1, ..., 2])
    assert not np.array_equal(actual[0, ..., 0], actual[0, ..., 2])


def test_colours_that_burn_out_before_the_noise():
    """What has become white everywhere on the way is a grey picture by then."""
    pixels = np.maximum(pictures(2, (9, 8, 3)), 8)
    steps = [Degradation((Exposure(6.0), Noise(0.2, seed)), scale="stretched") for seed in (3, 4)]
    actual = at_once(pixels, steps)
    assert_alike(one_by_one(pixels, steps), actual)
    assert np.array_equal(actual[..., 0], actual[..., 1])


def test_the_noise_is_that_of_the_table():
    """Computed quantiles follow the table to a few roundings of 32 bits.

    The inverse error function is a logarithm, a root and some ten steps of a polynomial; each may round by half of
    2⁻²³, and how they add up differs between processors. At a strong noise that is 2e-4 of a level.
    """
    parts = [Noise(1.0, seed) for seed in (0, 1, 2**53 - 1)]
    first, second, sd, spread = noise_settings(parts, 400, 500)
    field = noise(torch.zeros(3, 1, 400, 500), *map(torch.from_numpy, (first, second, sd)), spread)
    expected = [noise_field(200_000, part.seed) for part in parts]
    np.testing.assert_allclose(field.flatten(1).numpy(), expected, rtol=16 * 2.0**-23, atol=0)


@pytest.mark.parametrize("name", ["motion", "noise", "motion-as-published"])
def test_chunks_change_nothing(name, monkeypatch):
    """However many pictures fit into memory, the result is the same to the bit."""
    pixels, steps = pictures(5, (32, 24)), degradations(name, 1, 5)
    whole = at_once(pixels, steps)
    monkeypatch.setattr("snellen.perturb.batch.degrade._BYTES", 2 * 4 * 32 * 24)
    assert np.array_equal(whole, at_once(pixels, steps))


@pytest.mark.parametrize("names", ["noise", "motion", "noise/crop/bias-field", "noise/jpeg"])
def test_joined_operations_do_the_same(names, monkeypatch):
    """`fused` hands torch.compile what can be joined, and changes no result."""
    joined = []
    monkeypatch.setattr(torch, "compile", lambda function, **_: joined.append(function) or function)
    stage.compiled.cache_clear()
    pixels, steps = pictures(3, (32, 24)), degradations(names, 1, 3)
    assert np.array_equal(at_once(pixels, steps), at_once(pixels, steps, fused=True))
    stage.compiled.cache_clear()
    assert len(joined) == {"noise": 1, "motion": 3, "noise/crop/bias-field": 5, "noise/jpeg": 3}[names]


def test_the_pixels_stay_as_they_are():
    """The batch handed in is not touched, also where nothing is to be done."""
    pixels = torch.from_numpy(pictures(4, (12, 10)))
    before = pixels.clone()
    steps = [*degradations("noise/exposure", 1, 3), Degradation(())]
    done = degrade_batch(pixels, steps)
    assert torch.equal(before, pixels)
    assert torch.equal(before[3], done[3])
    assert done.data_ptr() != pixels.data_ptr()


def test_the_device_is_where_it_is_done():
    """Pixels are brought to the device that is named, and the result stays there."""
    assert degrade_batch(torch.from_numpy(pictures(1, (4, 4))), degradations("noise", 1, 1), device="cpu").is_cpu


class Darker(Artefact):
    """What another package might add."""

    name = "darker"

    @classmethod
    def drawn(cls, severity, rng, *, kind):
        return cls()

    def __call__(self, picture):
        return picture * np.float32(0.5)


def test_every_artefact_is_done_one_way_or_the_other():
    """None is left out: those without a batched form, and those of other packages, are called one by one."""
    assert ONE_BY_ONE == ("jpeg", "device", "burned-text")
    assert {member.name for member in STAGES} | set(ONE_BY_ONE) == set(ARTEFACTS)
    pixels, steps = pictures(2, (8, 9)), [Degradation((Darker(),))] * 2
    assert_alike(one_by_one(pixels, steps), at_once(pixels, steps))


def test_results_of_different_sizes_are_refused():
    """A tensor has one size, so a batch must too."""
    steps = [Degradation((Crop(0.5, 0, 0),)), Degradation((Rotation(30),))]
    with pytest.raises(ImageError, match="5 × 4 and 14 × 12"):
        at_once(pictures(2, (11, 8)), steps)


def test_windows_of_one_size_may_lie_anywhere():
    """Crops of one scale share a batch, each at its own place."""
    pixels = pictures(2, (10, 12))
    steps = [Degradation((Crop(0.5, down, right),)) for down, right in ((0, 0.99), (0.99, 0))]
    expected = [pixels[0, :5, 6:], pixels[1, 5:, :6]]
    assert np.array_equal(expected, at_once(pixels, steps))


@pytest.mark.parametrize(
    "pixels",
    [
        torch.zeros(2, 4, 4),
        torch.zeros(4, 4, dtype=torch.uint8),
        torch.zeros(2, 4, 4, 4, dtype=torch.uint8),
        torch.zeros(0, 4, 4, dtype=torch.uint8),
        torch.full((2, 4, 4), torch.nan),
    ],
)
def test_what_is_no_batch_is_refused(pixels):
    """Fractions, single pictures, four channels and nothing at all are errors that say what came."""
    with pytest.raises(ImageError, match=r"Expected a batch of 8- or 16-bit .* got torch\."):
        degrade_batch(pixels, [Degradation(())] * len(pixels))


def test_every_picture_needs_its_degradation():
    """One more or less is an error, not a guess."""
    with pytest.raises(ImageError, match="each of 2 pictures, got 1"):
        at_once(pictures(2, (4, 4)), degradations("noise", 1, 1))
