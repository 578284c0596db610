"""R beside sight, honesty and steadiness; it ranks nothing."""

import re
from dataclasses import replace

import pytest

from snellen.papers.readiness.report.chapter import describe_scores, draw_scores
from snellen.report.components import Note
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from snellen.report.words.numbers import figure
from snellen.stats import Estimate
from walking import rows, tables, value, walk, words

NAMES = ["grounded", "mirage", "refuser"]
LEAKING, FEW = "phantoms:items=30,leak=0.5", "phantoms:items=10,seed=1"
WHERE = (LEAKING, FEW, "all benchmarks")
NAMED = ("phantoms (items 30, leak 0.5)", "phantoms (items 10, seed 1)", "all benchmarks")


def draw(results, store):
    evidence = Evidence(results, store)
    [section] = draw_scores(Lookup(evidence), sections(evidence))
    return section


@pytest.fixture(scope="module")
def drawn(ready):
    return draw(*ready)


def test_models_stand_in_the_order_of_the_study(drawn):
    """No score sorts them, on any benchmark and over all; a model that never answers has no R."""
    scores = tables(drawn)[::2]
    assert [table.caption for table in scores] == [f"The grounded reading, and R on {name}" for name in NAMED]
    assert [[name for _, name in rows(table)] for table in scores] == [NAMES] * 3
    last = [cells[-1].words for cells in rows(scores[0]).values()]
    assert last[2] == "not applicable: no readable answer"
    assert sorted(last[:2], reverse=True) != last[:2]


def test_sight_honesty_and_steadiness_stand_before_r(drawn, ready_rows):
    """The numbers of results.csv; over all benchmarks each benchmark's own stand there by name."""
    scores = tables(drawn)[::2]
    heads = [each.words for each in scores[0].columns]
    assert heads == ["model", "sight gain, of 100", "honesty, of 100", "steadiness, of 100", "R, from 0 to 1"]
    for name, table in zip((LEAKING, FEW), scores, strict=False):
        for (_, model), cells in rows(table).items():
            for measure, cell in zip(("sight_gain", "honesty", "steadiness"), cells, strict=False):
                row = ready_rows[f"organism/{model}", name, "grounded-reading", "reading", measure]
                assert value(cell) == figure(row["value"], "hundred")
    everywhere = rows(scores[2])["", "grounded"][0].lines
    assert [line.words.partition(" ")[0] for line in everywhere] == [LEAKING, FEW]


def test_partial_scores_say_of_what(drawn):
    """A score of four tests names them, and does not compare with a whole one."""
    few, parts = tables(drawn)[2:4]
    notes = [cells[-1].n for (_, model), cells in rows(few).items() if model != "refuser"]
    assert [note.partition(", ")[2] for note in notes] == ["of T1, T2, T3, T4 only"] * 2
    assert {cells[4].words for cells in rows(parts).values()} == {"not measured"}
    assert "times chance; 10 questions are too few to learn from." in words([drawn])
    assert "does not compare with a whole score" in words([drawn])


def test_fragilities_are_those_of_the_results(drawn, ready_rows):
    """R and each f with its bar and n stand there as in results.csv."""
    for at, name in enumerate(WHERE):
        scores, parts = tables(drawn)[2 * at : 2 * at + 2]
        for (_, model), cells in rows(parts).items():
            key = (f"organism/{model}", name, "robustness", "score")
            r = ready_rows.get((*key, "robustness")) or ready_rows.get((*key, "robustness_partial"))
            last = rows(scores)["", model][-1]
            assert r is None or value(last.lines[0] if last.lines else last) == f"{r['value']:.2f}"
            for number, cell in enumerate(cells, start=1):
                row = ready_rows.get((*key, f"fragility_{number}"))
                assert (cell.words == "not measured") == (row is None)
                if row is not None:
                    assert (value(cell.lines[0]), cell.lines[0].n) == (f"{row['value']:.2f}", f"n {row['n']}")
                    assert "sliver" in cell.drawing


def test_chapter_says_why_r_ranks_nothing(drawn):
    """The reason stands first; a refuser has no R that could lead."""
    first = drawn.parts[0]
    assert (first.begins, first.look) == ("R is one column and ranks nothing.", "warning")
    assert "f1 punishes a model for needing the image" in first.words
    assert "a model that refuses nearly always has little to lose and scores well" in first.words
    said = words([drawn])
    assert "By R alone, refuser" not in said
    assert "<code>snellen paper figures readiness</code>" in said


def test_chapter_begins_with_what_r_is(ready):
    """Its range, of each model its value, interval and questions; whom it does not apply to."""
    [note] = describe_scores(Lookup(Evidence(*ready)))
    assert "<b>R</b> goes from 0 to 1" in note.words
    for model, n in (("grounded", 30), ("mirage", 30)):
        assert re.search(rf"{model} 0\.\d\d \(0\.\d\d to [01]\.\d\d, {n} questions\)", note.words), note.words
    assert "R does not apply to refuser, which never answers." in note.words


def with_first(results, model):
    """The study in which R of one model is 0.99 and that of the others 0.1."""

    def changed(finding):
        value = 0.99 if finding.model == model else 0.1
        measures = tuple(
            replace(each, estimate=Estimate(value, value, value, 30, "m")) if each.name == "robustness" else each
            for each in finding.measures
        )
        return replace(finding, measures=measures)

    return replace(results, findings=tuple(map(changed, results.findings)))


@pytest.mark.parametrize(
    ("model", "said"),
    [("mirage", "By R alone, mirage would stand first (0.99); it describes findings in "), ("grounded", None)],
)
def test_model_that_r_would_put_first_is_told_with_what_speaks_against_it(ready, model, said):
    """One that invents findings and leads by R is named with its rate; against one that looks nothing is said."""
    results, store = ready
    notes = [each.words for each in walk([draw(with_first(results, f"organism/{model}"), store)])
             if isinstance(each, Note) and "By R alone" in str(each.words)]  # fmt: skip
    if said is None:
        assert not any(model in each for each in notes)
    else:
        assert notes[0].startswith(said)
        assert "% of the responses without an image" in notes[0]
