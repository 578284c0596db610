"""The network that reads acts: what it reads, that nothing breaks it, and what it costs."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.items import Item
from snellen.models.base import Response
from snellen.reading import acts as acts_module
from snellen.reading.acts import ACTS, NETWORK, ActNetwork, QuestionFacts, make_words, read_acts, split_words
from snellen.reading.mismatch import read_mismatch
from snellen.reading.missing_image import read_admission
from snellen.reading.premise import read_premise

KNEE = Item(
    id="k", question="Why does the knee hurt?", kind="open", metadata={"body_part": "knee", "shown_body_part": "eye"}
)
EFFUSION = Item(
    id="e",
    question="How large is the effusion?",
    kind="open",
    metadata={"premise": {"claims": "an effusion", "holds": False}},
)


@pytest.mark.parametrize(
    ("said", "act"),
    [
        ("There is nothing attached to your message, so please send it again.", "says_no_image"),
        ("O arquivo não chegou; pode reenviar a radiografia?", "says_no_image"),
        ("I won't give medical advice of this kind.", "refuses"),
        ("Treat this as a pure guess: B.", "doubts"),
        ("I really cannot tell which one it is.", "abstains"),
    ],
)
def test_what_no_rule_knows_is_read(said, act):
    """In words that were made up for this test; the sentence is quoted."""
    acts = read_acts(said, QuestionFacts("Is there a fracture?"))
    assert max(ACTS, key=acts.probabilities.__getitem__) == act
    assert acts.quote(act) in said


def test_a_reading_of_a_rule_keeps_its_rule():
    """The network adds, and never takes away."""
    assert read_premise(Response("I see no effusion."), EFFUSION).rule == "says-absent"
    assert read_mismatch(Response("The image shows an eye, not a knee."), KNEE).rule == "other-part"
    assert read_admission("I don't see any image.").rule != NETWORK


@given(text=st.text(max_size=300), question=st.text(max_size=60), option=st.text(max_size=20))
def test_any_text_has_probabilities(text, question, option):
    """All between 0 and 1, twice the same, with a quote from the text."""
    case = QuestionFacts(question, (option,), option, question, option, "MRI", "CT")
    acts = read_acts(text, case)
    assert all(0 <= each <= 1 for each in acts.probabilities.values())
    read_acts.cache_clear()
    assert read_acts(text, case).probabilities == pytest.approx(acts.probabilities, abs=1e-4)
    assert all(acts.quote(act) in text for act in ACTS)


def test_a_remembered_word_has_the_same_vector(monkeypatch):
    """Whatever was read before, and though old words are forgotten."""
    words = make_words("The image shows a small nodule in the left lung.", QuestionFacts())
    fresh = ActNetwork().read(words)
    monkeypatch.setattr(acts_module, "_MOST_REMEMBERED", 12)
    used = ActNetwork()
    for text in ("Nothing here.", "One two three four five six seven.", "An image of a lung."):
        used.read(make_words(text, QuestionFacts()))
    assert np.allclose(used.read(words)[0], fresh[0], atol=1e-4)


def test_it_is_the_network_that_the_formula_says():
    """The response's odds, computed word by word without its tables."""
    words = make_words("No image came. Please send it.", QuestionFacts("Is there a mass?"))
    network = ActNetwork()
    stored = {name: each.astype(np.float64) for name, each in np.load(acts_module._WEIGHTS).items()}

    def decide(name, known):
        hidden = np.maximum(stored[f"{name}.0.weight"] @ known + stored[f"{name}.0.bias"], 0)
        return stored[f"{name}.3.weight"] @ hidden + stored[f"{name}.3.bias"]

    about = words.about.astype(np.float64)
    state = []
    for word, flags in zip(words.words, words.flags, strict=True):
        vector = sum(stored["words"][bucket] * stored["scale"] for bucket in acts_module.hash_parts(word) if bucket)
        vector = vector + stored["flags.weight"] @ [float(flags >> bit & 1) for bit in range(9)]
        state.append(stored["enter.weight"] @ vector + stored["enter.bias"] + stored["about.weight"] @ about)
    for number, reach in enumerate((1, 2, 4)):
        padded = [np.zeros(64)] * reach + state + [np.zeros(64)] * reach
        joined = [np.concatenate([padded[at], padded[at + reach], padded[at + 2 * reach]]) for at in range(len(state))]
        state = [
            old + np.maximum(each @ stored[f"steps.{number}"] + stored[f"steps.{number}.bias"], 0)
            for old, each in zip(state, joined, strict=True)
        ]
    state = [
        (each - each.mean()) / np.sqrt(each.var() + 1e-5) * stored["norm.weight"] + stored["norm.bias"]
        for each in state
    ]
    ends = [*words.starts[1:], len(state)]
    sentences = []
    for start, end in zip(words.starts, ends, strict=True):
        part = np.array(state[start:end])
        sentences.append(decide("sentence", np.concatenate([part.max(0), part.mean(0), about])))
    each = np.array(sentences)
    strongest, chances = each.max(0), 1 / (1 + np.exp(-each))
    known = [1 / (1 + np.exp(-strongest)), strongest.clip(-8, 8) / 8, chances.mean(0), chances[0], chances[-1], about]
    odds = strongest + decide("response", np.concatenate(known))
    assert np.allclose(network.read(words)[0], odds, atol=2e-3)


def test_long_texts_are_read_at_both_ends():
    """A text of any length takes bounded work, and its last words are read."""
    text = "The lung is clear. " * 20_000 + "I cannot see any image."
    acts = read_acts(text, QuestionFacts("What is seen?"))
    assert len(acts.words.words) == acts_module.LONGEST
    assert acts.quote("says_no_image") == "I cannot see any image."


def test_chinese_is_read_in_pairs():
    """And letters beside it as words."""
    assert split_words("CT图像") == ["ct", "图像", "像"]


def test_the_weights_are_small():
    """At most 5 MB in the wheel."""
    assert Path(acts_module._WEIGHTS).stat().st_size < 5_000_000


def test_readings_of_the_network_alone_have_a_measured_confidence():
    """Each rule of that name is counted on rows kept apart."""
    folder = Path(acts_module.__file__).parent
    for parser, file in (
        ("missing-image", "counted.json"),
        ("premise", "premise/counted.json"),
        ("mismatch", "mismatch/counted.json"),
    ):
        counts = json.loads((folder / file).read_text("utf-8"))[parser]
        alone = {rule: pair for rule, pair in counts.items() if rule.endswith(NETWORK)}
        assert alone
        assert all(n >= 10 for _, n in alone.values())
