"""The check `pruning`: about as many items go as give their answer away, and none of a clean benchmark."""

from dataclasses import replace
from functools import cache

import numpy as np

from snellen.benchmarks import phantoms
from snellen.items import Item, Option
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.pruning import DELTA
from snellen.tools.audit.guesser import guess_answers


def pruned(items, training=()):
    return audit(Audited("pruned", tuple(items), tuple(training)), ["pruning"]).checked[0]


@cache
def leaking():
    """Phantoms that give three of ten answers away, and what pruning makes of them."""
    items = phantoms.load(items=240, leak=0.3, seed=6).items
    return items, pruned(items)


def drawn(count, seed=0):
    """Questions whose options are numbers drawn at random, and so are their keys."""
    rng = np.random.default_rng(seed)
    rows = [rng.choice(range(100, 999), size=4, replace=False) for _ in range(count)]
    keys = rng.integers(4, size=count)
    return [
        Item(f"i{number}", "How many cells?", tuple(Option(str(each)) for each in row), int(key))
        for number, (row, key) in enumerate(zip(rows, keys, strict=True))
    ]


def test_the_items_that_give_their_answer_away_are_removed():
    """About as many go as are leaked, nearly all of them leaked, and a new guesser is near chance on the rest."""
    items, checked = leaking()
    leaked = {item.id for item in items if item.metadata["leaked"]}
    gone, kept = checked.lists["removed-by-pruning"], checked.lists["kept-after-pruning"]
    assert sorted([*gone, *kept]) == sorted(item.id for item in items)
    assert 0.6 * len(leaked) < len(gone) < 1.5 * len(leaked)
    assert len(leaked & set(gone)) > 0.7 * len(gone)
    rest = [item for item in items if item.id in kept]
    again = guess_answers(Audited("rest", tuple(rest), seed=9))
    assert again.p > 0.01
    assert again.hit.mean() < again.chance.mean() + 0.1


def test_the_curve_falls_from_all_to_the_rest():
    """Its first point is the guesser on all items, its last at most delta above chance."""
    _, checked = leaking()
    (curve,) = checked.curves
    removed = [across for across, _ in curve.points]
    assert removed[0] == 0
    assert removed == sorted(removed)
    assert removed[-1] == len(checked.lists["removed-by-pruning"])
    assert curve.points[-1][1].value <= curve.level + DELTA
    assert curve.points[0][1].value > curve.level + 0.1
    assert {number.name for number in checked.numbers} == {"pruned_share", "guesser_accuracy_after_pruning"}


def test_nothing_is_removed_from_a_clean_benchmark():
    """Where keys are drawn at random all items stay, whatever the guesser got right by luck."""
    for seed in range(3):
        checked = pruned(drawn(100, seed))
        assert "removed-by-pruning" not in checked.lists
        assert len(checked.lists["kept-after-pruning"]) == 100
        assert checked.notes[0].startswith("Nothing is pruned: the guesser answers")


def test_what_is_in_all_items_is_not_pruned_but_to_be_mended():
    """Where every key is A no rest is clean, and that is what it says."""
    checked = pruned([replace(item, answer=0) for item in drawn(80)])
    assert checked.lists == {}
    assert "fix the cause" in checked.cannot[0]
    assert checked.findings == ()


def test_too_little_is_said():
    """Twelve items cannot be pruned; the reason is that of the guesser."""
    assert pruned(drawn(12)).cannot[0].startswith("Nothing is pruned. 12 questions with options are too few")
    assert pruned([]).looked_at == 0


def test_the_order_of_items_changes_nothing():
    """The same items go, however they came."""
    items = list(phantoms.load(items=120, leak=0.4, seed=2).items)
    turned = pruned(items[::-1])
    assert sorted(turned.lists["removed-by-pruning"]) == sorted(pruned(items).lists["removed-by-pruning"])


def test_with_training_items_only_test_items_are_removed():
    """Items to learn from are never among those that go or stay."""
    items = [replace(item, cluster=f"c{item.id}") for item in drawn(120)]
    named = [replace(item, context=f"It is {item.options[item.answer].text}.") for item in items[:40]] + items[40:]
    training = [replace(item, id=f"t{item.id}", cluster=f"t{item.id}") for item in drawn(210, 8)]
    told = [replace(item, context=f"It is {item.options[item.answer].text}.") for item in training]
    lists = pruned(named, told).lists
    assert sorted([*lists.get("removed-by-pruning", ()), *lists.get("kept-after-pruning", ())]) == sorted(
        item.id for item in items
    )
