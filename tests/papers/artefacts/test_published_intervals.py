"""The artefacts paper's intervals: the figures are the printed ones, and which way of making intervals gives them."""

import re
from collections import Counter
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as reference

from snellen.papers import printed
from snellen.papers.artefacts.published.intervals import Rate, fit, interval_sheet, possible, rates, ways_sheet

PAPERS = Path(__file__).parents[3].parent / "shared" / "papers"


@pytest.fixture(scope="module")
def text():
    """The paper, in one line."""
    paper = next(PAPERS.glob("004_*.txt"), None)
    if paper is None:
        pytest.skip(f"the text of the paper is not in {PAPERS}")
    return " ".join(paper.read_text().split())


@pytest.fixture
def record():
    """The figures, to be changed."""
    return deepcopy(printed("artefacts"))


def named(name):
    """One of the printed rates."""
    (found,) = (rate for rate in rates() if rate.id == name)
    return found


def test_every_rate_with_an_interval_is_here_and_no_other(text):
    """As often as it stands in the text, value and both ends."""
    stands = re.findall(r"(\d\.\d{3})[ (;]*95% (?:Confidence Interval \()?CI\)?: (\d\.\d{3})–(\d\.\d{3})", text)
    assert len(stands) == len(re.findall(r"CI\)?: \d", text))
    assert sorted(stands) == sorted(tuple(f"{figure:.3f}" for figure in rate.figure) for rate in rates())


def test_the_sizes_are_those_of_the_text(text):
    """A hundred images of each class, fifty for fundus photographs, a hundred that nobody can grade."""
    for words in ("100 for normal and 100 for disease cases", "50 images per category", "100 images from class '5'"):
        assert words in text
    for rate in rates():
        each = 50 if "fundus" in rate.images and "ungradable" not in rate.images else 100
        assert set(rate.sizes) == {each}
        assert len(rate.sizes) == (1 if rate.measure in ("sensitivity", "specificity") or "ungr" in rate.images else 2)


def test_what_each_way_gives():
    """Percentiles 18 to the digit and all within one answer, ±1.96 SD 9 and 23, the text's SD/5 none at all."""
    counts = {row[0]: row[1:] for row in ways_sheet(printed("artefacts")).rows}
    assert counts == {
        "percentiles": ("18", "25", "6"),
        "±1.96 SD": ("9", "23", "1"),
        "±1.96 SD/5 (its text)": ("0", "0", "0"),
    }


def test_a_sensitivity_is_a_binomial_law():
    """SciPy's percentiles of 33 of 100 are the printed ends."""
    found = fit(named("xray-motion-cot"), "percentile")
    assert found.split == (33,)
    assert [found.estimate.low, found.estimate.high] == list(reference.binom.ppf([0.025, 0.975], 100, 0.33) / 100)
    assert found.exact


def test_drawing_a_thousand_times_gives_a_printed_interval():
    """A stratified bootstrap by hand, of 48 and 25 right of 50 each, gives no interval more often than the printed."""
    rng = np.random.default_rng(1)
    right = rng.binomial(50, 48 / 50, (300, 1000)) + rng.binomial(50, 25 / 50, (300, 1000))
    ends = Counter(map(tuple, np.quantile(right, [0.025, 0.975], axis=1).T.tolist()))
    assert ends.most_common(1)[0][0] == (66, 80)
    assert named("fundus-original").figure == (0.731, 0.66, 0.8)
    assert fit(named("fundus-original"), "percentile").exact


def test_ends_on_the_grid_and_lopsided_intervals():
    """Every printed end is a whole number of answers; 0.051 (0.025–0.080) and 0.945 (0.910–0.975) are lopsided."""
    assert {rate.on_grid for rate in rates()} == {2}
    assert named("mri-noise-structured").lopsided
    assert named("mri-noise-june").lopsided
    assert not named("mri-original").lopsided
    off = Rate("", "", "", "accuracy", (100, 100), (0.77, 0.717, 0.823))
    assert off.on_grid == 0
    grid, lopsided = ways_sheet(printed("artefacts")).notes
    assert grid.startswith("50 of 50 printed ends")
    assert lopsided.startswith("12 of 25")


def test_a_split_that_is_printed_is_not_free():
    """BiomedCLIP's 154 right answers are 95 diseased and 59 normal; of the X-rays it is not told."""
    assert named("mri-original").splits == [(95, 59)]
    assert not named("mri-original").free
    assert named("xray-original").free
    assert all(sum(split) == 152 and max(split) <= 100 for split in named("xray-original").splits)


def test_what_a_narrow_interval_tells_of_the_classes():
    """0.466 (0.425–0.510) needs five to ten of a hundred right in one class; no even split comes near."""
    splits = possible(named("xray-noise"))
    assert {low for low, _ in splits} == set(range(5, 11))
    assert not [rate for rate in rates() if not possible(rate)]
    notes = " ".join(interval_sheet(printed("artefacts")).notes)
    assert "only if 83 to 88 of one class and 5 to 10 of the other were right, of 100 each" in notes
    assert "only if 46 to 47 of one class and 0 to 1 of the other were right, of 50 each" in notes


def test_other_figures_give_another_verdict(record):
    """The marks are computed: ±1.96 SD printed as ends are found to be that, and not percentiles."""
    row = record["rates"][2]
    row["figure"] = [0.5, 0.402, 0.598]
    record["rates"] = [row]
    assert interval_sheet(record).rows[0][-2:] == ("0.400–0.600 ~", "0.402–0.598 =")
    row["figure"] = [0.5, 0.48, 0.52]
    text_way = {line[0]: line[1] for line in ways_sheet(record).rows}
    assert text_way == {"percentiles": "0", "±1.96 SD": "0", "±1.96 SD/5 (its text)": "1"}


def test_the_remarks_are_true(text):
    """The same figure for motion and for noise stands in the text."""
    assert text.count("0.629") == 2
    assert named("mri-motion-october").figure == named("mri-noise-standard").figure
    assert "strong random motion" in text[: text.index("0.629")][-250:]
    assert "detecting images with random noise" in text[: text.rindex("0.629")][-150:]
    assert "standard error by (standard deviation/5)" in text
