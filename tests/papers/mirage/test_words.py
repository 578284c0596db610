"""Mirage words: what is planted in the words is found, what is not is not, and no patient is on both sides."""

from dataclasses import replace

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.papers.mirage.tests.words import (
    ALL,
    FEWEST_PATIENTS,
    KINDS,
    PAIRS,
    UNADMITTED,
    conclude,
    mirage_words,
    telling_terms,
)
from snellen.reading.wording.columns import Wordings, read_terms, wordings
from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Measure, Status
from snellen.stress.table import Table
from snellen.study import Study
from strategies import items
from studied import results_of
from tables import grades, noticing, numbers, verdict

WITH, WITHOUT = "original", "image-removed"
FILLER = ("lung", "heart", "rib", "side", "upper", "lower", "small", "large", "round", "clear", "dense", "thin", "wide")


def said(with_image, without, *, runs=1, asked=None, clusters=None):
    """A table in which the response to item i in run r is what the functions say of (i, r)."""
    asked = asked or items(60)
    if clusters is not None:
        asked = tuple(replace(item, cluster=name) for item, name in zip(asked, clusters, strict=True))
    arms = {}
    for arm, words in ((WITH, with_image), (WITHOUT, without)):
        places = [(at, run) for at in range(len(asked)) for run in range(runs)]
        read = {place: read_terms(words(*place)) for place in places}
        arms[arm] = grades([(*place, "correct", 0) for place in places]).having(wordings(read, {}))
    return Table("m", "b", asked, arms)


def chatter(seed):
    """Words that come as they like."""

    def words(item, run):
        rng = np.random.default_rng((seed, item, run))
        return " ".join(rng.choice(FILLER, size=8))

    return words


def test_one_telling_word_tells_every_time():
    """A word that every response without the image has, and none with it, gives an AUC of 1."""
    plain = chatter(1)
    found = numbers("mirage-words", said(plain, lambda *at: f"{chatter(2)(*at)} typically"))
    assert found[WITHOUT, UNADMITTED].value == pytest.approx(1, abs=0.02)
    assert found[WITHOUT, UNADMITTED].low > 0.9
    assert found[WITHOUT, UNADMITTED].n == 60


def test_the_same_words_tell_nothing():
    """Words that come alike with the image and without lie around a half, and the interval holds it."""
    table = said(chatter(1), chatter(2), asked=items(200))
    found = numbers("mirage-words", table)[WITHOUT, UNADMITTED]
    assert found.low < 0.5 < found.high
    same = numbers("mirage-words", said(chatter(1), chatter(1)))[WITHOUT, UNADMITTED]
    assert same.value == 0.5


def spell(number):
    """A number as a word."""
    return "".join(chr(97 + int(digit)) * 2 for digit in str(number))


@pytest.mark.parametrize(
    ("with_image", "without", "more"),
    [
        # each question's own words are in both responses
        (*(lambda item, run: f"question {item} answer {item} {FILLER[item % 13]}",) * 2, {}),
        # what tells only one item's responses apart, or one patient's, is of no use for another's
        (lambda item, run: FILLER[item % 13], lambda item, run: f"{FILLER[item % 13]} {spell(item)}",
         {"runs": 5, "asked": items(30)}),
        (lambda item, run: FILLER[item % 13], lambda item, run: f"{FILLER[item % 13]} {spell(item // 2)}",
         {"clusters": [f"patient {at // 2}" for at in range(60)]}),
    ],
)  # fmt: skip
def test_words_of_a_question_or_a_patient_do_not_leak(with_image, without, more):
    """Runs of an item and items of a patient share a fold."""
    assert numbers("mirage-words", said(with_image, without, **more))[WITHOUT, ALL].value == pytest.approx(0.5)


def test_admissions_are_left_out_of_the_number_that_counts():
    """Half of the responses say that there is no image: all are told better than those that do not say so."""
    without = lambda item, run: "there is no image" if item % 2 else chatter(2)(item, run)  # noqa: E731
    table = noticing(said(chatter(1), without, asked=items(200)), WITHOUT, [at for at in range(200) if at % 2])
    table = noticing(table, WITH, [])
    found = numbers("mirage-words", table)
    assert found[WITHOUT, PAIRS].value == 0.5
    assert (found[WITHOUT, ALL].n, found[WITHOUT, UNADMITTED].n) == (200, 100)
    assert found[WITHOUT, ALL].value > 0.65 > found[WITHOUT, UNADMITTED].value
    assert "of all responses" in verdict("mirage-words", table).sentence


