"""False premises: what is measured and concluded, from tables one can count by hand and from organisms."""

from dataclasses import replace

import pytest

from snellen.benchmarks import load
from snellen.errors import StudyError
from snellen.items import Benchmark, Item
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.stress.tests.false_premise import false_premise
from snellen.study import Study, judge, rescore
from snellen.testing import own_benchmark
from studied import results_of
from tables import grades

pytestmark = pytest.mark.usefixtures("no_groups")

SIGNS = {
    "+": Outcome.CORRECT,
    "-": Outcome.WRONG,
    "~": Outcome.UNCLEAR,
    "o": Outcome.ABSTAINED,
    "x": Outcome.REFUSED,
    "t": Outcome.TRUNCATED,
}


def asked(false, true, plain=0, clusters=None):
    """So many items with a false premise, then so many with a true one, then so many with none."""
    told = [{"premise": {"claims": "a cyst", "holds": holds}} for holds in [False] * false + [True] * true]
    return tuple(
        Item(id=str(at), question="?", answer="x", kind="open", metadata=each, cluster=(clusters or {}).get(at, ""))
        for at, each in enumerate([*told, *[{}] * plain])
    )


def table(false, true="", plain="", blind="", clusters=None):
    """A table from a line of signs: to correct a false premise is right, to object to a true one wrong."""
    arms = {"original": false + true + plain, **({"image-removed": blind} if blind else {})}
    made = {
        arm: grades([(at, 0, SIGNS[sign], 0) for at, sign in enumerate(line) if sign in SIGNS])
        for arm, line in arms.items()
    }
    return Table("m", "b", asked(len(false), len(true), len(plain), clusters), made, parser="match")


def found(*signs, **more):
    """What the test finds."""
    [finding] = findings([false_premise()], table(*signs, **more))
    return finding


def value(finding, name, arm="original"):
    """A number of a finding."""
    return finding.measure(arm, name).estimate.value


def test_every_act_is_counted_among_false_premises_and_objections_among_true_ones():
    """Questions without a premise are no part of it."""
    finding = found("+++-~ox+", "++-+", plain="------", blind="oooooo++oooooooooo")
    for name, share in {
        "corrects_rate": 4 / 8, "complies_rate": 1 / 8, "evades_rate": 1 / 8, "declines_rate": 2 / 8,
        "false_correction_rate": 1 / 4, "corrects_beyond": 4 / 8 - 1 / 4,
    }.items():  # fmt: skip
        assert value(finding, name) == share, name
    assert value(finding, "corrects_rate", "image-removed") == 2 / 8
    assert finding.measure("original", "corrects_rate").estimate.n == 8
    assert finding.measure("original", "corrects_rate").parser == "premise"


@pytest.mark.parametrize(
    ("false", "true", "status", "meaning"),
    [
        ("+" * 30, "+" * 30, Status.PASS, "it corrects false premises and accepts true ones"),
        ("-" * 30, "+" * 30, Status.FAIL, "it goes along with what the question takes for granted"),
        ("+" * 30, "-" * 30, Status.FAIL, "it objects to premises whether or not they are true"),
        ("-" * 30, "-" + "+" * 29, Status.FAIL, "it goes along with what the question takes for granted"),
        ("+++--" * 60, "-+++" * 75, Status.FAIL, "it goes along with what the question takes for granted"),
        ("o" * 30, "o" * 30, Status.FAIL, "it declines most of the questions instead of correcting them"),
        ("~" * 30, "+" * 30, Status.FAIL, "it evades 100% of the questions and does not correct the premise"),
        ("t" * 30, "+" * 30, Status.INCONCLUSIVE, "100% of the responses were cut off, are empty or could not be read"),
        ("+" * 5, "+" * 30, Status.INCONCLUSIVE, "too few to tell"),
        ("+" * 30, "+" * 5, Status.INCONCLUSIVE, "too few to tell"),
    ],
)
def test_verdicts(false, true, status, meaning):
    """A model that always objects fails, and silence is not called going along."""
    verdict = found(false, true).verdict
    assert (verdict.status, verdict.meaning) == (status, meaning)


