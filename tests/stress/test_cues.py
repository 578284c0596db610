"""Cues: what the text tells of each option, under names that can be told in words."""

import numpy as np
import pytest
from scipy.optimize import minimize

from snellen.items import Item, Option
from snellen.stress.image_dependence.conditional_logit import hits, learn_weights, shares
from snellen.stress.image_dependence.cues import CueKind, named_cues


def asked(number, options, answer=0, **fields):
    return Item(f"q{number}", fields.pop("question", "What is it?"), tuple(map(Option, options)), answer, **fields)


def told(item, place, **settings):
    """The names of all cues that an option of an item has, when it is asked three times."""
    cues = named_cues([item] * 3, **settings)
    row = cues.table[place].toarray()[0]
    return {name for name, value in zip(cues.names, row, strict=True) if value > 0}


@pytest.mark.parametrize(
    ("options", "place", "fields", "name"),
    [
        (("a", "b", "c"), 2, {}, "option C"),
        (("a", "b", "c"), 2, {}, "the last option"),
        (("mass", "a very long mass"), 1, {}, "the longest option"),
        (("mass", "a very long mass"), 0, {}, "the shortest option"),
        (("3 mm", "12 mm"), 1, {}, "the option with the larger number"),
        (("cyst", "mass"), 1, {"question": "Where is the mass?"}, "named in the question"),
        (("cyst", "mass"), 1, {"context": "They saw a mass."}, "named in the context"),
        (("cyst", "mass"), 0, {"context": "They saw no cyst."}, "denied in the context"),
        (("all of these", "none"), 0, {}, "the word 'these'"),
        (("cyst", "mass"), 0, {"question": "Which lesion?"}, "'cyst' if the question contains 'lesion'"),
        (("cyst", "mass", "5 cysts"), 2, {}, "the only option with a number"),
        (("left lung", "left lobe", "spleen"), 2, {}, "the option least like the others"),
        (("Cysts", "mass"), 0, {}, "the word 'cysts'"),
    ],
)
def test_each_cue_has_its_name(options, place, fields, name):
    """The option that has a cue has it under its name, and at least one other option does not."""
    item = asked(0, options, **fields)
    assert name in told(item, place)
    assert any(name not in told(item, other) for other in range(len(options)) if other != place)


def test_words_that_set_nothing_apart_or_are_rare_are_no_cues():
    """A word of all options tells nothing; a word of too few items cannot be learnt."""
    item = asked(0, ("left lung", "right lung"))
    assert "the word 'lung'" not in told(item, 0)
    assert "the word 'left'" in told(item, 0)
    assert "the word 'left'" not in told(item, 0, fewest=4)


def test_there_are_as_many_positions_as_letters():
    """With 26 options, each has a place of its own."""
    item = asked(0, [f"o{place}" for place in range(26)])
    assert "option Z" in told(item, 25)
    assert "option Y" not in told(item, 25)


def test_the_rows_of_some_items_are_those_of_the_items():
    """Items can be taken in any order; rows, sizes and keys go with them."""
    items = [asked(n, [f"w{at} v{n % 3}" for at in range(2 + n % 3)], n % 2, context="A w1.") for n in range(12)]
    cues, order = named_cues(items), np.array([7, 0, 11, 3])
    taken = cues.take(order)
    starts = np.cumsum(cues.sizes) - cues.sizes
    rows = np.concatenate([np.arange(starts[place], starts[place] + cues.sizes[place]) for place in order])
    assert np.array_equal(taken.table.toarray(), cues.table[rows].toarray())
    assert taken.sizes.tolist() == cues.sizes[order].tolist()
    assert np.array_equal(rows[taken.right], cues.right[order])


def test_an_option_that_abstains_has_no_row():
    """Only real answers are compared."""
    item = Item("q", "Which?", (Option("Not sure", abstains=True), Option("a"), Option("b")), 2)
    cues = named_cues([item])
    assert cues.sizes.tolist() == [2]
    assert cues.right.tolist() == [1]
    assert cues.mark_kinds(CueKind.POSITION).sum() == 27


def test_weights_are_those_of_another_optimiser():
    """The conditional logit with a normal prior, against BFGS without gradients on the dense formula."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 5, 30)
    table = rng.normal(size=(sizes.sum(), 3))
    starts = np.cumsum(sizes) - sizes
    right = starts + rng.integers(0, sizes)
    seen = rng.random(30) < 0.8

    def loss(weights):
        total = weights @ weights / 2
        for start, size, key in zip(starts[seen], sizes[seen], right[seen], strict=True):
            scores = table[start : start + size] @ weights
            total -= scores[key - start] - np.log(np.exp(scores).sum())
        return total

    expected = minimize(loss, np.zeros(3)).x
    assert learn_weights(sparse.csr_matrix(table), sizes, right, seen) == pytest.approx(expected, abs=0.01)


def test_shares_and_hits_by_hand():
    """Options of an item share all; ties share the hit."""
    sizes, right = np.array([3, 2]), np.array([0, 4])
    given = shares(np.array([1.0, 1.0, 0.0, 5.0, 2.0]), sizes)
    assert np.add.reduceat(given, [0, 3]) == pytest.approx([1, 1])
    assert hits(given, sizes, right).tolist() == [0.5, 0.0]
