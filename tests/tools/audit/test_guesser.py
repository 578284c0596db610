"""The light super-guesser: it finds and names what gives answers away, honestly, and knows when it cannot."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from snellen.benchmarks import phantoms, vqa_rad
from snellen.images import Image
from snellen.items import Item, Option
from snellen.stress.image_dependence.cues import CueKind
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.guesser import ENOUGH_TRAINING, TooLittle, guess_answers

WORDS = [f"{start}{end}" for start in ("acu", "chro", "fo", "pat", "nodu") for end in ("te", "nic", "cal")]
REAL = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "vqa-rad"


def plain(count, seed=0, options=4, patients=None):
    """Questions with keys and options drawn at random, one patient each or dealt out to some."""
    rng = np.random.default_rng(seed)
    items = []
    for number in range(count):
        texts = [f"{' '.join(rng.choice(WORDS, size=2, replace=False))} {chr(97 + at)}" for at in range(options)]
        cluster = f"p{number % patients}" if patients else ""
        key = int(rng.integers(options))
        rng.shuffle(texts)
        items.append(Item(f"i{number}", "Which fits best?", tuple(map(Option, texts)), key, cluster=cluster))
    return tuple(items)


def planted(items, change, share=0.6):
    """The items, a share of them changed so that they give their answer away."""
    rng = np.random.default_rng(1)
    return tuple(change(item) if rng.random() < share else item for item in items)


def said(item, words):
    """The item with words at the end of its right option."""
    options = list(item.options)
    options[item.answer] = Option(f"{options[item.answer].text} {words}")
    return replace(item, options=tuple(options))


def longer(item):
    number = int(item.id[1:])
    return said(item, " ".join(WORDS[number // step % 15] for step in (1, 3, 7, 2)))


def give_away(item):
    return said(item, "typically")


def at_c(item):
    options = list(item.options)
    options[2], options[item.answer] = options[item.answer], options[2]
    return replace(item, options=tuple(options), answer=2)


def in_context(item):
    return replace(item, context=f"The report says {item.options[item.answer].text}.")


@cache
def eighty():
    """Eighty items of forty patients, some with a give-away word, and what is guessed."""
    items = planted(plain(80, patients=40), give_away)
    return items, guess_answers(Audited("eighty", items))


@pytest.mark.parametrize(
    ("change", "kind", "names"),
    [
        (longer, CueKind.LENGTH, {"the longer option", "the longest option"}),
        (give_away, CueKind.WORD, {"the word 'typically'"}),
        (at_c, CueKind.POSITION, {"option C"}),
        (in_context, CueKind.CONTEXT, {"named in the context"}),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_planted_cue_is_named_first(change, kind, names, seed):
    """Whatever gives the answer away in six of ten items is found, is significant, and comes first."""
    found = guess_answers(Audited("planted", planted(plain(120, seed), change)))
    first = found.cues[0]
    assert first.kind is kind
    assert first.name in names
    assert first.p < 1e-4
    assert found.p < 1e-4
    assert found.hit.mean() > 0.5
    assert first.right > 1.5 * first.expected
    assert first.points.sum() >= round(first.right)


def test_nothing_is_found_where_nothing_is_to_find():
    """Of eight benchmarks with keys drawn at random, few are said to be guessed, and none beyond doubt."""
    found = [guess_answers(Audited("clean", plain(80, seed))) for seed in range(8)]
    assert sum(each.p <= 0.05 for each in found) <= 2
    assert min(each.p for each in found) > 0.001
    assert abs(np.mean([each.hit.mean() for each in found]) - 0.25) < 0.04


def test_the_accuracy_is_what_a_reader_of_the_leak_would_score():
    """On phantoms that give three of ten answers away, the interval holds what is known."""
    items = phantoms.load(items=240, leak=0.3, seed=5).items
    found = guess_answers(Audited("leak", items))
    known = np.mean([1.0 if item.metadata["leaked"] else item.chance for item in items])
    assert found.accuracy.low < known < found.accuracy.high
    assert found.cues[0].kind is CueKind.CONTEXT


def test_the_key_of_an_item_never_matters_to_it():
    """Whatever a patient's keys are, the guesser likes the same options of that patient's items, to the last bit."""
    items, before = eighty()
    changed = [replace(item, answer=(item.answer + 1) % 4) if item.cluster == "p3" else item for item in items]
    after = guess_answers(Audited("changed", tuple(changed)))
    own = [place for place, item in enumerate(items) if item.cluster == "p3"]
    others = [place for place, item in enumerate(items) if item.cluster != "p3"]
    changed_back = [replace(item, answer=(item.answer + 2) % 4) if item.cluster == "p3" else item for item in items]
    third = guess_answers(Audited("third", tuple(changed_back)))
    last = [replace(item, answer=(item.answer + 3) % 4) if item.cluster == "p3" else item for item in items]
    fourth = guess_answers(Audited("fourth", tuple(last)))
    total = sum(each.probability[own] for each in (before, after, third, fourth))
    assert total == pytest.approx(1, abs=1e-12)
    assert not np.allclose(before.probability[others], after.probability[others], atol=1e-6)


def test_the_order_of_items_changes_nothing():
    """Shuffled items get the same guesses to the last bit, and the same cues."""
    items, before = eighty()
    order = np.random.default_rng(3).permutation(len(items))
    after = guess_answers(Audited("shuffled", tuple(items[place] for place in order)))
    assert np.array_equal(after.probability, before.probability[order])
    assert np.array_equal(after.hit, before.hit[order])
    assert [cue.name for cue in after.cues] == [cue.name for cue in before.cues]


def test_another_seed_deals_other_folds():
    """The folds come from the seed."""
    items, before = eighty()
    assert not np.array_equal(guess_answers(Audited("other", items, seed=1)).probability, before.probability)


def test_items_of_a_patient_are_never_learnt_from_for_that_patient():
    """The same question asked of one patient four times is not known by heart from the other three."""
    texts = [[f"{'abcd'[at]}{'klmnopqrst'[n // 10]}{'uvwxyzefgh'[n % 10]}" for at in range(4)] for n in range(60)]
    keys = np.random.default_rng(4).integers(4, size=60)

    def copies(cluster):
        return tuple(
            Item(
                f"i{n}/{copy}", "What is shown?", tuple(map(Option, texts[n])), int(keys[n]), cluster=cluster.format(n)
            )
            for n in range(60)
            for copy in range(4)
        )

    assert guess_answers(Audited("by heart", copies(""))).hit.mean() > 0.9
    assert guess_answers(Audited("patients", copies("p{}"))).hit.mean() < 0.4


def test_training_items_of_the_same_patients_are_left_out():
    """Training items that share a patient are not learnt from, and the note says how many."""
    items = plain(60, patients=20)
    same = tuple(replace(item, id=f"t{item.id}", cluster="p7") for item in planted(plain(250, 3), give_away))
    found = guess_answers(Audited("shared", items, same))
    assert found.training == ()
    assert "250 of 250 training items" in found.notes[0]
    assert "5 folds" in found.learnt_from


def test_training_items_of_other_patients_teach_what_the_test_alone_could_not():
    """With enough of them, twelve test items can be guessed, and each by a guesser that saw none of them."""
    trained = tuple(replace(item, id=f"t{item.id}") for item in planted(plain(ENOUGH_TRAINING, 3), give_away, 1))
    items = planted(plain(12), give_away, 1)
    found = guess_answers(Audited("trained", items, trained))
    assert found.hit.mean() == 1
    assert found.inflation == 1
    assert f"{ENOUGH_TRAINING} training items" in found.learnt_from
    assert isinstance(guess_answers(Audited("alone", items)), TooLittle)


def test_baselines_by_hand():
    """The most frequent answer and position are those of the other folds; the longest option needs no learning."""
    pair = (Option("Yes"), Option("No"))
    items = tuple(Item(f"i{n}", f"Sign {n}?", pair, int(n % 4 == 0)) for n in range(80))
    rules = {name: rule.mean() for name, rule in guess_answers(Audited("yes", items)).baselines.items()}
    assert rules == {
        "always the most frequent position": 0.75,
        "always the longest option": 0.75,
        "always the most frequent answer": 0.75,
    }


def test_one_class_of_answers_is_guessed_and_said():
    """Where all keys are A every item is guessed, by its position, and more cannot be said."""
    items = tuple(replace(item, answer=0) for item in plain(60))
    found = guess_answers(Audited("one", items))
    assert found.hit.mean() == 1
    assert found.cues[0].name == "option A"
    assert "option A in all 60 items" in found.cannot[0]


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ((), "nothing to guess"),
        (tuple(Item(f"o{n}", "What?", answer="a mass", kind="open") for n in range(50)), "nothing to guess"),
        (plain(4), "4 questions with options are too few to say"),
        (plain(12), "12 questions with options are too few to learn from: a guesser needs 40"),
        (plain(60, patients=1), "all of them share one patient or image"),
        (plain(60, patients=4), "these have 4 patients or images"),
    ],
    ids=["none", "open", "four", "twelve", "one patient", "four patients"],
)
def test_what_cannot_be_guessed_is_said(items, says):
    """Too little to learn from is a sentence, not an error."""
    found = guess_answers(Audited("little", items))
    assert isinstance(found, TooLittle)
    assert says in found.why


def test_items_whose_image_is_missing_are_guessed_too():
    """The guesser needs no image: a file that is not there is no reason to fail."""
    lost = (Image(Path("nowhere") / "lost.png"),)
    items = tuple(replace(item, images=lost) for item in planted(plain(80), give_away))
    found = guess_answers(Audited("missing", items))
    assert found.hit.mean() > 0.5
    assert found.groups.max() == len(items) - 1


def test_26_options_are_no_trouble():
    """Any number of options is guessed, by its own chance."""
    found = guess_answers(Audited("many", planted(plain(60, options=26), give_away)))
    assert found.chance[0] == pytest.approx(1 / 26)
    assert found.cues[0].name == "the word 'typically'"


@pytest.mark.skipif(not REAL.is_dir(), reason="VQA-RAD is not at hand in ../shared/data")
def test_vqa_rad_is_guessed_better_than_by_chance_and_by_yes():
    """Words alone answer about six of ten closed questions of the test set, learnt from other patients' items."""
    parts = {split: vqa_rad.load(REAL, split=split, allow_broken=True).items for split in ("test", "train")}
    found = guess_answers(Audited("vqa-rad", parts["test"], parts["train"]))
    assert 0.55 < found.hit.mean() < 0.67
    assert found.p < 0.01
    assert max(rule.mean() for rule in found.baselines.values()) < 0.55
    assert found.cues[0].kind is CueKind.PAIR
    assert Counter(item.cluster for item in found.training).keys().isdisjoint(item.cluster for item in found.items)
