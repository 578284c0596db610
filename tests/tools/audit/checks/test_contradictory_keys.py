"""Keys that contradict each other are found; the same text about other images contradicts nothing."""

from dataclasses import replace

import planted
from audit_planted import flagged, look
from snellen.items import Item, Option
from strategies import picture

NAME = "contradictory-keys"
YES_NO = (Option("Yes"), Option("No"))


def polar(item_id, question, says, shown=1):
    return Item(item_id, question, YES_NO, 0 if says == "yes" else 1, images=(picture(shown),))


def test_opposite_answers_to_one_question_are_found():
    """The same question about the same image with yes and with no, whatever the order of the options; not with yes."""
    one = polar("1", "Is the heart enlarged?", "yes")
    other = replace(one, id="2", question="is heart enlarged", options=YES_NO[::-1], answer=0)
    (finding,) = look(NAME, [one, other, polar("3", "Is the heart enlarged?", "no", shown=2)]).findings
    assert finding.severity == "high"
    assert {each.item_id: each.with_items for each in finding.items} == {"1": ("2",), "2": ("1",)}
    assert not look(NAME, [one, replace(one, id="2", options=YES_NO[::-1], answer=1)]).findings


def test_a_question_and_its_negation_cannot_both_be_so():
    """Yes to normal lungs and yes to abnormal lungs contradict each other; yes and no do not."""
    normal = polar("1", "Are the lungs normal?", "yes")
    assert flagged(look(NAME, [normal, polar("2", "Are the lungs abnormal?", "yes")])) == {"1", "2"}
    assert not look(NAME, [normal, polar("2", "Are the lungs abnormal?", "no")]).findings
    assert not look(NAME, [normal, polar("2", "Are the lungs abnormal?", "yes", shown=2)]).findings


def test_planted_contradictions_are_found_where_no_word_of_meaning_differs():
    """Copies with another key are listed unless a word was put in, and nothing else is."""
    flawed = planted.duplicated(planted.clean(7), 0.1, 7, wrong=True)
    found = flagged(look(NAME, flawed.items))
    assert found <= flawed.ids
    untouched = {item.id for item in flawed.items if "-again" in item.id and "the last" not in item.context}
    assert untouched == {each for each in found if "-again" in each}


def test_a_question_that_asks_for_something_else_does_not_contradict():
    """Near-duplicates that differ in a word of meaning may have different answers."""
    story = "A patient with cough and fever for a week came from a long journey and has a film of the chest taken. "
    options = tuple(map(Option, ("Biopsy", "Film", "Scan")))
    one = Item("1", story + "Which is the best initial test of all that are listed here?", options, 0)
    other = replace(one, id="2", question=one.question.replace("initial", "definitive"), answer=1)
    assert not look(NAME, [one, other]).findings


def test_a_training_item_can_contradict_a_test_item():
    """Only the test's own item is listed."""
    one = polar("1", "Is the heart enlarged?", "yes")
    checked = look(NAME, [one], training=(replace(one, id="train", answer=1),))
    assert {each.item_id: each.with_items for each in checked.findings[0].items} == {"1": ("train",)}
