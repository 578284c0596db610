"""Premises in a user's own files, and what of them changes a benchmark."""

from dataclasses import replace

from snellen.benchmarks import folder
from snellen.items import Benchmark, Item, Premise
from snellen.testing import own_benchmark

ROW = {"id": "1", "question": "How large is the effusion?", "answer": "Small"}
TRUE = {**ROW, "premise": "a pleural effusion", "premise_holds": True}


def loaded(tmp_path, *rows):
    """The items of a file with these rows."""
    return folder.load(own_benchmark(tmp_path, rows)).items


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
