"""Topics: parts of the body and kinds of finding in several languages; what shares none of them is unrelated."""

from rows import read_table
from snellen.perturb.topics import FINDINGS, PARTS, bearings, parts_of


def test_a_part_of_the_body_is_recognised():
    """By noun and adjective, in the languages of the questions."""
    for text, *parts in read_table(__file__, "OF_PARTS"):
        assert parts_of(text) == set(parts), text


def test_what_shares_a_part_a_finding_or_a_word_is_related():
    """A side is something in common too, be it the other one."""
    for one, other in read_table(__file__, "RELATED"):
        assert not bearings(one).isdisjoint(bearings(other)), (one, other)


def test_what_shares_nothing_is_not():
    """So that something is left to lend."""
    for one, other in read_table(__file__, "UNRELATED"):
        assert bearings(one).isdisjoint(bearings(other)), (one, other)


def test_the_lists_are_of_plain_small_letters():
    """Texts are compared without accents and capitals, and so must the lists be."""
    for words in (*PARTS.values(), *FINDINGS.values()):
        for word in words.split():
            assert word.strip("*").isascii()
            assert word.strip("*").islower()
