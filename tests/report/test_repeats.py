import re
from statistics import stdev, variance

import pytest

from snellen import report
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.marks import share_curve
from snellen.report.sections.account import methods
from snellen.report.sections.repeats import draw_repeats

RIGHT = {0: "1111", 1: "1101", 2: "0000", 3: "1000", 4: "1111", 5: "0111"}
"""By item, in which runs it was answered rightly."""


@pytest.fixture(scope="module")
def asked_again(imported, reply):
    """Import items in several runs, right and wrong as a table of zeros and ones says."""

    def make(right_in):
        letter = lambda item, right: "ABC"[item % 3] if right == "1" else "ABC"[(item + 1) % 3]  # noqa: E731
        return imported(
            [
                reply(item, f"Answer: {letter(item, right)}", replicate=run)
                for item, runs in right_in.items()
                for run, right in enumerate(runs)
            ]
        )

    return make


@pytest.fixture(scope="module")
def thrice(asked_again):
    """Six items in four runs, right and wrong as one can count by hand."""
    return asked_again(RIGHT)


class Line:
    """What the page says of one model under one condition: its sentence, its numbers, its stair in words."""

    def __init__(self, study):
        [section] = draw_repeats(Evidence(*study))
        listing, table, _ = section.parts
        self.sentence = listing.items[0].words
        self.row = table.rows[0]
        *self.spread, self.alike, self.stair = self.row.cells
        self.figure = table.figure

    @staticmethod
    def ends(cell):
        """Both ends of a printed interval."""
        low, high = re.search(r"\((.+) to (.+)\)", cell.words).groups()
        return float(low), float(high)


def test_spread_is_that_of_the_runs(thrice):
    """The spread from run to run is the standard deviation of the runs' scores, in points; each number says its n."""
    line = Line(thrice)
    scores = [sum(int(runs[run]) for runs in RIGHT.values()) / 6 for run in range(4)]
    within = sum(variance([int(each) for each in runs]) for runs in RIGHT.values()) / 6
    assert line.spread[0].words.startswith(f"{100 * stdev(scores):.1f} points (")
    assert line.spread[1].words.startswith(f"{100 * within**0.5:.1f} points (")
    assert line.alike.words.startswith("50% (")
    assert [each.n for each in (*line.spread, line.alike)] == ["n 4 runs", *["n 6 items"] * 3]
    assert line.stair.note.endswith("2 of 6 items always right, 3 sometimes, 1 never")
    assert line.figure.csv.count("\n") == 7


def test_every_spread_has_interval_and_method(thrice):
    """No bare number: each has its interval, how it was made, and its responses."""
    line = Line(thrice)
    for cell in (*line.spread, line.alike):
        low, high = line.ends(cell)
        assert low < high
        assert cell.how
        assert cell.to.startswith("rows-")
    assert 'id="repeats"' in report.write(*thrice).read_text(encoding="utf-8")


def test_spread_from_run_to_run_stands_beside_that_of_chance(thrice):
    """Both deviations counted by hand: that of the runs' scores, and what the replies' own chance would give them."""
    scores = [sum(int(runs[run]) for runs in RIGHT.values()) / 6 for run in range(4)]
    within = sum(variance([int(each) for each in runs]) for runs in RIGHT.values()) / 6
    assert (
        f": asked 4 times, its accuracy moves by about {100 * stdev(scores):.1f} points from run to run; chance "
        f"variation within items alone would give about {100 * (within / 6) ** 0.5:.1f} points. "
        "50% of the items get the same"
    ) in Line(thrice).sentence


@pytest.mark.parametrize("never", [{}, {3: "000", 4: "000"}])
def test_model_without_spread_needs_no_more_runs(asked_again, never):
    """Nothing ever moved: the sentence says so, asks for no more runs, and no interval claims to be sure of it."""
    line = Line(asked_again(dict.fromkeys(range(8), "111") | never))
    assert "its accuracy never moved" in line.sentence
    assert "More runs" not in line.sentence
    for cell in line.spread[:2]:
        assert cell.words.startswith("0.0 points")
        assert line.ends(cell)[0] == 0 < line.ends(cell)[1]


def test_runs_that_agree_by_chance_are_not_called_steady(asked_again):
    """What chance would give stands beside equal scores, over the items that lack no run."""
    line = Line(asked_again(dict.fromkeys(range(0, 8, 2), "01") | dict.fromkeys(range(1, 8, 2), "10")))
    assert "asked 2 times, its accuracy was the same in every run; chance variation within items" in line.sentence
    assert "More runs would make the score more certain" in line.sentence
    assert line.ends(line.spread[0])[1] > 0
    whole, part = {0: "01", 1: "10", 2: "11", 3: "00"}, {4: "1", 5: "0", 6: "1", 7: "0"}
    assert f"would give about {100 * (0.25 / 4) ** 0.5:.1f} points." in Line(asked_again(whole | part)).sentence


def test_methods_of_the_spread_are_explained(thrice):
    """Every way in which an interval was made has words of its own."""
    assert [each.name for each in methods(thrice[0]) if each.words == "A method defined by the test itself."] == []


def test_questions_asked_once_have_no_such_section(usual, usual_text):
    """Without repeats there is nothing to say about them."""
    assert list(draw_repeats(Evidence(*usual))) == []
    assert 'id="repeats"' not in usual_text


def test_stair_has_a_step_for_every_item():
    """The picture falls from the first item to the last and fills its width; many items are thinned out."""
    few = share_curve([1.0, 0.5, 0.0], "three items")
    assert 'd="M0 100H0.00V0.0H33.33H33.33V50.0H66.67H66.67V100.0H100.00V100Z"' in few
    assert 'aria-label="three items"' in few
    assert share_curve([0.5] * 5000, "many").count("V50.0") == 120
