"""Window: the same CT scan under another window; everything else is left out with its reason."""

import numpy as np
import pytest

from medical_files import CT, dicom
from snellen.conditions import OtherWindow, Pool, condition_named, vary
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image, encode
from snellen.images.formats.dicom import images_of
from snellen.items import Item, Option
from snellen.perturb.blank import Blanked
from snellen.testing import check_condition

VALUES = np.linspace(0, 3000, 64 * 64).reshape(64, 64).astype(np.int16)
PICTURE = Image(encode(np.zeros((8, 8), dtype=np.uint8)).data)


def item(*images, name="ct"):
    options = (Option("a nodule"), Option("normal"))
    return Item(id=name, question="What is seen?", options=options, answer=0, images=images)


def under(asked, window):
    return vary(asked, OtherWindow(window), seed=0, pool=Pool([asked])).item


def test_a_scan_is_drawn_anew_from_its_values(tmp_path):
    """What is black in soft tissue has shades in the lung window: its values come from the file, not from a picture."""
    scan = images_of(dicom(tmp_path / "a.dcm", VALUES, WindowCenter=40, WindowWidth=400, **CT))[0]
    lung = under(item(scan), "lung").images[0]
    assert np.abs(lung.pixels() - np.clip((VALUES - 1024 + 600.5) / 1499 + 0.5, 0, 1) * 255).max() <= 0.5 + 1e-9
    dark = scan.pixels() == 0
    assert len(np.unique(lung.pixels()[dark])) > 50
    assert lung.fingerprint != scan.fingerprint
    assert "lung window" in lung.encoded().rule


def test_steps_stay_and_other_images_are_left_as_they_are(tmp_path):
    """A step done before is done to the scan under its new window too; a picture beside the scan stays."""
    scan = images_of(dicom(tmp_path / "a.dcm", VALUES, **CT))[0].then(Blanked("black", 0))
    shown = under(item(PICTURE, scan), "bone").images
    assert shown[0] == PICTURE
    assert shown[1].steps == scan.steps
    assert shown[1].source.window == "bone"


def test_what_is_no_ct_is_left_out_with_its_reason(tmp_path):
    """A finished picture, MR, a CT that was not rescaled, a localizer, and no image at all."""
    mr = images_of(dicom(tmp_path / "mr.dcm", VALUES, Modality="MR"))[0]
    raw = images_of(dicom(tmp_path / "raw.dcm", VALUES, Modality="CT"))[0]
    scout = images_of(dicom(tmp_path / "scout.dcm", VALUES, ImageType="LOCALIZER", **CT))[0]
    for images, reason in (
        ((PICTURE,), "no stored values"), ((mr,), "not Hounsfield"), ((raw,), "not Hounsfield"),
        ((scout,), "not Hounsfield"), ((), "no image"),
    ):  # fmt: skip
        with pytest.raises(Inapplicable, match=reason):
            under(item(*images), "lung")


def test_it_keeps_the_contract_of_conditions_and_its_name(tmp_path):
    """It leaves its input alone, repeats and replays; its label leads back to it."""
    scan = images_of(dicom(tmp_path / "a.dcm", VALUES, **CT))[0]
    assert check_condition(OtherWindow("lung"), [item(scan), item(PICTURE, name="png")]) == 1
    for label in ("window:lung", "window:soft-tissue", "window:-50/250"):
        assert condition_named(label).label == label
    for wrong in ("window", "window:auto", "window:lungs", "window:40/0"):
        with pytest.raises(StudyError):
            condition_named(wrong)
