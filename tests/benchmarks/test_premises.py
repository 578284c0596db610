"""Premises in a user's own files, and what of them changes a benchmark."""

from dataclasses import replace

import pytest

from snellen.benchmarks import folder
from snellen.errors import BrokenRowsError
from snellen.items import Benchmark, Item, Premise
from snellen.testing import own_benchmark

ROW = {"id": "1", "question": "How large is the effusion?", "answer": "Small"}
TRUE = {**ROW, "premise": "a pleural effusion", "premise_holds": True}


def loaded(tmp_path, *rows):
    """The items of a file with these rows."""
    return folder.load(own_benchmark(tmp_path, rows)).items


def test_two_columns_or_one_object_name_a_premise(tmp_path):
    """As simple fields or as the mapping that the metadata hold."""
    other = {**ROW, "id": "2", "premise": {"claims": "a pleural effusion", "holds": False}}
    one, two = loaded(tmp_path, TRUE, other)
    assert one.premise == Premise("a pleural effusion", True)
    assert two.premise == Premise("a pleural effusion", False)
    assert "premise_holds" not in one.metadata


def test_a_false_premise_needs_no_answer(tmp_path):
    """The reference says what is right: that it is not there."""
    row = {name: value for name, value in TRUE.items() if name != "answer"}
    [item] = loaded(tmp_path, {**row, "premise_holds": False})
    assert item.answer == "The image does not show a pleural effusion."
    with pytest.raises(BrokenRowsError, match="no 'answer' or 'target'"):
        loaded(tmp_path, row)


def test_cells_of_a_table_may_say_yes_or_no(tmp_path):
    """An empty cell is none."""
    lines = ["id,question,answer,premise,premise_holds", "1,How large is it?,Small,a cyst,no", "2,Which?,Left,,"]
    (tmp_path / "items.csv").write_text("\n".join(lines))
    one, two = folder.load(tmp_path).items
    assert (one.premise, two.premise) == (Premise("a cyst", False), None)


def test_items_made_by_hand_are_checked_too():
    """A premise without `holds` is none."""
    item = Item(id="1", question="?", answer="x", kind="open", metadata={"premise": {"claims": "a cyst"}})
    assert item.premise is None
    assert "expected {'claims': a text, 'holds': true or false}" in item.problem()


def test_another_premise_is_another_benchmark(tmp_path):
    """Responses are graded by it: so is a round trip through a folder."""
    [item] = loaded(tmp_path, TRUE)
    turned = replace(item, metadata={"premise": {"claims": "a pleural effusion", "holds": False}})
    assert Benchmark("b", (item,)).digest != Benchmark("b", (turned,)).digest
    folder.save([turned], tmp_path / "saved")
    assert folder.load(tmp_path / "saved").items[0].premise == turned.premise


def test_a_column_premise_of_a_choice_means_nothing(tmp_path):
    """Other benchmarks have such columns."""
    row = {**ROW, "options": ["Small", "Large"], "answer": "Small", "premise": "A man sleeps."}
    [item] = loaded(tmp_path, row)
    assert item.premise is None
    assert item.metadata["premise"] == "A man sleeps."
