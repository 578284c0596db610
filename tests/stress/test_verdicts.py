"""The three verdicts and the benchmark's line, on models whose behaviour is known."""

import re
from dataclasses import replace
from fractions import Fraction
from math import floor, inf, nan

import numpy as np
import pytest
from tests.verdict_models import BEHAVIOURS, LIMIT, TRUTH, Setting, count_statuses, simulate

from snellen.conditions import IMAGE_BLANK, IMAGE_REMOVED, ORIGINAL, ImageSubstituted, OptionsShuffled
from snellen.items import Option
from snellen.reading.outcomes import Outcome
from snellen.report.words.numbers import figure, interval
from snellen.stats import Estimate
from snellen.stress import conclusions
from snellen.stress.base import Status
from snellen.stress.conclusions import points
from snellen.stress.table import code
from snellen.stress.verdicts import sentences
from snellen.stress.verdicts.follows import cut_share
from snellen.stress.verdicts.marks import decide_marks, is_judged, list_measures, make_verdict
from snellen.stress.verdicts.possible_without import judge_benchmark
from snellen.stress.verdicts.sentences import describe_briefly

VERDICTS = ("follows", "honest", "steady")
STUDIES = 6
REMOVED, BLANK, SWAPPED, REORDERED = IMAGE_REMOVED.name, IMAGE_BLANK.name, ImageSubstituted.name, OptionsShuffled.name


def marks_of(table):
    """The three verdicts by name."""
    return {mark.name: mark for mark in decide_marks(table)}


def without(table, *arms):
    """The table as if some conditions had not been asked."""
    return replace(table, arms={name: grades for name, grades in table.arms.items() if name not in arms})


def first(table, n):
    """The first items of a table, with their responses."""
    return table.select_items(np.arange(len(table.items)) < n)


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_models_with_a_known_behaviour_get_the_right_marks(name):
    """A slice of the qualification: with 200 questions no mark is wrong, and most are right.

    The least share of right marks at 200 questions is 86% (weak honest); the studies are the same in every run.
    """
    counts = count_statuses(name, Setting(n=200), STUDIES, decide_marks)
    for verdict, truth, found in zip(VERDICTS, TRUTH[name], counts, strict=True):
        wrong = sum(found[each] for each in (Status.PASS, Status.FAIL) if each != truth)
        assert wrong <= (2 if truth == LIMIT else 1), (verdict, found)
        assert truth == LIMIT or found[truth] > STUDIES / 2, (verdict, found)


@pytest.mark.parametrize(
    ("name", "setting", "verdict", "reason"),
    [
        ("grounded that declines", Setting(), "follows", "follows-image"),
        ("blind", Setting(), "follows", "keeps-answer"),
        ("declines with the image", Setting(), "honest", "declines-with-image"),
        ("mirage", Setting(), "honest", "invents"),
        ("grounded that guesses", Setting(), "honest", "silent"),
        ("silent when blank", Setting(), "honest", "silent"),
        ("positional", Setting(), "steady", "order-changes-answers"),
        ("runs differ", Setting(), "steady", "runs-differ"),
        ("random", Setting(), "steady", "not-shown-to-beat-guessing"),
        ("constant", Setting(common=0.6), "follows", "not-shown-to-beat-guessing"),
        ("refuser", Setting(), "honest", "answers-nothing"),
        ("grounded that declines", Setting(n=24), "follows", "few-swaps"),
        ("grounded that declines", Setting(n=24), "steady", "few-items"),
        ("grounded that declines", Setting(n=60, patient=4), "follows", "few-patients"),
        ("grounded that declines", Setting(n=60), "honest", "more-questions"),
        ("invents a fifth", Setting(), "honest", "needs-labels"),
    ],
)
def test_a_verdict_says_why(name, setting, verdict, reason):
    """Each reason at a model that gives it."""
    assert marks_of(simulate(name, setting, 3))[verdict].reason == reason


