"""The phantoms' pictures: each shows what its fields say, where they say it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import median_filter

from snellen.benchmarks.phantoms import Phantom, load
from snellen.benchmarks.phantoms.catalogue import MODALITIES, SIZES, modality_named
from snellen.images import Image
from steps import lines_run

FINDINGS = [(modality.name, name) for modality in MODALITIES for name in modality.names]
COUNTABLE = [
    (modality.name, finding.name)
    for modality in MODALITIES
    for finding in modality.findings
    if finding.countable and modality.code != "oct"
]


@pytest.fixture(autouse=True)
def drawn_anew(monkeypatch):
    """Every picture is drawn and encoded here, however often the worker has done so."""
    monkeypatch.setattr(Phantom, "draw", Phantom.draw.__wrapped__)
    monkeypatch.setattr(Image, "encoded", Image.encoded.__wrapped__)


def phantom(modality: str, finding: str, **fields) -> Phantom:
    """A phantom with sensible values for all that is not given."""
    known = modality_named(modality)
    about = known.finding(finding)
    side = "right" if about.sided or "both" not in known.sides else "neither"
    if "location" in fields:
        side = known.side_of(fields["location"]) or side
    given_fields = {
        "side": side,
        "location": known.locations_on(side)[0] if about.located and not about.countable and side != "both" else "",
        "count": 1 if about.countable else 0,
        "size": "medium" if about.sized else "",
    }
    return Phantom(modality, finding, **(given_fields | fields))


def change(shown: Phantom) -> np.ndarray:
    """How much each pixel differs from the same patient without the finding."""
    healthy = replace(shown, finding="normal", location="", count=0, size="")
    apart = np.abs(shown.draw().astype(int) - healthy.draw())
    return apart.max(axis=2) if apart.ndim == 3 else apart


def lesions(shown: Phantom) -> np.ndarray:
    """Position, size and area of each separate change, a row each."""
    _, _, boxes, _ = cv2.connectedComponentsWithStats((change(shown) > 25).astype(np.uint8))
    return boxes[1:][boxes[1:, cv2.CC_STAT_AREA] > 30]


def centre(shown: Phantom) -> tuple[float, float]:
    """The middle of all that changed, as fractions of width and height."""
    y, x = np.nonzero(change(shown) > 25)
    return float(np.median(x)) / 512, float(np.median(y)) / 512


@pytest.mark.parametrize("modality", [modality.name for modality in MODALITIES])
def test_every_finding_is_drawn_and_changes_the_picture(modality):
    """512 × 512 pixels, neither empty nor saturated; with and without the finding they differ over a visible area."""
    for name in modality_named(modality).names:
        shown = phantom(modality, name, seed=5)
        pixels = shown.draw()
        assert pixels.dtype == np.uint8
        assert pixels.shape == ((512, 512, 3) if modality == "fundus photograph" else (512, 512))
        assert pixels.std() > 25
        assert (pixels == 255).mean() < 0.05
        assert name == "normal" or 0.0005 < (change(shown) > 20).mean() < 0.6, name


@settings(max_examples=5, deadline=None)
@given(pair=st.sampled_from(FINDINGS), seed=st.integers(0, 2**33))
def test_fields_alone_decide_every_pixel(pair, seed):
    """Drawing twice gives the same pixels, and global random state is neither used nor touched."""
    np.random.seed(1)
    first = phantom(*pair, seed=seed).draw()
    np.random.seed(2)
    state = np.random.get_state()[1].tolist()
    assert np.array_equal(first, phantom(*pair, seed=seed).draw())
    assert np.random.get_state()[1].tolist() == state


@pytest.mark.parametrize("modality", [modality.name for modality in MODALITIES])
def test_patients_differ(modality):
    """Two seeds give two patients, not one under other noise."""
    first, second = (
        cv2.GaussianBlur(phantom(modality, "normal", seed=seed).draw(), (0, 0), 4).astype(int) for seed in (1, 2)
    )
    assert np.abs(first - second).mean() > 2


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("modality", "finding"), COUNTABLE)
def test_lesions_can_be_counted(modality, finding, size):
    """As many separate spots as the count says, whatever their size."""
    for seed, count in enumerate((1, 5)):
        assert len(lesions(phantom(modality, finding, count=count, size=size, seed=seed))) == count


def test_drusen_can_be_counted():
    """The pigment epithelium has as many bumps as there are drusen."""
    for seed, count in enumerate((2, 5)):
        shown = phantom("OCT", "drusen", side="both", count=count, size="large", seed=seed)
        surfaces = [
            cv2.GaussianBlur(picture, (0, 0), 3)[240:].argmax(axis=0)
            for picture in (replace(shown, finding="normal").draw(), shown.draw())
        ]
        raised = median_filter(surfaces[0] - surfaces[1], 17)
        peaks = np.diff(np.concatenate([[0], raised > 14, [0]]).astype(int))
        assert (peaks == 1).sum() == count


@pytest.mark.parametrize(("modality", "finding"), COUNTABLE)
def test_sizes_are_far_apart(modality, finding):
    """The largest spot of one size is clearly smaller than the smallest of the next."""
    small, medium, large = (
        lesions(phantom(modality, finding, size=size, seed=1))[0, cv2.CC_STAT_WIDTH] for size in SIZES
    )
    assert small * 1.3 < medium * 1.15 < large


@pytest.mark.parametrize("modality", ["chest X-ray", "brain MRI"])
def test_the_patients_right_is_on_the_left(modality):
    """Radiological convention: a finding on the patient's right is drawn in the left half of the image."""
    finding = {"chest X-ray": "consolidation", "brain MRI": "infarct"}[modality]
    for location in modality_named(modality).locations:
        x, _ = centre(phantom(modality, finding, location=location, seed=1))
        assert (x < 0.5) == location.startswith("right")


