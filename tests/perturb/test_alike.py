"""Options that may mean the same are found, and those that cannot are left apart."""

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.lexicon import read_lexicon
from snellen.perturb.alike import _meaning, are_alike, content

SYNONYMS = read_lexicon("synonyms")
SHARED = Path(__file__).parents[2].parent / "shared" / "data"
MEDXPERTQA = SHARED / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"

ALIKE, DIFFERENT = read_table(__file__, "ALIKE"), read_table(__file__, "DIFFERENT")
"""Pairs of options, written before the code; every third pair was kept from tuning."""


def test_there_are_enough_pairs():
    """The figures below are of at least 150 pairs each way, a third of them kept."""
    assert len(ALIKE) == 285
    assert len(DIFFERENT) == 258


@pytest.mark.parametrize("kept", [False, True])
def test_what_means_the_same_is_alike(kept):
    """None of the pairs is missed, neither of those tuned on nor of those kept."""
    chosen = [pair for i, pair in enumerate(ALIKE) if (i % 3 == 2) == kept]
    assert [pair for pair in chosen if not are_alike(*pair)] == []


@pytest.mark.parametrize("kept", [False, True])
def test_few_that_differ_are_alike(kept):
    """At most one in twenty pairs of different things, many of them close, is called alike."""
    chosen = [pair for i, pair in enumerate(DIFFERENT) if (i % 3 == 2) == kept]
    assert len([pair for pair in chosen if are_alike(*pair)]) <= 0.05 * len(chosen)


@take_rows("one, other")
def test_these_differ(one, other):
    """Other numbers, letters, sides and places make other options."""
    assert not are_alike(one, other)


@take_rows("one, other")
def test_these_are_alike(one, other):
    """Abbreviations, units, numerals, compounds and other spellings make no other option."""
    assert are_alike(one, other)


def test_all_names_of_a_thing_are_alike():
    """Every line of names holds, whatever else is read into the names."""
    lines = [*SYNONYMS.read_groups("groups"), *map(str.split, SYNONYMS.read_lines("aliases"))]
    assert len(lines) > 300
    assert [(a, b) for names in lines for a in names for b in names if not are_alike(a, b)] == []


def test_opposites_differ_alone_and_in_company():
    """What contradicts is not alike, however much the rest agrees."""
    for line in SYNONYMS.read_groups("opposites"):
        left, right = map(str.split, line)
        for one, other in ((a, b) for a in left for b in right):
            assert not are_alike(one, other)
            assert not are_alike(f"{one} lobar pneumonia", f"{other} lobar pneumonia")


SMALL = {*SYNONYMS.read_words("stop"), *SYNONYMS.read_words("vague"), "non", "sub", "anti"}
NAMES = " ".join(SYNONYMS.read_lines("groups")).replace("|", " ").split()
WORDS = sorted({word for word in NAMES if word.isalpha() and len(word) > 2} - SMALL)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)
texts = st.one_of(st.text(max_size=30), phrases.map(" ".join))


@given(one=texts, other=texts)
def test_it_is_symmetric_and_reflexive(one, other):
    """The order of the two is of no matter; an option is like itself; nothing that can be written breaks it."""
    assert are_alike(one, other) == are_alike(other, one)
    assert are_alike(one, one)
    assert are_alike(one, f" {one}\n")


@given(words=phrases, other=phrases, shuffled=st.randoms(use_true_random=False))
def test_case_punctuation_and_order_are_of_no_matter(words, other, shuffled):
    """The same words in capitals, with commas, or in another order are the same option, for every other option."""
    one, second = " ".join(words), " ".join(other)
    mixed = shuffled.sample(words, len(words))
    assert are_alike(one, ", ".join(mixed).upper())
    assert are_alike(one.title() + ".", second) == are_alike(one, second)


@given(words=phrases, articles=st.sampled_from(["the", "a", "an", "of the"]))
def test_small_words_are_of_no_matter(words, articles):
    """An article more, or less, makes no other option."""
    assert are_alike(" ".join(words), f"{articles} {' '.join(words)}")


@given(words=phrases, more=st.lists(st.sampled_from(["zebra", "quokka", "axolotl"]), min_size=1, max_size=6))
def test_what_is_contained_is_alike(words, more):
    """A narrower option holds the broader one."""
    assert are_alike(" ".join(words), " ".join([*more, *words]))


@given(one=st.integers(0, 5000), other=st.integers(0, 5000), unit=st.sampled_from(["", " mm", "kg", " weeks", "%"]))
def test_numbers_are_alike_when_equal(one, other, unit):
    """Numbers of one unit are compared by value."""
    assert are_alike(f"{one}{unit}", f"{one:,}{unit}")
    assert are_alike(f"{one}{unit}", f"{other}{unit}") == (one == other)


@given(text=phrases.map(" ".join), at=st.integers(1, 7))
def test_one_slip_of_the_pen_is_forgiven_in_long_words(text, at):
    """In a word of ten letters or more, one that is lost or two that changed places make no other option."""
    for word in (word for word in text.split() if len(word) >= 10):
        assert are_alike(word, word[:at] + word[at + 1 :])
        assert are_alike(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :])


@take_rows("text, same")
def test_content_is_what_carries_meaning(text, same):
    """Spelling, endings, articles and words that say nothing are left out."""
    assert content(text) == content(same)
    assert content(text)


def test_content_of_a_sentence():
    """What is left are stems, numbers and signs."""
    assert content("A 3 cm mass of the left kidney") == {"3×0.01m 0.03m", "cancer", "left", "cidn"}
    assert content("肺炎") == {"肺", "炎"}
    assert content("?!") == {"?!"}


def test_the_answer_does_not_depend_on_the_process():
    """Strings hash differently in every process; which options are alike must not."""
    pairs = "[are_alike(*pair) for pair in json.load(sys.stdin)]"
    script = f"import json, sys; from snellen.perturb.alike import are_alike; print({pairs})"
    pairs = [*ALIKE[::3], *DIFFERENT[::3]]
    said = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(pairs),
        env={**os.environ, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.strip() == str([are_alike(*pair) for pair in pairs])


def test_a_text_is_read_once_and_not_kept_for_ever():
    """Reading is the slow part: it is done once a text, and for a bounded number of texts."""
    before = _meaning.cache_info()
    assert are_alike("a text nobody wrote", "another text nobody wrote") in (True, False)
    assert are_alike("another text nobody wrote", "a text nobody wrote") in (True, False)
    after = _meaning.cache_info()
    assert after.misses - before.misses == 2
    assert after.hits - before.hits >= 2
    assert after.maxsize


@pytest.mark.skipif(not MEDXPERTQA.exists(), reason="MedXpertQA is not in ../shared/data")
def test_few_options_of_unrelated_questions_are_alike():
    """Of real options drawn from different questions hardly one in a hundred pairs is called alike."""
    with gzip.open(MEDXPERTQA, "rt") as rows:
        options = [[option["content"] for option in json.loads(row)["options"]] for row in rows]
    draws = random.Random(7)
    drawn = [tuple(draws.choice(each) for each in draws.sample(options, 2)) for _ in range(1500)]
    assert 0 < sum(are_alike(*pair) for pair in drawn) < 0.015 * len(drawn)
