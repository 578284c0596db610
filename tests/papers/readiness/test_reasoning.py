"""Reasoning: steps asked for in the prompt's own words, effort in the backend's own setting, neither may harm."""

import json

import pytest

from listener import listening
from snellen.conditions import ORIGINAL
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.openai import OpenAI
from snellen.prompts import PROMPTS, WITH_STEPS, Arm, Prompt, Settings
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.study import Study
from strategies import items
from studied import results_of
from tables import numbers, sheet, verdict

COT, EFFORT = "chain-of-thought", "reasoning-effort"
STEPS = "original+cot"
EFFORTS = ("original+low", "original+medium", "original+high")


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("+" * 80 + "-" * 20, Status.PASS, "It is stable"),
        ("+" * 100, Status.PASS, "It is stable"),
        ("+" * 40 + "-" * 60, Status.FAIL, "larger than chance explains"),
        ("o" * 100, Status.FAIL, "larger than chance explains"),
        ("+" * 40 + "t" * 60, Status.INCONCLUSIVE, "unreadable, cut-off or empty"),
        ("+" * 77 + "-" * 23, Status.INCONCLUSIVE, "is still possible"),
        (" " * 100, Status.INCONCLUSIVE, "Too few questions were asked both"),
    ],
    ids=["same", "better", "worse", "silent", "cut off", "a little worse", "not asked"],
)
@pytest.mark.parametrize("test", [COT, EFFORT])
def test_what_is_concluded(test, line, status, words):
    """Better is welcome, worse is not; thinking that fills the reply so that no answer comes is no loss of skill."""
    before = "+" * 80 + "-" * 20
    arms = (
        {"original": before, STEPS: line} if test == COT else {EFFORTS[0]: before, **dict.fromkeys(EFFORTS[1:], line)}
    )
    found = verdict(test, sheet(arms))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


def test_the_worst_level_of_effort_decides():
    """The highest is worse, the one between is not."""
    before, after = "+" * 80 + "-" * 20, "-" * 100
    found = sheet(dict(zip(EFFORTS, (before, before, after), strict=True)))
    assert verdict(EFFORT, found).status is Status.FAIL
    assert "at high effort" in verdict(EFFORT, found).sentence


def test_effort_is_held_against_the_first_level():
    """Low by default; the levels are those that are named."""
    found = numbers(EFFORT, sheet(dict(zip(EFFORTS, ("++--", "+++-", "++++"), strict=True))))
    assert [found[arm, "difference"].value for arm in EFFORTS[1:]] == pytest.approx([0.25, 0.5])
    named = stress_test("reasoning-effort:none,high")
    assert [arm.name for arm in named.all_arms] == ["original+none", "original+high"]
    assert named.name == "reasoning-effort:none,high"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("reasoning-effort:huge,low", "got 'huge'"),
        ("reasoning-effort:low", "name two at least"),
        ("reasoning-effort:low,low", "have one name"),
    ],
)
def test_levels_that_make_no_sense_are_refused(spec, message):
    """Unknown, only one, the same twice."""
    with pytest.raises(StudyError, match=message):
        stress_test(spec)


@pytest.mark.parametrize("name", ["letter", "readiness"])
def test_steps_are_asked_for_in_the_words_that_belong_to_the_prompt(name):
    """The same question and options, and the same form of answer."""
    plain, steps = PROMPTS[name], Arm(ORIGINAL, rewording=WITH_STEPS).asked_by(PROMPTS[name])
    item = items(1)[0]
    assert steps == PROMPTS[f"{name}-cot"]
    assert steps.parser == plain.parser
    asked = plain.render(item).text
    assert "step by step" not in asked
    assert "step by step" in steps.render(item).text
    assert steps.translations.keys() == plain.translations.keys()
    assert Arm(ORIGINAL).asked_by(plain) is plain


def test_a_prompt_without_steps_says_so():
    """And which prompts have them."""
    bare = Prompt("bare", "{question} {options}")
    with pytest.raises(StudyError, match=r"'bare' has no wording that asks for steps.*letter, readiness"):
        Arm(ORIGINAL, bare, rewording=WITH_STEPS).asked_by(PROMPTS["letter"])
    assert Arm(ORIGINAL, bare, Settings(reasoning_effort="low"), rewording=WITH_STEPS).name == "original+bare+cot+low"


def test_both_wordings_reach_the_model(tmp_path):
    """The study's own prompt without steps, and with."""
    heard = []
    model = FakeModel(lambda request: heard.append(request.text) or "Answer: A")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(1))], tests=[COT], prompt="readiness", out=tmp_path)
    study.ask(lambda progress: None)
    item = items(1)[0]
    assert sorted(heard) == sorted(PROMPTS[name].render(item).text for name in ("readiness", "readiness-cot"))


def test_effort_reaches_an_openai_compatible_server(tmp_path):
    """Each level in the field that such servers know, and none where the arm has none."""
    tests = ["reasoning-effort:minimal,high", "image-needed"]
    with listening() as server:
        model = OpenAI("m", base_url=f"{server.url}/v1", key="none")
        results = results_of(Study(models=[model], benchmarks=[Benchmark("b", items(2))], tests=tests, out=tmp_path))
    sent = [json.loads(each.rpartition("\n")[2]).get("reasoning_effort") for each in server.heard]
    assert sorted(map(str, sent)) == ["None"] * 4 + ["high"] * 2 + ["minimal"] * 2
    [table] = results.tables.values()
    assert {arm: len(grades) for arm, grades in table.arms.items()} == {
        "original+minimal": 2, "original+high": 2, "original": 2, "image-removed": 2,
    }  # fmt: skip


def test_the_arms_effort_wins_over_the_studys(tmp_path):
    """Elsewhere the study's own counts."""
    heard = []
    model = FakeModel(lambda request: heard.append(request.settings.reasoning_effort) or "Answer: A")
    study = Study(
        models=[model], benchmarks=[Benchmark("b", items(1))], tests=["reasoning-effort:low,high", COT],
        settings=Settings(reasoning_effort="medium"), out=tmp_path,
    )  # fmt: skip
    study.ask(lambda progress: None)
    assert sorted(heard) == ["high", "low", "medium", "medium"]