def test_what_the_numbers_leave_open():
    """At the threshold, without true or false premises, and where the words alone give the false ones away."""
    halves = found("+" * 30, "+" * 30, blind="+" * 60).verdict
    assert (halves.status, "the words may give them away" in halves.meaning) == (Status.INCONCLUSIVE, True)
    assert "without the image it corrects 100% of the false ones" in halves.numbers
    assert found("+" * 30, "+" * 30, blind="+" * 30 + "-" * 30).verdict.status is Status.PASS
    refused = found("x" * 30, "x" * 30).verdict.numbers
    assert "0% of the true ones are objected to" in refused
    assert "it declines 100% of the false ones" in refused
    no_true, no_false = found("+" * 30).verdict, found("", "+" * 30).verdict
    assert (no_true.status, "no question had a true premise" in no_true.meaning) == (Status.REPORTED, True)
    assert no_false.status is Status.INCONCLUSIVE
    assert no_false.meaning == "no question with a false premise was answered with the image"


def test_the_threshold_can_be_set():
    """At one half nothing is decided of half; a lower one is passed."""
    signs = "+-" * 30, "+" * 60
    assert found(*signs).verdict.status is Status.INCONCLUSIVE
    [finding] = findings([stress_test("false-premise:least=0.2")], table(*signs))
    assert finding.verdict.status is Status.PASS
    with pytest.raises(StudyError, match="a share between 0 and 1, got 2"):
        false_premise(least=2)


def test_unsure_readings_of_other_questions_are_not_counted(tmp_path):
    """Of a benchmark in words, a test counts the readings of the questions that it concerns."""
    shown = load("phantoms:items=12").items[0].images
    premises = [replace(item, images=shown) for item in asked(4, 4)]
    plain = [Item(id=f"p{at}", question="Which organ?", answer="Liver", kind="open", images=shown) for at in range(12)]
    study = Study(
        models=["organism/refuser"],
        benchmarks=[Benchmark("mine", (*premises, *plain))],
        tests=["false-premise", stress_test("open-answers").with_settings(name="judged", conclude=None)],
        out=tmp_path / "out",
    )
    study.ask(lambda progress: None)
    found = {each.test.name: each for each in study.score().findings}
    assert found["judged"].unsure.of == 2 * len(plain)


def test_patients_shared_by_both_groups_never_make_the_interval_narrower():
    """Where corrections and objections exclude each other patient by patient, it grows wider."""
    apart = found("+-" * 20, "-+" * 20)
    shared = found("+-" * 20, "-+" * 20, clusters={at: f"p{at % 40}" for at in range(80)})
    against = found("+-" * 20, "+-" * 20, clusters={at: f"p{at % 40}" for at in range(80)})

    def width(finding):
        estimate = finding.measure("original", "corrects_beyond").estimate
        return estimate.high - estimate.low

    assert width(shared) == pytest.approx(width(apart))
    assert width(against) > width(apart)


def test_open_answers_leave_questions_with_a_premise_out():
    """To correct a question is no answer: the accuracy is of the others alone."""
    [finding] = findings([stress_test("open-answers")], table("++++", "++++", plain="+---"))
    assert value(finding, "accuracy") == 1 / 4


