"""Options that the question lists again are found, and a list that is not the item's own is worse."""

from dataclasses import replace

import pytest

import planted
from audit_planted import flagged, look
from snellen.errors import BrokenRow
from snellen.items import Item, Option

NAME = "options-in-question"


@pytest.mark.parametrize(
    ("planting", "severity", "words"),
    [
        (planted.options_listed, "low", "5 options again (A to E), in their order"),
        (planted.options_listed_otherwise, "high", "A is E"),
    ],
)
def test_lists_are_found(planting, severity, words):
    """With the letters, and no others; another order is worse, since a letter means two things."""
    flawed = planted.plant(planted.clean(9, 60), 0.1, 9, planting)
    (finding,) = look(NAME, flawed.items).findings
    assert finding.severity == severity
    assert {each.item_id for each in finding.items} == flawed.ids
    assert words in finding.items[0].evidence


def test_a_list_that_loading_took_out_is_told():
    """The item says so in its metadata."""
    item = Item("1", "Which?", (Option("Mass"), Option("Cyst")), 0, metadata={"options_in_question": True})
    assert flagged(look(NAME, [item, replace(item, id="2", metadata={})])) == {"1"}


def test_rows_that_could_not_be_loaded_for_their_list_are_told():
    """Such rows are no items, but findings."""
    broken = (
        BrokenRow("line 3", "3", "its question prints the options in another order than its list (A: 'x'); mend it"),
        BrokenRow("line 4", "4", "its question is empty"),
    )
    item = Item("1", "Which?", (Option("Mass"), Option("Cyst")), 0)
    (finding,) = look(NAME, [item], broken=broken).findings
    assert finding.severity == "high"
    assert [each.item_id for each in finding.items] == ["3"]


def test_letters_in_a_question_are_no_list():
    """Figures with letters and single options are no list of the options."""
    options = (Option("Mass"), Option("Cyst"))
    for question in ("See (A) and (B). Is it a mass?", "Mass or cyst?", "What shows A. first and B. then?"):
        assert not look(NAME, [Item("1", question, options, 0)]).findings
