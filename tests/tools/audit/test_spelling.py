"""Misspelled words are found by the words of the set and the lexicon; rare words that are right are left alone."""

import pytest

from snellen.items import Item
from snellen.tools.audit.checks.wording import find_misspellings


def find(*texts):
    """Return the misspelled words of open questions, with what is meant."""
    found = find_misspellings([Item(str(at), text, kind="open", answer="Yes") for at, text in enumerate(texts)])
    return {(each.word, each.meant) for words in found.values() for each in words}


@pytest.mark.parametrize(
    ("text", "word", "meant"),
    [
        ("Is this a saggital view?", "saggital", "sagittal"),
        ("Is there a verterbral fracture?", "verterbral", "vertebral"),
        ("Is the fascia inflammed?", "inflammed", "inflamed"),
        ("Is the bladde r full?", "bladde r", "bladder"),
    ],
)
def test_the_lexicon_knows_words_that_the_set_does_not_have(text, word, meant):
    """A word with another number of double letters, with a letter too many, or broken by a space."""
    assert (word, meant) in find(text)


def test_a_word_of_the_set_is_known_once_four_items_have_it():
    """Then another vowel is a slip; another consonant mostly makes another word."""
    texts = ["Which exerbotosis is it?"] * 4
    assert find(*texts, "Which exerbatosis is it?") == {("exerbatosis", "exerbotosis")}
    assert not find(*texts[:3], "Which exerbatosis is it?")
    assert not find(*texts, "Which exerbotomis is it?")


@pytest.mark.parametrize(
    "text",
    ["Has vitamin D been given?", "Is it hepatitis C?", "The haemorrhage is small.", "It is labelled.", "Group B"],
)
def test_letters_that_name_something_and_british_spelling_are_sound(text):
    """No word is broken there, and none is misspelled."""
    assert not find(text)


def test_a_word_that_many_items_have_keeps_no_more_places_than_are_needed():
    """A misspelling of many items is reported for the first ones; the memory does not grow with the set."""
    found = find_misspellings([Item(str(at), "A saggital view?", kind="open", answer="Yes") for at in range(50)])
    assert 1 <= len(found) < 50
