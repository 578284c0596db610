"""What holds for every artefact."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields, is_dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rows import run_rows
from snellen.perturb.artefacts import ARTEFACTS, KINDS, PUBLISHED, Degradation, distance

MEMBERS = pytest.mark.parametrize("member", ARTEFACTS.values(), ids=list(ARTEFACTS))
RESIZING = {"crop", "rotation"}
severities = st.floats(0, 1)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(KINDS)
sizes = st.one_of(
    st.tuples(st.integers(1, 40), st.integers(1, 40)), st.sampled_from([(1, 1), (1, 9), (9, 1), (31, 17)])
)
laws = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])


def every_member(law):
    """The law of one artefact as that of all: each example is tried on every one."""
    return run_rows(law, [{"member": member} for member in ARTEFACTS.values()])


def drawn(member, severity, seed, kind="X-ray"):
    return member.draw(severity, np.random.default_rng(seed), kind=kind)


def pixels(shape, seed, dtype=np.uint8):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def plain(value):
    """Only what JSON holds, and no numbers of NumPy, whose repr depends on its version."""
    if isinstance(value, tuple):
        return all(map(plain, value))
    return value is None or type(value) in (int, float, str)


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def test_the_family():
    """Names are unique and the paper's five come first."""
    assert list(ARTEFACTS)[:5] == list(PUBLISHED)
    assert all(member.name == name for name, member in ARTEFACTS.items())
    assert len(ARTEFACTS) == 13


@given(severity=severities, seed=seeds, kind=kinds, size=sizes, colour=st.booleans(), deep=st.booleans())
@laws
@every_member
def test_a_new_picture_of_the_same_type(member, severity, seed, kind, size, colour, deep):
    """The input stays as it is, even where it may not be written to; type and, mostly, shape stay the same."""
    before = pixels((*size, 3) if colour else size, seed, np.uint16 if deep else np.uint8)
    kept = before.copy()
    before.setflags(write=False)
    after = Degradation((drawn(member, severity, seed, kind),))(before)
    assert np.array_equal(before, kept)
    assert not np.shares_memory(before, after)
    assert after.dtype == before.dtype
    assert after.ndim == before.ndim
    assert min(after.shape) >= 1
    assert after.shape == before.shape or member.name in RESIZING


@given(severity=severities, seed=seeds, size=sizes, colour=st.booleans())
@laws
@every_member
def test_a_kernel_itself_leaves_its_input_alone(member, severity, seed, size, colour):
    """Called on fractions: 32 bits in and out, a new array, the same result twice, all finite."""
    before = np.random.default_rng(seed).random((*size, 3) if colour else size, dtype=np.float32)
    kept = before.copy()
    part = drawn(member, severity, seed)
    after = part(before)
    assert np.array_equal(before, kept)
    assert not np.shares_memory(before, after)
    assert after.dtype == np.float32
    assert np.isfinite(after).all()
    assert np.array_equal(after, part(before))


@given(seed=seeds, kind=kinds, size=sizes, colour=st.booleans(), deep=st.booleans())
@laws
@every_member
def test_severity_0_changes_nothing(member, seed, kind, size, colour, deep):
    """Not one pixel."""
    before = pixels((*size, 3) if colour else size, seed, np.uint16 if deep else np.uint8)
    assert np.array_equal(Degradation((drawn(member, 0, seed, kind),))(before), before)


@MEMBERS
@pytest.mark.parametrize("severity", [0.5, 1.0])
def test_weak_and_strong_change_something(member, severity):
    """On a picture of some size, every artefact shows."""
    before = np.zeros((64, 64), dtype=np.uint8)
    before[10:50, 20:30] = 200
    before[40:50, 20:50] = 90
    after = Degradation((drawn(member, severity, 5),))(before)
    assert after.shape != before.shape or not np.array_equal(after, before)


@given(severity=severities, seed=seeds, kind=kinds)
@laws
@every_member
def test_recorded_and_rebuilt(member, severity, seed, kind):
    """Fields are plain values; through JSON and back they make the same artefact, with the same repr."""
    part = drawn(member, severity, seed, kind)
    assert is_dataclass(part)
    assert all(plain(getattr(part, field.name)) for field in fields(part))
    record = json.loads(json.dumps(asdict(part)))
    again = member(**{name: frozen(value) for name, value in record.items()})
    assert again == part
    assert repr(again) == repr(part)
    assert hash(again) == hash(part)
    before = pixels((20, 23), 1)
    assert np.array_equal(Degradation((again,))(before), Degradation((part,))(before))


