"""Degraded images: one path for each item, the same on every worker, recorded with how far it leads."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.conditions import ImageDegraded, Pool, condition_named, vary
from snellen.conditions.degraded import kind_of
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image, encode
from snellen.items import Item, Option
from snellen.perturb.artefacts import ARTEFACTS


def scan(modality="brain MRI", images=1, seed=0):
    """An item with pictures that have something in them."""
    rng = np.random.default_rng(seed)
    pictures = [np.kron(rng.integers(0, 256, (8, 8)), np.ones((8, 8))).astype(np.uint8) for _ in range(images)]
    return Item(
        id=f"scan/{seed}",
        question="Normal?",
        options=(Option("tumour"), Option("normal")),
        answer=1,
        images=tuple(Image(encode(each).data) for each in pictures),
        metadata={"modality": modality},
    )


def degraded(item, artefact, strength="weak", **settings):
    """The item under the condition."""
    return vary(item, ImageDegraded(artefact, strength, **settings), seed=0, pool=Pool([item]))


def applies(item, artefact, strength):
    """Whether the item is asked under the condition."""
    try:
        degraded(item, artefact, strength)
    except Inapplicable:
        return False
    return True


SIDED = replace(scan(), question="Which lung is smaller?", options=(Option("Left"), Option("Right")))


TURNS = (
    ("rotation", "weak", True), ("rotation", 0.6, True), ("rotation", 0.63, False), ("rotation", "strong", False),
    ("noise/rotation", "strong", False), ("rotation/rotation", "weak", False), ("crop", "strong", True),
    ("motion", "strong", True),
)  # fmt: skip


def test_a_turn_that_moves_sides_is_not_asked_about_them():
    """The key would be false: what was on the left is at the bottom. A smaller turn, or none, keeps it."""
    for artefact, strength, asked in TURNS:
        assert applies(scan(), artefact, strength), (artefact, strength)
        assert applies(SIDED, artefact, strength) == asked, (artefact, strength)


ABOUT_SIDES = (
    replace(SIDED, question="Which lobe?", options=(Option("Hilum"), Option("RLL"))),
    replace(SIDED, question="An welcher Seite?", options=(Option("A"), Option("B"))),
    replace(SIDED, question="Where?", kind="open", options=(), answer="a sinistra"),
)  # fmt: skip


def test_sides_count_wherever_they_stand():
    """In the question, in an option, or in an answer in words."""
    for item in ABOUT_SIDES:
        assert not applies(item, "rotation", "strong"), item


def test_what_the_benchmark_says_of_turned_images_counts():
    """`turn` in the metadata outranks the words: the same answer holds, or the question is unfit."""
    for item, says, asked in ((SIDED, "same", True), (scan(), "unfit", False), (SIDED, "", False), (scan(), "", True)):
        known = replace(item, metadata={**item.metadata, "turn": says} if says else item.metadata)
        assert applies(known, "rotation", "strong") is asked, (item.question, says)


@pytest.mark.parametrize("language", ["en", "it", "zh"])
def test_phantoms_are_turned_but_for_those_that_ask_where(language):
    """All that ask for a side or a place are left out, and no others."""
    for item in load(f"phantoms:items=96,language={language}"):
        asks_where = item.metadata["question_kind"] in ("side", "location")
        assert applies(item, "rotation", "strong") != asks_where, item.question


def test_one_strength_has_one_name():
    """0.5, "0.5" and weak are one condition, and so one arm that tests share."""
    assert ImageDegraded("noise", 0.5) == ImageDegraded("noise", "0.5") == ImageDegraded("noise", "weak")
    assert ImageDegraded("noise", 1).label == "degraded:noise,strong"
    assert ImageDegraded("noise", 0.25).label == "degraded:noise,0.25"
    assert condition_named("degraded:noise/motion,strong").severity == 1.0


@pytest.mark.parametrize(
    "settings", [("fog",), (5,), ("noise", "medium"), ("noise", None), ("noise", 1.5), ("noise", "weak", "squeezed")]
)
def test_what_cannot_be_is_refused(settings):
    """With what there is instead."""
    with pytest.raises(StudyError, match=r"There are|Expected the strength|kept or stretched"):
        ImageDegraded(*settings)


def test_an_item_without_an_image_is_left_out():
    """It is not passed through as if it had been degraded."""
    with pytest.raises(Inapplicable, match="no image to degrade"):
        degraded(replace(scan(), images=()), "noise")


@pytest.mark.parametrize("artefact", ARTEFACTS)
def test_severity_nought_leaves_every_pixel(artefact):
    """The path begins at the picture itself."""
    item = scan()
    untouched = degraded(item, artefact, 0).item.images[0].pixels()
    assert np.array_equal(untouched, item.images[0].pixels())


def test_an_item_gets_worse_along_one_path_of_its_own():
    """What is drawn does not depend on the strength: the same noise, only more of it; no two pictures share theirs."""
    weak, strong = (degraded(scan(), "noise", strength).drawn["images"][0][0] for strength in ("weak", "strong"))
    assert weak["seed"] == strong["seed"]
    assert (weak["sd"], strong["sd"]) == (0.15, 0.40)
    drawn = degraded(scan(images=2), "noise").drawn["images"]
    seeds = [parts[0]["seed"] for parts in drawn] + [degraded(scan(seed=1), "noise").drawn["images"][0][0]["seed"]]
    assert len(set(seeds)) == 3


MODALITIES = {
    "MRI": ("brain MRI", "MR", "brain_mri", "fMRI"),
    "OCT": ("OCT_retina", "OCTA", "OCT", "Optical Coherence Tomography"),
    "X-ray": ("chest X-ray", "fundus photograph", "", "octopus"),
}


def test_whose_settings_an_image_gets():
    """MRI and OCT have their own, an OCT scan less noise than an MRI; all else those of X-rays."""
    assert {kind: {*map(kind_of, names)} for kind, names in MODALITIES.items()} == {kind: {kind} for kind in MODALITIES}
    assert degraded(scan("OCT"), "noise").drawn["images"][0][0]["sd"] == 0.10


def test_a_compound_is_one_artefact_after_the_other():
    """In the order in which they are named, each with its own parameters."""
    parts = degraded(scan(), "noise/crop", "strong").drawn["images"][0]
    assert [part["artefact"] for part in parts] == ["noise", "crop"]


def test_how_far_a_picture_was_taken_is_measured_when_it_is_made():
    """SSIM and PSNR stand beside the bytes; a stronger artefact is further away."""
    weak, strong = (degraded(scan(), "noise", each).item.images[0].encoded().measured for each in ("weak", "strong"))
    assert set(weak) == {"ssim", "psnr"}
    assert 1 > weak["ssim"] > strong["ssim"]
    assert weak["psnr"] > strong["psnr"]


def test_an_untouched_picture_has_no_distance_in_decibels():
    """Its PSNR is infinite, which JSON cannot hold: it is None. An image without a step is not measured."""
    assert degraded(scan(), "noise", 0).item.images[0].encoded().measured == {"ssim": 1.0, "psnr": None}
    assert scan().images[0].encoded().measured == {}
