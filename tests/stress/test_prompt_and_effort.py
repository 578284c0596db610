"""Any test in other words or at another effort: asked so throughout, and measured as the test would be without."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.asking.plan import Plan
from snellen.benchmarks import load
from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, WITH_STEPS, Arm
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Expectation, StressTest
from snellen.stress.prompt_and_effort import asked_with
from snellen.study import Study
from snellen.testing import check_no_key
from strategies import choices, items
from tables import rated, sheet, verdict

OWN_PROMPT = {"mirage-rate", "mirage-bias", "weak-artefacts", "strong-artefacts", "dose-response", "pooled-artefacts"}
"""Tests that word their questions themselves, or have a setting `prompt` of their own."""
OWN_WORDS = {*OWN_PROMPT, "chain-of-thought", "blank-chain-of-thought", "guess-mode", "dataset-name"}
"""Those, and tests that are about a change of the words."""
OWN_EFFORT = {"reasoning-effort"}
ONE_CONDITION = {"mirage-bias", "pathway-choices", "comparison"}
LOCAL = [name for name in MEMBERS if name != "comparison"]
OPEN = tuple(replace(item, kind="open", options=(), answer="a mass") for item in items(12))
REPORTS = tuple(replace(item, kind="report", options=(), answer="FINDINGS: A mass.") for item in items(12))
RIGHT, WRONG = "+" * 60, "-" * 60


@pytest.mark.parametrize("name", MEMBERS)
def test_every_test_takes_a_prompt_or_says_why_not(name):
    """Every condition is asked by the prompt; a test that has words of its own refuses in a sentence."""
    if name in OWN_PROMPT:
        with pytest.raises(StudyError, match=r"uses its own questions|no prompt strategy"):
            stress_test(f"{name}:prompt=readiness")
        return
    made = stress_test(f"{name}:prompt=readiness")
    assert {arm.prompt.name for arm in made.all_arms} == {"readiness"}
    assert all("+readiness" in arm.name for arm in made.all_arms)
    assert [arm.rewording for arm in made.all_arms] == [arm.rewording for arm in stress_test(name).all_arms]


@pytest.mark.parametrize("name", MEMBERS)
def test_every_test_takes_steps_or_says_why_not(name):
    """The same prompt with steps, whatever the prompt is."""
    if name in OWN_WORDS - {"weak-artefacts", "strong-artefacts", "dose-response"}:
        with pytest.raises(
            StudyError, match=r"uses its own questions|asks for steps itself|already changes the wording"
        ):
            stress_test(f"{name}:prompt=cot")
        return
    made = stress_test(f"{name}:prompt=cot")
    if name in OWN_PROMPT:
        assert {arm.prompt.name for arm in made.all_arms} == {"detection-cot"}
    else:
        assert {arm.rewording for arm in made.all_arms} == {WITH_STEPS}


@pytest.mark.parametrize("name", MEMBERS)
def test_every_test_takes_an_effort_or_says_why_not(name):
    """Every condition is asked at it, and keeps its other settings."""
    if name in OWN_EFFORT:
        with pytest.raises(StudyError, match="sets efforts itself"):
            stress_test(f"{name}:effort=high")
        return
    made = stress_test(f"{name}:effort=high")
    assert {arm.effort for arm in made.all_arms} == {"high"}
    for arm, old in zip(made.all_arms, stress_test(name).all_arms, strict=True):
        assert arm.name == f"{old.name}+high"
        assert replace(arm.settings, reasoning_effort=None) == (old.settings or PROVIDER_DEFAULTS)


@pytest.mark.parametrize("name", [each for each in MEMBERS if each not in {*OWN_EFFORT, "mirage-rate"}])
def test_the_baseline_may_have_another_effort_than_the_rest(name):
    """`high/medium`: the first is the baseline's; the verdict says that two things differ."""
    if name in ONE_CONDITION:
        with pytest.raises(StudyError, match="takes one effort"):
            stress_test(f"{name}:effort=high/medium")
        return
    made = stress_test(f"{name}:effort=high/medium")
    assert [arm.effort for arm in made.all_arms] == ["high", *["medium"] * len(made.compared)]


@pytest.mark.parametrize("way", ["prompt=cot", "prompt=readiness", "effort=low", "prompt=letter-cot,effort=none"])
def test_a_name_makes_the_test_again(way):
    """So that a stored study is scored by the tests that it was asked with."""
    for name in MEMBERS:
        try:
            made = stress_test(f"{name}:{way}")
        except StudyError:
            continue
        again = stress_test(made.name)
        assert (again.name, again.all_arms, again.headline) == (made.name, made.all_arms, made.headline)
        assert made.name != name


@pytest.mark.parametrize("way", ["prompt=cot", "prompt=letter-cot", "effort=high/low"])
@pytest.mark.parametrize("name", LOCAL)
def test_every_test_plans_and_no_request_holds_the_key(name, way):
    """With these settings a test still finds its conditions, each asked so, and none depends on the right answer."""
    try:
        test = stress_test(f"{name}:{way}").design
    except StudyError:
        return
    of_kind = {"choice": items(12), "open": OPEN, "report": REPORTS}[test.item_kind]
    asked = load(test.questions) if test.questions else Benchmark("b", of_kind)
    answering = FakeModel(lambda request: "Answer: A")
    plan = Plan((asked,), (answering,), (test,), PROMPTS["letter"], PROVIDER_DEFAULTS, limit=4)
    if test.item_kind == "report" and way == "prompt=cot":
        with pytest.raises(StudyError, match="no wording for them"):
            plan.arms_of(asked)
        return
    arms = plan.arms_of(asked)
    usual, possible = ({arm.name for arm in each} for each in (test.all_arms, test.possible_arms))
    assert usual <= {arm.name for arm in arms} <= possible
    for arm in arms:
        if "effort" in way:
            assert arm.settings.reasoning_effort in ("high", "low")
        if "prompt" in way and name not in OWN_PROMPT and test.item_kind != "report":
            wording = arm.prompt.for_item(asked.items[0])
            assert "step by step" in wording.user
    for arm in test.all_arms:
        check_no_key(arm, asked.items[:4])


