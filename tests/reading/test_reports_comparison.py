"""Two reports compared by their findings."""

import doctest
import math
import random
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rows import read_table, take_rows
from snellen.reading.language.words.radiology import ABOVE, WHOLE
from snellen.reading.reports.comparison import ReportComparison, compare_reports

SENTENCES = read_table(__file__, "SENTENCES")
REPORTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8).map(" ".join)


def f1(generated, reference):
    return compare_reports(generated, reference).f1


@given(REPORTS)
def test_a_report_agrees_with_itself(report):
    """A report gets 1 against itself, exactly."""
    heard = compare_reports(report, report)
    assert (heard.precision, heard.recall, heard.f1) == (1.0, 1.0, 1.0)
    assert heard.abnormal_f1 == 1.0 or math.isnan(heard.abnormal_f1)


@given(REPORTS, REPORTS)
def test_exchanging_the_reports_exchanges_precision_and_recall(one, other):
    """F1 does not depend on which report is the reference."""
    there, back = compare_reports(one, other), compare_reports(other, one)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert there.f1 == pytest.approx(back.f1)
    assert there.abnormal_f1 == pytest.approx(back.abnormal_f1, nan_ok=True)
    assert 0 <= there.f1 <= 1


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(sentences, chance):
    """The same sentences in another order, or cut into sections, are the same report."""
    shuffled = random.Random(chance.random()).sample(sentences, len(sentences))
    assert f1(" ".join(shuffled), " ".join(sentences)) == 1.0
    halves = f"FINDINGS: {' '.join(shuffled[1:])}\n\nIMPRESSION: {shuffled[0]}"
    assert f1(halves, " ".join(sentences)) == 1.0


@given(REPORTS)
def test_saying_a_sentence_twice_changes_nothing(report):
    """Findings and impression say the same things again."""
    assert f1(f"{report} {report}", report) == 1.0


@take_rows("generated, reference, expected")
def test_credit(generated, reference, expected):
    """What two statements on one finding share, worked out by hand."""
    assert f1(generated, reference) == pytest.approx(expected)


def test_a_wider_finding_gets_part_of_the_credit():
    """Consolidation implies an opacity, and a normal chest implies that each finding is absent; not the other way."""
    present = compare_reports("Consolidation.", "Opacity.")
    assert (present.recall, present.precision) == pytest.approx((0.7, 0.35))
    absent = compare_reports("Normal chest.", "No pneumothorax. No cardiomegaly.")
    assert (absent.recall, absent.precision) == pytest.approx((0.7, 0.35))
    assert f1("Consolidation.", "Atelectasis.") == 0.0
    two_steps = compare_reports("The lungs are clear.", "No pneumonia.")
    assert two_steps.recall == pytest.approx(0.49)


def test_what_is_said_of_the_finding_itself_comes_first():
    """A report that states a pneumothorax and "no acute disease" gets no credit for "no pneumothorax"."""
    heard = compare_reports("Left pneumothorax. No acute disease.", "No pneumothorax.")
    assert heard.matched == (0.0,)


def test_every_finding_has_a_way_up_to_the_whole():
    """The tree of findings has no circle."""
    for finding in ABOVE:
        seen = [finding]
        while seen[-1] != WHOLE:
            assert ABOVE.get(seen[-1], WHOLE) not in seen
            seen.append(ABOVE.get(seen[-1], WHOLE))


def test_the_usual_normal_text_scores_badly_on_abnormal_findings():
    """The text of a normal chest agrees with much of any report, and with nothing that is present."""
    normal = "The heart is normal in size. The lungs are clear. No pleural effusion or pneumothorax. No acute disease."
    ill = "Mild cardiomegaly. Left lower lobe consolidation. No pleural effusion or pneumothorax."
    heard = compare_reports(normal, ill)
    assert heard.f1 > 0.4
    assert (heard.abnormal_recall, heard.abnormal_f1) == (0.0, 0.0)
    assert heard.abnormal_precision == 0.0


def test_an_invented_finding_counts_among_the_abnormal_ones():
    """A finding present only in the generated report is in no reference, and is no credit."""
    heard = compare_reports("Left pneumothorax.", "The lungs are clear.")
    assert math.isnan(heard.abnormal_recall)
    assert (heard.abnormal_precision, heard.abnormal_f1) == (0.0, 0.0)


def test_two_normal_reports_have_no_abnormal_value():
    """Where nothing is present in either, there is nothing to count."""
    heard = compare_reports("No effusion.", "No effusion. Heart is normal.")
    assert all(map(math.isnan, (heard.abnormal_precision, heard.abnormal_recall, heard.abnormal_f1)))


@pytest.mark.parametrize("reference", ["", "PA and lateral views were obtained.", "双肺清晰。"])
def test_a_reference_that_states_nothing_gives_no_value(reference):
    """NaN and never 0, for each of the six values."""
    heard = compare_reports("Left effusion.", reference)
    assert heard.undefined
    values = (heard.precision, heard.recall, heard.f1)
    abnormal = (heard.abnormal_precision, heard.abnormal_recall, heard.abnormal_f1)
    assert all(map(math.isnan, values + abnormal))


def test_a_generated_report_that_states_nothing_gets_nothing():
    """To write nothing is no way out: recall and F1 are 0."""
    heard = compare_reports("I cannot see an image.", "Left effusion.")
    assert not heard.undefined
    assert (heard.recall, heard.f1, heard.abnormal_f1) == (0.0, 0.0, 0.0)
    assert math.isnan(heard.precision)


def test_the_example_of_the_docs_gives_what_it_shows():
    """What is copied from the page prints the values that stand there."""
    page = Path(__file__).parents[2] / "docs" / "concepts" / "reports.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 3)


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(one, other):
    """No text raises, and there is one credit for each statement."""
    heard = compare_reports(one, other)
    assert isinstance(heard, ReportComparison)
    assert len(heard.matched) == len(heard.reference)
    assert len(heard.credited) == len(heard.generated)


@given(REPORTS, st.sampled_from(SENTENCES))
def test_less_said_is_not_more_right(report, sentence):
    """A report that lacks a sentence of the reference has no higher F1 than the whole one."""
    whole = f"{report} {sentence}"
    assert f1(report, whole) <= 1.0
    assume(compare_reports(report, whole).reference != compare_reports(report, report).reference)
    assert compare_reports(report, whole).f1 < 1.0
