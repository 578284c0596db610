"""The phantoms in other languages: the words change, the patients, pictures and letters do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from string import Formatter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.benchmarks.phantoms.wording import ENGLISH, WORDING

OTHERS = [code for code in WORDING if code != "en"]
ITEMS = {code: load(items=240, seed=4, language=code).items for code in WORDING}
LEAKED = {code: load(items=240, seed=4, leak=1.0, language=code).items for code in WORDING}


def shape(words):
    """The keys and lengths of a wording, without its words."""
    if isinstance(words, Mapping):
        return {key: shape(value) for key, value in words.items()}
    return len(words) if isinstance(words, tuple) else None


def places(template):
    """The names of the places that a template leaves open."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@pytest.mark.parametrize("code", OTHERS)
def test_every_english_key_is_there(code):
    """Each part of a wording has the keys of the English one, and as many sentences to draw from."""
    for part in fields(ENGLISH):
        assert shape(getattr(WORDING[code], part.name)) == shape(getattr(ENGLISH, part.name)), part.name


@pytest.mark.parametrize("code", OTHERS)
def test_templates_leave_the_same_places_open(code):
    """What is filled into an English sentence is filled into its translation."""
    for kind, said in ENGLISH.given_away.items():
        assert places(WORDING[code].given_away[kind]) == places(said)
    for name in ("patient", "source"):
        assert [places(each) for each in getattr(WORDING[code], name)] == [
            places(each) for each in getattr(ENGLISH, name)
        ]
    for kind, asked in ENGLISH.question.items():
        for modality, text in asked.items():
            assert places(WORDING[code].question[kind][modality]) - {"modality"} == places(text) - {"modality"}


@pytest.mark.parametrize("code", WORDING)
def test_no_two_options_read_alike(code):
    """Every option of a language has words of its own, and no item offers two alike."""
    words = WORDING[code]
    assert max(Counter(text.casefold() for text in words.option.values()).values()) == 1
    assert all(len(set(sides.values())) == len(sides) for sides in words.side.values())
    assert [item.problem() for item in ITEMS[code] if item.problem()] == []


@pytest.mark.parametrize("code", OTHERS)
def test_only_the_words_differ(code):
    """Patients, pictures, answers, categories and what is known of an item are the same in every language."""
    for ours, theirs in zip(ITEMS["en"], ITEMS[code], strict=True):
        assert theirs.id == ours.id.replace("phantoms/", f"phantoms/{code}/")
        assert theirs.language == code
        assert theirs.images == ours.images
        assert (theirs.answer, theirs.cluster, theirs.category) == (ours.answer, ours.cluster, ours.category)
        assert theirs.metadata == ours.metadata
        assert len(theirs.options) == len(ours.options)
        assert theirs.question != ours.question
        assert theirs.context != ours.context


@pytest.mark.parametrize("code", OTHERS)
def test_an_option_is_translated_one_to_one(code):
    """An option that reads alike in English reads alike in the other language wherever it means the same."""
    pairs = {
        (ours.category, ours.metadata["question_kind"], one.text, other.text)
        for ours, theirs in zip(ITEMS["en"], ITEMS[code], strict=True)
        for one, other in zip(ours.options, theirs.options, strict=True)
    }
    assert len({pair[:3] for pair in pairs}) == len({(*pair[:2], pair[3]) for pair in pairs}) == len(pairs)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**40), items=st.integers(1, 50), leak=st.floats(0, 1), code=st.sampled_from(OTHERS))
def test_every_seed_has_the_same_patients(seed, items, leak, code):
    """What is drawn for the English benchmark is drawn for the others: a sentence more would shift all the rest."""
    asked = [load(items=items, seed=seed, leak=leak, language=language) for language in ("en", code)]
    known = [[(item.images, item.answer, item.cluster, item.metadata) for item in each] for each in asked]
    assert known[0] == known[1]


@pytest.mark.parametrize("code", WORDING)
def test_nothing_is_left_open(code):
    """No item shows a place that was not filled, or two spaces."""
    for item in (*ITEMS[code], *LEAKED[code]):
        text = "\n".join((item.context, item.question, *(option.text for option in item.options)))
        assert not re.search(r"[{}]|  |\. \.", text)


def test_chinese_is_chinese():
    """Beyond the names of examinations no Latin word is left, and sentences end as they do in Chinese."""
    for item in LEAKED["zh"]:
        words = re.findall("[A-Za-z]+", f"{item.context} {item.question} {[option.text for option in item.options]}")
        assert set(words) <= {"X", "MRI", "OCT"}
        assert item.context.endswith("。”")
        assert item.question[-1] in "？。"


def test_italian_is_italian():
    """No English option is left, but for the words that both languages have from Latin or German."""
    shared = {"Drusen", "Macula", "No"}
    english = {option.text for item in ITEMS["en"] for option in item.options if not option.text.isdigit()}
    italian = {option.text for item in ITEMS["it"] for option in item.options}
    assert english & italian == shared


def test_italian_numbers_take_their_article():
    """Eleven and eight begin with a vowel: all'11%, all'8%."""
    rules = " ".join(WORDING["it"].size_rule.values())
    assert "all'11%" in rules
    assert "all'8%" in rules
    assert not re.search(r"al (?:8|11)%", rules)


@pytest.mark.parametrize("code", OTHERS)
def test_a_leak_gives_the_answer_away(code):
    """A leaked text says the right option's words and no other's; a yes/no leak says whether it is shown."""
    words = WORDING[code]
    for item, without in zip(LEAKED[code], ITEMS[code], strict=True):
        assert item.context.startswith(without.context)
        said = item.context.removeprefix(without.context)
        right, *others = sorted((option.text for option in item.options), key=lambda text: text != _right(item))
        if item.metadata["question_kind"] == "presence":
            shown, hidden = words.given_away["shows"], words.given_away["does not show"]
            assert (hidden in said) == (right == words.option["no"])
            assert (hidden in said) or (shown in said)
        else:
            quoted = re.split("[:：]", said)[-1].strip(' "”。.')
            assert quoted == right.lower()
            assert quoted not in [text.lower() for text in others]


def _right(item):
    return item.options[item.answer].text
