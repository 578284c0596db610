"""The parts of the parser: shapes, sentences with their parts of the reply, and what they deny."""

from __future__ import annotations

import re

import pytest

from rows import take_rows
from snellen.items import Item, Option
from snellen.reading.detection.parser import choices
from snellen.reading.language.detection_roles import LETTER, OPTION, merge_disease_letters, pattern
from snellen.reading.language.negation import UNDECIDED, is_denied, stance
from snellen.reading.language.parts import ResponsePart, sentences
from snellen.reading.language.words.roles import DETECTION, DETECTION_PHRASES


def question(*options, normal="normal"):
    return Item(id="q", question="?", options=tuple(map(Option, options)), metadata={"normal": normal})


TUMOR = choices(question("brain tumor", "normal"))
KINDS = choices(question("glioma", "hard exudates", "pituitary", "normal"))


def shape(text, among=TUMOR):
    return among.vocabulary.shapes(text)[0]


def test_every_role_has_a_letter_of_its_own():
    """One letter a role, so that a shape can be read back; every listed role is known."""
    assert len(set(LETTER.values())) == len(LETTER)
    for words in DETECTION.values():
        assert set(words) <= set(LETTER)
    assert set(DETECTION_PHRASES) <= set(LETTER) | {"other"}


def test_an_english_word_has_one_role():
    """A word listed twice would hide the second role."""
    words = [word for listed in DETECTION["en"].values() for word in listed.split()]
    assert sorted(words) == sorted(set(words))


def test_an_option_is_one_letter_however_it_is_spelled():
    """British spelling, plural, capitals and quotes do not matter; the longest name counts."""
    assert shape("brain tumours") == shape("brain tumor") == LETTER["abnormal"]
    assert shape("'normal'") == LETTER["normal"]
    assert shape("hard exudates", KINDS) == chr(OPTION + 1)
    assert shape("pituitary adenoma", KINDS) == shape("pituitary", KINDS) == chr(OPTION + 2)
    assert shape("pituitary gland", KINDS) == "_"
    assert merge_disease_letters(shape("glioma", KINDS)) == LETTER["abnormal"]


def test_phrases_have_a_role_of_their_own():
    """Words that mean something only together are one letter: "look for" teaches, "white matter" is not white."""
    assert shape("look for") == LETTER["general"]
    assert shape("white matter") == "_"
    assert shape("it's") == LETTER["it"] + LETTER["be"]


def test_options_that_mean_normal_may_have_any_words():
    """An option such as "no hemorrhage" is the normal one itself, not a denial of the other."""
    bleeding = choices(question("intracranial hemorrhage", "no hemorrhage", normal="no hemorrhage"))
    assert shape("no haemorrhage", bleeding) == LETTER["normal"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Key features\n- Irregular borders\n\nThe scan shows a mass.",
            [ResponsePart.PLAIN, ResponsePart.LESSON, ResponsePart.PLAIN],
        ),
        (
            "Analysis of the image:\n- No mass.\n\nConclusion: normal",
            [ResponsePart.PLAIN, ResponsePart.IMAGE, ResponsePart.END],
        ),
        ("Step 3: Conclude. The image is normal.", [ResponsePart.END, ResponsePart.END]),
        ("Glioma: irregular.\nIn this image: no mass.", [ResponsePart.LESSON, ResponsePart.IMAGE]),
    ],
)
def test_sentences_know_their_part_of_the_reply(text, parts):
    """Headings and labels tell a lesson, the image and the end apart."""
    assert [one.part for one in sentences(text, TUMOR.vocabulary)] == parts


@take_rows("text, general")
def test_lessons_are_told_from_reports(text, general):
    """A sentence on diseases at large is general, one that points at this image is not."""
    [sentence] = sentences(text, TUMOR.vocabulary)
    assert sentence.general is general


@take_rows("text, finding, absent")
def test_denials_reach_as_far_as_their_clause(text, finding, absent):
    """A denial covers a list and ends where something new is said to be there."""
    place = [*re.findall(r"[\w'-]+|[,:]", text)].index(finding)
    assert is_denied(shape(text), place) is absent


def test_what_is_only_compared_is_not_said():
    """Labels after "rather than", "between" and "cannot rule out" name nothing."""
    for text in ("rather than a brain tumor", 'between "brain tumor" and "normal"', "cannot rule out a brain tumor"):
        given = stance(shape(text), shape(text))
        assert not given.clear


def test_saying_that_nothing_can_be_told_is_not_a_label():
    """A clause that leaves the question open gives no label, the one after it may."""
    text = "i cannot determine whether it is normal, but it looks like a brain tumor"
    assert UNDECIDED.search(shape(text))
    assert stance(shape(text), shape(text)).ill
    assert not stance(shape(text), shape(text)).normal


def test_patterns_are_written_in_roles():
    """Gaps, options and what may not come next mean what the docstring says."""
    found = pattern("^ the? picture =1 be !not ..2 spoilt")
    letters = {role: LETTER[role] for role in ("the", "picture", "be", "not", "spoilt", "too")}
    assert found.search("".join(letters[role] for role in ("the", "picture", "be", "too", "spoilt")))
    assert not found.search("".join(letters[role] for role in ("the", "picture", "be", "not", "spoilt")))
