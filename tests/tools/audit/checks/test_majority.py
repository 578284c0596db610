"""The most frequent answer is scored on items that it was not counted on."""

import numpy as np

import planted
from audit_planted import look
from snellen.items import Item, Option

NAME = "majority"
YES_NO = (Option("Yes"), Option("No"))


def asked(n, question, key, options=YES_NO):
    return Item(str(n), question, options, key, cluster=f"p{n}")


def number(checked, name):
    return next(each.estimate for each in checked.numbers if each.name == name)


def test_the_same_question_has_the_same_answer():
    """Where each wording has its own answer, the wording tells it, and the overall majority does not."""
    items = [asked(n, f"Is the {'heart large' if n % 2 else 'lung clear'}?", n % 2) for n in range(80)]
    checked = look(NAME, items)
    overall, by_question = checked.findings
    assert number(checked, "majority_by_question_accuracy").value == 1
    assert by_question.p < 0.01
    assert overall.p > 0.05
    assert len(by_question.items) == 80


def test_an_answer_that_is_offered_with_many_is_found():
    """An answer that is right wherever it is offered is found, by the share that it takes."""
    flawed = planted.plant(planted.clean(5), 0.2, 5, planted.favourite_answer)
    overall = look(NAME, flawed.items).findings[0]
    assert overall.p < 0.01
    assert len(flawed.ids & {each.item_id for each in overall.items}) > 0.9 * len(flawed.ids)


def test_chance_stays_chance():
    """Over random keys the p-values of both baselines are as they should be: few are small."""
    small = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        items = [asked(n, f"Is sign {n % 6} there?", int(rng.integers(2))) for n in range(60)]
        small += sum(finding.p <= 0.1 for finding in look(NAME, items).findings)
    assert small <= 10


def test_an_item_does_not_count_itself():
    """Questions that are asked once cannot tell their own answer."""
    items = [asked(n, f"Question number {n}?", n % 2) for n in range(40)]
    checked = look(NAME, items)
    assert [each.name for each in checked.numbers] == ["majority_accuracy"]
    assert "also asked about other patients or images" in checked.cannot[0]


def test_training_items_count():
    """A wording that is seen in training alone is told by training's answer."""
    items = [asked(n, f"Is finding {n} there?", n % 2) for n in range(40)]
    training = tuple(asked(f"t{n}", f"Is finding {n} there?", n % 2) for n in range(40))
    checked = look(NAME, items, training=training)
    found = number(checked, "majority_by_question_accuracy")
    assert found.value == 1
    assert found.n > 30
    assert "40 training items are counted too" in checked.notes[0]


def test_open_questions_have_a_number_of_their_own():
    """The answer most often given to the same open question is compared with the reference."""
    items = [
        Item(str(n), "Which plane is it?", kind="open", answer="Axial" if n % 4 else "Sagittal", cluster=f"p{n}")
        for n in range(40)
    ]
    assert number(look(NAME, items), "majority_by_question_open").value == 0.75
