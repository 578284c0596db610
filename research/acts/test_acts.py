"""Labelled rows of acts: nothing leaks between the splits, and stored figures are those that are measured today."""

import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"
sys.path.append(str(HERE))

import measure as script  # noqa: E402
import table  # noqa: E402
import written  # noqa: E402
from labelled_rows import ACTS, HELD_OUT_ONLY, SOURCES, all_rows, kept_apart_rows, training_rows  # noqa: E402
from rules import read_acts  # noqa: E402

QUICK = ("corrects_premise", "names_contradiction")
"""The acts with the fewest rows: trained again by the test."""


@pytest.fixture(scope="module")
def rows():
    """All labelled rows; skips where the questions and replies of others are not beside the project."""
    for name in ("vqa-rad", "medxpertqa-mm", "mmmu-pro-replies", "italian-medvqa"):
        if not (DATA / name).exists():
            pytest.skip(f"{name} is not at {DATA}")
    return all_rows()


def test_every_row_has_the_schema(rows):
    """Ids are used once; an act is true, false or unknown, and at least one is known or nothing was labelled."""
    assert len({row.id for row in rows}) == len(rows)
    assert {row.source for row in rows} == set(SOURCES)
    assert all(tuple(row.acts) == ACTS for row in rows)
    assert all(value in (True, False, None) for row in rows for value in row.acts.values())


def test_no_question_stands_on_both_sides(rows):
    """What is trained on shares no question, and no response without a question, with what is kept apart."""
    trained, apart = training_rows(rows), kept_apart_rows(rows)
    assert not {row.group for row in trained} & {row.group for row in apart}
    assert not {row.source for row in trained} & HELD_OUT_ONLY
    stored = json.loads(script.MEASURED.read_text("utf-8"))["rows"]
    assert {"trained on": len(trained), "kept apart": len(apart)} == stored


def test_two_acts_are_learned_again_to_the_same_bytes_and_figures(rows):
    """Rules and the learned parser, on the rows kept apart."""
    stored = json.loads(script.MEASURED.read_text("utf-8"))
    trained = script.Trained.from_rows(training_rows(rows))
    words = trained.matrix()
    for act in QUICK:
        apart = [row for row in kept_apart_rows(rows) if row.acts[act] is not None]
        parser = script.train_act(trained.rows, words, act)
        matrix = script.make_matrix(list(map(script.featurise, apart)), trained.vocabulary)
        judged = script.judge(apart, act, read_acts, trained.rows, {script.LINEAR: (parser, matrix)})
        found = json.loads(json.dumps(script.measure_act(judged, act)))
        assert script.describe(parser) == stored["learned"][act][script.LINEAR]
        assert found == _without_stacked(stored["acts"][act])


def _without_stacked(figures):
    if not isinstance(figures, dict):
        return figures
    return {name: _without_stacked(each) for name, each in figures.items() if not name.startswith(script.STACKED)}


def test_the_tables_are_those_of_the_stored_figures():
    """Every table of results.md comes from measured.json."""
    results = (HERE / "results.md").read_text("utf-8")
    for name, text in table.tables(json.loads(script.MEASURED.read_text("utf-8"))).items():
        assert text in results, name


def test_written_rows_are_labelled_by_known_acts_and_read_as_stored():
    """No sentence stands twice, every slot is filled, and the rules read the whole responses as written down."""
    rows = written.written_rows()
    assert len({(row.language, row.question, row.response) for row in rows}) == len(rows)
    assert not [row.id for row in rows if row.source == "sentences" and written.SLOT.search(row.response)]
    stored = json.loads(written.MEASURED.read_text("utf-8"))
    assert written.table(stored) in (HERE / "results.md").read_text("utf-8")
    whole = [row for row in rows if row.source == "responses"]
    assert written.measure(whole, "source")["responses"] == stored["responses"]
