"""T2: the answers without an image, on the questions that need it."""

from dataclasses import replace

import pytest

from snellen.papers.readiness.report.perturbations import PARTS, draw_necessity
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.words.numbers import figure
from walking import rows, tables, value, words


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    [section] = draw_necessity(ready_lookup)
    return section


def test_numbers_are_those_of_the_results(drawn, ready_lookup, ready_rows):
    """Every part of a bar is the rate that results.csv has, and the parts and the rest are the whole."""
    for name, table in zip(ready_lookup.benchmarks, tables(drawn)[1::2], strict=True):
        for (_, model), (*parts, other) in rows(table).items():
            key = (f"organism/{model}", name, "visual-necessity", "image-removed")
            shares = [ready_rows[(*key, part)] for part in PARTS]
            assert [value(cell) for cell in parts] == [figure(row["value"], "share") for row in shares]
            assert [cell.n for cell in parts] == [f"n {row['n']}" for row in shares]
            assert other.words == f"{round(100 * (1 - sum(row['value'] for row in shares)))}%"


def test_choice_of_questions_and_luck_are_told(drawn, ready_rows):
    """How the questions were chosen, with their number; luck depends on how many were answered."""
    assert "questions on phantoms (items 30, leak 0.5), chosen by screen: at most 60 words" in words([drawn])
    bars = {name: cells[0].drawing for (_, name), cells in rows(tables(drawn)[2]).items()}
    assert 'class="luck" x1="0.00%"' in bars["refuser"]
    key = ("organism/mirage", "phantoms:items=10,seed=1", "visual-necessity", "image-removed")
    luck = ready_rows[(*key, "accuracy")]["value"] - ready_rows[(*key, "blind_above_chance")]["value"]
    assert f'class="luck" x1="{100 * luck:.2f}%"' in bars["mirage"]


def test_hostile_file_name_is_inert(ready_one, parsed):
    """The name of a list of questions, which a user gave, adds no element."""
    results, store = ready_one
    hostile = "the list <script>alert(1)</script>.txt"

    def put(finding):
        return replace(finding, measures=tuple(replace(each, subset=hostile) for each in finding.measures))

    marked = replace(results, findings=tuple(put(each) for each in results.findings))
    [section] = draw_necessity(Lookup(Evidence(marked, store)))
    assert hostile in words([section])
    page = parsed(draw([section]))
    assert page.all("script") == []
    assert page.problems == []
    assert any(hostile in text for _, text in page.all("p"))
