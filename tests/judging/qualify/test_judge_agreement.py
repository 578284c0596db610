"""A judge held against people: what it is asked, how far it agrees, and whether that is enough."""

import json
import signal
from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.errors import DataError, PluginError, RejectedError, StudyError, UnusableModelError
from snellen.items import Benchmark
from snellen.judging import open_answer
from snellen.judging.qualify import agreement_as_text, keep, qualify_judge
from snellen.models.client import client
from snellen.models.fake import FakeModel
from snellen.stats import clustered_kappa, cohens_kappa
from snellen.store import Store
from snellen.study import Study
from strategies import items

CORRECT, INCORRECT, UNCLEAR = "correct", "incorrect", "unclear"


def row(number, label, **fields):
    return {
        "question": "Which bone?",
        "reference": "Scaphoid",
        "response": f"(reply {number})",
        "label": label,
        **fields,
    }


def said(grade):
    return json.dumps({"grade": grade})


def hold(rows, answer, name="fake/judge", **how):
    """A judge that answers by a function of the row's number, the opinion's and whether the order is turned."""
    asked = []

    def reply(request):
        asked.append(request)
        number = int(request.text.partition("(reply ")[2].partition(")")[0])
        turned = request.text.index("REPLY\n") < request.text.index("REFERENCE\n")
        return answer(number, request.replicate, turned)

    done = qualify_judge(rows, FakeModel(reply, name=name), watch=lambda progress: None, **how)
    return asked, done


LABELS = [CORRECT] * 6 + [INCORRECT] * 5 + [UNCLEAR] * 2
ROWS = [row(number, label) for number, label in enumerate(LABELS)]


def test_each_row_is_asked_several_times_and_once_in_the_other_order():
    """Three opinions and one turned, each a request of its own, none with a label in it."""
    asked, done = hold(ROWS, lambda number, replicate, turned: said(LABELS[number]))
    assert len(asked) == 4 * len(ROWS)
    assert done.opinions == 3
    kinds = Counter(
        (request.text.index("REPLY\n") < request.text.index("REFERENCE\n"), request.replicate) for request in asked
    )
    assert kinds == {(False, 0): 13, (False, 1): 13, (False, 2): 13, (True, 0): 13}
    assert all(request.settings.samples for request in asked)
    assert {request.system for request in asked} == {open_answer.SYSTEM}


def test_a_perfect_judge():
    """Agreement and κ are 1 with intervals that are not, and the record is JSON."""
    _, done = hold(ROWS, lambda number, replicate, turned: said(LABELS[number]))
    assert (done.kappa.value, done.agreement.value, done.agreement.n) == (1, 1, 13)
    assert done.kappa.low < 1
    assert done.unanimous.value == done.own_agreement.value == 1
    assert done.confusion == {(CORRECT, CORRECT): 6, (INCORRECT, INCORRECT): 5, (UNCLEAR, UNCLEAR): 2}
    record = json.loads(json.dumps(done.record))
    assert record["judge"] == "fake/judge"
    assert (record["question"], record["version"]) == ("open answer", open_answer.VERSION)
    assert record["labels"] == {CORRECT: 6, INCORRECT: 5, UNCLEAR: 2}
    assert record["kappa"] == [1, done.kappa.low, done.kappa.high]
    assert (record["n"], record["unread"], record["failed"], record["threshold"]) == (13, 0, 0, 0.6)


def test_the_grade_is_what_most_opinions_say():
    """Two against one decide; three that differ, or one against one, are unclear."""
    opinions = {0: [CORRECT, CORRECT, INCORRECT], 1: [CORRECT, INCORRECT, UNCLEAR], 2: [INCORRECT, "?", CORRECT]}
    rows = [row(number, CORRECT) for number in opinions]
    _, done = hold(rows, lambda number, replicate, turned: said(opinions[number][replicate]))
    assert [done.grade(each) for each in done.rows] == [CORRECT, UNCLEAR, UNCLEAR]
    assert (done.unread, done.failed) == (1, 0)


