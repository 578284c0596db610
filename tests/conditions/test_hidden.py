"""Hidden evidence: the marked finding, a like part elsewhere, the corners, all else, or a healthy patient's image."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.conditions import (
    CornersHidden,
    ElsewhereHidden,
    EvidenceHidden,
    FarCornerHidden,
    FillAlone,
    ImageMirrored,
    NeighboursElsewhere,
    NeighboursHidden,
    OnlyEvidence,
    Pool,
    condition_named,
    vary,
)
from snellen.conditions.hidden import find_evidence
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.images.regions import Box, Region
from snellen.items import Item, Option
from snellen.perturb.hidden import mark_pixels
from snellen.testing import check_condition

BOX = Region("nodule", Box(10, 20, 30, 40))
HIDING = (EvidenceHidden(), ElsewhereHidden(), CornersHidden(), OnlyEvidence())


def film(*regions, seed=0, side=100):
    """An image whose pixels all differ, with regions."""
    pixels = np.random.default_rng(seed).integers(60, 200, (side, side), dtype=np.uint8)
    return replace(Image(pixels), regions=regions)


def asked(*images, at=0, **metadata):
    """A question about images."""
    return Item(f"q{at}", "Is there a nodule?", (Option("Yes"), Option("No")), 0, images=images, metadata=metadata)


def hidden(item, condition, seed=0, pool=()):
    """Where pixels of each image changed."""
    made = vary(item, condition, seed=seed, pool=Pool(pool or (item,))).item
    pairs = zip(item.images, made.images, strict=True)
    return [before.pixels() != after.pixels() for before, after in pairs]


def why_not(item, condition, pool=()):
    """Why a condition leaves an item out."""
    with pytest.raises(Inapplicable) as reason:
        vary(item, condition, seed=0, pool=Pool(pool or (item,)))
    return str(reason.value)


def test_conditions_keep_the_laws_of_the_family():
    """They repeat, are replayed from their stored draw, change nothing else, and are written on a command line."""
    sick = [asked(film(BOX, seed=at), at=at, finding="nodule") for at in range(4)]
    well = [asked(film(seed=at), at=at, finding="normal") for at in range(4, 7)]
    for condition in (*HIDING, ElsewhereHidden("noise", nth=2), EvidenceHidden("blur", 1.5, 0.5)):
        assert check_condition(condition, sick + well) == len(sick)
        assert condition_named(condition.label) == condition
    assert check_condition(FillAlone(), sick + well) == len(well)


def test_each_hides_what_its_name_says():
    """The finding; as much elsewhere; the corners without the finding; all but the finding."""
    item = asked(film(BOX))
    marked = mark_pixels((BOX,), (100, 100))
    [evidence], [elsewhere], [corners], [rest] = (hidden(item, each) for each in HIDING)
    assert not (evidence & ~marked).any()
    assert not (elsewhere & marked).any()
    assert not (rest & marked).any()
    for area, size in ((evidence, 400), (elsewhere, 400), (corners, 4 * 16 * 16), (rest, 10_000 - 400)):
        assert 0.95 * size < area.sum() <= size


def test_the_farthest_corner_is_that_of_the_finding():
    """As large as the finding, in the opposite corner, whatever lies there."""
    for box, corner in ((BOX, np.s_[80:, 80:]), (Region("nodule", Box(60, 10, 80, 30)), np.s_[80:, :20])):
        [area] = hidden(asked(film(box)), FarCornerHidden("black"))
        assert area[corner].all()
        assert area.sum() == 400
    assert check_condition(FarCornerHidden(), [asked(film(BOX))]) == 1


def test_draws_differ_by_number_and_not_by_fill_or_opacity():
    """Other numbers draw other places; a fill and an opacity cover the same place."""
    item = asked(film(BOX))
    places = [hidden(item, ElsewhereHidden("black", nth=nth))[0] for nth in (1, 2, 3)]
    assert len({np.argwhere(each).min(axis=0).tobytes() for each in places}) == 3
    assert np.array_equal(places[0], hidden(item, ElsewhereHidden("black", opacity=0.5))[0])
    grey, blur = (vary(item, ElsewhereHidden(fill), seed=0, pool=Pool((item,))).drawn for fill in ("grey", "blur"))
    assert grey == blur
    assert np.array_equal(places[0], hidden(item, ElsewhereHidden("black"))[0])


def test_several_images_parts_and_readers():
    """Each image is hidden where it is marked, each part moves by itself, and two readers' boxes are one part."""
    again, other = Region("nodule", Box(15, 25, 35, 45), reader="second"), Region("nodule", Box(70, 70, 80, 75))
    item = asked(film(BOX, again, other), film(seed=1), film(other, seed=2))
    first, second, third = hidden(item, EvidenceHidden("black"))
    assert np.array_equal(first, mark_pixels((BOX, again, other), (100, 100)))
    assert not second.any()
    assert third.sum() == 50
    drawn = vary(item, ElsewhereHidden(), seed=0, pool=Pool((item,))).drawn
    assert [len(each["moves"]) for each in drawn["images"]] == [2, 0, 1]


