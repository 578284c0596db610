"""Phantoms for reports: references that say what the image shows and nothing else, and indications that say nothing."""

import re
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reported import said_in, sections, shown_by
from snellen.benchmarks.phantoms import Phantom, load
from snellen.benchmarks.phantoms.catalogue import COUNTS, MODALITIES, NORMAL, SIZES
from snellen.benchmarks.phantoms.reports import INDICATIONS, SAYING_NOTHING, reference
from snellen.prompts import prompt_named

MANY = load(task="report", items=4 * 60, seed=3)


def phantoms_of(modality):
    """Any phantom that reports are asked about."""
    return st.integers(0, 2**40).flatmap(
        lambda seed: st.sampled_from(load(task="report", items=15, seed=seed, modality=modality.code).items)
    )


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_a_third_is_normal(seed):
    """Of every fifteen patients of a modality five are normal, and two have each of its findings."""
    items = load(task="report", items=4 * 30, seed=seed).items
    for modality in MODALITIES:
        found = [item.metadata["finding"] for item in items if item.category == modality.name]
        for fifteen in (found[:15], found[15:]):
            wanted = {finding.name: 2 for finding in modality.findings} | {NORMAL: 5}
            assert Counter(fifteen) == wanted


@pytest.mark.parametrize("modality", MODALITIES, ids=[modality.code for modality in MODALITIES])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_the_reference_says_what_the_image_shows_and_nothing_else(modality, data):
    """Findings, number, size, side and place are the phantom's; every other finding is denied."""
    item = data.draw(phantoms_of(modality))
    phantom = item.images[0].source
    findings, impression = sections(item.answer)
    for section in (findings, impression):
        said, shown = said_in(section), shown_by(phantom, findings=section is findings)
        assert said._replace(count=said.count or min(1, phantom.count)) == shown
        assert "{" not in section
        assert "  " not in section
    if phantom.finding == NORMAL and modality.code == "fundus":
        assert f"{phantom.side} eye" in impression


@pytest.mark.parametrize("modality", MODALITIES, ids=[modality.code for modality in MODALITIES])
def test_every_place_is_named(modality):
    """Two locations, two sides, two sizes or two counts never have one report between them."""
    for finding in modality.findings:
        for seed in range(3):

            def told(finding=finding, seed=seed, **attributes):
                phantom = Phantom(modality.name, finding.name, **attributes)
                return reference(modality, phantom, np.random.default_rng(seed))

            if finding.located:
                on = {place: modality.side_of(place) or "left" for place in modality.locations}
                alone = {place: told(location=place, side=side, count=1, size="small") for place, side in on.items()}
                assert len(set(alone.values())) == len(modality.locations)
            if finding.sided:
                assert len({told(side=side, count=3, size="small") for side in modality.sides}) == len(modality.sides)
            if finding.sized:
                assert len({told(side="left", count=3, size=size) for size in SIZES}) == len(SIZES)
            if finding.countable:
                assert len({told(side="left", count=count, size="small") for count in COUNTS}) == len(COUNTS)


def test_references_differ_in_words():
    """Normal chest X-rays share their content, and few share their words."""
    normal = [item.answer for item in load(task="report", items=300, seed=1, modality="cxr")]
    normal = [answer for answer in normal if not said_in(sections(answer)[0]).affirmed]
    assert len(normal) == 100
    assert len(set(normal)) > 80


def test_the_wording_of_a_report_is_drawn_apart_from_the_image():
    """Another generator changes the words of a reference, and never what they say."""
    phantom = Phantom("chest X-ray", "pleural effusion", side="left", size="large")
    told = [reference(MODALITIES[0], phantom, np.random.default_rng(seed)) for seed in range(20)]
    assert len(set(told)) > 10
    assert all(said_in(sections(each)[0]).affirmed == {"pleural effusion"} for each in told)


@pytest.mark.parametrize("prompt", ["letter", "readiness"])
def test_the_request_does_not_hold_the_reference(prompt):
    """What is asked, the prompt's own words among it, names no finding, no side and no place."""
    places = {word for modality in MODALITIES for place in modality.locations for word in place.split()}
    for item in MANY:
        asked = prompt_named(prompt).render(item).text
        assert item.context in asked
        assert said_in(asked)[:2] == (set(), set())
        words = set(re.findall(r"[a-z]+", asked.lower()))
        assert not words & (places | {"left", "right", "both"})
        assert all(section not in asked for section in sections(item.answer))


def test_indications_fit_every_finding():
    """What the indication says has nothing to do with what the patient has: each finding meets each of them."""
    met = defaultdict(Counter)
    for item in load(task="report", items=750, seed=5, modality="cxr"):
        met[re.sub(r"\d+-year-old (?:wo)?man", "", item.context)][item.metadata["finding"] == NORMAL] += 1
    assert len(met) == len(INDICATIONS["cxr"]) + len(SAYING_NOTHING)
    shares = [seen[True] / seen.total() for seen in met.values()]
    assert all(abs(share - 1 / 3) < 0.2 for share in shares)


def test_one_indication_in_four_says_nothing():
    """Some are asked for without a reason, whatever the modality."""
    many = load(task="report", items=500, seed=2)
    assert abs(sum(item.context in SAYING_NOTHING for item in many) / 500 - 0.25) < 0.07
    assert all(item.context.strip() for item in many)


def test_age_and_sex_are_those_of_the_indication():
    """Where the indication tells age and sex, so do the metadata; the task is not named: no prompt goes by it."""
    told = [item for item in MANY if "-year-old" in item.context]
    assert len(told) > 20
    assert not any("task" in item.metadata for item in MANY)
    for item in told:
        person = {"female": "woman", "male": "man"}[item.metadata["sex"]]
        assert item.context.startswith(f"{item.metadata['age']}-year-old {person}")


def test_both_sides_and_single_lesions_occur():
    """Some findings are on both sides, some at one named place, and some are counted."""
    shown = [item.images[0].source for item in load(task="report", items=600)]
    assert {"left", "right", "both"} <= {phantom.side for phantom in shown}
    assert {phantom.location for phantom in shown} > {"left lower zone", "fovea", "macula"}
    assert {phantom.count for phantom in shown} == {0, *COUNTS}


def test_sizes_ascend():
    """The words for size are small, moderate and large, in this order."""
    told = []
    for size in SIZES:
        phantom = Phantom("chest X-ray", "pleural effusion", side="right", size=size)
        told.append(sections(reference(MODALITIES[0], phantom, np.random.default_rng(0)))[1])
    assert [said_in(each).size for each in told] == list(SIZES)
    assert all(one != other for one, other in pairwise(told))
