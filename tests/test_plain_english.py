"""The lint of names and sentences finds what it is for, and nothing in plain code."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "lint" / "plain_english.py"
if PATH.exists():
    spec = importlib.util.spec_from_file_location("plain_english", PATH)
    lint = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lint)
pytestmark = pytest.mark.skipif(not PATH.exists(), reason="an sdist has no lint")

PLAIN = '''"""Count the items."""


class Item:
    """One entry."""

    @property
    def named(self):
        """Whether it has a name."""


def count_items(items):
    """Count the items of a benchmark.

    >>> count_items("the reply of a picture")
    3
    """
    raise ValueError(f"expected an item, got {items}")
'''
RIDDLES = '''"""What is held against an image."""


class Item:
    """One entry whose first sentence has so many words that a reader has forgotten at its end how it began."""


def told(reply):
    raise ValueError("nobody sent a reply")


def of():
    return "a image is silent here"
'''


@pytest.fixture
def found(tmp_path):
    """What the lint finds in the sources of a checkout."""

    def find(**sources):
        for name, text in sources.items():
            (tmp_path / "src").mkdir(exist_ok=True)
            (tmp_path / "src" / f"{name}.py").write_text(text)
        return lint.find_places(tmp_path)

    return find


def test_plain_code_has_no_place(found):
    """Properties may be adjectives; examples are no prose."""
    assert found(plain=PLAIN) == []


def test_every_kind_of_place_is_found(found):
    """Names, docstrings and messages, each at its line."""
    rules = [(each.rule, each.line) for each in found(plain=PLAIN, riddles=RIDDLES)]
    assert sorted(rules) == [
        ("an image, not a image", 13),
        ("class name twice", 4),
        ("compared with, not held against", 1),
        ("declined, refused or no answer, not silent", 13),
        ("long first sentence", 4),
        ("name who, not nobody", 9),
        ("participle as a name", 8),
        ("preposition as a name", 12),
        ("response, not reply", 9),
    ]


def test_an_exception_needs_a_place_and_a_reason(found):
    """One that is not needed any more, has no reason or is one of too many is an error."""
    places = found(riddles=RIDDLES)
    line = "participle as a name\tsrc/riddles.py\ttold\tpublic since 0.1"
    assert len(lint.leave_out_allowed(places, [line])) == len(places) - 1
    for lines in ([line, line], [line.rpartition("\t")[0]], [line] * 31):
        with pytest.raises(ValueError, match=r"allowed\.tsv"):
            lint.leave_out_allowed(places, lines)