@settings(max_examples=8)
@given(
    item=choices(images=True), way=st.sampled_from(["prompt=cot", "effort=high", "prompt=readiness,effort=none/low"])
)
def test_no_request_depends_on_the_answer_of_any_item(item, way):
    """Whatever is asked, in whatever words."""
    for arm in stress_test(f"blank-image:{way}").all_arms:
        check_no_key(arm, [item])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("image-needed:effort=huge", "Expected an effort among none, minimal, low, medium, high, got 'huge'."),
        ("image-needed:effort=high/high", "names the same effort twice"),
        ("image-needed:effort=high/low/none", "takes one effort, or two"),
        ("image-needed:effort=", "sets effort to nothing"),
        ("image-needed:effort=low,effort=high", "sets effort twice"),
        ("image-needed:prompt=nobody", "There is no prompt 'nobody'"),
        ("image-needed:fill=white", "takes no settings except prompt and effort, got 'fill=white'"),
        ("comparison:mine,effort=high", "were imported, so no model is asked"),
        ("mirage-rate:effort=none/huge", "got 'huge'"),
    ],
)
def test_what_cannot_be_asked_is_said(spec, said):
    """In a sentence that says what is possible."""
    with pytest.raises(StudyError, match=said.replace("?", r"\?")):
        stress_test(spec)


def test_a_test_is_measured_and_concluded_as_without_the_settings():
    """The same responses under other names of conditions give the same numbers, and the sentence says how."""
    plainly = {"original": RIGHT, "image-removed": WRONG}
    otherwise = {"original+cot+high": RIGHT, "image-removed+cot+high": WRONG}
    for name in ("image-needed", "visual-necessity:rating=needs", "mirage-score", "image-used:rating=needs"):
        spec = f"{name}{',' if ':' in name else ':'}prompt=cot,effort=high"
        one, two = verdict(name, sheet(plainly)), verdict(spec, sheet(otherwise))
        assert two.status == one.status
        assert two.numbers.startswith(one.numbers)
        assert "every condition is asked to reason step by step, at high effort" in two.numbers
        assert two.rests_on.arm == f"{one.rests_on.arm}+cot+high"
        assert two.rests_on.estimate == one.rests_on.estimate


def test_conditions_of_other_tests_do_not_enter():
    """The plain conditions of another test in the same study stay out of a test at an effort."""
    found = sheet({"original": WRONG, "options-only": RIGHT, "original+high": RIGHT, "options-only+high": WRONG})
    assert verdict("text-needed:effort=high", found).status == "pass"


def test_a_verdict_without_numbers_says_how_it_was_asked():
    """Where nothing was measured."""
    said = verdict("image-needed:effort=high", sheet({"original+high": RIGHT})).sentence
    assert "at high effort" in said


def test_two_efforts_are_told_as_two_changes():
    """The original at high effort and no image at medium: the difference is not the image's alone."""
    found = sheet({"original+high": RIGHT, "image-removed+medium": WRONG})
    said = verdict("mirage-score:effort=high/medium", found).numbers
    assert "at high effort and the other conditions at medium effort, so the comparison mixes two changes" in said


def test_a_plug_in_test_takes_them_too():
    """The settings are nothing that a test has to know."""
    mine = StressTest("mine", "Is it?", (Arm(ORIGINAL, rewording=WITH_STEPS),), Expectation.UNKNOWN)
    assert [arm.name for arm in asked_with(mine, effort="low").all_arms] == ["original+low", "original+cot+low"]
    assert asked_with(mine) is mine


def test_open_questions_are_asked_for_steps_in_their_own_words():
    """The answer in words keeps its last line, and a benchmark that words its questions itself is not asked."""
    assert "step by step" in PROMPTS["letter-cot"].tasks["open"].user
    asked = Benchmark("b", OPEN)
    study = Study(models=["organism/blind"], benchmarks=[asked], tests=["open-answers:prompt=cot"])
    for arm in study.plan().arms_of(asked):
        assert "step by step" in arm.prompt.for_item(OPEN[0]).user
    worded = replace(asked, about={"prompts": {"open": {"user": "{question} In a word."}}})
    for other in (replace(study, prompt="readiness"), replace(study, benchmarks=[worded])):
        with pytest.raises(StudyError, match="asks for steps before an answer, but"):
            other.plan().arms_of(other.plan().benchmarks[0])


def test_scores_over_benchmarks_and_models_are_made_of_the_same_conditions():
    """The mean mirage score of a test at an effort is that of its own responses."""
    test = stress_test("mirage-score:effort=high")
    tables = [replace(sheet({"original+high": RIGHT, "image-removed+high": line}), benchmark=name)
              for name, line in (("a", WRONG), ("b", RIGHT))]  # fmt: skip
    [over] = test.spanning(test, tables)
    [models] = test.over_models(test, [replace(tables[0], model=name) for name in "mn"])
    assert (over.arm, round(over.estimate.value, 2), models.estimate.value) == ("image-removed+high", 0.5, 0)


def test_the_items_that_need_the_image_are_the_same():
    """A choice of items that a test's settings make is kept."""
    found = sheet({"original+high": RIGHT, "image-removed+high": WRONG}, rated(60))
    assert "60 questions that need the image" in verdict("visual-necessity:rating=needs,effort=high", found).numbers
