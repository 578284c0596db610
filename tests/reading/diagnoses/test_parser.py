"""Diagnoses are read from their tags, under one name whatever their dress, and silence is told apart from normal."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reading.diagnoses_by_hand import LATER, LATER_SILENT, NAMED, SILENT
from rows import read_table, take_rows
from snellen.reading.diagnoses import Diagnosis, read_diagnosis
from snellen.reading.diagnoses.names import load_conditions, table
from snellen.reading.language.acts.declining import is_silent
from snellen.reading.language.words.diagnoses import normalise_spelling, words

CONTENTS = [(content, name) for named in (NAMED, LATER) for name, contents in named.items() for content in contents]
NAMES = sorted(load_conditions())


def tag(content):
    """A reply with a diagnosis."""
    return f"The image shows asymmetry.\n\n<diagnosis>{content}</diagnosis>"


def name_of(content):
    """The name that is read in a tag's content."""
    found = read_diagnosis(tag(content))
    return found.name if found else None


def test_there_are_enough_examples():
    """The table of examples is as large as it says, so that no edit hollows it out."""
    assert len(CONTENTS) >= 300
    assert len(SILENT) + len(LATER_SILENT) >= 75


def test_a_person_and_we_read_the_same_diagnosis():
    """What models write is read under the name that a person would give it."""
    assert [(content, name, name_of(content)) for content, name in CONTENTS if name != name_of(content)] == []


def test_no_diagnosis_is_found():
    """A tag that is empty, declines, misses the image or sends one to a doctor holds no diagnosis, in six languages."""
    contents = (*SILENT, *LATER_SILENT, "", "  ", "\n", "?", "**")
    assert [(content, name_of(content)) for content in contents if read_diagnosis(tag(content)) is not None] == []


@take_rows("content, pathology, urgent, listed")
def test_pathology_and_urgency(content, pathology, urgent, listed):
    """Each diagnosis says whether it is a pathology, whether it is urgent, and whether the table holds it."""
    assert (pathology, urgent, listed) == read_diagnosis(tag(content))[1:]


@take_rows("reply")
def test_the_last_complete_tag_counts(reply):
    """A tag is found in any dress; the last complete one that holds something counts, and thinking does not."""
    assert read_diagnosis(reply) == Diagnosis("melanoma", pathology=True, urgent=True, listed=True)


@take_rows("reply")
def test_without_a_tag_there_is_no_diagnosis(reply):
    """Words outside a tag, and words about tags, are no diagnosis."""
    assert read_diagnosis(reply) is None


@take_rows("content, name")
def test_what_is_denied_or_asked_is_not_named(content, name):
    """A denied finding leaves a normal study, one to be ruled out leaves nothing, and neither hides what is held."""
    assert name == name_of(content)


@take_rows("content, name")
def test_the_first_gives_way_only_to_what_says_more(content, name):
    """The first diagnosis counts, unless it is a sign of another that is named or is made precise by it."""
    assert name == name_of(content)


def test_the_table_is_large_and_consistent():
    """There are many conditions over the five kinds of picture, each once, and wider conditions are in the table."""
    assert len(NAMES) == len(table()) >= 160
    wider = {name for condition in load_conditions().values() for name in condition.of | condition.both}
    assert wider <= set(NAMES)
    assert all(name == name.lower() for name in NAMES)
    assert not [found for found in load_conditions().values() if found.urgent and not found.pathology]


def test_no_two_conditions_share_a_synonym():
    """A name in our spelling belongs to one condition."""
    owner = {}
    for row in table():
        for synonym in (*row.names, *row.alone):
            assert words(synonym), synonym
            assert owner.setdefault(tuple(words(synonym)), row.condition.name) == row.condition.name, synonym


def test_a_name_is_read_as_itself():
    """The usual name of a condition, and each of its synonyms by itself, is read as that condition."""
    for row in table():
        name = row.condition.name
        expected = Diagnosis(name, row.condition.pathology, row.condition.urgent, listed=True)
        assert expected == read_diagnosis(tag(name))
        for synonym in (*row.names, *row.alone):
            assert is_silent(synonym) or expected == read_diagnosis(tag(synonym)), synonym


@settings(max_examples=40)
@given(
    name=st.sampled_from(NAMES),
    case=st.sampled_from([str.lower, str.upper, str.title, str.capitalize]),
    dress=st.sampled_from(
        [
            "{}", "**{}**", "*{}*", "_{}_", "`{}`", "<b>{}</b>", "# {}", "- {}", "1. {}", "“{}”", "({})", "{}.",
            " {} \n",
            "\u200b{}", "Diagnosis: {}", "**Final Diagnosis:** {}", "Most likely {}", "Suspected {}.",
            "{} (probable)",
            "Features consistent with {}", "{}; please consult a specialist", "{}\n\nConfidence: high",
        ]
    ),
)  # fmt: skip
def test_case_and_dress_do_not_matter(name, case, dress):
    """Capitals, markup, hedges and closing advice change nothing."""
    assert name == name_of(dress.format(case(name)))


pieces = st.sampled_from(
    [
        "melanoma", "Nevus", "no", "not", "evidence of", "rule out", "cannot", "with", "and", ",", ".", ";", ":", "-",
        "(", ")", "[", "]", "/", "consistent with", "likely", "acute", "left", "benign", "normal", "tumour", "of",
        "the", "infarcts", "desmoid", "erythema", "in", "situ", "无", "肺炎", "é", "1", "2 cm", "\n", "\n- ", "&lt;",
        "<diagnosis>", "</diagnosis>", "<think>", "</think>", "**", "versus", "differential", "unlikely", "ß", "İ",
        "\ue000", "\x00", "'s", "haemorrhage", "old", "history of", "image", "unable to", "N/A", "vs.", "w/o",
    ]
)  # fmt: skip
contents = st.one_of(st.text(max_size=120), st.lists(pieces, max_size=14).map(" ".join), st.lists(pieces).map("".join))


@settings(max_examples=40)
@given(content=contents)
def test_any_content_is_read(content):
    """Nothing breaks the parser; a name is in lower case, and only what is listed bears a name of the table."""
    found = read_diagnosis(tag(content))
    if found is not None:
        assert found.name
        assert found.name == found.name.strip() == found.name.lower()
        assert found.pathology or not found.urgent
        assert found.listed == (found.name in load_conditions())


@settings(max_examples=40)
@given(content=contents)
def test_a_name_once_read_stays(content):
    """Reading the name that was read gives the same diagnosis, listed or not."""
    found = read_diagnosis(tag(content))
    assert found is None or found == read_diagnosis(tag(found.name))


@settings(max_examples=40)
@given(word=st.one_of(st.text(min_size=1, max_size=15), st.sampled_from(["tumours", "naevi", "infarcts", "organised"])))
def test_a_word_in_our_spelling_stays(word):
    """Spelling a word our way twice changes no more than once."""
    for token in words(word):
        assert token == normalise_spelling(token)


HOSTILE = read_table(__file__, "HOSTILE")


@pytest.mark.parametrize(
    ("form", "units"), [("{0}<diagnosis>{0}</diagnosis>", HOSTILE), ("<diagnosis>{0}{0}", HOSTILE[::3])]
)
def test_a_hostile_text_is_read_to_its_end(form, units):
    """A long text of anything is read in linear time: quadratic work would not end before the tests are stopped."""
    for unit in units:
        found = read_diagnosis(form.format(unit * (50_000 // len(unit))))
        assert found is None or len(found.name) <= 4000, unit