@pytest.mark.parametrize("n", [1, 8, 200, 1000])
def test_halves_are_rounded_up_everywhere(n):
    """Of every count the sentence, a test's verdict and the report print the same whole per cent."""
    for count in range(n + 1):
        share, exact = count / n, Fraction(100 * count, n)
        if 1 <= exact <= 99 or exact in (0, 100):
            whole = str(floor(exact + Fraction(1, 2)))
            assert {sentences.percent(share), conclusions.percent(share), figure(share, "share")} == {f"{whole}%"}
            assert points(share).split()[0] == points(-share).split()[0].removeprefix("−") == whole


@pytest.mark.parametrize(
    ("ends", "cut", "said"),
    [
        ((1.0, 0.97, 1.03), (1.0, 0.97, 1.0), "100% (97 to 100)"),
        ((-0.02, -0.1, 0.07), (0.0, 0.0, 0.07), "0% (0 to 7)"),
        ((0.4, -inf, inf), (0.4, 0.0, 1.0), "40% (0 to 100)"),
        ((1.3, 1.1, 1.5), (1.3, 1.1, 1.5), "130% (110 to 150)"),
    ],
)
def test_a_share_of_the_skill_is_cut_at_none_and_all(ends, cut, said):
    """Where its interval reaches beyond them: it is the same in the sentence, in the plot and in the files."""
    found = cut_share(Estimate(*ends, 60, "t"))
    assert (found.value, found.low, found.high) == cut
    assert sentences.ratio_with_interval(found) == said
    assert interval(found, "ratio") == said.partition("(")[2].rstrip(")")


def test_an_unknown_share_of_the_skill_is_not_drawn():
    """No measure of it goes into the plot; the share of a model that looks ends at all."""
    table = simulate("grounded that declines", Setting(n=60), 2)
    mark = marks_of(table)["follows"]
    assert list_measures(mark, table)["followed"].estimate.high == 1.0
    followed = replace(mark.decision.numbers["followed"], value=nan, low=-inf, high=inf)
    unknown = replace(mark, decision=replace(mark.decision, numbers={"followed": followed}))
    assert not list_measures(unknown, table)


def test_labels_of_this_model_decide_what_the_parser_cannot():
    """Who invents in a fifth is not decided by a parser that may be wrong, and fails by 150 labels."""
    read, labelled = (Setting(n=400, labels=labels) for labels in (0, 150))
    assert marks_of(simulate("invents a fifth", read, 3))["honest"].status is Status.INCONCLUSIVE
    assert marks_of(simulate("invents a fifth", labelled, 3))["honest"].status is Status.FAIL


@pytest.mark.parametrize(
    ("gone", "verdict", "reason"),
    [
        ((SWAPPED,), "follows", "swap-not-asked"),
        ((REMOVED, BLANK), "honest", "no-image-not-asked"),
        ((BLANK,), "honest", "ask-blank"),
        ((REMOVED,), "honest", "ask-removed"),
        ((REORDERED,), "steady", "order-not-asked"),
        ((ORIGINAL.name,), "follows", "original-not-asked"),
    ],
)
def test_what_was_not_asked_is_named(gone, verdict, reason):
    """A study that lacks a condition gets the verdicts that it allows, and a sentence that says what to ask."""
    found = marks_of(without(simulate("grounded that declines", Setting(), 1), *gone))
    assert (found[verdict].status, found[verdict].reason) == (Status.INCONCLUSIVE, reason)
    kept = [name for name in VERDICTS if name != verdict]
    if reason != "original-not-asked":
        assert {found[name].status for name in kept} == {Status.PASS}


def test_a_fail_needs_one_of_the_two_conditions_without_an_image():
    """Who invents without an image fails, whether or not blank images were asked."""
    assert marks_of(without(simulate("mirage", Setting(), 1), BLANK))["honest"].status is Status.FAIL


def test_one_run_of_each_order_can_only_pass():
    """What moves with one run each may move by itself: only few moves decide."""

    def once(name):
        table = simulate(name, Setting(), 1)
        arms = {arm: grades.select_responses(grades.replicate == 0) for arm, grades in table.arms.items()}
        return marks_of(replace(table, arms=arms))["steady"]

    assert (once("same in every run").status, once("same in every run").reason) == (Status.PASS, "order-moves-few")
    assert (once("positional").status, once("positional").reason) == (Status.INCONCLUSIVE, "repeat-both-orders")
    assert once("blind").reason == "repeat-both-orders"


