"""Counterfactual phantoms: the same patient with another finding, and nothing else changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.catalogue import MODALITIES, modality_named
from snellen.benchmarks.phantoms.counterfactual import CHANGES, ENLARGED, MOVED, REMOVED
from snellen.benchmarks.phantoms.patients import with_finding
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.regions import find_regions, make_healthy, show, without_finding
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.errors import StudyError
from snellen.images import Image, Pixels
from snellen.items import Item, Substitute

PAIRS = 64


@pytest.fixture(autouse=True)
def drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every image is drawn here, however often the worker has done so."""
    monkeypatch.setattr(Phantom, "draw", getattr(Phantom.draw, "__wrapped__", Phantom.draw))


def inside(image: Image) -> np.ndarray:
    """The pixels in the regions of an image."""
    marked = np.zeros((512, 512), bool)
    for region in image.regions:
        marked |= region.pixels((512, 512))
    return marked


def apart(one: Pixels, other: Pixels) -> np.ndarray:
    """How much each pixel differs."""
    return np.abs(one.astype(int) - other).reshape(512, 512, -1).max(axis=2)


def pairs(items: tuple[Item, ...]) -> list[tuple[Item, Substitute]]:
    """Each item with each of its counterparts."""
    return [(item, each) for item in items for each in item.substitutes]


@given(st.integers(0, 10_000), st.sampled_from([modality.code for modality in MODALITIES]), st.integers(0, 9))
@settings(max_examples=20, deadline=None)
def test_nothing_outside_the_two_regions_differs(seed: int, modality: str, place: int) -> None:
    """Of any seed, modality and kind; inside, the image is that of the changed patient, to rounding at its edge."""
    item = load(task="counterfactual", items=place + 1, seed=seed, modality=modality).items[place]
    own = item.images[0].pixels()
    for each in item.substitutes:
        changed = each.images[0].pixels()
        outside = ~(inside(item.images[0]) | inside(each.images[0]))
        assert not apart(own, changed)[outside].any()
        assert apart(own, changed).max() > 3
        truth = each.images[0].source.changed.draw()
        assert not apart(truth, changed)[~outside].any()


@pytest.mark.parametrize("code", [modality.code for modality in MODALITIES])
def test_a_region_holds_all_that_shows_the_finding_and_little_else(code: str) -> None:
    """Outside, the image is that of the patient without the finding, to 3 of 255 grey levels; a region is compact."""
    modality = next(each for each in MODALITIES if each.code == code)
    for finding in modality.findings:
        for seed in range(3):
            phantom = with_finding(modality, finding.name, np.random.default_rng(seed))
            marked = inside(show(phantom))
            seen = apart(phantom.draw(), without_finding(phantom).draw())
            assert not (seen[~marked] > 3).any()
            assert 0.002 < marked.mean() < 0.3, (finding.name, seed)


def test_what_is_counted_is_removed_without_changing_the_patient() -> None:
    """A patient with no lesion of a kind looks like a healthy one, but for the layer under drusen."""
    for modality in MODALITIES:
        for finding in (each for each in modality.findings if each.countable and each.name != "drusen"):
            phantom = with_finding(modality, finding.name, np.random.default_rng(5))
            assert apart(without_finding(phantom).draw(), make_healthy(phantom).draw()).max() <= 1


def test_healthy_patients_have_no_region() -> None:
    """A region belongs to a finding."""
    assert find_regions(Phantom("OCT", "normal", seed=3)) == ()
    assert find_regions(Phantom("OCT", "drusen", count=0, side="left", size="small")) == ()


def test_each_counterpart_has_another_answer_that_is_offered() -> None:
    """Every change occurs, and every item has at least one."""
    items = load(task="counterfactual", items=PAIRS, seed=4).items
    assert all(item.problem() is None and item.substitutes for item in items)
    for item, each in pairs(items):
        right = item.options[item.answer].text
        assert each.shows != right
        assert each.shows in [option.text for option in item.options]
        assert each.change in CHANGES[item.metadata["question_kind"]]
    assert {each.change for _, each in pairs(items)} == {change for changes in CHANGES.values() for change in changes}


def test_the_answer_is_what_the_changed_image_shows() -> None:
    """By the fields from which the image is drawn."""
    for item, each in pairs(load(task="counterfactual", items=PAIRS, seed=5).items):
        own, changed = each.images[0].source.original, each.images[0].source.changed
        kind, shows = item.metadata["question_kind"], each.shows.casefold()
        assert own.seed == changed.seed
        if each.change == REMOVED:
            assert changed == without_finding(own)
            assert shows in ("no", "neither side", "neither half", "no abnormality")
        elif each.change == ENLARGED:
            assert (replace(changed, size=own.size), shows) == (own, changed.size)
        elif each.change == MOVED:
            assert (changed.finding, changed.size, changed.count) == (own.finding, own.size, own.count)
            assert (changed.side, changed.location) != (own.side, own.location)
            sides = ENGLISH.side[modality_named(own.modality).code]
            named = ENGLISH.option[changed.location] if kind == "location" else sides[changed.side]
            assert shows == named.casefold()
        else:
            assert changed.finding not in (own.finding, "normal")


def test_phantoms_of_all_tasks_know_the_region_of_their_finding() -> None:
    """Each finding's region has its name; regions change no digest, which other tests pin."""
    for task in ("questions", "detection", "pathway", "report", "premises"):
        for item in load(task=task, items=8, seed=2):
            for image in item.images:
                named = [region.finding for region in image.regions]
                assert named == ([] if image.source.finding == "normal" else [image.source.finding])


def test_counterfactuals_are_asked_in_english() -> None:
    """As all tasks but the questions."""
    with pytest.raises(StudyError, match="in English only"):
        load(task="counterfactual", language="it")
