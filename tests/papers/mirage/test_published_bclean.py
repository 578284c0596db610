"""B-Clean of the Mirage paper: what is kept, which ranks change, and which figures cannot be."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from snellen.papers import printed
from snellen.papers.mirage.published.bclean import Cleaned, bclean_sheets, cleaned, difference, whole
from snellen.stats import wilson


@pytest.fixture
def record():
    """The figures, to be changed."""
    return deepcopy(printed("mirage"))


def notes(record, number):
    """The notes of a table."""
    return list(bclean_sheets(record))[number].notes


def note(record, number, words):
    """The one note of a table that has these words."""
    (found,) = (each for each in notes(record, number) if words in each)
    return found


def test_shares_are_the_printed_ones(record):
    """Removed and kept, of every benchmark, to the printed digit."""
    rows = [row[:1] + row[2:] for row in next(bclean_sheets(record)).rows]
    assert rows == [
        ("MMMU-Pro", "1,302 of 1,730", "75.3", "75.3", "428", "24.7", "25", "equal"),
        ("MedXpertQA-MM", "1,486 of 2,000", "74.3", "74.3", "514", "25.7", "26", "equal"),
        ("MicroVQA", "802 of 1,042", "77.0", "77.0", "240", "23.0", "23", "equal"),
    ]


@pytest.mark.parametrize(("what", "said"), [("kept", 24), ("removed", 77.1)])
def test_a_share_that_is_not_the_printed_one_is_told(record, what, said):
    """One unit of the last digit is enough."""
    record["said"][what]["percent"]["MicroVQA"] = said
    assert [row[-1] for row in next(bclean_sheets(record)).rows] == ["equal", "equal", "DIFFERENT"]


@given(st.lists(st.frozensets(st.integers(0, 9)), min_size=1, max_size=4))
def test_every_union_is_possible(sets):
    """Whatever the models had right."""
    kept = 10 - len(frozenset().union(*sets))
    assert Cleaned("b", 10, kept, {str(n): len(each) for n, each in enumerate(sets)}, {}, {}).possible


@pytest.mark.parametrize(("removed", "possible"), [(4, False), (5, True), (8, True), (9, False)])
def test_a_union_is_at_least_the_largest_set_and_at_most_the_sum(removed, possible):
    """Sets of 5 and 3 have from 5 to 8 questions."""
    assert Cleaned("b", 20, 20 - removed, {"one": 5, "other": 3}, {}, {}).possible == possible


def test_what_is_not_possible_is_named(record):
    """The printed ones all are."""
    assert all(each.possible for each in cleaned(record))
    assert "All that is removed is possible" in notes(record, 0)[1]
    record["counts"]["benchmarks"]["MicroVQA"]["kept"] = 600
    assert notes(record, 0)[1] == "Not possible by its sets: MicroVQA."


def test_the_caption_is_held_against_the_counts(record):
    """More than three fourths went on two benchmarks."""
    assert "74.3 to 77.0%, outside that: MMMU-Pro, MicroVQA." in note(record, 0, "caption of Fig. 5")
    record["said"]["removed_between"]["percent"] = [50, 80]
    assert "outside that: none." in note(record, 0, "caption of Fig. 5")


def test_ranks_before_and_after(record):
    """The best stays the best; the other two change places on two benchmarks."""
    ranks = {row[:2]: (row[3], row[5]) for row in list(bclean_sheets(record))[1].rows}
    assert {about: both for about, both in ranks.items() if both[0] != both[1]} == {
        ("GPT-5.1", "MMMU-Pro"): ("2", "3"),
        ("Gemini-2.5-Pro", "MMMU-Pro"): ("3", "2"),
        ("Gemini-2.5-Pro", "MedXpertQA-MM"): ("2", "3"),
        ("GPT-5.1", "MedXpertQA-MM"): ("3", "2"),
    }
    assert {both for about, both in ranks.items() if about[0] == "Gemini-3-Pro"} == {("1", "1")}
    assert "2 of 3 benchmarks, as Section 5 says" in note(record, 1, "Ranks change")


def test_ranks_that_do_not_change_as_said_are_told(record):
    """The note is computed."""
    record["counts"]["benchmarks"]["MMMU-Pro"]["accuracy"]["Gemini-2.5-Pro"][1] = 60.0
    assert "1 of 3 benchmarks, not as Section 5 says" in note(record, 1, "Ranks change")


def test_how_sure_a_change_of_places_is(record):
    """With so few questions left, either of the two may be ahead; a wide gap is not called so."""
    found = note(record, 1, "– MMMU-Pro")
    assert "GPT-5.1 less Gemini-2.5-Pro +8.0 [+5.0, +11.0] on all 1,730, -1.1 [-7.3, +5.2] on kept 428" in found
    assert "includes 0" in found
    assert "includes 0" in note(record, 1, "– MedXpertQA-MM")
    record["counts"]["benchmarks"]["MMMU-Pro"]["accuracy"]["GPT-5.1"][1] = 50.0
    assert "includes 0" not in note(record, 1, "– MMMU-Pro")


def test_accuracies_that_do_not_fall_and_gaps_that_grow(record):
    """One of nine rises; where ranks stay, two of three gaps grow."""
    assert "not so Gemini-2.5-Pro on MMMU-Pro." in note(record, 1, "accuracies fall")
    found = note(record, 1, "gaps shrink")
    assert "Gemini-3-Pro to Gemini-2.5-Pro 5.3 before, 1.1 after" in found
    assert "Gemini-3-Pro to GPT-5.1 7.3 before, 7.8 after; 2 of 3 grow." in found
    record["counts"]["benchmarks"]["MicroVQA"]["accuracy"]["GPT-5.1"][1] = 21.0
    assert found.replace("6.7", "1.1").replace("7.8", "2.2").replace("2 of 3 grow", "all shrink") == note(
        record, 1, "gaps shrink"
    )
    record["counts"]["benchmarks"]["MMMU-Pro"]["accuracy"]["Gemini-2.5-Pro"][1] = 67.9
    assert not any("accuracies fall" in each for each in notes(record, 1))


def test_accuracies_that_are_no_number_of_questions(record):
    """Two of nine on the questions kept."""
    found = note(record, 1, "No whole number")
    assert "Gemini-3-Pro on MMMU-Pro, 72.8% of 428; Gemini-3-Pro on MicroVQA, 23.2% of 240:" in found
    for name, accuracy in (("MMMU-Pro", 72.9), ("MicroVQA", 23.3)):
        record["counts"]["benchmarks"][name]["accuracy"]["Gemini-3-Pro"][1] = accuracy
    assert not any("No whole number" in each for each in notes(record, 1))


@given(st.integers(1, 600), st.integers(0, 1000))
def test_whole_is_what_trying_every_number_finds(n, tenths):
    """By brute force."""
    found = any(abs(1000 * right - tenths * n) * 2 <= n for right in range(n + 1))
    assert whole(tenths / 10, n) == found


@given(
    st.integers(5, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(5, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
)
def test_the_difference_is_newcombes(one, other):
    """As statsmodels has it."""
    found = difference(wilson(*one), wilson(*other))
    theirs = confint_proportions_2indep(*one, *other, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx(tuple(theirs), abs=1e-9)
    assert found.value == pytest.approx(one[0] / one[1] - other[0] / other[1])
