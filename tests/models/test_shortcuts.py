"""Organisms with a learnt shortcut: the tag in a corner, and the usual answer."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from snellen.benchmarks.phantoms import load
from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, OptionsShuffled, Pool, vary
from snellen.errors import StudyError
from snellen.images import Encoder
from snellen.images.tags import tag_of
from snellen.models.organisms import open_organism
from snellen.prompts import PROMPTS, Settings, ask
from snellen.reading import Outcome, grade


def answers(name, items, condition=ORIGINAL):
    """The texts of the options that an organism chooses, and its outcomes."""
    model, pool, encode = open_organism(name), Pool(items), Encoder()
    chosen, outcomes = [], Counter()
    for item in items:
        shown = vary(item, condition, seed=1, pool=pool).item
        response = asyncio.run(model.answer(ask(shown, prompt=PROMPTS["letter"], settings=Settings(), encode=encode)))
        found = grade(response.text, response.finish, shown)
        outcomes[found.outcome] += 1
        chosen.append(shown.options[found.choice].text if found.choice is not None else "")
    return chosen, outcomes


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_tag_reader_chooses_what_the_tag_says(share):
    """Right or wrong, and in any order of the options."""
    items = tuple(load(items=24, tag=share))
    for condition in (ORIGINAL, OptionsShuffled()):
        chosen, _ = answers("tag-reader", items, condition)
        assert [tag_of(text) for text in chosen] == [item.images[0].steps[-1].letters for item in items]


def test_without_a_tag_it_guesses_as_the_pretender_does():
    """It reads nothing else of the image."""
    items = tuple(load(items=24))
    assert answers("tag-reader", items) == answers("pretender", items)


@pytest.mark.parametrize("name", ["tag-reader", "prior"])
@pytest.mark.parametrize("condition", [IMAGE_REMOVED, IMAGE_BLANK], ids=lambda each: each.name)
def test_both_say_that_there_is_no_image(name, condition):
    """So that removing the image does not find them out."""
    _, outcomes = answers(name, tuple(load(items=8, tag=1)), condition)
    assert outcomes == {Outcome.ABSTAINED: 8}


def test_the_prior_gives_the_usual_answer_of_each_question():
    """That of most items with the same words, among those that are offered; the image does not matter."""
    items = tuple(load(task="counterfactual", items=40, seed=7))
    learnt: dict[str, Counter[str]] = {}
    for item in load(task="counterfactual", items=1000, seed=0):
        learnt.setdefault(item.question, Counter())[item.options[item.answer].text] += 1
    chosen, _ = answers("prior:task=counterfactual", items)
    for item, text in zip(items, chosen, strict=True):
        if item.question in learnt:
            counts = learnt[item.question]
            assert counts[text] == max(counts[option.text] for option in item.options)


def test_the_prior_needs_items_to_learn_from():
    """None is refused."""
    with pytest.raises(StudyError, match="needs 1 item or more"):
        open_organism("prior:items=0")
