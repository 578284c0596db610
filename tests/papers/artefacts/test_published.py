"""The artefacts paper: its figures as we carry them, the intervals and changes that they allow, and a study beside."""

import re
from collections import Counter
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from snellen.papers import printed, sheets
from snellen.papers.artefacts.published import (
    Rate,
    average_sheet,
    bound_change,
    change_sheet,
    changes,
    fit,
    interval_sheet,
    pooled_sheet,
    possible,
    rates,
    tabulate_results,
    ways_sheet,
)

PAPER, NUMBER = "artefacts", "004"


def flat(words):
    """The words, however the lines were broken."""
    return " ".join(words.split())


def named(name):
    """One of the printed rates."""
    (found,) = (rate for rate in rates() if rate.id == name)
    return found


# Intervals ------------------------------------------------------------------------------------------------------------


def test_every_rate_with_an_interval_is_here_and_no_other(text):
    """As often as it stands in the text, value and both ends; a hundred images of each class, fifty for fundus."""
    text = flat(text)
    stands = re.findall(r"(\d\.\d{3})[ (;]*95% (?:Confidence Interval \()?CI\)?: (\d\.\d{3})–(\d\.\d{3})", text)
    assert len(stands) == len(re.findall(r"CI\)?: \d", text))
    assert sorted(stands) == sorted(tuple(f"{figure:.3f}" for figure in rate.figure) for rate in rates())
    for words in ("100 for normal and 100 for disease cases", "50 images per category", "100 images from class '5'"):
        assert words in text
    for rate in rates():
        each = 50 if "fundus" in rate.images and "ungradable" not in rate.images else 100
        assert set(rate.sizes) == {each}
        assert len(rate.sizes) == (1 if rate.measure in ("sensitivity", "specificity") or "ungr" in rate.images else 2)


def test_the_remarks_are_true(text):
    """The same figure for motion and for noise stands in the text."""
    text = flat(text)
    assert text.count("0.629") == 2
    assert named("mri-motion-october").figure == named("mri-noise-standard").figure
    assert "strong random motion" in text[: text.index("0.629")][-250:]
    assert "detecting images with random noise" in text[: text.rindex("0.629")][-150:]
    assert "standard error by (standard deviation/5)" in text


def test_what_each_way_gives(record):
    """Percentiles 18 to the digit and all within one answer, ±1.96 SD 9 and 23, the text's SD/5 none at all.

    The marks are computed: other ends are found to be of another way.
    """
    counts = {row[0]: row[1:] for row in ways_sheet(record).rows}
    assert counts == {
        "percentiles": ("18", "25", "6"),
        "±1.96 SD": ("9", "23", "1"),
        "±1.96 SD/5 (its text)": ("0", "0", "0"),
    }
    row = record["rates"][2]
    record["rates"], row["figure"] = [row], [0.5, 0.402, 0.598]
    assert interval_sheet(record).rows[0][-2:] == ("0.400–0.600 ~", "0.402–0.598 =")
    row["figure"] = [0.5, 0.48, 0.52]
    text_way = {line[0]: line[1] for line in ways_sheet(record).rows}
    assert text_way == {"percentiles": "0", "±1.96 SD": "0", "±1.96 SD/5 (its text)": "1"}


def test_percentiles_are_those_of_drawing():
    """SciPy's of 33 of 100; a stratified bootstrap by hand of 48 and 25 of 50 gives the printed ends most often."""
    found = fit(named("xray-motion-cot"), "percentile")
    assert (found.split, found.exact) == ((33,), True)
    assert [found.estimate.low, found.estimate.high] == list(reference.binom.ppf([0.025, 0.975], 100, 0.33) / 100)
    rng = np.random.default_rng(1)
    right = rng.binomial(50, 48 / 50, (300, 1000)) + rng.binomial(50, 25 / 50, (300, 1000))
    ends = Counter(map(tuple, np.quantile(right, [0.025, 0.975], axis=1).T.tolist()))
    assert ends.most_common(1)[0][0] == (66, 80)
    assert named("fundus-original").figure == (0.731, 0.66, 0.8)
    assert fit(named("fundus-original"), "percentile").exact


def test_ends_on_the_grid_and_lopsided_intervals():
    """Every printed end is a whole number of answers; 0.051 (0.025–0.080) and 0.945 (0.910–0.975) are lopsided."""
    assert {rate.on_grid for rate in rates()} == {2}
    lopsided = [named(name).lopsided for name in ("mri-noise-structured", "mri-noise-june", "mri-original")]
    assert lopsided == [True, True, False]
    assert Rate("", "", "", "accuracy", (100, 100), (0.77, 0.717, 0.823)).on_grid == 0
    grid, told = ways_sheet(printed("artefacts")).notes
    assert grid.startswith("50 of 50 printed ends")
    assert told.startswith("12 of 25")


def test_what_is_known_of_the_classes():
    """BiomedCLIP's 154 right answers are 95 and 59 by class; 0.466 (0.425–0.510) needs five to ten right in one."""
    assert (named("mri-original").splits, named("mri-original").free) == ([(95, 59)], False)
    assert named("xray-original").free
    assert all(sum(split) == 152 and max(split) <= 100 for split in named("xray-original").splits)
    assert {low for low, _ in possible(named("xray-noise"))} == set(range(5, 11))
    assert not [rate for rate in rates() if not possible(rate)]
    notes = " ".join(interval_sheet(printed("artefacts")).notes)
    assert "only if 83 to 88 of one class and 5 to 10 of the other were right, of 100 each" in notes
    assert "only if 46 to 47 of one class and 0 to 1 of the other were right, of 50 each" in notes


# Changes --------------------------------------------------------------------------------------------------------------


