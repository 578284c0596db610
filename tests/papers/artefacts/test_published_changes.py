"""The artefacts paper's percentage changes: the example, what rounding allows, what paired answers could have shown."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.papers import printed
from snellen.papers.artefacts.published.tables import average_sheet, change_sheet, changes, paired

SHARED = Path(__file__).parents[3].parent / "shared"
PUBLISHED = SHARED / "oracles" / "published.json"
PAPERS = SHARED / "papers"


@pytest.fixture(scope="module")
def oracle():
    """The printed figures as somebody else wrote them down."""
    if not PUBLISHED.exists():
        pytest.skip(f"the printed figures are not at {PUBLISHED}")
    return json.loads(PUBLISHED.read_text())["artefacts"]


@pytest.fixture
def record():
    """The figures, to be changed."""
    return deepcopy(printed("artefacts"))


def test_the_averages_are_those_that_somebody_else_wrote_down(oracle):
    """Accuracy, change and detection for each kind of image."""
    ours = printed("artefacts")["averages"]
    for name, row in ours.items():
        assert {kind.replace("-", ""): value for kind, value in row.items()} == oracle[name]
    shown = {row[0]: row[1:] for row in average_sheet(printed("artefacts")).rows}
    assert shown["X-ray"] == ("0.604", "-10.46%", "0.115")


def test_the_example_is_recomputed(oracle):
    """0.7 and 0.5 give −28.6%."""
    example = changes()[0]
    before, after = oracle["example"]["before"], oracle["example"]["after"]
    assert round(example.found, 1) == oracle["example"]["change_percent"] == example.percent
    assert example.found == pytest.approx(100 * (after - before) / before)
    assert example.fits


def test_the_changes_stand_in_the_paper():
    """Each with its percentage."""
    paper = next(PAPERS.glob("004_*.txt"), None)
    if paper is None:
        pytest.skip(f"the text of the paper is not in {PAPERS}")
    text = paper.read_text().replace("\\", "")
    assert all(f"{abs(change.percent):.{change.digits}f}%" in text for change in changes())


def test_what_rounding_allows():
    """0.760 to 0.466 is −38.68%, and no figures that round to these give the printed −38.5%."""
    change = changes()[1]
    assert f"{change.found:.2f}" == "-38.68"
    assert [f"{end:.2f}" for end in change.allowed] == ["-38.79", "-38.58"]
    assert change.fits is False
    assert "NOT by rounding" in change_sheet(printed("artefacts")).rows[1]


@given(st.floats(-0.0005, 0.0005), st.floats(-0.0005, 0.0005))
def test_whatever_was_rounded_is_allowed(one, other):
    """A change of unrounded rates, printed to one decimal, always fits."""
    record = deepcopy(printed("artefacts"))
    exact = 100 * ((0.466 + other) / (0.760 + one) - 1)
    record["changes"][0]["percent"] = round(exact, 1)
    change = changes(record)[1]
    low, high = change.allowed
    assert low - 1e-9 <= exact <= high + 1e-9
    assert change.fits


def test_a_change_without_its_rates_is_not_judged(record):
    """No accuracy printed: dashes, and no p of ours; with only the accuracy after, the one before is inferred."""
    rows = change_sheet(record).rows
    assert [row[2:] for row in rows[2:]] == [("–", "–", "–")] * 4
    found = changes(record)
    assert found[2].before == pytest.approx(0.739 / 1.133)
    assert found[3].before is None
    assert found[3].fits is None


@pytest.mark.parametrize(("before", "after"), [(152, 93), (130, 148)])
def test_the_extremes_of_pairing(before, after):
    """McNemar's p of the fewest and of the most changed answers, by SciPy; every other pairing lies between."""
    most, least = paired(before, after, 200)
    few, overlap = abs(before - after), max(0, before + after - 200)
    assert most.p == pytest.approx(min(1, reference.binomtest(0, few).pvalue))
    assert least.p == pytest.approx(reference.binomtest(before - overlap, before + after - 2 * overlap).pvalue)
    assert most.p < least.p
    assert most.value == least.value == pytest.approx(after / before - 1)
    assert least.low < most.low < most.high < least.high


def test_what_could_have_been_shown_is_said():
    """The drop is significant however the answers pair; the gain by cropping need not be."""
    notes = change_sheet(printed("artefacts")).notes
    drop, gain = (note for note in notes if note.startswith("– "))
    assert "from 152 right of 200 (printed) to 93" in drop
    assert drop.endswith("p = 2e-06.")
    assert "from 130 right of 200 (0.652 by the printed change) to 148" in gain
    assert gain.endswith("p = 0.1.")
    assert "[-2.7, +33.5]" in gain