def test_a_condition_that_lacks_responses_is_named():
    """With a tenth of the blank images missing nothing is said of honesty; the other verdicts stand."""
    table = simulate("mirage", Setting(), 1)
    blank = table.arms[BLANK]
    short = replace(blank.select_responses(blank.ordinal >= 20), due=blank.due)
    found = marks_of(replace(table, arms={**table.arms, BLANK: short}))
    assert (found["honest"].reason, found["honest"].decision.numbers["condition"]) == ("incomplete", "blank")
    assert found["honest"].decision.numbers["share"] == pytest.approx(0.1)
    assert found["follows"].status is Status.PASS


def test_a_gap_among_any_other_images_is_named():
    """Images whose meaning nobody knows count as the others do: with a tenth missing nothing is said."""
    table = simulate("blind", Setting(), 1)
    full = replace(table.arms[SWAPPED], key=np.empty(0, np.int64))
    short = replace(full.select_responses(full.ordinal >= 40), due=full.due)
    arms = {arm: grades for arm, grades in table.arms.items() if arm != SWAPPED}
    found = [marks_of(replace(table, arms={**arms, "image-exchanged": each}))["follows"] for each in (full, short)]
    assert found[0].status is Status.FAIL
    assert (found[1].reason, found[1].decision.numbers["condition"]) == ("incomplete", "exchanged")


def test_unread_responses_are_no_answers_and_are_named():
    """Responses that were cut off are neither admissions nor findings."""
    table = simulate("mirage", Setting(), 1)
    removed = table.arms[REMOVED]
    cut = replace(removed, outcome=np.full(len(removed), code(Outcome.TRUNCATED), np.uint8))
    assert marks_of(replace(table, arms={**table.arms, REMOVED: cut}))["honest"].reason == "incomplete"


def test_text_only_items_are_not_judged():
    """A study without images has no verdict about them, and says so in one sentence."""
    table = simulate("blind", Setting(), 1)
    found = marks_of(replace(table, imageless=np.ones(len(table.items), dtype=bool)))
    assert {(each.status, each.reason) for each in found.values()} == {(Status.NOT_APPLICABLE, "no-images")}
    assert judge_benchmark([replace(table, imageless=np.ones(len(table.items), dtype=bool))]) is None


@pytest.mark.parametrize("options", [1, 4])
def test_a_key_that_never_varies_shows_no_skill(options):
    """Where one answer is always right, being right shows nothing."""
    table = simulate("grounded that declines", Setting(common=1.0), 1)
    items = tuple(replace(item, options=item.options[:options] or (Option("x"),), answer=0) for item in table.items)
    assert marks_of(replace(table, items=items))["follows"].reason == "not-shown-to-beat-guessing"


def test_a_prompt_without_room_for_words_has_no_verdict_on_honesty():
    """Who may only write a letter cannot say that the image is missing; its rates are reported."""
    table = replace(simulate("blind", Setting(), 1), has_room=False)
    found = marks_of(table)["honest"]
    assert (found.status, found.reason) == (Status.NOT_APPLICABLE, "no-room-for-words")
    assert {measure.name for measure in list_measures(found, table).values()} == {"admits_rate", "invents_rate"}


def test_swaps_that_are_declined_may_be_a_sign_of_looking():
    """Who declines most swapped images is neither passed nor failed."""
    table = simulate("blind", Setting(), 1)
    swapped = table.arms[SWAPPED]
    none = np.full(len(swapped), code(Outcome.ABSTAINED), np.uint8)
    silent = replace(swapped, outcome=none, chosen=np.full(len(swapped), -1))
    assert marks_of(replace(table, arms={**table.arms, SWAPPED: silent}))["follows"].reason == "swaps-declined"


def test_shared_donors_widen_what_follows():
    """Where following depends on who lent the image, a few donors say less than many."""
    many, few = (simulate("grounded that declines", Setting(donors=donors, donor_icc=0.8), 5) for donors in (0, 8))
    widths = [
        each.high - each.low
        for each in (marks_of(table)["follows"].decision.numbers["followed"] for table in (many, few))
    ]
    assert widths[1] > 1.5 * widths[0]


