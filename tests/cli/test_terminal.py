"""What the commands say at the end of a run."""

from dataclasses import replace

import pytest

from snellen.asking.run import RunProgress
from snellen.cli.asking import show_plan
from snellen.cli.terminal import say_failures, say_unanswered, show_results
from snellen.items import Benchmark
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.headline import headline
from snellen.store import Store
from snellen.stress.base import Status, Verdict
from snellen.study import Study, rescore
from snellen.tools.planner.power import power_of
from strategies import items


def test_what_servers_say_does_nothing_to_the_terminal(capsys):
    """Escapes in a model's name or a server's error are spelled out, and markup stays text."""
    evil = "[red]x\x1b]0;owned\x07\r"
    say_failures(RunProgress(failed=2, unusable={evil: evil}, errors={evil: evil, f"other {evil}": evil}))
    said = capsys.readouterr().err
    assert said.count("[red]x⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+000D⟩") == 4
    assert "\x1b" not in said


def printed(tmp_path, capsys, **how):
    """What is printed of a study of a model that answers every question with B, and its headline."""
    model = FakeModel(lambda request: "Answer: B", name="fake/b")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(12))], out=tmp_path, **how)
    study.ask(lambda progress: None)
    results = rescore(tmp_path)
    show_results(results, verbose=True)
    with Store.open(tmp_path) as store:
        return capsys.readouterr().out, headline(Evidence(results, store))


def test_accuracy_is_printed_with_n_and_interval(tmp_path, capsys):
    """Whatever can be compared; what is said of a model without images is true, and the headline has its number."""
    number = "25% (9 to 53) {} (n = 12 questions); guessing scores 20%"
    said, _ = printed(tmp_path / "seeing", capsys, tests=["option-order"])
    assert f"  accuracy                   reported        {number.format('with the original image')}\n" in said
    said, head = printed(tmp_path / "unseeing", capsys, text_only=["fake/b"])
    assert f"  accuracy                   reported        {number.format('without the image')}\n" in said
    assert said.count("reported        Nothing was asked with the original image") == 4
    assert "nothing was asked without" not in said
    assert head.found == f"Accuracy: fake/b {number.format('without the image')}".replace("(9", "(95% CI 9")
    assert head.meaning == "Nothing was asked with the original image"


EXAM = "phantoms:items=120,leak=0.5"
SIX = {
    "grounded": ("100% (95 to 100)  pass     pass     pass", ""),
    "positional": ("100% (95 to 100)  pass     pass     FAIL", "the order of the options adds 84 points"),
    "mirage": ("100% (95 to 100)  pass     FAIL     pass", "98% invent findings without an image"),
    "blind": ("63% (54 to 72)    FAIL     FAIL     pass", "keeps its answer when the image shows another patient"),
    "random": ("33% (24 to 44)    not decided: not shown to beat guessing (29%)", ""),
    "refuser": ("0% (0 to 5)       not applicable: answers no question", ""),
}
"""The line of each organism in the tests that are asked when no other is named: score, marks, one short sentence."""


@pytest.mark.usefixtures("no_groups")
def test_the_default_exam_is_a_line_for_each_model(tmp_path, capsys):
    """With its marks and why, then the benchmark's line, trust and the report; --verbose lists every test of each."""
    study = Study(models=[f"organism/{name}" for name in SIX], benchmarks=[EXAM], out=tmp_path)
    study.ask(lambda progress: None)
    results = rescore(tmp_path)
    capsys.readouterr()
    show_results(results)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 14
    assert " ".join(lines[0].split()) == "phantoms (items 120, leak 0.5), n 120 follows honest steady"
    for line, (name, (cells, why)) in zip(lines[1:7], SIX.items(), strict=True):
        assert line.split()[: len(cells.split()) + 1] == [name, *cells.split()]
        assert why in line
    said = "the best of these models scores 63% (54 to 72); guessing scores 29%; that is 48% (38 to 59)"
    said += " of the best model's skill; the limit is half: not decided."
    assert lines[7] == f"Score possible without images: {said}"
    assert lines[8].startswith("Trust: ")
    assert lines[-1].endswith("report.html (all tests: --verbose)")
    show_results(results, verbose=True)
    whole = capsys.readouterr().out
    for finding in (*results.marks, *results.findings):
        assert f"  {finding.line()[0]} " in whole


def test_a_line_names_other_tests_that_fail_and_shows_names_as_they_are(tmp_path, capsys):
    """A second family of tests is told after the marks; what a model calls itself does nothing to the terminal."""
    evil = "fake/[red]x\x1b]0;owned\x07"
    model = FakeModel(lambda request: "Answer: B", name=evil)
    Study(models=[model], benchmarks=[Benchmark("b", items(12))], tests=["option-order"], out=tmp_path).ask()
    results = rescore(tmp_path)
    [found] = results.findings
    failed = replace(found, test=replace(found.test, name="mirror"), verdict=Verdict(Status.FAIL, "90%"))
    capsys.readouterr()
    show_results(replace(results, findings=(found, failed)))
    line = capsys.readouterr().out.splitlines()[1]
    assert line.endswith("; fails: mirror")
    assert "[red]x⟨U+001B⟩]0;owned⟨U+0007⟩" in line
    assert "\x1b" not in line


