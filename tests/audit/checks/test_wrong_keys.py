"""Wrong keys: those that models agree against are listed first; few models, their runs and clean keys give nothing."""

import numpy as np
import pytest

from snellen.audit.answers import Answers
from snellen.audit.audit import audit
from snellen.audit.audited import Audited
from snellen.audit.checks import check_named
from snellen.audit.checks.wrong_keys import CHECK, LEAST_ITEMS, LEAST_MODELS
from snellen.items import Item, Option

OPTIONS = tuple(Option(text) for text in ("pleura", "hilum", "apex", "heart"))


def simulated(rng, *, items=400, models=8, wrong=40, options=4):
    """What independent models of 45% to 90% accuracy choose, the keys, and which of them were made wrong."""
    truth = rng.integers(options, size=items)
    accuracy = np.linspace(0.45, 0.9, models)[:, None]
    astray = (truth + rng.integers(1, options, size=(models, items))) % options
    chosen = np.where(rng.random((models, items)) < accuracy, truth, astray)
    planted = np.arange(items) < wrong
    key = np.where(planted, (truth + rng.integers(1, options, size=items)) % options, truth)
    return chosen, key, planted


def given(chosen, key, *, models=(), options=OPTIONS, left_out=None):
    items = tuple(Item(f"q{n}", "Where?", options, int(answer)) for n, answer in enumerate(key))
    names = tuple(f"v{n}" for n in range(len(chosen)))
    answers = Answers(names, tuple(item.id for item in items), np.asarray(chosen), models, left_out or {})
    return Audited("b", items, answers=answers)


def test_planted_wrong_keys_come_first():
    """Of 400 items with 40 wrong keys, the finding stands, and of the first 20 listed at least 18 are wrong."""
    chosen, key, planted = simulated(np.random.default_rng(1))
    done = audit(given(chosen, key), ["wrong-keys"])
    (finding,) = done.findings
    flagged = [int(each.item_id[1:]) for each in finding.items]
    assert sum(planted[flagged[:20]]) >= 18
    assert [each.score for each in finding.items] == sorted((each.score for each in finding.items), reverse=True)
    assert "candidates for review" in finding.sentence
    first = finding.items[0].evidence
    assert "of 8 models chose" in first
    assert "the key says " + "ABCD"[key[flagged[0]]] in first
    assert set(done.checked[0].columns) == {"agreement_wrong", "wrong_key_score", "wrong_key_probability"}


def test_right_keys_are_rarely_suspected():
    """With right keys the finding stands in about 5% of benchmarks at most."""
    stand = 0
    for seed in range(8):
        chosen, key, _ = simulated(np.random.default_rng([2, seed]), items=150, wrong=0)
        stand += bool(audit(given(chosen, key), ["wrong-keys"]).findings)
    assert stand <= 2


def test_the_other_option_is_named_by_its_letter_where_some_options_abstain():
    """Letters are those of the item, and choosing "I do not know" is no answer."""
    chosen, key, _ = simulated(np.random.default_rng(3), options=3)
    unsure = (Option("I do not know", abstains=True), *OPTIONS[:3])
    with_unsure = chosen + 1
    with_unsure[0, :50] = 0
    (finding,) = CHECK.look(given(with_unsure, key + 1, options=unsure)).findings
    (plain,) = CHECK.look(given(np.where(with_unsure == 0, -1, chosen), key, options=OPTIONS[:3])).findings
    assert [each.item_id for each in finding.items] == [each.item_id for each in plain.items]
    assert finding.items
    at = int(finding.items[0].item_id[1:])
    assert f"the key says {'ABCD'[key[at] + 1]}" in finding.items[0].evidence


def test_runs_and_versions_are_no_further_models():
    """Two models in ten runs are two; four versions of a model that differ in a few answers are one."""
    rng = np.random.default_rng(4)
    chosen, key, _ = simulated(rng, models=2)
    runs = given(np.repeat(chosen, 10, axis=0), key, models=("one",) * 10 + ("two",) * 10)
    (sentence,) = CHECK.look(runs).cannot
    assert "2 models (20 runs)" in sentence
    assert f"{LEAST_MODELS} different models" in sentence
    assert CHECK.look(runs).findings == ()
    several, key, _ = simulated(rng, models=8)
    copies = np.repeat(several[2:3], 4, axis=0)
    slips = rng.random(copies.shape) < 0.1
    copies[slips] = rng.integers(4, size=int(slips.sum()))
    found = CHECK.look(given(np.concatenate([several[5:], copies]), key))
    assert found.findings == ()
    assert "7 models were found, of which 4 answer independently" in found.cannot[0]
    assert "7 models count as 4" in found.notes[0]
    alone = CHECK.look(given(copies[:, 40:], key[40:]))
    assert alone.findings == ()
    assert alone.cannot


def test_keys_that_are_all_shifted_are_told_as_such():
    """If most keys seem wrong, it lists none and says what may be the matter."""
    chosen, key, _ = simulated(np.random.default_rng(8), items=150, wrong=0)
    found = CHECK.look(given(chosen, (key + 1) % 4))
    assert found.findings == ()
    assert "by one place" in found.cannot[0]


@pytest.mark.parametrize(("items", "models", "said"), [(12, 8, f"{LEAST_ITEMS} are needed"), (400, 3, "3 models")])
def test_too_few_items_or_models_are_told(items, models, said):
    """With few items or models it says what is needed, and still how many agree."""
    chosen, key, _ = simulated(np.random.default_rng(5), items=items, models=models, wrong=2)
    found = CHECK.look(given(chosen, key))
    assert said in found.cannot[0]
    assert found.findings == ()
    assert len(found.columns["agreement_wrong"]) == items


def test_without_answers_it_says_so():
    """No answers, or none to these items: one sentence, nothing else."""
    chosen, key, _ = simulated(np.random.default_rng(6), items=60)
    whole = given(chosen, key)
    silent = Audited("b", whole.items)
    elsewhere = Audited("b", whole.items, answers=whole.answers._replace(item_ids=tuple(f"x{n}" for n in range(60))))
    for each in (silent, elsewhere, Audited("none", ())):
        found = CHECK.look(each)
        assert (len(found.cannot), found.findings, dict(found.columns)) == (1, (), {})
    assert check_named("wrong-keys") is CHECK


def test_what_was_left_out_is_told():
    """Stored items that did not fit the benchmark are counted in a note."""
    chosen, key, _ = simulated(np.random.default_rng(7), items=60)
    notes = CHECK.look(given(chosen, key, left_out={"with another key": 3})).notes
    assert "3 stored items with another key were left out." in notes
