"""The cheap look before the phrases of silence passes whatever one of the phrases matches."""

from __future__ import annotations

import random
import re
from functools import cache
from re import _constants as op
from re import _parser

import pytest

from snellen.reading.language.acts.declining import list_guarded_phrases

SIGNS = "aeikmnoprstuzAEKSéß01_ '.,-!?\n\t不图像"
KIND = {
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}


def written(tree, rng):
    """A text by chance that a parsed expression would take, were it not for what it wants to stand around it."""
    return "".join(_part(code, told, rng) for code, told in tree)


def _part(code, told, rng):
    if code is op.LITERAL:
        return rng.choice((chr(told), chr(told), chr(told).upper()))
    if code is op.IN:
        return rng.choice(_signs(tuple(told)))
    if code is op.BRANCH:
        return written(rng.choice(told[1]), rng)
    if code is op.SUBPATTERN:
        return written(told[-1], rng)
    if code in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, tree = told
        return "".join(written(tree, rng) for _ in range(rng.randint(least, min(most, least + 4))))
    assert code in (op.AT, op.ASSERT, op.ASSERT_NOT), f"{code} is not known here: write it too"
    return rng.choice(("", " ")) if told is op.AT_BOUNDARY else ""


@cache
def _signs(told):
    """The letters of a set; of those that it does not name, the ones that are tried."""
    named = [chr(value) for code, value in told if code is op.LITERAL]
    kinds = [KIND[value] for code, value in told if code is op.CATEGORY]
    assert len(named) + len(kinds) + (told[0][0] is op.NEGATE) == len(told), f"{told} is not known here: write it too"
    taken = [*named, *(sign for sign in SIGNS if any(re.match(kind, sign) for kind in kinds))]
    return [sign for sign in SIGNS if sign not in taken] if told[0][0] is op.NEGATE else taken


@pytest.mark.parametrize(("pattern", "parts"), list_guarded_phrases())
def test_a_text_that_a_phrase_matches_has_a_part_of_a_word_that_is_looked_for_first(pattern, parts):
    """Of two hundred texts written by chance after the phrase, each that it matches passes the look."""
    rng, tree = random.Random(0), _parser.parse(pattern.pattern, pattern.flags)
    texts = (written(tree, rng).lower() for _ in range(200))
    found = [match.group() for match in map(pattern.search, texts) if match is not None]
    assert len(found) >= 30
    missed = [said for said in found if not (any(part in said for part in parts) if parts else not said.isascii())]
    assert missed == []
