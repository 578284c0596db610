"""Options that overlap are listed; options that only look alike are not."""

import pytest

from snellen.items import Item, Option
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.overlapping_options import look


def flag(*texts, answer=0):
    """Return the problem of one item with these options, without its numbers."""
    found = look(Audited("made up", (Item("1", "Which?", tuple(map(Option, texts)), answer),)))
    return [finding.sentence.partition("items ")[2] for finding in found.findings]


@pytest.mark.parametrize(
    "texts",
    [
        ("Increased PT", "Increased PTT"),
        ("Stage IIIB", "Stage IB"),
        ("Sodium ↑", "Sodium ↓"),
        ("Vancomycin, then amikacin", "Amikacin, then vancomycin"),
        ("Ceftriaxone and azithromycin", "Azithromycin"),
        ("10-20 mm", "20-30 mm"),
        ("Type 1", "Type 2"),
        ("5 mm", "5 cm"),
        ("PT", "PTT", "Aa", "AA", "IIA", "IIIA", "x'", "x", "2A 2A", "-2A 2A"),
    ],
)
def test_options_that_exclude_each_other_are_sound(texts):
    """Names of other things, other orders, signs, lists of treatments, and ranges that share an end."""
    assert not flag(*texts)


@pytest.mark.parametrize(
    ("one", "other"), [("Lung tumour", "lung tumor."), ("Gallstones", "Gallstone"), ("1,25 mm", "1,25  mm")]
)
def test_case_spelling_punctuation_and_number_do_not_make_another_answer(one, other):
    """Such options mean the same."""
    assert flag(one, other, "Nothing") == ["have two options that mean the same."]


def test_only_the_keys_overlap_counts_for_ranges_and_kinds():
    """Two wrong options may overlap; two equal ones are a mistake whichever is right."""
    assert flag("<10 mm", "<20 mm", "Not seen", answer=1)
    assert not flag("<10 mm", "<20 mm", "Not seen", answer=2)
    assert not flag("Fracture", "Femoral fracture", "None", answer=2)
    assert flag("Left lung", "The left lung", "None", answer=2) == ["have two options that mean the same."]


def test_an_item_without_options_cannot_overlap():
    """The check says so."""
    assert look(Audited("open", (Item("1", "What?", kind="open", answer="Cyst"),))).cannot
