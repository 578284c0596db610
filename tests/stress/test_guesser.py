"""The guesser without eyes: it finds what the text gives away, and never looks at the key of what it judges."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, mannwhitneyu

from snellen.benchmarks import phantoms, vqa_rad
from snellen.items import Item, Option
from snellen.stress.image_dependence.guesser import FEWEST, guess

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "vqa-rad"

UNTRACED = (Phase.reuse, Phase.generate, Phase.shrink)
"""To explain failures, every line would be traced, which takes ten times as long."""


def asked(number, options, answer, *, question="What is shown?", context="", cluster=""):
    """A question with plain options."""
    return Item(
        id=f"q{number}",
        question=question,
        options=tuple(map(Option, options)),
        answer=answer,
        context=context,
        cluster=cluster,
    )


def planted(count, make, seed=0):
    """Items whose right answers are drawn; `make` says how an item gives its answer away."""
    answers = np.random.default_rng(seed).integers(0, 4, count)
    return [make(number, int(answer)) for number, answer in enumerate(answers)]


@cache
def sixty():
    """Sixty phantoms, half of which give their answer away, and how sure the guesser is of each."""
    items = phantoms.load(items=60, leak=0.5).items
    return items, guess(items).best


def chances(items):
    """What a blind guess scores on each item."""
    return np.array([item.chance for item in items])


@pytest.mark.parametrize(("language", "count"), [("en", 100), ("it", 100), ("zh", 200)])
def test_leaked_answers_are_found(language, count):
    """It is surer of an answer that the text gives away than of one that it does not, and right about it."""
    items = phantoms.load(items=count, leak=0.5, language=language).items
    leaked = np.array([item.metadata["leaked"] for item in items])
    found = guess(items)
    surer = found.best / chances(items)
    area = mannwhitneyu(surer[leaked], surer[~leaked]).statistic / (leaked.sum() * (~leaked).sum())
    assert area > 0.97
    assert found.hit[leaked].mean() > 0.95


@pytest.mark.parametrize(("language", "seed"), [("en", 0), ("zh", 1)])
def test_nothing_is_found_where_nothing_is_to_find(language, seed):
    """On phantoms that leak nothing it scores no better or worse than chance, and knows it."""
    items = phantoms.load(items=200, seed=seed, language=language).items
    found = guess(items)
    low, high = binom.interval(0.95, len(items), chances(items).mean())
    assert low <= found.hit.sum() <= high
    assert (found.best <= 1.5 * chances(items)).mean() > 0.9


def test_probabilities_mean_what_they_say():
    """Of the answers that it gives p, about p are right: among the sure, the middling and the unsure."""
    items = [item for seed in range(2) for item in phantoms.load(items=200, leak=0.3, seed=seed).items]
    found = guess(items)
    groups = [found.best < 0.4, (found.best >= 0.4) & (found.best < 0.8), found.best >= 0.8]
    for group in groups:
        assert group.sum() > 40
        assert found.hit[group].mean() == pytest.approx(found.best[group].mean(), abs=0.1)


def test_a_habit_is_believed_as_far_as_it_goes():
    """Where the first option is right in seven of ten items, it is given about 0.7."""
    items = [asked(number, ("one", "two"), int(number % 10 >= 7)) for number in range(300)]
    assert guess(items).best.mean() == pytest.approx(0.7, abs=0.04)


HABITS = {
    "length": lambda number, answer: asked(
        number, [f"w{number}{at}" + "x" * 12 * (at == answer) for at in range(4)], answer
    ),
    "number": lambda number, answer: asked(
        number, [str(900 + number if at == answer else 100 + 7 * number + at) for at in range(4)], answer
    ),
    "word": lambda number, answer: asked(
        number, [f"v{number}{at} {'often' if at == answer else 'seldom'}" for at in range(4)], answer
    ),
    "question and word": lambda number, answer: asked(
        number, ("mass", "cyst", "clot", "scar"), answer, question=f"What does a {'wxyz'[answer] * 5} mean?"
    ),
    "named in the question": lambda number, answer: asked(
        number, [f"t{number}{at}" for at in range(4)], answer, question=f"Is it t{number}{answer}, or what?"
    ),
}
CLUES = {
    "named in the context": lambda number, answer: asked(
        number, [f"s{number}{at}" for at in range(4)], answer, context=f"He is 40. They saw an s{number}{answer}."
    ),
    "told before the question": lambda number, answer: asked(
        number, [f"s{number}{at}" for at in range(4)], answer, question=f"They saw an s{number}{answer}. What is it?"
    ),
    "all others denied": lambda number, answer: asked(
        number,
        [f"s{number}{at}" for at in range(4)],
        answer,
        context=" ".join(f"{'An' if at == answer else 'No'} s{number}{at}." for at in range(4)),
    ),
    "most of its words": lambda number, answer: asked(
        number, [f"r{number}{at} {at}m{number}" for at in range(4)], answer, context=f"A r{number}{answer}, perhaps."
    ),
}


@pytest.mark.parametrize("kind", [*HABITS, *CLUES])
def test_each_way_to_give_an_answer_away_is_learnt(kind):
    """What gives the answer away in all items is found in nearly all."""
    found = guess(planted(80, {**HABITS, **CLUES}[kind]))
    assert found.hit.mean() > 0.9
    assert found.best.mean() > 0.6


@pytest.mark.parametrize(("yes", "no", "says", "denies"), [("Yes", "No", "with", "without"), ("是", "否", "有", "无")])
def test_what_a_question_asks_is_affirmed_or_denied(yes, no, says, denies):
    """Yes and no are told by whether the context says or denies what is asked, not by the word no in it."""

    def make(number, answer):
        right = answer % 2
        context = f"No fever. Lung {denies if right else says} sign{number}."
        return asked(number, (yes, no), right, question=f"Lung: sign{number}?", context=context)

    found = guess(planted(120, make))
    assert found.hit.mean() > 0.95


@settings(max_examples=4, phases=UNTRACED)
@given(st.data())
def test_the_key_of_an_item_never_matters_to_it(data):
    """Whatever a patient's keys are, the guesser is as sure of that patient's items, to the last bit."""
    items, guessed = sixty()
    patient = data.draw(st.sampled_from(sorted({item.cluster for item in items})))
    own = [place for place, item in enumerate(items) if item.cluster == patient]
    changed = list(items)
    for place in own:
        changed[place] = replace(items[place], answer=data.draw(st.integers(0, len(items[place].options) - 1)))
    assert np.array_equal(guess(changed).best[own], guessed[own])


def test_the_keys_of_other_items_do_matter():
    """The law above would hold for a guesser that learns nothing; this one does learn."""
    items, guessed = sixty()
    flipped = [replace(item, answer=(item.answer + 1) % len(item.options)) for item in items]
    assert not np.allclose(guess(flipped).best, guessed, atol=0.05)


def test_no_patient_is_on_both_sides():
    """The same question asked of one patient five times is not learnt by heart from the other four."""

    def copies(cluster):
        answers = np.random.default_rng(4).integers(0, 4, 60)
        return [
            asked(
                f"{patient}/{copy}",
                [f"{'abcd'[at]}{'klmnopqrst'[patient // 10]}{'uvwxyzefgh'[patient % 10]}" for at in range(4)],
                int(answer),
                cluster=cluster.format(patient),
            )
            for patient, answer in enumerate(answers)
            for copy in range(5)
        ]

    assert guess(copies("")).hit.mean() > 0.9
    assert guess(copies("p{}")).hit.mean() < 0.4


@settings(max_examples=3, phases=UNTRACED)
@given(st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(random):
    """Shuffled items get the same guesses, to the last bit."""
    items, guessed = sixty()
    order = list(range(len(items)))
    random.shuffle(order)
    assert np.array_equal(guess([items[place] for place in order]).best, guessed[order])


def test_every_process_guesses_the_same():
    """Python's salt for hashing strings changes nothing."""
    script = (
        "from hashlib import sha256; from snellen.benchmarks import phantoms\n"
        "from snellen.stress.image_dependence.guesser import guess; "
        "print(sha256(guess(phantoms.load(items=60, leak=0.5).items).best.tobytes()).hexdigest())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "12"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    _, here = sixty()
    assert done.stdout.strip() == hashlib.sha256(here.tobytes()).hexdigest()


def test_another_seed_deals_other_folds():
    """The folds come from the seed, and so do the guesses, a little."""
    items, guessed = sixty()
    assert not np.array_equal(guess(items, seed=1).best, guessed)


@pytest.mark.parametrize(
    ("count", "patients"), [(FEWEST - 1, FEWEST - 1), (40, 1), (40, 3)], ids=["few items", "one patient", "three"]
)
def test_nothing_is_learnt_from_too_little(count, patients):
    """With too few items or patients every option is as likely as the others, and a hit is shared."""
    items = [asked(number, ("one", "two"), 0, cluster=f"p{number % patients}") for number in range(count)]
    found = guess(items)
    assert {*found.best, *found.right, *found.hit} == {0.5}


@pytest.mark.parametrize("patients", [4, 6, 9])
def test_few_patients_make_fewer_folds(patients):
    """Patients too few for five folds are still judged by the others."""
    items = planted(72, CLUES["named in the context"])
    items = [replace(item, cluster=f"p{number % patients}") for number, item in enumerate(items)]
    assert guess(items).hit.mean() > 0.95


def test_what_is_no_choice_between_answers_takes_no_part():
    """Open questions, and choices without two answers or without a right one, get NaN, and the others the same."""
    items = planted(40, CLUES["named in the context"])
    one_answer = replace(items[0], id="x1", options=(Option("one"), Option("Not sure", abstains=True)), answer=0)
    right_to_abstain = replace(items[0], id="x2", options=(*items[0].options, Option("None", abstains=True)), answer=4)
    opened = Item(id="x3", question="What is it?", answer="a mass", kind="open")
    found = guess([one_answer, *items, right_to_abstain, opened])
    assert np.isnan(np.stack([found.best, found.right, found.hit])[:, [0, -2, -1]]).all()
    assert np.array_equal(found.best[1:-2], guess(items).best)


def test_an_option_that_abstains_is_never_given():
    """An option that means "not sure" gets nothing: the others share all, so that chance is one over the answers."""
    items = [
        replace(asked(n, ("one", "two"), n % 2), options=(Option("?", True), Option("one"), Option("two")))
        for n in range(9)
    ]
    items = [replace(item, answer=1 + item.answer) for item in items]
    assert set(guess(items).best) == {0.5}


def test_nothing_to_guess_is_no_error():
    """Without items there are no guesses."""
    assert guess([]).best.shape == (0,)


@pytest.mark.skipif(not REAL.is_dir(), reason="VQA-RAD is not at hand in ../shared/data")
def test_real_questions_give_some_of_their_answers_away():
    """On VQA-RAD's closed questions words alone do better than chance, by some points, and it is not overconfident."""
    items = [item for item in vqa_rad.load(REAL, split="all", allow_broken=True) if item.kind == "choice"]
    found = guess(items)
    assert len(items) > 1000
    assert 0.55 < found.hit.mean() < 0.65
    assert found.best.mean() == pytest.approx(found.hit.mean(), abs=0.05)
