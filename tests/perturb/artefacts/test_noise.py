"""Noise: exact strength, one field for grey, one for each colour; a value depends on seed and place alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from snellen.perturb.artefacts import Noise
from snellen.perturb.artefacts.noise import FACTORS, SEEDS, SHIFTS, keys, noise_field, quantiles


def test_noise_is_the_field_times_its_sd():
    """Pixel by pixel, row after row."""
    picture = np.full((5, 7), 0.25, dtype=np.float32)
    expected = 0.25 + 0.1 * noise_field(35, 9).reshape(5, 7)
    np.testing.assert_allclose(Noise(0.1, 9)(picture), expected, atol=1e-7)


def test_colours_have_fields_of_their_own():
    """The channels of a colour picture follow each other in one field."""
    picture = np.random.default_rng(0).random((5, 7, 3), dtype=np.float32)
    noise = Noise(0.1, 9)(picture) - picture
    np.testing.assert_allclose(noise.transpose(2, 0, 1).ravel(), 0.1 * noise_field(105, 9), atol=1e-6)


def test_a_severer_noise_is_the_same_noise_louder():
    """The picture gets worse along one path."""
    flat = np.zeros((8, 8), dtype=np.float32)
    weak, strong = (Noise.draw(each, np.random.default_rng(3), kind="MRI")(flat) for each in (0.5, 1.0))
    np.testing.assert_allclose(strong, weak * (0.40 / 0.15), rtol=1e-5)
    assert strong.std() == pytest.approx(0.40, rel=0.25)


def finalised(word):
    """The finaliser on one number, by Python's own integers."""
    for step, shift in enumerate(SHIFTS):
        word ^= word >> shift
        if step < len(FACTORS):
            word = word * FACTORS[step] & 0xFFFFFFFF
    return word


@given(index=st.integers(0, 200_000), seed=st.integers(0, SEEDS - 1))
def test_a_value_follows_the_formula(index, seed):
    """Half of a two-round keyed hash of the word's number picks the quantile, also beyond the first chunk."""
    first, second = keys(seed)
    word = finalised(finalised((index // 2) ^ first) ^ second)
    half = word >> 16 if index % 2 else word & 0xFFFF
    assert noise_field(index + 1, seed)[index] == quantiles()[half]


@given(size=st.integers(1, 70_000), more=st.integers(0, 70_000), seed=st.integers(0, SEEDS - 1))
def test_a_longer_field_begins_like_a_shorter_one(size, more, seed):
    """A value depends on its place alone."""
    assert np.array_equal(noise_field(size + more, seed)[:size], noise_field(size, seed))


def test_the_first_values_are_what_they_always_were():
    """A seed gives the same noise on every machine and in every version: stored studies can be redone."""
    expected = [1.1630173, -1.6117960, 1.2274711, -2.5012953]
    assert noise_field(4, 1).tolist() == pytest.approx(expected, abs=1e-6)


def test_the_quantiles_are_standard():
    """Mean 0, SD 1 and symmetric; the outermost lies 4.3 SD out."""
    table = quantiles().astype(np.float64)
    assert table.mean() == pytest.approx(0, abs=1e-9)
    assert table.std() == pytest.approx(1, abs=1e-7)
    assert np.array_equal(table, -table[::-1])
    assert table[-1] == pytest.approx(4.3247, abs=1e-3)


def test_the_noise_is_normal():
    """Of 400,000 values: Kolmogorov-Smirnov, variance, skewness and kurtosis as of normal draws."""
    field = noise_field(400_000, 8).astype(np.float64)
    assert stats.kstest(field, "norm").pvalue > 1e-3
    assert abs(field.mean()) < 4 / np.sqrt(field.size)
    assert abs(field.var() - 1) < 4 * np.sqrt(2 / field.size)
    assert abs(stats.skew(field)) < 4 * np.sqrt(6 / field.size)
    assert abs(stats.kurtosis(field)) < 4 * np.sqrt(24 / field.size) + 1e-3


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 16, 128, 512, 1024])
def test_places_are_unrelated(lag):
    """Neighbours, next rows and other powers of two away: correlations of values and of their squares are noise."""
    field = noise_field(1 << 18, 21).astype(np.float64)
    for values in (field, field**2):
        assert abs(np.corrcoef(values[:-lag], values[lag:])[0, 1]) < 4.5 / np.sqrt(field.size)


def test_seeds_are_unrelated():
    """Neighbouring seeds, and seeds one bit apart, share no stretch of noise and do not correlate."""
    size = 1 << 16
    fields = [noise_field(size, seed) for seed in (0, 1, 2, 3, *(1 << bit for bit in range(2, 53, 5)))]
    likeness = np.corrcoef(fields) - np.eye(len(fields))
    assert np.abs(likeness).max() < 5 / np.sqrt(size)
    # an overlap by shifting would show as a peak of the cross-correlation somewhere
    spectra = np.fft.rfft(fields)
    for other in spectra[1:]:
        assert np.abs(np.fft.irfft(spectra[0] * other.conj())).max() / size < 7 / np.sqrt(size)


def test_seeds_have_keys_of_their_own():
    """Ten thousand neighbouring seeds have as many different pairs of keys, and different second keys."""
    pairs = [keys(seed) for seed in range(10_000)]
    assert len(set(pairs)) == len({pair.second for pair in pairs}) == 10_000


@pytest.mark.parametrize("seed", [-1, SEEDS])
def test_a_seed_out_of_range_is_refused(seed):
    """The message names it."""
    with pytest.raises(ValueError, match=f"got {seed}"):
        noise_field(4, seed)