def test_averages_and_example_are_those_that_somebody_else_wrote_down(oracle):
    """Accuracy, change and detection for each kind of image; 0.7 and 0.5 give −28.6%."""
    for name, row in printed("artefacts")["averages"].items():
        assert {kind.replace("-", ""): value for kind, value in row.items()} == oracle[name]
    shown = {row[0]: row[1:] for row in average_sheet(printed("artefacts")).rows}
    assert shown["X-ray"] == ("0.604", "-10.46%", "0.115")
    example, given = changes()[0], oracle["example"]
    assert round(example.found, 1) == given["change_percent"] == example.percent
    assert example.found == pytest.approx(100 * (given["after"] - given["before"]) / given["before"])
    assert example.fits


def test_the_changes_stand_in_the_paper(text):
    """Each with its percentage."""
    assert all(f"{abs(change.percent):.{change.digits}f}%" in flat(text).replace("\\", "") for change in changes())


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
    assert [row[2:] for row in change_sheet(record).rows[2:]] == [("–", "–", "–")] * 4
    found = changes(record)
    assert found[2].before == pytest.approx(0.739 / 1.133)
    assert (found[3].before, found[3].fits) == (None, None)


@pytest.mark.parametrize(("before", "after"), [(152, 93), (130, 148)])
def test_the_extremes_of_pairing(before, after):
    """McNemar's p of the fewest and of the most changed answers, by SciPy; every other pairing lies between."""
    most, least = bound_change(before, after, 200)
    few, overlap = abs(before - after), max(0, before + after - 200)
    assert most.p == pytest.approx(min(1, reference.binomtest(0, few).pvalue))
    assert least.p == pytest.approx(reference.binomtest(before - overlap, before + after - 2 * overlap).pvalue)
    assert most.p < least.p
    assert most.value == least.value == pytest.approx(after / before - 1)
    assert least.low < most.low < most.high < least.high


def test_what_could_have_been_shown_is_said():
    """The drop is significant however the answers pair; the gain by cropping need not be."""
    drop, gain = (note for note in change_sheet(printed("artefacts")).notes if note.startswith("– "))
    for note, words, end in (
        (drop, "from 152 right of 200 (printed) to 93", "p = 2e-06."),
        (gain, "from 130 right of 200 (0.652 by the printed change) to 148", "p = 0.1."),
    ):
        assert (words in note, note.endswith(end)) == (True, True), note
    assert "[-2.7, +33.5]" in gain


# A study of one's own -------------------------------------------------------------------------------------------------


def row(measure, value, **changed):
    """A row of results, with an interval of a tenth to either side."""
    about = {"model": "m", "benchmark": "b", "test": "weak-artefacts", "arm": "degraded:noise,weak", "measure": measure}
    ends = {"value": value, "low": value - 0.1, "high": value + 0.1, "n": 200}
    return {**about, **ends, "method": "fieller", "parser": "ours", "subset": "", "judge": "", **changed}


def test_a_study_of_ones_own_stands_under_the_printed_figures():
    """A line a model, benchmark and artefact, by the study's own parser, with the methods; or that there is none."""
    rows = [
        row("accuracy", 0.5),
        row("percent_change", -0.25),
        row("accuracy", 0.9, parser="other"),
        row("accuracy", 0.8, arm="original"),
        row("flagged_quality_rate", 0.3, arm="degraded:motion,strong"),
        row("abstention_rate", 0.1),
    ]
    *_, own = sheets("artefacts", SimpleNamespace(rows=lambda: iter(rows)))
    assert own.rows == (
        ("m", "b", "noise,weak", "50.0 [40.0, 60.0]", "-25.0 [-35.0, -15.0]", "–"),
        ("m", "b", "motion,strong", "–", "–", "30.0 [20.0, 40.0]"),
    )
    assert "Method: fieller; parser=ours." in own.notes[0]
    none = tabulate_results([row("accuracy", 0.5, arm="original")])
    assert (none.rows, "no results of degraded images" in none.notes[0]) == ((), True)


def test_averages_stand_beside_the_printed_ones():
    """A line a kind of image and average, over all models where there are several; without the best models."""
    pooled = {"test": "pooled-artefacts:noise", "model": "all models"}
    rows = [
        row("pooled_accuracy", 0.7, **{**pooled, "model": "m"}),
        row("pooled_accuracy", 0.6, **pooled),
        row("pooled_accuracy_mixed", 0.6, **pooled),
        row("pooled_accuracy", 0.65, **pooled, subset="category=brain MRI"),
        row("pooled_change", -0.2, **pooled, subset="category=brain MRI"),
        row("top_accuracy", 0.9, **pooled, subset="category=brain MRI; best 3 of 6: a, b, c"),
        row("pooled_detection_rate", 0.3, **pooled, subset="category=fundus photograph"),
    ]
    averages = printed("artefacts")["averages"]
    assert pooled_sheet(rows, averages).rows == (
        ("b", "accuracy", "60.0 [50.0, 70.0]", "60.0 [50.0, 70.0]", "–"),
        ("brain MRI", "accuracy", "65.0 [55.0, 75.0]", "–", "64.5"),
        ("brain MRI", "change", "-20.0 [-30.0, -10.0]", "–", "-3.34"),
        ("fundus photograph", "flagged", "30.0 [20.0, 40.0]", "–", "–"),
    )
    alone = [{**each, "model": "m", "benchmark": name} for each in rows[1:2] for name in ("b", "c")]
    assert [line[0] for line in pooled_sheet(alone, averages).rows] == ["b", "c"]
    assert "did not ask" in pooled_sheet([row("accuracy", 0.5)], averages).notes[0]
