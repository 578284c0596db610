"""Arms that degrade images: known again when answers are brought along, whatever was degraded, how, by which prompt."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import load
from snellen.imports.conditions import arm_name
from snellen.imports.storing import artefact_tests
from snellen.models.fake import FakeModel
from snellen.perturb.artefacts import ARTEFACTS
from snellen.stress import stress_test
from snellen.study import Study, bring, export, publish, rescore
from studied import results_of

pytestmark = pytest.mark.usefixtures("no_groups")

MEASURED_OF_IMAGES = {"ssim", "psnr", "threshold_ssim"}
"""What rows of replies do not hold."""


def names(*arms):
    return [test.name for test in artefact_tests(arms)]


def test_a_whole_study_of_artefacts_comes_back_from_its_rows(tmp_path):
    """Three prompts, a compound and a curve: every test is known again, and has every number that replies can give."""
    model = FakeModel(
        lambda request: "normal" if request.key[0] % 2 else "The image is too blurred to read.", name="f/m"
    )
    study = Study(
        models=[model],
        benchmarks=[load("phantoms:task=detection,items=4")],
        tests=["artefacts:noise/crop,low-contrast"],
        out=tmp_path / "run",
    )
    study.ask(lambda progress: None)
    export(tmp_path / "run", tmp_path / "answers.jsonl")
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    run, again = (by_test(rescore(tmp_path / folder)) for folder in ("run", "again"))
    assert len(run) == 8
    assert run == again


def by_test(results):
    """What was measured of replies, by test; corrected p-values hang on what other tests there are."""
    found = {}
    for row in results.rows():
        if row["measure"] not in MEASURED_OF_IMAGES:
            del row["p_adjusted"]
            found.setdefault(row["test"], set()).add(tuple(row.values()))
    return found


def test_what_hangs_on_no_parser_stands_once(tmp_path):
    """A second parser beside the first repeats no number that neither has a part in."""
    model = FakeModel(lambda request: "normal", name="f/m")
    benchmarks = [load("phantoms:task=detection,items=4")]
    tests = ["artefacts:blur,prompts=standard"]
    results = results_of(Study(models=[model], benchmarks=benchmarks, tests=tests, out=tmp_path))
    assert results.beside
    key = ("model", "benchmark", "test", "arm", "parser", "measure")
    counted = Counter(tuple(row[name] for name in key) for row in results.rows())
    by_parser = {measure: {key[-2] for key in counted if key[-1] == measure} for *_, measure in counted}
    assert by_parser["ssim"] == by_parser["missing_rate"] == {""}
    assert by_parser["quality_mentioned_rate"] == {"quality"}
    assert by_parser["accuracy"] == {"lenient", "detection-as-published"}
    assert max(counted.values()) == 1


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        (("original", "degraded:blur,weak"), ["weak-artefacts:blur"]),
        (("degraded:blur,weak",), []),
        (("original", "degraded:blur,weak", "degraded:blur,strong"), ["weak-artefacts:blur", "strong-artefacts:blur"]),
        (("original", "degraded:blur,0.3"), []),
        (("original", "degraded:blur,weak+detection-cot"), []),
        (
            ("original+detection-cot", "degraded:noise/blur,weak,scale=stretched+detection-cot"),
            ["weak-artefacts:noise/blur,prompt=cot,scale=stretched"],
        ),
        (("original", "degraded:jpeg,weak", "degraded:noise,weak"), ["weak-artefacts:noise,jpeg"]),
        (
            ("original", *(f"degraded:{name},{how}" for name in ("jpeg", "noise") for how in ("weak", "strong"))),
            ["weak-artefacts:noise,jpeg", "strong-artefacts:noise,jpeg", "pooled-artefacts:noise,jpeg,prompts=own"],
        ),
    ],
)
def test_the_tests_are_those_that_the_arms_allow(arms, expected):
    """With a baseline in the same words, and with the artefacts that were asked and no other."""
    assert names(*arms) == expected


@given(st.lists(st.sampled_from(list(ARTEFACTS)), min_size=1, unique=True), st.integers(3, 20))
def test_the_arms_of_a_curve_lead_back_to_it(artefacts, steps):
    """A curve of any number of steps is known by its arms, the paper's five as the default."""
    test = stress_test(f"dose-response:{','.join(artefacts)},steps={steps}")
    found = [each for each in artefact_tests([arm.name for arm in test.all_arms]) if each.name.startswith("dose")]
    assert [{arm.name for arm in each.all_arms} for each in found] == [{arm.name for arm in test.all_arms}]


@pytest.mark.parametrize(
    "name", ["degraded:noise,weak+detection-structured", "image-blank:fill=noise+cot", "degraded:crop,0.25+cot+high"]
)
def test_an_arm_may_end_in_a_way_of_asking(name):
    """A prompt, a change of its words and an effort are part of an arm's name, as an export writes it."""
    assert arm_name(name) == name


def test_an_arm_of_no_test_does_not_stop_the_report(tmp_path):
    """A severity that no test asks for is kept and shown, though nothing is concluded from it."""
    item = {"item_id": "1", "question": "Tumour?", "options": ["tumour", "normal"], "answer": "normal"}
    rows = [
        {**item, "model": "a/m", "benchmark": "b", "arm": arm, "replicate": 1, "response": "normal"}
        for arm in ("original", "degraded:blur,0.3", "image-blank:fill=noise+cot")
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    bring([tmp_path / "answers.jsonl"], tmp_path / "out", format="jsonl")
    publish(tmp_path / "out")
    assert "blur, severity 0.3" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
