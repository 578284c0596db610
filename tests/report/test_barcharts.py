import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.report.figures.bars import NamedEstimate, Slice, accuracy_bars, sliver, whole_bar
from snellen.report.figures.marks import MARGIN
from snellen.stats import Estimate

shares = st.floats(0, 1)
estimates = st.tuples(shares, shares, shares).map(sorted).map(lambda v: Estimate(v[1], v[0], v[2], 9, "wilson"))


def bars(svg):
    return [float(width) for width in re.findall(r'class="bar \w+" x="[\d.]+%" y="-?[\d.]+" width="([\d.]+)%"', svg)]


@given(st.lists(estimates, min_size=1, max_size=2))
def test_bars_are_as_long_as_the_accuracies(found):
    """Each bar reaches its value on a scale from 0 to 100%, and says it aloud."""
    svg = accuracy_bars([NamedEstimate("so", each) for each in found], 0.25)
    assert bars(svg) == pytest.approx([each.value * (100 - 2 * MARGIN) for each in found], abs=0.01)
    assert svg.count("95% CI") == svg.count("whisker") == len(found)


def test_bars_need_no_colour():
    """The bar with the image and the one without have looks of their own; luck is marked at its share."""
    one = Estimate(0.5, 0.4, 0.6, 9, "wilson")
    svg = accuracy_bars([NamedEstimate("with", one, "seen"), NamedEstimate("without", one, "blind")], None)
    assert 'class="bar seen"' in svg
    assert 'class="bar blind"' in svg
    assert "reference" not in svg
    assert 'class="luck" x1="28.00%"' in whole_bar([Slice("correct", "right", 1.0)], 0.28)
    assert "luck" not in whole_bar([Slice("correct", "right", 1.0)], None)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=4).filter(any))
def test_whole_is_filled(counts):
    """The parts of a whole follow each other and fill it; nothing is drawn for none."""
    slices = [Slice("correct", "so", count / sum(counts)) for count in counts]
    svg = whole_bar(slices, None)
    widths = [float(width) for width in re.findall(r'<rect[^>]* width="([\d.]+)%"', svg)]
    assert sum(widths) == pytest.approx(100, abs=0.01)
    assert len(widths) == sum(count > 0 for count in counts)


@given(estimates)
def test_sliver_has_its_number_in_words(estimate):
    """A score is drawn with its interval and said with two decimals."""
    svg = sliver(estimate)
    assert bars(svg) == pytest.approx([estimate.value * (100 - 2 * MARGIN)], abs=0.01)
    assert f'aria-label="{estimate.value:.2f}, 95% CI {estimate.low:.2f} to {estimate.high:.2f}"' in svg