def test_zones_lie_above_each_other():
    """Upper, mid and lower zone, frontal, temporal and occipital lobe follow from top to bottom."""
    for modality, finding, places in (
        ("chest X-ray", "lung nodules", ("left upper zone", "left mid zone", "left lower zone")),
        ("brain MRI", "haemorrhage", ("right frontal lobe", "right temporal lobe", "right occipital lobe")),
    ):
        heights = [centre(phantom(modality, finding, location=place, seed=2))[1] for place in places]
        assert heights == sorted(heights)


def test_oct_places_follow_from_left_to_right():
    """Places along the scan are those of the image."""
    places = ("far left", "near left", "fovea", "near right", "far right")
    columns = [centre(phantom("OCT", "subretinal fluid", location=place, size="small", seed=4))[0] for place in places]
    assert columns == sorted(columns)
    assert np.diff(columns).min() > 0.08


@pytest.mark.parametrize("side", ["left", "right"])
def test_nasal_is_towards_the_disc(side):
    """The disc is on the side of the named eye in the image; nasal lies beyond it, temporal on the other side."""
    eye = phantom("fundus photograph", "normal", side=side, seed=6)
    disc = np.unravel_index(cv2.GaussianBlur(eye.draw()[:, :, 1], (0, 0), 12).argmax(), (512, 512))[1] / 512
    assert (disc > 0.5) == (side == "right")
    outward = 1 if side == "right" else -1
    for location in ("superonasal", "inferotemporal"):
        x, y = centre(replace(eye, finding="hard exudates", location=location))
        assert ((x - disc) * outward > 0) == location.endswith("nasal")
        assert (y < 0.5) == location.startswith("super")


def test_both_sides_are_affected():
    """A finding on both sides changes both halves of the picture."""
    for modality, finding in (
        ("chest X-ray", "pneumothorax"),
        ("brain MRI", "tumour"),
        ("chest X-ray", "lung nodules"),
    ):
        changed = change(phantom(modality, finding, side="both", location="", count=2, seed=3)) > 25
        assert changed[:, :236].any()
        assert changed[:, 276:].any()


def test_drawing_and_encoding_take_few_steps():
    """A picture is drawn by operations on whole arrays and shapes: at most 6,000 lines of Python, no pixel loop."""
    pictures = list(dict.fromkeys(item.images[0] for item in load(items=12, seed=2)))
    pictures[0].encoded()
    assert max(lines_run(image.encoded) for image in pictures) < 20_000


def test_the_fingerprint_names_every_field():
    """Two phantoms that differ in one field have different fingerprints, so that no cache confuses them."""
    one = phantom("OCT", "drusen", seed=1)
    other = replace(one, count=2)
    assert Image(one).fingerprint != Image(other).fingerprint
