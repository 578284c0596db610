"""Less and less text: what is left of the score at every step, counted by hand."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.design import Thresholds
from snellen.study import Study
from snellen.tools.planner.power import power_table
from strategies import items, picture
from studied import results_of
from tables import numbers, rated, sheet, verdict

pytestmark = pytest.mark.usefixtures("no_groups")

NAME = "text-needed"
ORIGINAL, BLIND, QUESTION, OPTIONS = ARMS = ("original", "image-removed", "question-only", "options-only")
HIDDEN = "question-only:options=hidden"


def ladder(*signs, repeats=20):
    """A line of signs for every step, repeated."""
    return {arm: repeats * line for arm, line in zip(ARMS, signs, strict=True)}


def test_it_takes_image_story_and_question_away():
    """One after the other; settings of asking are taken."""
    assert [arm.name for arm in stress_test(NAME).all_arms] == [*ARMS[:3], HIDDEN, OPTIONS]
    stepwise = stress_test(f"{NAME}:prompt=cot")
    assert [arm.name for arm in stepwise.all_arms] == [f"{arm}+cot" for arm in (*ARMS[:3], HIDDEN, OPTIONS)]


def test_every_step_is_counted_by_hand():
    """Of five questions 4, 3, 2 and 1 are right, and one is by guessing."""
    found = numbers(NAME, sheet(ladder("++++-", "+++--", "++---", "+----")))
    assert [found[arm, "accuracy"].value for arm in ARMS] == pytest.approx([0.8, 0.6, 0.4, 0.2])
    assert [found[arm, "step_change"].value for arm in ARMS[1:]] == pytest.approx([-0.2, -0.2, -0.2])
    assert [found[arm, "difference"].value for arm in ARMS[1:]] == pytest.approx([-0.2, -0.4, -0.6])
    assert [found[arm, "kept_above_chance"].value for arm in ARMS[1:]] == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-9)
    assert found[OPTIONS, "left_above_chance"].value == pytest.approx(0)
    assert [(found[arm, "chance"].value, found[arm, "chance"].n) for arm in ARMS] == [(pytest.approx(0.2), 100)] * 4


def test_a_step_is_over_the_questions_of_both():
    """Where a question was not asked without the image, since it has none, the step from there leaves it out."""
    signs = ladder("++--", "+-  ", "++--", "+---", repeats=10)
    found = numbers(NAME, sheet(signs, rated(40)))
    assert found[QUESTION, "step_change"].n == 20
    assert found[QUESTION, "step_change"].value == pytest.approx(0.5)
    assert found[OPTIONS, "step_change"].n == 40
    assert "(n 20)" in verdict(NAME, sheet(signs, rated(40))).numbers


NEEDED, NOT_NEEDED = "Most of this score needs the question, the image or both", "needs neither question nor image"


@pytest.mark.parametrize(
    ("signs", "status", "said"),
    [
        (("++++-", "++---", "+----", "+----"), Status.PASS, NEEDED),
        (("++++-", "++++-", "++++-", "+----"), Status.PASS, NEEDED),
        (("++++-", "++++-", "++++-", "++++-"), Status.FAIL, NOT_NEEDED),
        (("++++-", "++++-", "+++--", "+++--"), Status.FAIL, NOT_NEEDED),
        (("+----", "+----", "+----", "+----"), Status.INCONCLUSIVE, "as asked it is not shown to be better than guess"),
        (("++--", "++--", "++--", "    "), Status.INCONCLUSIVE, "too few questions were asked both as asked and with"),
        *(
            (
                ("++++-", "++---", 5 * sign, 5 * sign),
                Status.INCONCLUSIVE,
                "100% of the questions, and missing answers alone",
            )
            for sign in "ox?t"
        ),
    ],
)
def test_the_verdict_is_about_the_last_step(signs, status, said):
    """A score that is left without question and image fails, whatever the steps before cost.

    Neither silence nor refusals nor what could not be read is a sign that the text is needed, or is not.
    """
    found = verdict(NAME, sheet(ladder(*signs)))
    assert (found.status, said in found.meaning) == (status, True), found
    assert status is not Status.INCONCLUSIVE or not {"needs", "is left"} & {*found.sentence.split()}


def test_the_numbers_are_told():
    """Accuracy beside chance, the share that is left, and the steps before."""
    found = verdict(NAME, sheet(ladder("++++-", "+++--", "+++--", "++---")))
    assert found.numbers == (
        "with the options alone, accuracy is 40% (95% CI 31 to 50; chance 20%): 33% of the accuracy above chance "
        "(95% CI 18 to 49) needs neither question nor image; "
        "accuracy was 80% as asked, 60% without the image, 60% with question and options alone"
    )
    assert found.rests_on is not None
    assert (found.rests_on.arm, found.rests_on.name) == (OPTIONS, "kept_above_chance")


def test_who_answers_some_is_judged_by_these_too():
    """Silence counts as a guess; who answers the rest by the options alone fails, and the sentence says how."""
    found = verdict(NAME, sheet(ladder("++++-", "++++-", "+++-o", "+++-o")))
    assert found.status is Status.FAIL
    assert (
        "counting the 20% without an answer as guesses (69% on the 80 answered under both conditions)" in found.numbers
    )
    few = verdict(NAME, sheet(ladder("+++++", "+++++", "oooo+", "oooo+")))
    assert few.status is Status.INCONCLUSIVE
    assert "needs neither" not in few.sentence


def test_the_threshold_is_the_studys():
    """A third is left: too much where no more than a tenth may be."""
    table = sheet(ladder("++++-", "+++--", "+++--", "++---"))
    strict = stress_test(NAME).with_settings(thresholds=Thresholds(image_dependence=0.1))
    assert verdict(NAME, table).status is Status.PASS
    assert verdict(strict, table).status is Status.FAIL


def test_luck_with_the_options_is_seldom_taken_for_more():
    """Over simulated studies of guesses, the corrected p is rarely small."""
    rng = np.random.default_rng(5)
    shown = 0
    for _ in range(100):
        table = sheet({OPTIONS: "".join(np.where(rng.random(60) < 0.2, "+", "-"))})
        p = numbers(NAME, table)[OPTIONS, "left_above_chance"].p
        shown += p is not None and p < 0.05
    assert shown <= 10


def examined(tmp_path, benchmark, *organisms):
    """The verdicts of some organisms, by their name."""
    models = [f"organism/{name}" for name in organisms]
    study = Study(models=models, benchmarks=[benchmark], tests=[NAME, "image-needed"], out=tmp_path)
    return {(each.model.partition("/")[2], each.test.name): each.verdict for each in results_of(study).findings}


def test_organisms_come_out_as_what_they_are(tmp_path):
    """One that sees passes; one that reads passes too, though it needs no image; silence is no pass."""
    told = examined(tmp_path, "phantoms:items=48,leak=0.8,seed=0", "mirage", "blind", "grounded", "refuser")
    assert told["mirage", NAME].status is Status.PASS
    assert told["blind", NAME].status is Status.PASS
    assert "keeps 100% above chance" in told["blind", "image-needed"].numbers
    assert told["grounded", NAME].status is Status.INCONCLUSIVE
    assert told["refuser", NAME].status is Status.INCONCLUSIVE


def test_who_goes_by_the_options_fails_where_these_give_the_answers_away(tmp_path):
    """Where the right option is the longest; elsewhere nothing is shown of it."""
    plain = load("phantoms:items=40,leak=0,seed=0")
    given_away = Benchmark("longest", tuple(map(lengthened, plain)))
    told = examined(tmp_path / "away", given_away, "longest-option", "mirage")
    assert told["longest-option", NAME].status is Status.FAIL
    assert "all of the accuracy above chance" in told["longest-option", NAME].numbers
    assert told["mirage", NAME].status is not Status.FAIL
    assert examined(tmp_path / "plain", plain, "longest-option")["longest-option", NAME].status is Status.INCONCLUSIVE


def lengthened(item):
    """The item with its right option longer than all others."""
    options = list(item.options)
    options[item.answer] = replace(
        options[item.answer], text=f"{options[item.answer].text}, seen clearly by any reader"
    )
    return replace(item, options=tuple(options))


def test_a_question_without_a_story_is_asked_once_without_its_image(tmp_path):
    """Two arms, one request; options alone are one request for all questions that have the same, and one has none."""
    sent = Counter()

    def answer(request):
        sent[request.text, bool(request.images)] += 1
        return "Answer: A"

    bare = [replace(item, context="") for item in items(6)]
    study = Study(models=[FakeModel(answer)], benchmarks=[Benchmark("b", tuple(bare))], tests=[NAME], out=tmp_path)
    found = results_of(study)
    assert set(sent.values()) == {1}
    alone = len({tuple(option.text for option in item.options) for item in bare})
    assert len(sent) == 6 + 6 + 6 + alone
    assert [len(table.arms[arm]) for table in found.tables.values() for arm in ARMS] == [6, 6, 6, 6]


def test_its_power_is_simulated():
    """A plan says what it would pass and what it would fail."""
    rows = power_table().find_rows(NAME)
    assert {row.right for row in rows if row.says} == {"pass", "fail"}
    assert len({row.says for row in rows if row.says}) == 2


@pytest.mark.parametrize("prompt", ["letter", "readiness", "mirage", "mirage-vqa-rad", "detection"])
def test_the_question_is_asked_with_its_options_and_without(tmp_path, prompt):
    """Both are sent; without them the answer is asked for in words, read as one of them, and has no chance."""
    asked = []

    def answer(request):
        asked.append(request.text)
        return "Answer: pleural effusion" if "nodule" not in request.text else "Answer: B"

    options = (Option("Pleural effusion"), Option("Lung nodule"), Option("Pneumothorax"))
    some = tuple(Item(f"{n}", f"A man of {n}. What is shown?", options, 0, (picture(n),)) for n in range(20, 26))
    asks = {"models": [FakeModel(answer)], "benchmarks": [Benchmark("b", some)], "tests": [NAME], "prompt": prompt}
    Study(**asks, out=tmp_path).ask(lambda progress: None)
    alone = [text for text in asked if "A man" not in text and "What is shown?" in text]
    assert any("Pneumothorax" in text for text in alone) is (prompt != "mirage-vqa-rad")
    assert any("Pneumothorax" not in text for text in alone)
    with Store.open(tmp_path) as store:
        [found] = score(store).findings
    assert found.measure(HIDDEN, "accuracy").estimate.value == 1
    for name in ("chance", "above_chance", "kept_above_chance", "step_change"):
        assert found.measure(HIDDEN, name) is None
    assert "100% with the question alone" in found.verdict.sentence