@given(one=severities, two=severities, seed=seeds, kind=kinds, other=kinds)
@laws
@every_member
def test_every_severity_takes_the_same_random_numbers(member, one, two, seed, kind, other):
    """Whatever the severity and the kind, the generator is left where it would be left by any other."""
    first, second = np.random.default_rng(seed), np.random.default_rng(seed)
    member.draw(one, first, kind=kind)
    member.draw(two, second, kind=other)
    assert first.random() == second.random()


@MEMBERS
def test_a_severity_beyond_0_to_1_is_refused(member):
    """The message names the value."""
    for wrong in (-0.01, 1.3, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"between 0 .* and 1 .*{wrong!r}"):
            drawn(member, wrong, 1)


@MEMBERS
def test_an_unknown_kind_is_refused(member):
    """The message says what there is."""
    with pytest.raises(ValueError, match="MRI, OCT, X-ray, got 'PET'"):
        drawn(member, 0.5, 1, "PET")


@given(severity=severities, seed=seeds, size=sizes)
@laws
@every_member
def test_grey_stays_grey(member, severity, seed, size):
    """Three equal channels stay equal, and are what the grey picture becomes; the same for the kernel, on fractions."""
    grey, part = pixels(size, seed), drawn(member, severity, seed)
    step = Degradation((part,))
    assert np.array_equal(step(np.stack([grey] * 3, axis=2)), np.stack([step(grey)] * 3, axis=2))
    fractions = np.float32(1 / 255) * grey
    spoilt = part(np.stack([fractions] * 3, axis=2))
    np.testing.assert_allclose(spoilt, np.stack([part(fractions)] * 3, axis=2), atol=1e-6)


@given(severity=severities, seed=seeds, size=sizes, colour=st.booleans())
@laws
@every_member
def test_16_bits_show_what_8_bits_show(member, severity, seed, size, colour):
    """255 and 65,535 are the same white: the deeper result, brought to 8 bits, is the other to within rounding."""
    shallow = pixels((*size, 3) if colour else size, seed)
    step = Degradation((drawn(member, severity, seed),))
    deep = step(shallow.astype(np.uint16) * 257) / 257
    assert np.abs(deep - step(shallow)).max() <= 0.5 + 0.01


@MEMBERS
def test_threads_do_not_disturb_each_other(member):
    """Called from several threads at once, a step does what it does alone."""
    before = pixels((60, 71, 3), 3)
    steps = [Degradation((drawn(member, severity, 4),)) for severity in (0.3, 0.5, 0.8, 1.0)]
    alone = [step(before) for step in steps]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda step: step(before), steps))
    assert all(np.array_equal(one, two) for one, two in zip(alone, together, strict=True))


def letter():
    """An L, which its mirror image does not fit."""
    shape = np.full((128, 128), 0.1, dtype=np.float32)
    shape[20:108, 26:50] = 0.9
    shape[88:108, 26:100] = 0.9
    return shape


def likeness(one, two):
    return np.corrcoef(one.ravel(), two.ravel())[0, 1]


@MEMBERS
def test_left_stays_left(member):
    """No artefact mirrors: at its weak strength the L is more like itself than like its mirror image."""
    for seed in range(4):
        shape = letter()
        part = drawn(member, 0.5, seed)
        spoilt = part(shape)
        if member.name == "rotation":
            back = member(-part.degrees)(spoilt)
            top, left = ((have - want) // 2 for have, want in zip(back.shape, shape.shape, strict=True))
            spoilt = back[top : top + 128, left : left + 128]
        elif member.name == "crop":
            top, left = int(part.down * 27), int(part.right * 27)
            shape = shape[top : top + 102, left : left + 102]
        assert likeness(spoilt, shape) > likeness(spoilt, shape[:, ::-1]) + 0.1, seed


# An enlarged part of the view may look more or less like the whole; any movement at all takes the published slice away.
TOLERATED = {"crop": 0.02, "motion-as-published": 0.02}


@MEMBERS
def test_worse_along_the_path(member, samples):
    """Over real pictures the mean SSIM never rises by more than 0.005, or what is tolerated, as severity grows.

    A quarter turn is left out: it fills the frame again, and is more alike than 60 degrees.
    """
    means = []
    for severity in (0, 0.25, 0.5, 0.75) if member.name == "rotation" else (0, 0.25, 0.5, 0.75, 1):
        spoilt = [(before, drawn(member, severity, 11, kind)) for before, kind in samples]
        means.append(np.mean([distance(before, Degradation((part,))(before)).ssim for before, part in spoilt]))
    assert means[0] == 1
    assert np.diff(means).max() <= TOLERATED.get(member.name, 0.005)
    assert means[-1] < means[1] < 0.99
