"""A copy of cases loses what a person decided on, and nothing is removed or left without a decision."""

from shutil import rmtree

import pytest

from interrupting import stopped_at_each_move
from snellen.errors import StudyError
from snellen.items import Item
from snellen.tools.audit import deidentifying
from snellen.tools.audit.deidentifying import (
    RemovalDecision,
    deidentify_items,
    find_candidates,
    read_decisions,
    save_copy,
)

CASE = Item(
    "Smith_John-19700131", "What is it?", kind="open", context="Seen by Dr. Miller in March; Miller agrees.",
    answer="", cluster="Smith_John", metadata={"report": "Call +49 555 123 4567.", "seen": ["Dr. Miller"]},
)  # fmt: skip


def decided(*rows):
    """Decisions on everything that is found in the case, and some more."""
    own = [
        RemovalDecision(
            each.item_id, each.kind, each.text, remove=True, is_name=bool({"id", "patient"} & {*each.fields})
        )
        for each in find_candidates([CASE])
    ]
    return [*own, *rows]


def test_names_ids_patients_and_nested_columns_are_replaced():
    """Every occurrence of a removed text goes, with and without its title; a patient has one new name."""
    first, second = deidentify_items(
        [CASE, CASE], decided(RemovalDecision("", "place", "agrees", remove=True, is_name=False))
    )
    assert (first.id, first.cluster) == ("anonymous-1", "anonymous-1")
    assert second.cluster == "anonymous-1"
    assert first.context == "Seen by Dr. [name] in March; [name] [place]."
    assert dict(first.metadata) == {"report": "Call [contact].", "seen": ["Dr. [name]"]}


def test_nothing_is_written_without_all_decisions(tmp_path):
    """An empty cell, an identifier that came later, and a text that is gone are told; a list is never replaced."""
    file, out = tmp_path / "list.csv", tmp_path / "out"
    deidentifying.write_candidates(find_candidates([CASE]), file)
    with pytest.raises(StudyError, match="4 rows without a decision, the first in row 2"):
        read_decisions(file, [CASE])
    with pytest.raises(StudyError, match="may hold decisions"):
        deidentifying.write_candidates([], file)
    later = Item("2", "Seen by Dr. Young?", kind="open", answer="")
    with pytest.raises(StudyError, match="1 identifier that the list does not have"):
        save_copy([CASE, later], decided(), out, left_out=0)
    file.write_text("item_id,text,decision\n2,Dr. Old,remove\n")
    with pytest.raises(StudyError, match="row 2: its `text` is not in the case"):
        read_decisions(file, [later])
    assert not out.exists()


def test_a_copy_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """Half a copy would be loaded as a benchmark."""
    out = tmp_path / "out"
    for _ in stopped_at_each_move(
        monkeypatch, lambda: rmtree(out, ignore_errors=True), lambda: save_copy([CASE], decided(), out, left_out=0)
    ):
        assert {each.name for each in tmp_path.rglob("*")} in (
            set(),
            {"out", "images", "items.jsonl", "deidentified.json"},
        )
    assert out.is_dir()


def test_what_a_spreadsheet_would_run_comes_back_as_it_was(tmp_path):
    """A phone number with a plus is found again in its case."""
    file = tmp_path / "list.csv"
    deidentifying.write_candidates(find_candidates([CASE]), file)
    file.write_text(file.read_text().replace(",\n", ",keep\n").replace(",\r\n", ",keep\r\n"))
    assert "+49 555 123 4567" in {each.text for each in read_decisions(file, [CASE])}


def test_an_identifier_inside_a_longer_word_is_not_left_silently():
    """Its removal must not miss it."""
    hidden = Item("3", "What is it?", kind="open", answer="", context="Sent to j.miller@example.org_old today.")
    found = find_candidates([hidden])
    whole = [RemovalDecision("3", each.kind, each.text, remove=True, is_name=False) for each in found]
    some = [each._replace(text=each.text[2:-4]) for each in whole]
    with pytest.raises(StudyError):
        deidentify_items([hidden], some)
    assert "miller" not in deidentify_items([hidden], whole)[0].context


def test_cases_of_a_list_are_left_out(tmp_path):
    """An id that no case has is told: the list is of other cases."""
    (tmp_path / "ids.txt").write_text("2\n")
    items = [Item(name, "?", kind="open", answer="") for name in "12"]
    assert [item.id for item in deidentifying.leave_out(items, [tmp_path / "ids.txt"])] == ["1"]
    with pytest.raises(StudyError, match="1 id"):
        deidentifying.leave_out(items[:1], [tmp_path / "ids.txt"])
