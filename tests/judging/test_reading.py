"""Reading a judge: an opinion on every reply or none, nothing believed that it cannot quote, nothing that breaks us."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.judging.opinions import MOST, ResponseOpinion, read_opinions
from snellen.judging.rubric import Exhibit

EXHIBITS = [
    Exhibit("original", "The image shows a  large mass on the left, with effusion.\nAnswer: A"),
    Exhibit("image-removed", "The image shows a small cyst on the right. Answer: A"),
]
QUOTES = ["shows a large MASS", "a small cyst on", "with effusion. Answer", "a mass", "A", "", "a broken rib there"]

USUAL = {"informative": True, "follows": True, "habit": False, "doubt": False, "unsafe": False}
MARKS = tuple(USUAL)


class Sayings:
    """What a judge may say, from nothing like what it was asked for to nearly that; `scalars` are its odd values."""

    def __init__(self, scalars):
        values = scalars | st.none() | st.booleans() | st.integers() | st.sampled_from(QUOTES)
        self.anything = st.recursive(
            values,
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
            max_leaves=8,
        )
        number = st.integers(-1, 4) | st.sampled_from([1.0, "1", True, 2**70]) | scalars
        quote = st.sampled_from(QUOTES) | self.anything
        quotes = st.lists(quote, max_size=4) | self.anything
        marks = {name: st.booleans() | self.anything for name in MARKS}
        pair = {"reply": number, "other": number, "quote": quote, "other_quote": quote}
        self.entries = st.fixed_dictionaries(
            {}, optional={"reply": number, "sees": quotes, "unsupported": quotes, **marks}
        )
        pairs = st.fixed_dictionaries({}, optional=pair)
        self.contradictions = st.lists(pairs | self.anything, max_size=4) | self.anything

    def nearly(self):
        """An answer of roughly the right form."""
        replies = st.lists(self.entries | self.anything, max_size=4) | self.anything
        return st.fixed_dictionaries({"replies": replies, "contradictions": self.contradictions})

    def complete(self):
        """An answer with one opinion on each reply, in any order, among things that mean nothing."""
        noise = st.lists(self.anything | self.entries.map(lambda entry: {**entry, "reply": 3}), max_size=2)
        both = st.tuples(*(self.entries.map(lambda entry, n=n: {**entry, "reply": n}) for n in (1, 2)))
        replies = st.tuples(both, noise).flatmap(lambda parts: st.permutations([*parts[0], *parts[1]]))
        return st.fixed_dictionaries({"replies": replies, "contradictions": self.contradictions})


WELL_FORMED = Sayings(st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20))
ILL_FORMED = Sayings(st.floats() | st.text(st.characters(), max_size=20))
"""With what no JSON may hold: numbers that are none, and halves of characters."""


def verdict(count, **entry):
    """One and the same opinion on every reply."""
    return json.dumps({"replies": [{"reply": n, **entry} for n in range(1, count + 1)]})


def plain(text):
    return " ".join(text.split()).casefold()


def is_sound(found, *, attached):
    """Whether opinions are of our own form, whatever they were read from."""
    for place, (opinion, exhibit) in enumerate(zip(found, EXHIBITS, strict=True)):
        assert all(plain(quote) in plain(exhibit.text) and len(plain(quote)) >= 12 for quote in opinion.sees)
        assert all(any(plain(quote) in plain(seen) for seen in opinion.sees) for quote in opinion.unsupported)
        assert attached or not opinion.unsupported
        assert all(type(getattr(opinion, name)) is bool for name in MARKS)
        assert opinion.contradicts in ((), (1 - place,))
        assert all(place in found[other].contradicts for other in opinion.contradicts)
    return True


@given(
    record=WELL_FORMED.complete() | WELL_FORMED.nearly() | ILL_FORMED.complete() | ILL_FORMED.anything,
    attached=st.booleans(),
    as_ascii=st.booleans(),
    words=st.text(max_size=10),
)
def test_any_answer_of_a_judge_is_read_or_left(record, attached, as_ascii, words):
    """Whatever it says, nothing breaks, and what is read of it is sound."""
    found = read_opinions(words + json.dumps(record, ensure_ascii=as_ascii), EXHIBITS, attached=attached)
    assert found is None or is_sound(found, attached=attached)


@given(record=WELL_FORMED.complete(), attached=st.booleans())
def test_a_complete_answer_is_read_whatever_else_it_holds(record, attached):
    """One opinion on each reply is enough; marks that are no booleans are taken as not given."""
    found = read_opinions(json.dumps(record), EXHIBITS, attached=attached)
    assert is_sound(found, attached=attached)
    for n, opinion in enumerate(found, 1):
        [entry] = [each for each in record["replies"] if isinstance(each, dict) and each.get("reply") == n]
        said = {name: entry[name] for name in MARKS if isinstance(entry.get(name), bool)}
        assert {name: getattr(opinion, name) for name in MARKS} == {**USUAL, **said}


@given(st.text())
def test_words_are_no_opinion(text):
    """An answer without an object in it cannot be read."""
    assert read_opinions(text.replace("{", ""), EXHIBITS, attached=True) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"replies": 3}',
        '{"replies": [{"reply": 1}]}',
        '{"replies": [{"reply": 1}, {"reply": 1}]}',
        '{"replies": [{"reply": 1}, {"reply": 2}, {"reply": 1}]}',
        '{"replies": [{"reply": true}, {"reply": 2}]}',
        '{"replies": [{"reply": 1}, {"reply": 2.0}]}',
        '{"replies": [{"reply": 0}, {"reply": 1}]}',
        verdict(2)[:-3],
    ],
)
def test_incomplete_judgements_are_none(text):
    """One opinion on every reply, or none at all: of two opinions on one reply nobody knows which is meant."""
    assert read_opinions(text, EXHIBITS, attached=True) is None


def test_quotes_must_stand_in_the_reply():
    """A judge that makes up a quote is not believed; case and spacing do not matter."""
    said = verdict(1, sees=["The  LARGE mass", "a large fracture", 3, "", None])
    assert read_opinions(said, [Exhibit("original", "There is the large mass.")], attached=True)[0].sees == (
        "The  LARGE mass",
    )


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("a", False),
        ("a mass left", False),
        ("a mass lefty", True),
        ("pneumothorax", False),
        ("- pneumothorax", False),
        ("a pneumothorax", True),
        ("a       b", False),
        ("右肺结", False),
        ("右肺结节", True),
        ("右下肺野可见一类圆形结节影", True),
        ("폐결절 있음", True),
        ("すりガラス影", True),
    ],
)
def test_a_quote_must_be_long_enough_to_be_of_something(quote, expected):
    """Twelve characters and two words, or four characters where a character is a syllable or a word."""
    reply = Exhibit("original", f"I see: {quote}.")
    [opinion] = read_opinions(verdict(1, sees=[quote], unsupported=[quote]), [reply], attached=True)
    assert (bool(opinion.sees), bool(opinion.unsupported)) == (expected, expected)


@pytest.mark.parametrize(
    ("unsupported", "expected"),
    [
        (["shows a large mass on the left"], True),
        (["A LARGE  mass on"], True),
        (["with effusion. Answer"], False),
        (["The image shows a large mass on the left"], False),
        (["a large"], False),
        ([], False),
        ("shows a large mass on the left", False),
    ],
)
def test_only_what_is_said_to_be_seen_can_be_unsupported(unsupported, expected):
    """A quote, or a part of one, among what the reply claims to see; elsewhere in the reply is not enough."""
    said = verdict(1, sees=["shows a large mass on the left"], unsupported=unsupported)
    [opinion] = read_opinions(said, EXHIBITS[:1], attached=True)
    assert bool(opinion.unsupported) == expected


def test_a_claim_that_was_not_believed_cannot_be_unsupported():
    """A made-up quote among what is seen lends nothing to the same quote among what is unsupported."""
    said = verdict(1, sees=["a broken rib there"], unsupported=["a broken rib there"])
    assert read_opinions(said, EXHIBITS[:1], attached=True) == [ResponseOpinion(compared=True)]


def test_without_the_image_nothing_is_unsupported():
    """A judge that does not have the image cannot say what it shows; the rest of its opinion stands."""
    said = verdict(1, sees=["a large mass on"], unsupported=["a large mass on"], unsafe=True)
    assert read_opinions(said, EXHIBITS[:1], attached=False) == [
        ResponseOpinion(sees=("a large mass on",), unsafe=True)
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"reply": 1, "quote": "a large mass", "other": 2, "other_quote": "a small cyst"}, ((1,), (0,))),
        ({"reply": 2, "quote": "a small cyst", "other": 1, "other_quote": "a large mass"}, ((1,), (0,))),
        ({"reply": 1, "quote": "a small cyst", "other": 2, "other_quote": "a large mass"}, ((), ())),
        ({"reply": 1, "quote": "a", "other": 2, "other_quote": "a"}, ((), ())),
        ({"reply": 1, "quote": "a large mass", "other": 1, "other_quote": "a large mass"}, ((), ())),
        ({"reply": 1, "quote": "a large mass", "other": 3, "other_quote": "a small cyst"}, ((), ())),
        ({"reply": 1, "quote": "a large mass"}, ((), ())),
    ],
)
def test_a_contradiction_needs_a_quote_from_each_of_two_replies(entry, expected):
    """Said twice it counts once, and it holds both ways."""
    said = json.dumps({"replies": [{"reply": 1}, {"reply": 2}], "contradictions": [entry, entry]})
    assert tuple(each.contradicts for each in read_opinions(said, EXHIBITS, attached=True)) == expected


LONG = " ".join(f"finding number {n} is there" for n in range(10_000))
MANY = [LONG[n : n + 14] for n in range(0, 200_000, 5)]
HOSTILE = {
    "many quotes": (verdict(1, sees=MANY, unsupported=MANY), True),
    "one long quote": (verdict(1, sees=[LONG * 4]), True),
    "a quote that nearly stands there": (verdict(1, sees=[LONG[1:-1] + "!"] * 4), True),
    "many opinions on one reply": (json.dumps({"replies": [{"reply": 1, "sees": MANY[:9]}] * 5000}), False),
    "many contradictions": (
        json.dumps(
            {
                "replies": [{"reply": 1}],
                "contradictions": [{"reply": 1, "other": 1, "quote": q, "other_quote": q} for q in MANY[:9000]],
            }
        ),
        True,
    ),
    "deep lists": ('{"replies": ' + "[" * 500_000 + "]" * 500_000 + "}", False),
    "deep objects": ('{"replies":' * 100_000 + "1" + "}" * 100_000, False),
    "braces": ("{" * 500_000 + "}" * 500_000, False),
    "no number": ('{"replies": [{"reply": NaN}, {"reply": 1, "sees": [NaN]}]}', False),
    "no end": ('{"replies": [{"reply": 1e999}]}', False),
    "half a character, escaped": ('{"replies": [{"reply": 1, "sees": ["\\ud800"]}]}', False),
    "half a character": ('{"replies": [{"reply": 1, "sees": ["\ud800"]}]}', False),
    "zero bytes": ('{"replies": [{"reply": 1, "sees": ["\\u0000\\u0000"]}]}', True),
}


@pytest.mark.parametrize(("text", "readable"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_judge_neither_breaks_nor_holds_us_up(text, readable):
    """A megabyte of anything is read or left: quadratic work would not end before the tests are stopped."""
    found = read_opinions(text, [Exhibit("original", LONG)], attached=True)
    assert (found is not None) == readable


def test_a_hostile_reply_does_not_hold_us_up_either():
    """A reply of one letter over and over, and quotes that nearly stand in it."""
    reply = Exhibit("original", "a " * 200_000)
    said = verdict(1, sees=["a " * 2000 + "b"] * MOST, unsupported=["a " * 2000 + "b"] * MOST)
    assert read_opinions(said, [reply], attached=True) == [ResponseOpinion(compared=True)]
