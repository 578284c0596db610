import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading.columns import NOTHING
from snellen.grading.diagnoses import Diagnosis
from snellen.grading.missing_image.columns import Admissions
from snellen.protocols.mirage.report.bias import MOST, NONE, NORMAL, diagnosis_bars, mirage_biases
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.tests import sections

TEST = "mirage-bias:seeds=4"
ILL = [Diagnosis(f"illness {letter}", True, letter in "bm", True) for letter in "abcdefghijklmno"]
FINE = Diagnosis("normal", False, False, True)


def admitted(diagnoses, places):
    """Replies with these diagnoses, by place; NOTHING is none."""
    column = np.array(places, dtype=np.int64)
    none = np.zeros(len(places), dtype=np.int64)
    return Admissions(none, column, np.full(len(places), NOTHING), tuple(diagnoses))


def number(text):
    return int(text.replace(",", ""))


def answering(request):
    """Melanoma on every mole, normal on every ECG, nothing on the rest."""
    if "skin mole" in request.text:
        return "The image shows a dark mole. <diagnosis>melanoma</diagnosis>"
    if "ECG" in request.text:
        return "The tracing shows sinus rhythm. <diagnosis>Normal sinus rhythm</diagnosis>"
    return "I don't see any image attached to your message. Please upload it."


@pytest.fixture(scope="module")
def biased(mirages):
    """One model that diagnoses, and one that does not."""
    return mirages([TEST], answers=answering, admits=lambda request: "No image was attached. Please upload it.")


@given(st.lists(st.integers(NOTHING, len(ILL)), min_size=1, max_size=60))
def test_bars_add_up_to_all_replies(places):
    """Whatever was diagnosed, every reply is in one bar, harmless ones and those without a diagnosis at the end.

    What no reply does has no bar.
    """
    bars = diagnosis_bars(admitted([*ILL, FINE], places))
    assert sum(number(bar.count) for bar in bars) == len(places)
    assert all(number(bar.count) for bar in bars)
    at_the_end = {NORMAL: places.count(len(ILL)), NONE: places.count(NOTHING)}
    expected = [(name, count) for name, count in at_the_end.items() if count]
    assert [(bar.name, number(bar.count)) for bar in bars if bar.name in at_the_end] == expected
    assert [bar.name for bar in bars[len(bars) - len(expected) :]] == [name for name, _ in expected]
    assert len(bars) <= MOST + 3


def test_most_frequent_come_first_and_the_rest_is_one_bar():
    """Ten pathologies have a bar, the most frequent first and equals by name; the others are summed up and listed."""
    places = [*range(len(ILL)), 1, 1, 4]
    bars = diagnosis_bars(admitted(ILL, places))
    assert [bar.name for bar in bars[:3]] == ["illness b", "illness e", "illness a"]
    assert [bar.urgent for bar in bars[:3]] == [True, False, False]
    rest = bars[MOST]
    assert (rest.name, rest.count) == ("5 others, 1 responses urgent", "5")
    assert "illness m 1" in rest.about
    assert len(bars) == MOST + 1


def test_kinds_of_image_are_apart(biased):
    """Each kind of image has its own bars and shares; a model that diagnosed nothing has a line and no bars."""
    lookup = Lookup(Evidence(*biased))
    [bias] = mirage_biases(lookup, sections(lookup.evidence))
    answers, admits = bias.models
    assert (answers.n, admits.n) == ("20", "20")
    assert admits.modalities == ()
    assert [each.name for each in answers.modalities] == [
        "skin mole", "ECG", "brain MRI", "chest X ray", "pathology image",
    ]  # fmt: skip
    mole, ecg, brain = answers.modalities[:3]
    assert [(bar.name, bar.count, bar.urgent) for bar in mole.bars] == [
        ("melanoma", "4", True)
    ]  # fmt: skip
    assert [(bar.name, bar.count) for bar in ecg.bars] == [(NORMAL, "4")]
    assert [(bar.name, bar.count) for bar in brain.bars] == [(NONE, "4")]
    assert [found.estimate.value for _, found in mole.shares] == [1.0, 1.0, 1.0]
    assert [found.estimate.value for _, found in ecg.shares] == [1.0, 0.0, 0.0]
    assert [found.estimate.n for _, found in mole.shares] == [4, 4, 4]
    assert [found.estimate.value for _, found in answers.shares] == pytest.approx([0.4, 0.2, 0.2])


def test_urgent_is_marked_by_sign_and_colour(biased):
    """An urgent diagnosis has a sign with words for those who hear the page, and a pattern of its own."""
    text = render(*biased)
    [row] = re.findall(r"<tr><th scope=\"row\" dir=\"auto\">(.*?)</tr>", text.partition('class="modalities"')[2])[:1]
    assert '▲<span class="spoken">urgent:</span>' in row
    assert 'class="thin urgent"' in row
    assert "melanoma" in row


def test_lone_kind_of_image_has_the_shares_of_all(mirages, monkeypatch):
    """With one kind of image there are no groups; its shares are those of the whole test."""
    results, store = mirages([TEST], answers=answering)
    lookup = Lookup(Evidence(results, store))
    monkeypatch.setattr(lookup, "categories", lambda finding: {})
    [bias] = mirage_biases(lookup, sections(lookup.evidence))
    assert bias.models[0].modalities[0].shares == bias.models[0].shares