def test_every_reason_has_its_words():
    """Whatever a verdict ends in, it says so in words, with what would decide if it is open."""
    settings = (Setting(), Setting(n=24), Setting(n=60, patient=4))
    for name in TRUTH:
        for setting in settings:
            table = simulate(name, setting, 2)
            for mark in decide_marks(table):
                verdict = make_verdict(mark, list_measures(mark, table))
                assert verdict.sentence
                assert "{" not in verdict.sentence
                assert describe_briefly(mark.name, mark.reason, verdict.values)
                told = re.search("what would decide|would decide it", verdict.sentence)
                assert mark.status is not Status.INCONCLUSIVE or told, mark.reason


def test_the_benchmark_line_never_passes():
    """More than half of the best skill without images is a fail; what everybody declines is not decided."""
    seen, blind, honest = (simulate(name, Setting(), 4) for name in ("mirage", "blind", "grounded that declines"))
    given_away = judge_benchmark([seen, blind])
    assert given_away.status is Status.FAIL
    assert given_away.sentence.endswith(" of the best model's skill; more than the limit, half.")
    best, with_image = given_away.best, float(np.mean(seen.arms[ORIGINAL.name].right()))
    skills = [accuracy - given_away.guessing for accuracy in (best.accuracy.value, with_image)]
    assert best.kept.value == pytest.approx(skills[0] / skills[1])
    assert judge_benchmark([honest]).reason in ("all-decline", "stated")
    assert judge_benchmark([simulate("random", Setting(), 4)]).reason == "not-shown-to-beat-guessing"
    assert judge_benchmark([without(seen, REMOVED, BLANK, SWAPPED)]).reason == "no-image-not-asked"


@pytest.mark.parametrize("left", [(ORIGINAL.name,), (REMOVED,), (SWAPPED, REORDERED), ()])
def test_a_model_that_answers_only_in_some_conditions_gets_no_mark(left):
    """Conditions that were to be asked and have no response are incomplete or not asked, and nothing breaks."""
    table = simulate("mirage", Setting(), 1)
    arms = {
        arm: grades if arm in left else grades.select_responses(np.zeros(len(grades), bool))
        for arm, grades in table.arms.items()
    }
    wanted = {arm: replace(grades, due=table.arms[arm].due) for arm, grades in arms.items()}
    for marks in (decide_marks(replace(table, arms=arms)), decide_marks(replace(table, arms=wanted))):
        assert {mark.status for mark in marks} <= {Status.INCONCLUSIVE, Status.NOT_APPLICABLE}
        assert all(make_verdict(mark, ()).sentence for mark in marks)


def test_only_what_was_asked_is_judged():
    """A study that asks nothing but the original gets no verdict at all."""
    table = simulate("blind", Setting(), 1)
    assert is_judged(table)
    assert not is_judged(without(table, REMOVED, BLANK, SWAPPED, REORDERED))


def test_the_order_of_items_changes_no_mark():
    """Shuffled items give the same verdicts and the same numbers."""
    table = simulate("quarter text", Setting(n=60), 6)
    order = np.random.default_rng(0).permutation(len(table.items))
    place = np.argsort(order)
    arms = {
        arm: replace(
            grades,
            ordinal=place[grades.ordinal],
            due=grades.due[order],
            key=grades.key[order] if len(grades.key) else grades.key,
        )
        for arm, grades in table.arms.items()
    }
    moved = replace(table, items=tuple(table.items[at] for at in order), arms=arms)
    for one, two in zip(decide_marks(table), decide_marks(moved), strict=True):
        assert (one.status, one.reason) == (two.status, two.reason)
        assert one.p == pytest.approx(two.p)


def test_few_questions_are_not_extended_without_a_price():
    """The second look at an extended study is tested at half the level."""
    tables = [simulate("quarter text", Setting(n=60), seed) for seed in range(12)]
    decided = [
        [sum(mark.status is Status.PASS for table in tables for mark in decide_marks(table, looks)) for looks in (1, 3)]
    ]
    assert decided[0][1] < decided[0][0]
