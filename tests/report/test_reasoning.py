"""T6: reasoning aloud, reasoning effort, and descriptions of the image."""

from dataclasses import replace

import pytest

from snellen.papers.readiness.report.perturbations import draw_reasoning
from snellen.report.components import Panels
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.words.numbers import figure
from walking import rows, tables, walk


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    [section] = draw_reasoning(ready_lookup)
    return section


def test_steps_are_those_of_the_results(drawn, ready_lookup, ready_rows):
    """With and without reasoning aloud, and the paired change, as results.csv has them."""
    for name, table in zip(ready_lookup.benchmarks, tables(drawn), strict=False):
        for row in table.rows:
            key = (row.model, name, "chain-of-thought")
            shares = [
                figure(ready_rows[(*key, arm, "accuracy")]["value"], "share") for arm in ("original", "original+cot")
            ]
            _, both, change = row.cells
            assert [line.words.partition(" (")[0] for line in both.lines] == [
                f"answer alone {shares[0]}", f"step by step {shares[1]}",
            ]  # fmt: skip
            moved = ready_rows[(*key, "original+cot", "difference")]["value"]
            assert change.words.startswith(f"{figure(moved, 'points')} (")


def test_every_level_of_effort_is_drawn_with_its_change(drawn, ready_lookup, ready_rows):
    """Each model has a panel with all levels, and the change from the first level to each other one."""
    panels = [each for each in walk([drawn]) if isinstance(each, Panels)]
    assert [len(each.panels) for each in panels] == [3, 3]
    for each in panels[0].panels:
        assert all(f">{level}<" in each.drawing for level in ("low", "medium", "high"))
        for level, cell in zip(("medium", "high"), each.parts[0].items, strict=True):
            key = (f"organism/{each.title}", ready_lookup.benchmarks[0], "reasoning-effort", f"original+{level}")
            assert cell.words.startswith(f"{level} {figure(ready_rows[(*key, 'difference')]['value'], 'points')} (")


def test_descriptions_are_told_by_condition(drawn):
    """With the image, with steps and without the image; invented findings only without it."""
    table = next(each for each in tables(drawn) if each.look == "plain")
    assert [each.words for each in table.columns[1:]] == [
        "describes something in the image", "hallucinated features (certain: by rule)",
    ]  # fmt: skip
    found = {arm: cells for (model, arm), cells in rows(table).items() if model == "mirage"}
    assert list(found) == ["as asked", "reasoning step by step", "without the image"]
    assert found["as asked"][1].words == "–"
    assert not found["without the image"][1].words.startswith("0%")


def test_study_without_such_tests_has_no_such_part(ready):
    """If no test asked for reasoning, the part is left out."""
    results, store = ready
    kept = tuple(each for each in results.findings if each.test.name == "image-needed")
    assert list(draw_reasoning(Lookup(Evidence(replace(results, findings=kept), store)))) == []
