import re
from statistics import stdev, variance

import pytest

from snellen import report
from snellen.report.evidence import Evidence
from snellen.report.figures import share_curve
from snellen.report.repeats import repeats

RIGHT = {0: "1111", 1: "1101", 2: "0000", 3: "1010", 4: "1111", 5: "0111"}
"""By item, in which runs it was answered rightly."""


@pytest.fixture
def thrice(imported, reply):
    """Six items in four runs, right and wrong as one can count by hand."""
    letter = lambda item, right: "ABC"[item % 3] if right == "1" else "ABC"[(item + 1) % 3]  # noqa: E731
    return imported(
        [
            reply(item, f"Answer: {letter(item, right)}", replicate=run)
            for item, runs in RIGHT.items()
            for run, right in enumerate(runs)
        ]
    )


def test_spread_is_that_of_the_runs(thrice):
    """The spread from run to run is the standard deviation of the runs' scores, in points."""
    [found] = repeats(Evidence(*thrice))
    [line] = found.lines
    scores = [sum(int(runs[run]) for runs in RIGHT.values()) / 6 for run in range(4)]
    within = sum(variance([int(each) for each in runs]) for runs in RIGHT.values()) / 6
    assert line.runs == 4
    assert line.spread[0].value == f"{100 * stdev(scores):.1f} points"
    assert line.spread[0].n == "4"
    assert line.spread[1].value == f"{100 * within**0.5:.1f} points"
    assert (line.alike.value, line.alike.n) == ("50%", "6")
    assert line.picture_words == "2 of 6 items always right, 3 sometimes, 1 never"


def test_every_spread_has_interval_n_and_method(thrice):
    """No bare number: each has its interval, what n counts, and how it was made."""
    [found] = repeats(Evidence(*thrice))
    for number in (*found.lines[0].spread, found.lines[0].alike):
        assert re.fullmatch(r"\d+(\.\d)? to \d+(\.\d)?", number.interval)
        assert number.n
        assert number.method
    text = report.write(*thrice).read_text(encoding="utf-8")
    assert "Asked 4 times, its score moves by about" in text
    assert '<span class="n">n 4 runs</span>' in text
    assert '<span class="n">n 6 items</span>' in text


def test_questions_asked_once_have_no_such_section(study):
    """Without repeats there is nothing to say about them."""
    results, store = study()
    assert repeats(Evidence(results, store)) == []
    assert 'id="repeats"' not in report.write(results, store).read_text(encoding="utf-8")


def test_stair_has_a_step_for_every_item():
    """The picture falls from the first item to the last and fills its width; many items are thinned out."""
    few = share_curve([1.0, 0.5, 0.0], "three items")
    assert 'd="M0 100H0.00V0.0H33.33H33.33V50.0H66.67H66.67V100.0H100.00V100Z"' in few
    assert 'aria-label="three items"' in few
    assert share_curve([0.5] * 5000, "many").count("V50.0") == 120
