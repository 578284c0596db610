"""The mirage suite on the organisms: what is planted is what is found."""

from dataclasses import replace

import pytest

from snellen.benchmarks import load
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.models.organisms import open_organism
from snellen.models.organisms.memoriser import Memoriser
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.base import Status
from snellen.study import Study
from strategies import items

LEAK = 0.5
NAMES = ("mirage", "refuser", "blind", "grounded", "random")
BLIND = "image-removed"


@pytest.fixture(scope="module")
def results(no_groups, tmp_path_factory):
    """All parts of the suite, each question of the benchmark asked twice."""
    out = tmp_path_factory.mktemp("suite")
    models = [*map(open_organism, NAMES), Memoriser(items=40, leak=LEAK, cue="name")]
    study = Study(
        models=models,
        benchmarks=(f"phantoms:leak={LEAK},items=40",),
        tests=("mirage:seeds=4",),
        limit=40,
        epochs=2,
        out=out,
        canary=False,
    )
    study.ask(lambda progress: None)
    with Store.open(out) as store:
        return score(store)


@pytest.fixture
def find(results):
    """The finding of a test on a model."""

    def found(test, model):
        [finding] = [
            each
            for each in results.findings
            if each.test.name.partition(":")[0] == test and each.model == f"organism/{model}"
        ]
        return finding

    return found


def test_who_describes_and_who_does_not(find):
    """The organism that imagines does so always, under every scaffold; who refuses or looks never does."""
    for arm in find("mirage-rate", "mirage").test.all_arms:
        for name, rate in (("mirage", 1), ("refuser", 0), ("grounded", 0)):
            assert find("mirage-rate", name).measure(arm.name, "mirage_rate").estimate.value == rate
    assert find("mirage-rate", "mirage").verdict.status is Status.FAIL
    assert find("mirage-rate", "refuser").verdict.status is Status.PASS
    assert find("mirage-rate", "grounded").verdict.status is Status.PASS


def test_who_admits_and_who_only_refuses(find):
    """One says that there is no image; the other declines without a word about it."""
    assert find("mirage-rate", "grounded").measure("no-image+bare", "missing_share").estimate.value == 1
    assert find("mirage-rate", "refuser").measure("no-image+bare", "refuses_share").estimate.value == 1


def test_the_leak_is_read_from_the_mirage_score(find):
    """Of what is above guessing, the organism keeps what the text gives away."""
    kept = find("mirage-score", "mirage").measure(BLIND, "mirage_score_above_chance").estimate
    assert kept.low <= LEAK <= kept.high
    assert find("mirage-score", "blind").measure(BLIND, "mirage_score").estimate.value == 1
    assert find("mirage-score", "grounded").measure(BLIND, "mirage_score").estimate.value == 0


def test_who_never_looks_has_no_signal(find):
    """Blind and memoriser answer alike both ways; who looks moves; silence alone and a guesser's moves show nothing."""
    for name in ("blind", "memoriser"):
        assert find("grounding-signal", name).measure(BLIND, "grounding_signal").estimate.value == 0
    guessed = find("grounding-signal", "random").measure(BLIND, "grounding_signal").estimate
    assert guessed.low <= 0 <= guessed.high
    assert find("grounding-signal", "grounded").measure(BLIND, "grounding_signal").estimate.value == 1
    assert find("grounding-signal", "grounded").verdict.status is Status.INCONCLUSIVE
    assert find("grounding-signal", "mirage").verdict.status is Status.PASS
    assert find("grounding-signal", "refuser").verdict.status is Status.INCONCLUSIVE


def test_who_grows_wary_when_told_to_guess(find):
    """Half of what the text gives away is lost to the organism that imagines; who never cared loses nothing."""
    loss = find("guess-mode", "mirage").measure(f"{BLIND}+guess", "difference").estimate
    assert loss.high < 0
    assert find("guess-mode", "blind").measure(f"{BLIND}+guess", "difference").estimate.value == 0


def test_who_knows_the_benchmark_by_name(find):
    """The name helps the one that has learnt the benchmark under it, and nobody else."""
    assert find("dataset-name", "memoriser").verdict.status is Status.FAIL
    assert find("dataset-name", "memoriser").measure(f"{BLIND}+named", "difference").estimate.low > 0.05
    for name in ("mirage", "blind", "grounded"):
        assert find("dataset-name", name).measure(f"{BLIND}+named", "difference").estimate.value == 0


def test_the_benchmarks_own_mean_leaves_out_who_has_no_score(results):
    """The refuser gets nothing right, so it has no mirage score: the mean says that it is of five models."""
    [mean] = [each for each in results.over_all if each.model == "all models"]
    assert "of 5 of 6 models" in mean.measure(BLIND, "mean_mirage_score").estimate.method


def test_own_questions_are_apart_from_the_benchmark(results):
    """No test of the benchmark is asked on the suite's own questions, nor the other way round."""
    for finding in results.findings:
        own = finding.test.questions
        assert finding.benchmark == own if own else finding.benchmark.startswith("phantoms")


def test_a_prompt_that_names_no_benchmark_is_given_the_name(tmp_path):
    """Under our own prompt the name stands in a sentence of its own; each request is asked once."""
    asked = []
    model = FakeModel(lambda request: asked.append(request) or "Answer: A", name="fake/m")
    study = Study(
        models=[model],
        benchmarks=[Benchmark("mine", items(3))],
        tests=["dataset-name", "image-needed"],
        prompt="letter",
        out=tmp_path,
    )
    study.ask(lambda progress: None)
    systems = [request.system for request in asked if not request.images]
    assert sorted(systems) == [""] * 3 + ["The question is from the mine dataset."] * 3


def test_some_of_the_questions_can_be_given_as_a_benchmark():
    """Given under their name, they are asked in place of all; one that has an image after all is not sent."""
    some = Benchmark(
        "mirage-questions", (*load("mirage-questions").items[:2], replace(items(1)[0], kind="open", answer="x"))
    )
    plan = Study(models=["organism/mirage"], benchmarks=[some], tests=["mirage-rate:none"]).plan()
    assert [len(benchmark) for benchmark in plan.benchmarks] == [3]
    [count] = plan.counts()
    assert (count.requests, sum(count.inapplicable.values())) == (2, 0)


def test_a_benchmark_that_no_test_asks_is_refused():
    """Named beside a test that brings its own questions, it would be loaded for nothing."""
    with pytest.raises(StudyError, match=r"applies to 'mine': mirage-rate bring"):
        Study(models=["organism/mirage"], benchmarks=[Benchmark("mine", items(3))], tests=["mirage-rate"]).plan()


def test_a_prompt_in_words_cannot_show_changed_options():
    """VQA-RAD's published prompt lists no options, so their order cannot be tested under it."""
    benchmark = Benchmark("vqa-rad", items(3, options=2))
    with pytest.raises(StudyError, match="changes the options"):
        Study(
            models=["organism/mirage"], benchmarks=[benchmark], tests=["option-order"], prompt="mirage", out="x"
        ).plan().arms_of(benchmark)