def warned(tmp_path, capsys, reply):
    """What is said of a study in which one model replies so."""

    def speak(request):
        text, finish = reply(request)
        return Response(text, finish, sent=tuple(receipt(image) for image in request.images))

    model = FakeModel(speak, name="fake/m\x1b[1m")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(4))], tests=["image-needed"], out=tmp_path)
    study.ask(lambda progress: None)
    say_unanswered(rescore(tmp_path))
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "finish", "said"),
    [
        ("", "content_filter", "8 held back by a filter. For example: ''"),
        ("I can't help with medical images.", "stop", '8 refused. For example: "I can\'t help with medical images."'),
        (
            "The image\nshows",
            "length",
            "8 cut off at the token limit (see --max-tokens). For example: 'The image shows'",
        ),
        ("\x1b[31m[red] ???", "stop", "8 unreadable. For example: '⟨U+001B⟩[31m[red] ???'"),
    ],
)
def test_a_model_that_never_answers_is_spoken_of(tmp_path, capsys, text, finish, said):
    """How many replies, of which kind, of which model, and one of them as it reads."""
    expected = f"snellen: none of the 8 responses of fake/m⟨U+001B⟩[1m on b gives an answer: {said}\n"
    assert warned(tmp_path, capsys, lambda request: (text, finish)) == expected


def test_an_arm_without_an_answer_is_named(tmp_path, capsys):
    """Where one arm has answers and another none, it is the arm that is spoken of, its kinds counted."""
    said = warned(tmp_path, capsys, lambda request: ("Answer: B", "stop") if request.images else ("", "content_filter"))
    assert said.startswith(
        "snellen: none of the 4 responses of fake/m⟨U+001B⟩[1m on b under image-removed gives an answer"
    )


def test_answers_are_not_spoken_of(tmp_path, capsys):
    """One answer, or saying that one cannot tell, is enough."""
    blind = "There is no image, so I cannot tell."
    assert warned(tmp_path, capsys, lambda request: ("Answer: B" if request.images else blind, "stop")) == ""


def test_a_plan_tells_the_power_of_its_tests(tmp_path, capsys, monkeypatch):
    """By the questions that can be asked and their chance; for many responses to few questions, by the responses."""
    monkeypatch.setattr("snellen.cli.terminal.out._width", 200)
    model = FakeModel(lambda request: "A")
    benchmark = Benchmark("b", items(100, options=2))
    tests = ["text-needed", "visual-substitution", "mirage-score", "mirage-bias:seeds=20"]
    study = Study(models=[model], benchmarks=[benchmark], tests=tests, out=tmp_path)
    counts = {count.test: power_of(count.simulated, count.observed, count.chance) for count in study.plan().counts()}
    assert counts == {
        "text-needed": power_of("text-needed", 100, 0.5),
        "visual-substitution": ("not known for fewer than 60 questions",),
        "mirage-score": ("reported: no verdict",),
        "mirage-bias:seeds=20": power_of("mirage-bias", 100, 0.0),
    }
    assert len(counts["text-needed"]) == len(counts["mirage-bias:seeds=20"]) == 2
    show_plan(study.plan(), out_folder=tmp_path, answered=0)
    printed = capsys.readouterr().out
    assert all(line in printed for lines in counts.values() for line in lines)
    assert "(research/verdicts/verdicts.md)" in printed


def test_a_plan_says_how_often_the_three_verdicts_are_decided(tmp_path, capsys, monkeypatch):
    """By simulated studies, their number beside; if no swapped image has a known answer, for any other image."""
    monkeypatch.setattr("snellen.cli.terminal.out._width", 200)
    benchmark = Benchmark("b", items(100, options=2))
    study = Study(models=["organism/grounded"], benchmarks=[benchmark], tests="standard", out=tmp_path)
    counts = {count.test: power_of(count.simulated, count.observed, count.chance) for count in study.plan().counts()}
    assert counts["honest"] == power_of("honest", 100, 0.5)
    assert counts["follows"] == power_of("follows:image-exchanged", 100, 0.5) != power_of("follows", 100, 0.5)
    assert counts["honest"][0].startswith("fails a model that invents findings in 90%: 100% of 100 simulated studies; ")
    assert counts["honest"][-1].endswith("; 200 questions give 80%")
    show_plan(study.plan(), out_folder=tmp_path, answered=0)
    printed = capsys.readouterr().out
    assert all(line in printed for name in ("follows", "honest", "steady") for line in counts[name])
    assert "Power of follows, honest and steady: the share of 100 simulated studies that reach that verdict" in printed
    assert "with 30, 60, 100, 200, 400 or 1,000 questions" in printed


def test_a_plan_and_its_results_count_the_questions_that_are_asked(tmp_path, capsys):
    """Of ten questions six have options: six are asked, and only their swapped images are not."""
    mixed = [*items(6), *(replace(each, id=f"o{each.id}", kind="open", options=(), answer="x") for each in items(4))]
    model = FakeModel(lambda request: "Answer: B", name="fake/b")
    study = Study(models=[model], benchmarks=[Benchmark("b", mixed)], tests=["image-used"], out=tmp_path)
    show_plan(study.plan(), out_folder=tmp_path, answered=0)
    planned = " ".join(capsys.readouterr().out.split())
    assert " image-used 6 12 0 " in planned
    assert "b: 4 of 10 items are not asked (image-used): the tests of this study ask" in planned
    assert "b: 6 of 10 items are not asked with another image (image-used): " in planned
    study.ask(lambda progress: None)
    assert str(rescore(tmp_path)).startswith("fake/b on b, 6 of 10 questions\n")
