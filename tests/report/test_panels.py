import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from snellen.report.figures.palette import SHAPES
from snellen.report.figures.panels import PLOT, TOP, ModelSeries, Tick, panel
from snellen.stats import Estimate

shares = st.floats(0, 1)
points = st.tuples(shares, shares, shares).map(sorted).map(lambda v: Estimate(v[1], v[0], v[2], 9, "wilson"))
TICKS = (Tick("as asked", "n 9", 0.25), Tick("changed", "n 7", 0.2), Tick("again", "", None))


def marks(svg):
    """Where the marks stand, across and down."""
    found = re.findall(r'<svg x="([\d.]+)%" y="([\d.]+)" overflow="visible"><path class="shape', svg)
    return [(float(across), float(down)) for across, down in found]


@given(st.lists(st.none() | points, min_size=3, max_size=3))
def test_marks_stand_at_their_accuracy(found):
    """A mark for every accuracy there is, as asked on the left, higher where more is right, within the plot."""
    drawn = marks(panel(TICKS, [ModelSeries("one", tuple(found))], seen=True))
    there = [each for each in found if each is not None]
    assert [round(down, 1) for _, down in drawn] == [round(TOP + (1 - each.value) * PLOT, 1) for each in there]
    assert all(0 <= one[0] < two[0] <= 100 for one, two in pairwise(drawn))


def test_values_are_written_for_one_model_alone():
    """Beside the marks of a single model stand its values; models together are told apart by their shapes."""
    one = Estimate(0.5, 0.4, 0.6, 9, "wilson")
    alone = panel(TICKS, [ModelSeries("one", (one, one, None))], seen=True)
    together = panel(
        TICKS, [ModelSeries("one", (one, one, None)), ModelSeries("two", (one, one, None), place=1)], seen=True
    )
    assert alone.count('class="value"') == 2
    assert 'class="value"' not in together
    assert all(shape in together for shape in SHAPES[:2])
    assert len(set(marks(together))) == 4


def test_panels_need_no_colour():
    """Marks without an image are hollow, known luck is dashed, and the panel has every number as its text."""
    one = [ModelSeries("one", (Estimate(0.5, 0.4, 0.6, 9, "wilson"), None, None))]
    assert 'class="shape seen"' in panel(TICKS, one, seen=True)
    assert 'class="shape blind"' in panel(TICKS, one, seen=False)
    assert panel(TICKS, [], seen=True).count('class="reference"') == 2
    one = ModelSeries("a <b>", (Estimate(0.5, 0.4, 0.6, 9, "wilson"), None, None))
    assert 'aria-label="a &lt;b&gt;: as asked 50%, 95% CI 40 to 60"' in panel(TICKS, [one], seen=True)


def test_same_items_as_asked_have_their_own_line():
    """Where it is known what the same items had as asked, a short line stands at that height."""
    one = Estimate(0.5, 0.4, 0.6, 9, "wilson")
    svg = panel(
        TICKS, [ModelSeries("one", (one, one, one), (None, Estimate(1.0, 0.9, 1.0, 7, "wilson"), None))], seen=True
    )
    assert re.findall(r'class="before" [^>]* y1="([\d.]+)" y2="([\d.]+)"', svg) == [(f"{TOP:.1f}", f"{TOP:.1f}")]


def test_models_have_their_hue():
    """Every model's marks are in a group of its hue, and the axes say what they show."""
    one = ModelSeries("one", (Estimate(0.5, 0.4, 0.6, 9, "wilson"), None, None), place=7)
    svg = panel(TICKS, [one], seen=True, across="Effort")
    assert '<g class="series model-7">' in svg
    assert ">Accuracy (%)</text>" in svg
    assert ">Effort</text>" in svg
