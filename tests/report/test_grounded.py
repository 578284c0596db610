"""The grounded reading: three plots over the models, and all its numbers."""

import pytest

from snellen.papers.readiness.report.chapter import MEANS, draw_readings
from snellen.report.sections.tests import sections
from snellen.report.words.numbers import figure, interval
from walking import rows, tables, words


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    [section] = draw_readings(ready_lookup, sections(ready_lookup.evidence))
    return section


def test_three_plots_over_all_models(drawn):
    """Sight, honesty and steadiness have a plot each, and no mean is made of them; only sight has a ceiling."""
    plots = [table for table in tables(drawn) if table.look == "drawn"]
    names = ("phantoms (items 30, leak 0.5)", "phantoms (items 10, seed 1)")
    assert [plot.caption for plot in plots] == [
        caption
        for name, most in zip(names, (72, 76), strict=True)
        for caption in (
            f"Sight gain on {name}, of 100; at most {most}; the dashed line is 1 − chance, {most}",
            f"Honesty on {name}, of 100",
            f"Steadiness on {name}, of 100",
        )
    ]
    assert [[row.head.words for row in plot.rows] for plot in plots] == [["grounded", "mirage", "refuser"]] * 6
    limits = ['class="reference"' in row.cells[0].drawing for plot in plots for row in plot.rows]
    assert limits == ([True] * 3 + [False] * 6) * 2
    assert all(plot.figure for plot in plots)


def test_numbers_are_those_of_the_results(drawn, ready, ready_rows, ready_lookup):
    """All numbers of every model are there as results.csv has them."""
    kinds = {m.kind.words: m.name for each in ready[0].findings for m in each.measures if m.arm == "reading"}
    plain = [table for table in tables(drawn) if table.look == "plain"]
    for name, table in zip(ready_lookup.benchmarks, plain, strict=True):
        for (_, model), cells in rows(table).items():
            for column, cell in zip(table.columns[1:], cells, strict=True):
                key = (f"organism/{model}", name, "grounded-reading", "reading", kinds[column.words[:-8]])
                row = ready_rows.get(key)
                if row is None:
                    assert cell.words == "–"
                    continue
                found = next(each for each in ready[0].findings if (each.model, each.benchmark) == key[:2]
                             and each.test.name == key[2]).measure("reading", key[4])  # fmt: skip
                ends = interval(found.estimate, "hundred")
                assert cell.words == f"{figure(row['value'], 'hundred')} ({ends})"
                assert cell.n.startswith(f"n {row['n']}")


def test_each_number_says_what_it_is(drawn):
    """A sentence each says what it is and that refusing and not looking gain nothing."""
    said = words([drawn])
    assert all(said.count(each) == 2 and each.endswith(".") for each in MEANS.values())
    assert "They are never averaged" in said