def test_few_patients_are_inconclusive_with_their_number():
    """Items of 19 patients are too few, however many they are; those of 20 are enough."""
    for patients, status in ((FEWEST_PATIENTS - 1, Status.INCONCLUSIVE), (FEWEST_PATIENTS, Status.REPORTED)):
        names = [f"patient {at % patients}" for at in range(60)]
        found = verdict("mirage-words", said(chatter(1), chatter(2), clusters=names))
        assert found.status is status
    few = verdict("mirage-words", said(chatter(1), chatter(2), asked=items(5)))
    assert "5 of 5 pairs" in few.sentence
    assert "20 patients" in few.sentence


def test_nothing_asked_both_ways_is_inconclusive():
    """Without one of the conditions there is nothing to compare."""
    table = said(chatter(1), chatter(2))
    alone = replace(table, arms={WITH: table.arms[WITH]})
    assert verdict("mirage-words", alone).status is Status.INCONCLUSIVE


def test_the_order_of_items_changes_nothing():
    """Folds follow from ids: items in another order give the same numbers to the last digit that is printed."""
    table = said(chatter(1), lambda *at: f"{chatter(2)(*at)} {'dense' * (at[0] % 3)}")
    order = np.random.default_rng(0).permutation(60)
    turned = said(
        lambda at, run: chatter(1)(int(order[at]), run),
        lambda at, run: f"{chatter(2)(int(order[at]), run)} {'dense' * (int(order[at]) % 3)}",
        asked=tuple(table.items[at] for at in order),
    )
    one, other = (numbers("mirage-words", each)[WITHOUT, ALL] for each in (table, turned))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.45, 0.58, "the words do not show it"),
        (0.52, 0.58, "hardly more than a coin"),
        (0.45, 0.65, "may tell nothing (0.5) or something (up to 0.65)"),
        (0.55, 0.75, "tell more than a coin does"),
        (0.75, 0.9, "give away which responses had the image"),
    ],
)
def test_the_sentence_says_what_the_interval_says(low, high, words):
    """Nobody can tell only where the interval lies below 0.6."""
    test = mirage_words()
    share, auc = Estimate(1, 0.9, 1, 200, "wilson"), Estimate((low + high) / 2, low, high, 200, "m")
    kinds = {PAIRS: share, UNADMITTED: auc, ALL: auc}
    found = conclude(test, {(WITHOUT, name): Measure(WITHOUT, KINDS[name], each) for name, each in kinds.items()})
    assert found.status is Status.REPORTED
    assert words in found.sentence.lower()
    assert f"(95% CI {low:.2f} to {high:.2f}; 200 pairs)" in found.sentence
    assert "of all responses" not in found.sentence


def test_telling_terms_are_shown_without_digits_and_not_those_of_few_patients():
    """The strongest terms of each side come first; a number, and a word of two patients, are not among them."""
    without = lambda item, run: f"{chatter(2)(item, run)} typically 1961 {'Smith' * (item < 2)}"  # noqa: E731
    found = telling_terms(stress_test("mirage-words"), said(lambda *at: f"{chatter(1)(*at)} indeed", without))
    assert found.for_absent[0].term == "typically"
    assert (found.for_absent[0].present, found.for_absent[0].absent) == (0, 60)
    assert found.for_present[0].term == "indeed"
    shown = " ".join(each.term for each in (*found.for_absent, *found.for_present))
    assert "1961" not in shown
    assert "smith" not in shown


def test_an_unknown_condition_is_refused():
    """The error names those there are."""
    assert stress_test("mirage-words:without=image-blank").compared[0].name == "image-blank"
    with pytest.raises(StudyError, match="image-blank, got 'noise'"):
        stress_test("mirage-words:without=noise")


def test_reasoning_counts_as_words_and_only_two_conditions_are_read(tmp_path):
    """A study whose model differs only in its reasoning is told apart; the words of other conditions are not kept."""

    def answer(request):
        thought = "I look closely." if request.images else "I suppose so."
        return Response("Answer: A", reasoning=thought, sent=tuple(receipt(image) for image in request.images))

    benchmark, tests = Benchmark("b", items(FEWEST_PATIENTS)), ["mirage-words", "option-order"]
    study = Study(models=[FakeModel(answer)], benchmarks=[benchmark], tests=tests, out=tmp_path)
    results = results_of(study)
    [table] = results.tables.values()
    assert {arm for arm, grades in table.arms.items() if grades.of(Wordings) is not None} == {WITH, WITHOUT}
    [found] = [each for each in results.findings if each.test.name == "mirage-words"]
    assert found.measure(WITHOUT, UNADMITTED).estimate.value == 1
    assert "wording" in {parser.name for parser in results.parsers}
