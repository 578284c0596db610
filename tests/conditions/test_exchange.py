"""Any other patient's image: the words and the answer key stay, and nobody says what the image shows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import load
from snellen.conditions import ImageExchanged, Pool, SameLabel, vary
from snellen.errors import Inapplicable
from snellen.images import Image, encode
from snellen.testing import check_condition
from strategies import benchmarks, findings, items, open_benchmarks, picture

SCAN = {"modality": "CT", "body_part": "chest"}


def exchange(pool, seed=0):
    """Whose image each item is shown, by its id."""
    shelf, found = Pool(pool), {}
    for item in pool:
        try:
            found[item.id] = vary(item, ImageExchanged(), seed=seed, pool=shelf)
        except Inapplicable:
            continue
    return found


def scans(count, *, patients, **fields):
    """Questions about chest scans of so many patients."""
    about = {"metadata": SCAN, **fields}
    return [replace(item, cluster=f"p{at % patients}", **about) for at, item in enumerate(items(count))]


@given(pool=benchmarks() | open_benchmarks(), seed=st.integers(0, 99))
def test_only_the_image_changes_and_another_patient_lends_it(pool, seed):
    """The key stays: the response is graded by whether it keeps the old answer."""
    by_id = {item.id: item for item in pool}
    for name, variant in exchange(pool, seed).items():
        item, lender = by_id[name], by_id[variant.drawn["lent_by"]]
        assert variant.item == replace(item, images=lender.images, substitutes=())
        assert lender.images != item.images
        assert not item.cluster or lender.cluster != item.cluster
        for column in ("modality", "body_part"):
            told = [str(each.metadata.get(column) or "") for each in (item, lender)]
            assert column == "body_part" or not all(told) or told[0] == told[1]


def test_every_image_is_lent_once():
    """Where each patient has one image, and where some have several."""
    for patients in (30, 10, 3):
        lenders = [each.drawn["lent_by"] for each in exchange(scans(30, patients=patients)).values()]
        assert sorted(lenders) == sorted({*lenders})
        assert len(lenders) == 30


def test_images_of_the_same_body_part_come_first():
    """Of another part only where no other patient has an image of the part; never of another modality."""
    chests, knee = scans(4, patients=4), replace(items(5)[4], cluster="k", metadata={**SCAN, "body_part": "knee"})
    found = exchange([*chests, knee])
    assert {found[item.id].drawn["lent_by"] for item in chests} <= {item.id for item in chests}
    assert found[knee.id].drawn["lent_by"] in {item.id for item in chests}
    film = replace(knee, metadata={"modality": "X-ray", "body_part": "chest"})
    assert film.id not in exchange([*chests, film])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"images": ()}, "the item has no image to replace"),
        ({"metadata": SCAN}, "no other patient's image is of the same kind"),
        ({"metadata": {"modality": "CT"}}, "no other patient's image is of the same kind; add the columns body_part"),
    ],
)
def test_why_no_image_can_be_lent(changes, reason):
    """Without an image of its own, or without another patient's."""
    item = replace(findings()[0], **changes)
    with pytest.raises(Inapplicable, match=f"^{reason}$"):
        vary(item, ImageExchanged(), seed=0, pool=Pool([item]))


def test_colour_tells_images_of_unknown_modality_apart():
    """Where neither columns nor texts name the modality."""
    red = np.zeros((8, 8, 3), np.uint8)
    red[..., 0] = 200
    stains = [Image(encode(red + np.uint8(shade)).data) for shade in range(2)]
    plain = [replace(item, question="What is shown?", cluster=item.id) for item in items(4)]
    plain = [
        replace(item, images=(image,)) for item, image in zip(plain, [*stains, picture(9), picture(10)], strict=True)
    ]
    lenders = {name: each.drawn["lent_by"] for name, each in exchange(plain).items()}
    assert lenders == {"q000": "q001", "q001": "q000", "q002": "q003", "q003": "q002"}


def test_the_same_label_is_lent_by_who_has_it():
    """The donor is another patient of the same kind with the same answer to the same question; the key stays."""
    pool = load("phantoms:items=96").items
    shelf, by_id, found = Pool(pool), {item.id: item for item in pool}, 0
    for item in pool:
        try:
            made = vary(item, SameLabel(), seed=0, pool=shelf)
        except Inapplicable:
            continue
        found += 1
        lender = by_id[made.drawn["lent_by"]]
        assert made.item == replace(item, images=lender.images)
        assert lender.cluster != item.cluster
        assert lender.category == item.category
        assert lender.options[lender.answer].text == item.options[item.answer].text
    assert found > 40
    check_condition(SameLabel(), pool)
    untold = [replace(each, metadata={}) for each in pool[:24]]
    assert check_condition(SameLabel(), untold) < 24


def test_no_label_is_lent_to_open_questions():
    """Whose answer is no option."""
    pool = load("phantoms:task=premises,items=12").items
    with pytest.raises(Inapplicable, match="same answer"):
        vary(pool[0], SameLabel(), seed=0, pool=Pool(pool))
