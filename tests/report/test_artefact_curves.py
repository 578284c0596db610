import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scans import ARTEFACTS, careful, scans
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.curves import NO_GROWTH, NONE_WITHIN, draw_curves
from snellen.report.components import Panels, Section
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.curves import LINE_HEIGHT, Axis, FittedLine, curve_panel, spread_heights
from snellen.report.figures.palette import SHAPES
from snellen.report.lookup import Lookup
from snellen.stats import dose_response
from walking import walk

AXIS = Axis(1.0, ((0.0, "none"), (1.0, "strong")))


def falling(last_right=True):
    """Sixty items that fall between the doses 0.25 and 0.75, or only at the last."""
    rows = [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]] if last_right else [[1, 1, 1, 1, 0]] * 3
    return dose_response([0, 0.25, 0.5, 0.75, 1], np.array(rows * 20), chance=0.0)


def drawn_of(lookup):
    """The panels of each set of models by artefact: by severity, then by measured degradation if there is any."""
    sections = [part for part in draw_curves(lookup) if isinstance(part, Section)]
    return [
        [{panel.title: panel for panel in part.panels} for part in walk(each.parts) if isinstance(part, Panels)]
        for each in sections
    ]


def told(panel):
    """What is told of each model below a panel."""
    return {cell.words.partition(":")[0]: cell for cell in panel.parts[0].items}


def test_panel_for_every_artefact_with_all_models(degraded_lookup):
    """By severity each artefact has a panel, and each model its threshold or the reason why there is none."""
    note, section = draw_curves(degraded_lookup)
    assert section.title == "Standard prompt"
    assert "half of what can be lost is lost" in note.words
    [[by_severity, _]] = drawn_of(degraded_lookup)
    assert list(by_severity) == ["noise", "crop"]
    assert list(told(by_severity["noise"])) == ["careful", "torn", "wordless"]
    [row] = [row for row in degraded_lookup.evidence.results.rows()
             if (row["model"], row["arm"], row["measure"]) == ("fake/careful", "degraded:noise", "threshold")
             and row["parser"] != "detection-as-published"]  # fmt: skip
    cell = told(by_severity["noise"])["careful"]
    assert cell.words.endswith(f" {row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})")
    assert (cell.n, cell.how) == ("n 16", row["method"])
    assert told(by_severity["crop"])["wordless"].note.startswith(NONE_WITHIN)


def test_measured_degradation_has_curves_where_it_grows(degraded_lookup):
    """Noise takes an image ever further from the original; a crop of a plain one does not, and that is said."""
    [[_, by_ssim]] = drawn_of(degraded_lookup)
    assert by_ssim["noise"].drawing is not None
    assert by_ssim["crop"].drawing is None
    assert list(told(by_ssim["crop"])) == [NO_GROWTH.partition(":")[0]]


def test_weak_and_strong_make_a_curve_of_three_points(scanned):
    """Without the test of doses, no, weak and strong artefacts are the three points of a curve."""
    results, store = scanned(
        [f"weak-artefacts:{ARTEFACTS}", f"strong-artefacts:{ARTEFACTS}"],
        by=[FakeModel(careful, name="fake/careful")],
    )
    [[by_severity, *_]] = drawn_of(Lookup(Evidence(results, store)))
    assert str(by_severity["noise"].drawing).count('class="whisker') == 3
    assert "half is lost at" in told(by_severity["noise"])["careful"].words
    limits = [
        line for panel in by_severity.values() for line in re.findall(r'<line class="limit"[^>]*>', panel.drawing)
    ]
    assert limits  # five points below the accuracy on the images as they are, at the weak strength
    assert all(float(re.search(r'x1="([\d.]+)', each)[1]) == pytest.approx(41.4, abs=3) for each in limits)


def test_one_strength_makes_no_curve(scanned):
    """Two points tell that something falls, but not where."""
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    assert draw_curves(Lookup(Evidence(results, store))) == []


def test_more_models_than_shapes_are_drawn_in_several_sets(scanned):
    """No panel has two models of one shape, and a legend tells them apart."""
    many = [FakeModel(careful, name=f"fake/{number}") for number in range(len(SHAPES) + 1)]
    results, store = scanned(["dose-response:noise,steps=2"], benchmarks=(scans(4),), by=many)
    found = [part for part in walk(draw_curves(Lookup(Evidence(results, store)))) if isinstance(part, Panels)]
    assert [len(each.key) for each in found if "severity" in each.figure.name] == [len(SHAPES), 1]


def test_models_differ_by_more_than_colour():
    """Every line has its own shape and its own name at its end; points, whiskers and the curve are all there."""
    fitted = falling()
    drawn = str(curve_panel([FittedLine("a/first", fitted, 0), FittedLine("a/second", fitted, 1)], AXIS, 0.5))
    assert drawn.count(f'd="{SHAPES[0]}"') == drawn.count(f'd="{SHAPES[1]}"') == 6  # five doses and the threshold
    assert drawn.count('class="whisker') == 10
    assert drawn.count('class="fall') == 2
    assert ">first</text>" in drawn
    assert ">second</text>" in drawn
    assert 'role="img"' in drawn
    assert "a/first: 0.00: 100%, 95% CI" in drawn


def test_band_spans_the_interval():
    """The threshold's band lies between the ends of its interval."""
    fitted = falling()
    drawn = str(curve_panel([FittedLine("m", fitted, 0)], AXIS, 0.0))
    [(left, width)] = re.findall(r'class="band" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"', drawn)
    found = fitted.threshold
    assert float(left) == pytest.approx(AXIS.across(found.low), abs=0.01)
    assert float(left) + float(width) == pytest.approx(AXIS.across(found.high), abs=0.02)


def test_threshold_that_may_lie_beyond_ends_in_an_arrow():
    """An interval without an end runs to the edge and points on."""
    fitted = falling(last_right=False)
    assert fitted.threshold is not None
    open_ended = type(fitted)(
        **{**vars(fitted), "threshold": type(fitted.threshold)(0.9, 0.8, math.inf, 60, "unseen-bootstrap")}
    )
    drawn = str(curve_panel([FittedLine("m", open_ended, 0)], AXIS, 0.0))
    assert drawn.count('class="tip"') == 1


def test_without_a_threshold_there_is_no_band():
    """A model that loses nothing has its points and curve, and an empty lane."""
    flat = dose_response([0, 0.5, 1], np.ones((20, 3)), chance=0.5)
    drawn = str(curve_panel([FittedLine("m", flat, 0)], AXIS, 0.5))
    assert 'class="band' not in drawn
    assert drawn.count('class="whisker') == 3


def test_hostile_names_are_inert():
    """A model's name is text at the end of its line and in the words for those who do not see."""
    drawn = str(curve_panel([FittedLine('x"><script>', falling(), 0)], AXIS, 0.5))
    assert "<script>" not in drawn


@given(st.lists(st.floats(0, 200), min_size=1, max_size=4))
def test_names_never_stand_on_one_another(heights):
    """However near the lines end, their names keep a line's height between them and their order."""
    placed = spread_heights(heights)
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    steps = np.diff([placed[at] for at in order])
    assert (steps >= LINE_HEIGHT - 1e-6).all()
    assert sum(placed) == pytest.approx(sum(heights), abs=1e-6)
