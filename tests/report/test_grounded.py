from snellen.protocols.readiness.report.grounded_reading import MEANS, readings
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections


def found(ready):
    evidence = Evidence(*ready)
    [score] = readings(Lookup(evidence), sections(evidence))
    return score


def test_three_forests_stand_side_by_side(ready):
    """Sight, honesty and steadiness have a forest each over all models, and no mean is made of them."""
    for each, most in zip(found(ready).readings, (72, 76), strict=True):
        assert [plot.caption for _, plot in each.forests] == [
            f"Sight gain, of 100; at most {most}, which is 1 − chance (the dashed line)",
            "Honesty, of 100",
            "Steadiness, of 100",
        ]
        assert all(len(plot.marks) == 3 for _, plot in each.forests)
        marked = ['class="reference"' in mark.picture for _, plot in each.forests for mark in plot.marks]
        assert marked == [True] * 3 + [False] * 6, "only sight has a ceiling"


def test_numbers_are_those_of_the_results(ready, ready_rows):
    """All numbers of every model are there as results.csv has them."""
    for each in found(ready).readings:
        for model, cells in each.lines:
            key = (model, each.benchmark, "grounded-reading", "reading")
            rows = {name: row for (*where, name), row in ready_rows.items() if tuple(where) == key}
            shown = {cell.measure.name: cell.estimate for cell in cells if cell is not None}
            assert {name: (one.value, one.low, one.high, one.n) for name, one in shown.items()} == {
                name: (row["value"], row["low"], row["high"], row["n"]) for name, row in rows.items()
            }
            assert {"sight_gain", "honesty", "steadiness"} <= set(rows)


def test_each_number_says_what_it_is(ready_text):
    """A line each says what it is and that refusing and not looking gain nothing."""
    part = ready_text[ready_text.index('id="test-grounded-reading"') :]
    for means in MEANS.values():
        assert part.count(f'<p class="quiet">{means}</p>') == 1
        assert means.endswith(".")
    assert "They are never averaged" in part