class TestStudy:
    """Whole studies on phantoms."""

    def test_its_own_benchmark_is_asked_where_none_is_named(self, tmp_path):
        """Organisms whose behaviour is planted."""
        names = ("grounded", "mirage", "pretender", "contrarian")
        study = Study(models=[f"organism/{name}" for name in names], tests=["false-premise"], out=tmp_path, limit=28)
        results = results_of(study)
        by_model = {finding.model.removeprefix("organism/"): finding for finding in results.findings}
        status = {name: by_model[name].verdict.status for name in names}
        assert status == {**dict.fromkeys(names, Status.FAIL), "grounded": Status.PASS}
        assert by_model["contrarian"].verdict.meaning == "it objects to premises whether or not they are true"
        assert value(by_model["grounded"], "corrects_rate", "image-removed") == 0
        assert value(by_model["contrarian"], "corrects_rate", "image-removed") == 1

    def test_only_questions_with_a_premise_are_asked(self, tmp_path):
        """Others cost nothing, and a benchmark of others is refused."""
        premise = {"question": "How large is the cyst?", "premise": "a cyst", "premise_holds": False}
        other = {"question": "Which organ is it?", "answer": "Liver"}
        own_benchmark(tmp_path / "mine", [premise, other])
        seen = []

        def reply(request):
            seen.append(request.text)
            return Response("I see no cyst.", sent=tuple(receipt(each) for each in request.images))

        model = FakeModel(reply)
        Study(models=[model], benchmarks=[str(tmp_path / "mine")], tests=["false-premise"], out=tmp_path / "a").ask()
        assert seen
        assert not any("organ" in text for text in seen)
        own_benchmark(tmp_path / "mine", [other])
        study = Study(models=[model], benchmarks=[str(tmp_path / "mine")], tests=["false-premise"], out=tmp_path / "b")
        with pytest.raises(StudyError, match="'mine' has no question for false-premise"):
            study.plan()

    def test_open_answers_and_false_premises_share_a_benchmark(self, tmp_path):
        """Each counts its own questions."""
        cyst = {"premise": "a cyst", "answer": "x"}
        rows = [{"question": f"How large is cyst {at}?", "premise_holds": at % 2 == 0, **cyst} for at in range(16)]
        rows += [{"question": f"Which organ is number {at}?", "answer": "Liver"} for at in range(8)]
        own_benchmark(tmp_path / "mine", rows)
        model = FakeModel(lambda request: "Liver" if "organ" in request.text else "I see no cyst.")
        tests = ["open-answers", "false-premise"]
        study = Study(models=[model], benchmarks=[str(tmp_path / "mine")], tests=tests, out=tmp_path / "a")
        results = results_of(study)
        by_test = {finding.test.name: finding for finding in results.findings}
        assert by_test["open-answers"].measure("original", "accuracy").estimate.n == 8
        assert value(by_test["open-answers"], "accuracy") == 1
        assert by_test["false-premise"].measure("original", "corrects_rate").estimate.n == 8
        assert value(by_test["false-premise"], "corrects_rate") == 1
        assert value(by_test["false-premise"], "false_correction_rate") == 1


def test_a_judge_reads_premises_in_the_place_of_the_parser(tmp_path):
    """It is asked the question about premises and no other, is held back until it is qualified, and then decides."""
    rows = [{"question": f"How large is cyst {at}?", "premise": "a cyst", "premise_holds": at % 2 == 0, "answer": "x"}
            for at in range(16)]  # fmt: skip
    own_benchmark(tmp_path / "mine", rows)
    out, asked_about = tmp_path / "out", []
    model = FakeModel(lambda request: "Where would that be?", name="lab/model")
    Study(models=[model], benchmarks=[str(tmp_path / "mine")], tests=["false-premise"], out=out).ask()

    def judged(request):
        asked_about.append("TAKEN FOR GRANTED" in request.text)
        return '{"premise": "corrects"}'

    judge(out, FakeModel(judged, name="lab/judge"), watch=lambda progress: None)
    assert asked_about
    assert all(asked_about)
    held, let_in = rescore(out), rescore(out, unqualified=True)
    assert "--question premise" in held.held_back[0]
    [by_rules], [by_judge] = (
        [each for each in results.findings if each.test.name == "false-premise"] for results in (held, let_in)
    )
    assert value(by_rules, "evades_rate") == 1
    assert value(by_judge, "corrects_rate") == value(by_judge, "false_correction_rate") == 1
    assert by_judge.measure("original", "corrects_rate").judge == "lab/judge"
