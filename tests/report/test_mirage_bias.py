"""What is diagnosed on images that were never sent, as the chapter shows it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.papers.mirage.report.chapter import MOST, NONE, NORMAL, draw_bias, list_diagnoses
from snellen.reading.columns import NOTHING
from snellen.reading.diagnoses import Diagnosis
from snellen.reading.missing_image.columns import Admissions
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from walking import cells, rows, tables, value

TEST = "mirage-bias:seeds=4"
ILL = [Diagnosis(f"illness {letter}", True, letter in "bm", True) for letter in "abcdefghijklmno"]
FINE = Diagnosis("normal", False, False, True)


def admitted(diagnoses, places):
    """Replies with these diagnoses, by place; NOTHING is none."""
    column = np.array(places, dtype=np.int64)
    none = np.zeros(len(places), dtype=np.int64)
    return Admissions(none, column, np.full(len(places), NOTHING), tuple(diagnoses))


def answering(request):
    """Melanoma on every mole, normal on every ECG, nothing on the rest."""
    if "skin mole" in request.text:
        return "The image shows a dark mole. <diagnosis>melanoma</diagnosis>"
    if "ECG" in request.text:
        return "The tracing shows sinus rhythm. <diagnosis>Normal sinus rhythm</diagnosis>"
    return "I don't see any image attached to your message. Please upload it."


def draw_only(results, store, **changed):
    lookup = Lookup(Evidence(results, store))
    for name, what in changed.items():
        setattr(lookup, name, what)
    [shown] = [each for each in sections(lookup.evidence) if each.test.name == TEST]
    return draw_bias(lookup, shown)


@pytest.fixture(scope="module")
def drawn(mirages):
    """One model that diagnoses, and one that does not."""
    return draw_only(
        *mirages([TEST], answers=answering, admits=lambda request: "No image was attached. Please upload it.")
    )


@given(st.lists(st.integers(NOTHING, len(ILL)), min_size=1, max_size=60))
def test_bars_add_up_to_all_replies(places):
    """Whatever was diagnosed, every reply is in one bar, harmless ones and those without a diagnosis at the end.

    What no reply does has no bar.
    """
    bars = list(list_diagnoses(admitted([*ILL, FINE], places)))
    assert sum(bar.number for bar in bars) == len(places)
    assert all(bar.number for bar in bars)
    at_the_end = {NORMAL: places.count(len(ILL)), NONE: places.count(NOTHING)}
    expected = [(name, count) for name, count in at_the_end.items() if count]
    assert [(bar.name, bar.number) for bar in bars if bar.name in at_the_end] == expected
    assert [bar.name for bar in bars[len(bars) - len(expected) :]] == [name for name, _ in expected]
    assert len(bars) <= MOST + 3


def test_most_frequent_come_first_and_the_rest_is_one_bar():
    """Ten pathologies have a bar, the most frequent first and equals by name; the others are summed up and listed."""
    bars = list(list_diagnoses(admitted(ILL, [*range(len(ILL)), 1, 1, 4])))
    assert [bar.name for bar in bars[:3]] == ["illness b", "illness e", "illness a"]
    assert [bar.look for bar in bars[:3]] == ["urgent", "ill", "ill"]
    rest = bars[MOST]
    assert (rest.name, rest.number) == ("5 others, 1 responses urgent", 5)
    assert "illness m 1" in rest.others
    assert len(bars) == MOST + 1


def test_every_model_has_its_shares(drawn):
    """Any diagnosis, a pathology and an urgent one, each with its interval, and how many responses there are."""
    shares = next(each for each in tables(drawn) if each.caption == "Diagnoses without an image")
    assert {row.head.words: [value(cell) for cell in row.cells] for row in shares.rows} == {
        "answers": ["40%", "20%", "20%", "20"],
        "admits": ["0%", "0%", "0%", "20"],
    }


def test_kinds_of_image_are_apart(drawn):
    """Each kind of image has its own bars and shares; a model that diagnosed nothing has none."""
    [apart] = [each for each in tables(drawn) if each.look == "drawn" and "by kind of image" in each.caption]
    assert apart.caption.startswith("What answers diagnoses")
    kinds = [row.heading for row in apart.rows if row.heading]
    assert kinds == [
        f"{name}, 4 responses" for name in ("skin mole", "ECG", "brain MRI", "chest X ray", "pathology image")
    ]
    found = {key: (value(both[-1]), both[-1].n) for key, both in rows(apart).items()}
    mole, ecg, brain = kinds[:3]
    assert found[mole, "melanoma"] == found[ecg, NORMAL] == found[brain, NONE] == ("100%", "n 4")
    assert [found[mole, f"in all, {share}"][0] for share in ("a pathology", "an urgent one")] == ["100%", "100%"]
    assert [found[ecg, f"in all, {share}"][0] for share in ("a pathology", "an urgent one")] == ["0%", "0%"]


def test_urgent_is_marked_by_a_word_and_a_pattern(drawn):
    """An urgent diagnosis says so beside its name and has a pattern of its own, which the legend names."""
    [apart] = [each for each in tables(drawn) if each.look == "drawn" and "by kind of image" in each.caption]
    melanoma = next(row for row in apart.rows if row.head.words == "melanoma")
    assert melanoma.head.n == "urgent"
    assert 'class="thin urgent"' in melanoma.cells[0].drawing
    assert [row.head.words for row in apart.rows if row.head.n] == ["melanoma"]
    assert ("thin urgent", "calls for action within days") in [each[:2] for each in apart.key]
    assert apart.figure.name in draw([apart])


def test_lone_kind_of_image_has_the_shares_of_all(mirages):
    """With one kind of image there are no groups; its shares are those of the whole test."""
    drawn = draw_only(*mirages([TEST], answers=answering), categories=lambda finding: {})
    shares, apart = (next(each for each in tables(drawn) if said in each.caption) for said in ("without", "by kind of"))
    whole = [row.cells[1].words for row in apart.rows if row.head.words.startswith("in all")]
    assert set(whole) == {each.words for each in cells(shares)[1:3]}
