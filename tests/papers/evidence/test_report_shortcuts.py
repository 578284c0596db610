"""Report shortcuts: findings reported unseen, or because of their neighbours, counted anew and with planted models."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.images import Image
from snellen.images.regions import Box, Region
from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.papers.evidence.tests.report_shortcuts import (
    APART,
    AROUND,
    CAUSED,
    CONTEXT,
    DIRECT,
    KEPT,
    LOST,
    OTHER,
    OWN,
    SHOWN,
    SWAPPED,
)
from snellen.reading.outcomes import Outcome
from snellen.reading.reports.columns import reports
from snellen.reading.reports.comparison import compare_reports
from snellen.reading.reports.reading import ReportReading
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.study import Study
from studied import results_of
from tables import grades, numbers, verdict

TEST = stress_test("report-shortcuts")
PLACES = {"lung nodule": Box(10, 10, 25, 25), "pleural effusion": Box(60, 60, 80, 80)}
SAID = {"+": "There is a lung nodule.", "-": "No lung nodule.", "e": "There is a pleural effusion."}


def write(*present):
    """A report that names these findings and denies the others."""
    return "FINDINGS: " + " ".join(f"There is a {each}." if each in present else f"No {each}." for each in PLACES)


def report_table(arms, donors=None):
    """A table of reports from a sign for each item and arm; `o` does not answer, and `?` cannot be read."""
    count = max(map(len, arms.values()))
    asked = [
        Item(f"r{at}", "Write the report.", kind="report", answer=SAID["+-"[at % 2]], metadata={"finding": "nodule"})
        for at in range(count)
    ]
    outcomes = {"o": Outcome.ABSTAINED, "?": Outcome.UNPARSED}
    made = {}
    for arm, signs in arms.items():
        there = [(at, sign) for at, sign in enumerate(signs) if sign != " "]
        replies = grades([(at, 0, outcomes.get(sign, Outcome.SCORED), 0) for at, sign in there])
        read = {(at, 0): read_as(SAID.get(sign), asked[at].answer) for at, sign in there}
        made[arm] = replace(replies.having(reports(read, {})), donor=np.array(donors if arm == SWAPPED else (), int))
    return Table("m", "b", tuple(asked), made)


def read_as(text, reference):
    """The reading of a report; None for a response that is none."""
    compared = text and compare_reports(text, reference)
    return text and ReportReading("compared", Outcome.SCORED, text, compared, text, reference, text)


@given(st.lists(st.tuples(*[st.sampled_from("+-eo? ")] * 5), min_size=10, max_size=40))
def test_counts_by_brute_force(rows):
    """Only findings count that the original report names; a response without an answer names none."""
    lines = ["".join(line) for line in zip(*rows, strict=True)]
    found = numbers(TEST, report_table(dict(zip(("original", OWN, OTHER, AROUND, APART), lines, strict=True))))
    named = {"+": 1.0, "-": 0.0, "e": 0.0, "o": 0.0}
    kept = [[named.get(sign) for sign in each[1:]] for each in rows if each[0] == "+"]
    counted = {
        (OWN, DIRECT): [own for own, *_ in kept if own is not None],
        (OTHER, KEPT): [other for _, other, *_ in kept if other is not None],
        (OWN, LOST): [other - own for own, other, *_ in kept if None not in (own, other)],
        (AROUND, CAUSED): [1 - around for *_, around, _ in kept if around is not None],
        (AROUND, CONTEXT): [apart - around for *_, around, apart in kept if None not in (around, apart)],
    }
    for place, values in counted.items():
        assert (place in found) == (len(values) >= 6), place
        if place in found:
            assert (found[place].n, round(found[place].value, 9)) == (len(values), round(np.mean(values), 9)), place


@given(st.lists(st.tuples(st.sampled_from("+-eo?"), st.integers(-1, 9)), min_size=10, max_size=10))
def test_two_references_by_brute_force(rows):
    """Each report is compared with the reference of the patient asked about, and of the patient who lent the image."""
    signs, donors = zip(*rows, strict=True)
    found = numbers(TEST, report_table({"original": signs, SWAPPED: signs}, donors))
    gains = [
        compare_reports(SAID[sign], SAID["+-"[donor % 2]]).f1 - compare_reports(SAID[sign], SAID["+-"[at % 2]]).f1
        for at, (sign, donor) in enumerate(rows)
        if sign in SAID and donor >= 0
    ]
    assert ((SWAPPED, SHOWN) in found) == (len(gains) >= 6)
    if len(gains) >= 6:
        assert round(found[SWAPPED, SHOWN].value, 9) == round(np.mean(gains), 9)


def test_nothing_to_follow_is_left_open():
    """Reports that name no marked finding are no evidence for or against a shortcut."""
    assert verdict(TEST, report_table({"original": "-" * 20, OWN: "-" * 20})).status is Status.INCONCLUSIVE


def film(at, *shown):
    """A noisy film on which each finding is a bright square with its region."""
    pixels = np.random.default_rng(at).integers(80, 120, (100, 100), dtype=np.uint8)
    for finding in shown:
        left, top, right, bottom = PLACES[finding]
        pixels[top:bottom, left:right] = 250
    return replace(Image(pixels), regions=tuple(Region(each, PLACES[each]) for each in shown))


def ask_report(at, shown, finding):
    """An item about one of the findings of a film; its patient may have several."""
    told = {"modality": "X-ray", "body_part": "chest", "finding": finding}
    words = "Write the report of this chest X-ray."
    return Item(
        f"r{at}-{finding}", words, kind="report", answer=write(*shown), images=(film(at, *shown),), cluster=f"p{at}",
        metadata=told,
    )  # fmt: skip


ITEMS = tuple(
    ask_report(at, shown, finding)
    for at, shown in enumerate([tuple(PLACES), ()] * 12)
    for finding in shown or ("normal",)
)


def visible(request):
    """The findings whose squares are bright."""
    pixels = Image(request.images[0].data).pixels()
    return {each for each, (left, top, right, bottom) in PLACES.items() if pixels[top:bottom, left:right].mean() > 200}


def infers(request):
    """Reports each finding if it sees the other one."""
    return write(*(set(PLACES) - seen if len(seen := visible(request)) < 2 else seen) if visible(request) else ())


MODELS = {"sees": lambda request: write(*visible(request)), "infers": infers, "copies": lambda request: write(*PLACES)}


@pytest.fixture(scope="module")
def examined(tmp_path_factory):
    """The measures of three models on films with two findings or none."""
    made = [FakeModel(function, name=f"fake/{name}") for name, function in MODELS.items()]
    out = tmp_path_factory.mktemp("shortcuts") / "out"
    return results_of(Study(models=made, benchmarks=[Benchmark("mine", ITEMS)], tests=[TEST.name], out=out))


def test_planted_shortcuts_are_found(examined):
    """A copy is direct, an inference is both, and a model that sees is neither; each is reported without a mark."""
    found = {each.model.removeprefix("fake/"): each for each in examined.findings}
    values = {
        name: [each.measure(arm, kind).estimate.value for arm, kind in ((OWN, DIRECT), (OWN, LOST), (AROUND, CONTEXT))]
        for name, each in found.items()
    }
    assert values == {"sees": [0, 1, 0], "infers": [1, 0, 1], "copies": [1, 0, 0]}
    assert all(each.measure(OWN, DIRECT).estimate.n == 24 for each in found.values())
    assert found["sees"].measure(SWAPPED, SHOWN).estimate.low > 0
    assert found["copies"].measure(SWAPPED, SHOWN).estimate.low <= 0
    assert {each.verdict.status for each in found.values()} == {Status.REPORTED}
    assert "more are lost than elsewhere" in found["infers"].verdict.sentence


def test_effects_are_given_by_finding(examined):
    """Both findings of a patient are followed; each has rows of its own, and patients are clusters."""
    found = next(each for each in examined.findings if each.model == "fake/sees")
    sizes = {each.subset: each.estimate.n for each in found.measures if each.name == DIRECT and each.subset}
    assert sizes == {f"finding: {each}": 12 for each in PLACES}
    assert len(set(examined.tables["fake/sees", "mine"].clusters.tolist())) == 24


def test_organisms_that_write_reports(tmp_path):
    """One that looks loses the hidden finding and fits the patient shown; one that supposes does neither."""
    models = ["organism/grounded", "organism/prior"]
    spec = "phantoms:task=report,items=90"
    study = Study(models=models, benchmarks=[spec], tests=[TEST.name], out=tmp_path / "o", image_side=256)
    grounded, prior = results_of(study).findings
    assert grounded.measure(OWN, LOST).estimate.low > 0.5
    assert grounded.measure(SWAPPED, SHOWN).estimate.low > 0.1
    assert prior.measure(OWN, DIRECT).estimate.value == 1
    assert prior.measure(SWAPPED, SHOWN).estimate.low <= 0