def test_kappa_is_that_of_the_labels_and_grades():
    """As the statistics have it, over the rows that have a grade."""
    grades = [CORRECT] * 5 + [INCORRECT] * 5 + [UNCLEAR] * 3
    _, done = hold(ROWS, lambda number, replicate, turned: said(grades[number]))
    assert str(done.kappa) == str(cohens_kappa(LABELS, grades))
    by_item = [{**each, "item_id": number // 2} for number, each in enumerate(ROWS)]
    _, done = hold(by_item, lambda number, replicate, turned: said(grades[number]))
    assert str(done.kappa) == str(clustered_kappa(LABELS, grades, [number // 2 for number in range(13)]))


def test_unclear_is_treated_in_three_ways():
    """As incorrect, as half (a row is correct if its opinions come to more than ½), or left out."""
    labels = [CORRECT, CORRECT, INCORRECT, INCORRECT, UNCLEAR]
    opinions = {
        0: [CORRECT, UNCLEAR, UNCLEAR],
        1: [CORRECT] * 3,
        2: [INCORRECT] * 3,
        3: [UNCLEAR] * 3,
        4: [CORRECT] * 3,
    }
    rows = [row(number, label) for number, label in enumerate(labels)]
    _, done = hold(rows, lambda number, replicate, turned: said(opinions[number][replicate]))
    yes, no = "True", "False"
    wanted = {
        "unclear is incorrect": cohens_kappa([yes, yes, no, no, no], [no, yes, no, no, yes]),
        "unclear counts half": cohens_kappa([yes, yes, no, no, no], [yes, yes, no, no, yes]),
        "unclear is left out": cohens_kappa([yes, yes, no], [yes, yes, no]),
    }
    assert {name: str(each) for name, each in done.treatments.items()} == {
        name: str(each) for name, each in wanted.items()
    }


def test_answers_that_fail_or_cannot_be_read_are_counted_apart():
    """Neither is unclear, and a row without any opinion is not in κ."""

    def answer(number, replicate, turned):
        if number == 0:
            raise RejectedError("too long")
        return "Hard to say." if number == 1 else said(LABELS[number])

    _, done = hold(ROWS, answer)
    assert (done.failed, done.unread, len(done.graded), done.kappa.n) == (4, 4, 11, 11)
    assert not done.qualified
    assert "15% of the rows have no grade" in done.why_not
    assert "4 answers could not be read, 4 calls failed" in agreement_as_text(done)


def test_a_judge_that_says_nothing_readable_does_not_qualify():
    """There is no number, and that is said."""
    _, done = hold(ROWS, lambda number, replicate, turned: "Well.")
    assert done.why_not == "no row has a grade"
    assert "not qualified: no row has a grade" in agreement_as_text(done)
    assert json.loads(json.dumps(done.record))["kappa"] == [None, -1, 1]


@pytest.mark.parametrize(
    ("rows", "wrong", "qualified"), [(40, 0, True), (40, 8, False), (400, 60, True), (400, 90, False)]
)
def test_the_lower_bound_must_reach_the_threshold(rows, wrong, qualified):
    """κ of 0.7 from 400 labels qualifies; the same or less from few does not."""
    labels = [CORRECT, INCORRECT] * (rows // 2)
    _, done = hold(
        [row(number, label) for number, label in enumerate(labels)],
        lambda number, replicate, turned: said(labels[number] if number >= wrong else labels[number + 1]),
        opinions=1,
    )
    assert done.qualified is qualified is (done.kappa.low >= 0.6)
    assert agreement_as_text(done).rpartition("\n")[2].startswith("qualified" if qualified else "not qualified")
    assert done.unanimous is None


def test_one_label_throughout_decides_nothing():
    """κ is not defined, and the judge does not qualify."""
    _, done = hold([row(number, CORRECT) for number in range(9)], lambda *about: said(CORRECT))
    assert "one label only" in done.why_not
    assert "not defined" in agreement_as_text(done)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "wrong"}, "expected as label correct, incorrect, unclear, abstained or refused, got 'wrong'"),
        ({"label": None}, "got None"),
        ({"reference": ""}, "the right answer's text in `reference`"),
        ({"reference": None, "references": ["x", 3]}, "the right answer's text"),
        ({"question": ""}, "the question's text"),
        ({"response": None}, "the response's text"),
    ],
)
def test_a_row_that_cannot_be_used_is_told_before_anything_is_asked(change, words):
    """Which row, what was expected, what came."""
    asked = []
    with pytest.raises(DataError, match=f"row 2: .*{words}"):
        qualify_judge([ROWS[0], {**ROWS[1], **change}], FakeModel(lambda request: asked.append(request) or ""))
    assert asked == []


def test_labels_may_be_true_and_false_and_references_several():
    """True is correct; several references are each shown; no answer is unclear."""
    rows = [{**row(0, True), "references": ["Scaphoid", "Navicular"]}, row(1, False), row(2, " Abstained")]
    asked, done = hold(rows, lambda number, replicate, turned: said(CORRECT))
    assert [each.people[()] for each in done.rows] == [CORRECT, INCORRECT, UNCLEAR]
    assert any("Navicular" in request.text for request in asked)


@pytest.mark.parametrize("how", [{"opinions": 0}, {"threshold": 2}, {"question": "open-answers"}])
def test_settings_that_make_no_sense_are_refused(how):
    """In a sentence."""
    with pytest.raises((PluginError, StudyError)):
        qualify_judge(ROWS, FakeModel(lambda request: ""), **how)
    with pytest.raises(DataError, match="no rows"):
        qualify_judge([], FakeModel(lambda request: ""))


@pytest.fixture
def study(tmp_path):
    """A stored study; what kind of question a label is of does not matter to the store."""
    asked = [replace(item, id=f"i{at}") for at, item in enumerate(items(4))]
    out = tmp_path / "exam"
    Study(
        models=[FakeModel(lambda request: "Lunate.", name="fake/m")],
        benchmarks=[Benchmark("bones", tuple(asked))],
        tests=["image-needed"],
        out=out,
    ).ask(lambda progress: None)
    return out


def test_the_qualification_and_the_labels_are_kept_beside_the_responses(study):
    """Rows that name a stored response leave their label there; others are counted."""
    about = {"model": "fake/m", "response": "Lunate.", "arm": "original", "replicate": 0}
    rows = [
        {**row(0, INCORRECT), **about, "benchmark": "bones", "item_id": "i0"},
        {**row(1, UNCLEAR), **about, "item_id": "i2", "arm": None, "replicate": None},
        {**row(2, CORRECT), **about, "item_id": "i3", "response": "Something else."},
        {**row(3, CORRECT), **about, "item_id": "i9"},
        row(4, CORRECT),
    ]
    done = qualify_judge(rows, FakeModel(lambda request: said(CORRECT), name="fake/judge"), watch=lambda progress: None)
    kept = keep(done, study)
    with Store.open(study) as store:
        labels = store.labels.load("open answer")
        [record] = store.labels.qualifications()
    assert record == json.loads(json.dumps(done.record))
    assert (kept.labels, kept.unknown) == (2, 3)
    assert [(each.ordinal, each.label) for each in labels] == [(0, INCORRECT), (2, UNCLEAR)]


def test_two_labels_of_one_response_are_refused(study):
    """Which of them counts is for people to settle; nothing is kept."""
    about = {"model": "fake/m", "response": "Lunate.", "benchmark": "bones", "item_id": "i0"}
    rows = [{**row(0, INCORRECT), **about}, {**row(1, CORRECT), **about}]
    done = qualify_judge(rows, FakeModel(lambda request: said(CORRECT), name="fake/judge"), watch=lambda progress: None)
    with pytest.raises(DataError, match="item 'i0' of bones under original is labelled incorrect and correct"):
        keep(done, study)
    with Store.open(study) as store:
        assert (store.labels.qualifications(), store.labels.load("open answer")) == ([], [])


def run(tmp_path, monkeypatch, answer, *arguments, rows=ROWS):
    """The command on some rows, with a judge that answers by a function."""
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    monkeypatch.setattr(client, "open_model", lambda name, timeout: FakeModel(answer, name=name))
    return CliRunner().invoke(cli, ["parser", "qualify", "judge", str(file), *map(str, arguments)])


def test_the_command_prints_writes_and_keeps(tmp_path, monkeypatch, study):
    """What --help says is enough: κ, biases, the gate, every row again, and the record in the study."""
    out = tmp_path / "judged.jsonl"
    wanted = ("--judge", "fake/judge", "--opinions", 2, "--out", out, "--study", study)
    done = run(tmp_path, monkeypatch, lambda request: said(CORRECT), *wanted)
    assert done.exit_code == 0, done.output
    assert "13 rows, asked 2 times each and once in the other order" in done.output
    assert "not qualified: κ may be as low as" in done.output
    assert "13 labels matched no stored response" in done.output
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines[0] == {**ROWS[0], "opinions": [CORRECT, CORRECT], "grade": CORRECT, "swapped": CORRECT}
    with Store.open(study) as store:
        assert len(store.labels.qualifications()) == 1


def test_the_command_needs_a_judge_and_parsers_have_no_opinions(tmp_path, monkeypatch):
    """Usage errors, with what to write."""
    assert "Which judge?" in run(tmp_path, monkeypatch, lambda request: "").output
    done = CliRunner().invoke(cli, ["parser", "qualify", "lenient", str(tmp_path / "rows.jsonl"), "--opinions", "2"])
    assert (done.exit_code, "is for judges" in done.output) == (2, True)


def test_a_judge_that_cannot_be_used_ends_in_one_line_and_status_1(tmp_path, monkeypatch):
    """Failed calls are counted; where all fail, the exit status says so."""

    def refuse(request):
        raise UnusableModelError("wrong key")

    done = run(tmp_path, monkeypatch, refuse, "--judge", "fake/judge")
    assert done.exit_code == 1
    assert "not qualified: no row has a grade" in done.output


def test_ctrl_c_ends_it_without_a_traceback(tmp_path, monkeypatch):
    """Status 130; nothing is written, and it is said that the judge's answers are not stored."""

    def interrupted(request):
        signal.raise_signal(signal.SIGINT)
        return said(CORRECT)

    # A shell that starts the tests in the background has Ctrl-C ignored in them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    out = tmp_path / "judged.jsonl"
    try:
        done = run(tmp_path, monkeypatch, interrupted, "--judge", "fake/judge", "--out", out, "--max-connections", 1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.exit_code == 130
    assert "Stopped. The judge's answers were not stored" in done.output
    assert not out.exists()