def test_the_report_learns_where_the_finding_is_marked():
    """As shares of the image's sides, by image, with the item as the condition left it."""
    made = vary(asked(film(), film(BOX)), ElsewhereHidden(), seed=0, pool=Pool(())).item
    assert made.metadata["marked"] == [[], [[0.1, 0.2, 0.3, 0.4]]]


def test_the_finding_that_is_asked_about_is_the_evidence():
    """By the metadata if they name one; a tag never is; another finding is spared by what is hidden elsewhere."""
    mass, tag = Region("Mass", Box(50, 50, 90, 90)), Region("tag", Box(0, 0, 8, 8))
    image = film(BOX, mass, tag)
    assert find_evidence(asked(image), image) == (BOX, mass)
    assert find_evidence(asked(image, finding="mass"), image) == (mass,)
    item = asked(image, finding="Nodule")
    assert np.array_equal(hidden(item, EvidenceHidden("black"))[0], mark_pixels((BOX,), (100, 100)))
    for seed in range(20):
        [elsewhere] = hidden(item, ElsewhereHidden(), seed)
        assert not (elsewhere & mark_pixels((BOX, mass, tag), (100, 100))).any()
    assert hidden(item, CornersHidden("black"))[0][:8, :8].all()
    assert "no finding is marked" in why_not(asked(film(tag)), CornersHidden())


def test_hidden_areas_move_with_the_image():
    """The evidence of a mirrored image is hidden where it is in the mirror."""
    mirrored = vary(asked(film(BOX)), ImageMirrored(), seed=0, pool=Pool(())).item
    [evidence] = hidden(mirrored, EvidenceHidden("black"))
    assert np.array_equal(evidence, mark_pixels((BOX,), (100, 100))[:, ::-1])


def test_items_that_cannot_be_asked_are_left_out_with_the_reason():
    """Nothing marked, a finding as large as the image, no room elsewhere."""
    assert "no finding is marked" in why_not(asked(film()), EvidenceHidden())
    whole = asked(film(Region("nodule", Box(0, 0, 98, 99))))
    for condition in HIDING:
        assert "97%" in why_not(whole, condition)
    half = asked(film(Region("nodule", Box(0, 20, 60, 80))))
    assert "no room elsewhere" in why_not(half, ElsewhereHidden())
    assert hidden(half, EvidenceHidden())[0].any()


def test_fill_alone_hides_a_finding_s_shape_in_patients_without_one():
    """In its own pixels, if the image has another size; patients with a finding are left out."""
    sick, well = asked(film(BOX), at=0, finding="nodule"), asked(film(side=50), at=1, finding="normal")
    [area] = hidden(well, FillAlone("black"), pool=(sick, well))
    assert area.sum() == 10 * 10
    assert "without a finding" in why_not(sick, FillAlone(), (sick, well))
    assert "no like image" in why_not(well, FillAlone(), (well,))


@pytest.mark.parametrize(
    "settings", [{"fill": "red"}, {"size": 0}, {"size": 11}, {"opacity": 1.5}, {"nth": 0}, {"nth": True}]
)
def test_settings_that_mean_nothing_are_refused(settings):
    """With what was expected."""
    with pytest.raises(StudyError, match=r"Expected|counted"):
        ElsewhereHidden(**settings)


def test_neighbours_are_hidden_and_the_own_finding_is_spared():
    """All other findings but a tag and those that overlap it; for the control, as large parts that show none."""
    near, far = Region("mass", Box(25, 30, 40, 45)), Region("effusion", Box(60, 60, 80, 80))
    item = asked(film(BOX, near, far, Region("tag", Box(90, 90, 99, 99))), finding="nodule")
    [around] = hidden(item, NeighboursHidden("black"))
    assert np.array_equal(around, mark_pixels((far,), (100, 100)))
    [apart] = hidden(item, NeighboursElsewhere("black"))
    assert apart.sum() == around.sum()
    assert not (apart & mark_pixels(item.images[0].regions, (100, 100))).any()
    for condition in (NeighboursHidden(), NeighboursElsewhere("blur")):
        assert check_condition(condition, [item]) == 1
        for lonely in (asked(film(BOX, near), finding="nodule"), asked(film(BOX, far))):
            assert "no other finding" in why_not(lonely, condition)
