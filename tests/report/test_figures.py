import math
import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from snellen.reading.outcomes import Outcome
from snellen.report.evidence.reply_kinds import BY_OUTCOME
from snellen.report.figures.marks import forest_axis, forest_mark, kind_bar, kinds_in_words, scale
from snellen.stats import Estimate

estimates = st.tuples(*[st.floats(-1, 1)] * 3).map(lambda v: Estimate(sorted(v)[1], min(v), max(v), 9, "wilson"))


def positions(svg):
    return [float(found) for found in re.findall(r'(?:x|x1|x2|cx)="(-?[\d.]+)%"', svg)]


@given(st.lists(estimates, min_size=1))
def test_scale_holds_every_interval_and_the_reference(found):
    """No estimate lies outside the range, the reference line is in it, and there are few enough ticks to read."""
    span = scale(found, "points", reference=0.0)
    assert span.low <= min(0.0, *(each.low for each in found)) + 1e-9
    assert span.high >= max(0.0, *(each.high for each in found)) - 1e-9
    assert 2 <= len(span.ticks) <= 7


@given(estimates)
def test_marks_stay_inside(estimate):
    """Every part of a mark lies between 0 and 100 percent of the width, the dot between the ends."""
    svg = forest_mark(estimate, scale([estimate], "points", reference=0.0))
    assert all(0 <= position <= 100 for position in positions(svg))
    whisker = [float(x) for x in re.search(r'whisker" x1="([\d.]+)%" x2="([\d.]+)%"', svg).groups()]
    dot = float(re.search(r'<svg x="([\d.]+)%" y="50%" overflow="visible"><path class="dot"', svg)[1])
    assert whisker[0] - 0.01 <= dot <= whisker[1] + 0.01


def test_marks_and_axes_say_what_they_show():
    """An interval without bounds ends in arrows, a mark has its number as text, and shares have percent."""
    svg = forest_mark(Estimate(0.5, -math.inf, math.inf, 1, "student-t"), scale([], "share"))
    assert svg.count("M5 -4L0 0L5 4") == svg.count("M-5 -4L0 0L-5 4") == 1
    svg = forest_mark(Estimate(-0.12, -0.17, -0.07, 90, "x"), scale([], "points"))
    assert 'aria-label="−12 points, 95% CI −17 to −7"' in svg
    assert re.findall(r">(\d+%)<", forest_axis(scale([], "share"))) == ["0%", "25%", "50%", "75%", "100%"]


@given(st.lists(st.integers(0, 10**6), min_size=len(Outcome), max_size=len(Outcome)).filter(any))
def test_bar_is_all_replies(numbers):
    """The parts of a bar follow each other without a gap and fill the whole width; nothing is drawn for none."""
    svg = kind_bar(dict(zip(map(BY_OUTCOME.get, Outcome), numbers, strict=True)))
    parts = re.findall(r'<rect class="outcome \w+" x="([\d.]+)%" y="2" width="([\d.]+)%"', svg)
    assert len(parts) == sum(number > 0 for number in numbers)
    assert abs(sum(float(width) for _, width in parts) - 100) < 0.01
    assert all(abs(float(a[0]) + float(a[1]) - float(b[0])) < 0.01 for a, b in pairwise(parts))


def test_bar_in_words_starts_with_the_most_frequent():
    """The words of a bar name each outcome with its count."""
    counts = {BY_OUTCOME[Outcome.CORRECT]: 1, BY_OUTCOME[Outcome.WRONG]: 1200, BY_OUTCOME[Outcome.REFUSED]: 0}
    assert kinds_in_words(counts) == "wrong 1,200, right 1"
