"""`snellen plan --frontier`, as a user meets it."""

import re

import pytest

from snellen import FakeModel, Study
from snellen.cli import cli, terminal
from snellen.cli.frontier import frontier_of
from snellen.errors import SnellenError
from snellen.items import Benchmark, Item, Option
from snellen.tools.planner.pilot import read_assumptions
from snellen.tools.planner.planned import find_frontier


@pytest.fixture
def typed(capsys, monkeypatch, tmp_path):
    """What a command prints, in a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal.out, "_width", 200)

    def run(*arguments):
        cli.main(arguments, standalone_mode=False)
        return capsys.readouterr().out

    return run


def test_a_study_on_paper_is_planned_from_its_numbers_alone(typed):
    """Totals, what each verdict needs, what to drop first, the frontier; what is assumed is said to be."""
    printed = typed("plan", "--frontier", "models=100,benchmarks=20,conditions=30,items=1000,epochs=3,price=1/4")
    assert "180.0M" in printed
    for words in ("What each verdict needs", "What to drop first", "The frontier", "research/local_engines", "95% CI"):
        assert words in printed
    assert "This power counts items as independent." in printed


def test_a_study_file_is_planned_with_its_own_numbers(typed, tmp_path):
    """As many requests as its plan has; the option may stand before the file."""
    (tmp_path / "s.toml").write_text(
        'models = ["organism/blind"]\nbenchmarks = ["phantoms:items=20"]\ntests = ["distractors"]\n'
    )
    assert "74 requests in all" in typed("plan", "s.toml")
    assert re.search(r"as planned +74 ", typed("plan", "s.toml", "--frontier"))
    printed = typed("plan", "--frontier", "s.toml")
    assert "distractors: power is only <1%" in printed
    assert "no number of items is enough if each is asked once, but asking twice may be (epochs=2)." in printed
    assert re.search(r"passes if 4% of .* <1% +<1% +none +none", printed)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "Which study"),
        ("model=3", "Did you mean 'models'"),
        ("models=3,models=4", "twice"),
        ("models=x", "whole number"),
        ("models=3,items", "NAME=NUMBER"),
        ("models=1,change=nan", "a number"),
        ("models=1,price=foo/bar", "table of prices"),
        ("models=1,gpu=tpu", "No speed of the GPU"),
        ("models=1,tests=open-answers", "questions with options"),
        ("models=1,accuracy=0.2,tests=text-needed", "not above chance"),
        ("models=1,within=0.4", "between 0 and 0.25"),
    ],
)
def test_what_cannot_be_planned_is_refused(given, said):
    """With one sentence."""
    with pytest.raises(SnellenError, match=said):
        frontier_of(given, None)


def test_a_study_file_says_its_own_size():
    """Numbers on paper are refused beside it."""
    with pytest.raises(SnellenError, match="already sets items"):
        frontier_of("items=3", Study(models=["organism/blind"], benchmarks=["phantoms:items=4"]))


def test_stored_responses_are_a_pilot(tmp_path):
    """What was planted is within the interval: every third item is answered at random, the others right."""
    calls = {}

    def answer(request):
        """Right, or wrong in every other run of every third question."""
        number = calls.setdefault(request.text, len(calls))
        run = calls[request.text, "run"] = calls.get((request.text, "run"), 0) + 1
        return "A" if number % 3 or run % 2 else "B"

    items = tuple(
        Item(id=f"i{n}", question=f"Question {n}?", options=(Option("yes"), Option("no")), answer=0) for n in range(30)
    )
    study = Study(
        models=[FakeModel(answer)],
        benchmarks=[Benchmark("mine", items)],
        tests=["option-order"],
        epochs=2,
        out=tmp_path / "o",
    )
    assert not find_frontier(study.plan(), about=read_assumptions(study.out)).wanted.about.accuracy.estimated
    study.ask()
    about = find_frontier(study.plan(), about=read_assumptions(study.out)).wanted.about
    assert about.accuracy.low <= 5 / 6 <= about.accuracy.high
    assert about.within.low <= 0.5 / 3 <= about.within.high
    assert "mine" in about.within.source
    about = find_frontier(study.plan(), assumed={"within": 0.1}).wanted.about
    assert about.within == (0.1, "as you set it", None, None, None)


def test_items_of_one_patient_are_told(tmp_path):
    """How many there are, and what they would be worth; nothing of a benchmark whose items stand alone."""
    options = (Option("yes"), Option("no"))
    items = [Item(str(n), "Which?", options, 0, cluster=f"patient {n // 4}" * (n < 16)) for n in range(20)]
    study = Study(
        models=[FakeModel(lambda request: "A")],
        benchmarks=[Benchmark("b", tuple(items)), Benchmark("alone", tuple(items[16:]))],
        tests=["option-order"],
        out=tmp_path / "out",
    )
    told = [line for line in find_frontier(study.plan()).source.words() if "independent" in line]
    assert told == [
        "b: 20 items of 8 patients or images (up to 4 each), counted as independent above. With a correlation of "
        "0.2 within a patient or image, they are worth 14 independent items."
    ]
