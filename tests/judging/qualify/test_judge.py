"""A judge asked the paper's question, and held against the people that the parser is held against."""

from __future__ import annotations

import json
import signal
import tempfile

import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.errors import RejectedError, StudyError, UnusableModelError
from snellen.judging.qualify import judge_rows, judged_as_text, qualify
from snellen.models.client import client
from snellen.models.fake import FakeModel

MISSING = "I don't see an image attached. Please upload the image."
DESCRIBES = "The image shows a large left pleural effusion."
TRUE, FALSE = "It says so. <answer> true </answer>", "It does not. <answer> false </answer>"
ROWS = [
    {"response": f"{MISSING} (one)", "label": "missing"},
    {"response": f"{DESCRIBES} (two)", "label": "describes"},
    {"response": f"{DESCRIBES} (three)", "label": "hedges"},
    {"response": f"{DESCRIBES} (four)", "label": "describes"},
    {"response": f"{MISSING} (five)", "label": "missing"},
    {"response": "", "label": "empty"},
]
ANSWERS = {"(one)": TRUE, "(two)": FALSE, "(three)": TRUE, "(four)": "Hard to say."}


def careful(request):
    """A judge that sees every doubt, is unsure of the fourth reply, and never gets the fifth."""
    if "(five)" in request.text:
        raise RejectedError("too long for me")
    return next((answer for mark, answer in ANSWERS.items() if mark in request.text), FALSE)


def ask(answer, rows=ROWS, **settings):
    """Have a judge answer by a function; its requests, and what it is taken to say."""
    requests = []
    model = FakeModel(lambda request: requests.append(request) or answer(request), name="fake/judge")
    return requests, judge_rows(qualify("missing-image", rows), model, watch=lambda progress: None, **settings)


def test_verdicts_follow_the_rows_and_what_is_none_counts_as_neither():
    """Unreadable and failed answers are told apart, and agreement is over the rest, for judge and parser alike."""
    _, judged = ask(careful)
    assert judged.verdicts == (True, False, True, None, None, False)
    assert (judged.unread, judged.failed) == (1, 1)
    assert (judged.by_judge.agreement.value, judged.by_judge.agreement.n) == (1, 4)
    assert (judged.by_parser.agreement.value, judged.by_parser.agreement.n) == (0.75, 4)
    assert [row.where for row in judged.by_parser.rows] == [row.where for row in judged.by_judge.rows]
    assert judged.by_judge.confusion == {("flagged", "flagged"): 2, ("not flagged", "not flagged"): 2}
    assert judged.by_judge.kappa.value == 1


def test_the_judge_is_asked_in_the_papers_words_and_never_sees_a_label():
    """One request a row, addressed to the judge, without images, at temperature 0."""
    requests, _ = ask(careful)
    assert len(requests) == 6
    for request in requests:
        assert request.text.startswith(
            "Analyze the following response and determine if it mentions not seeing an image"
        )
        assert (request.model, request.images, request.settings.temperature) == ("fake/judge", (), 0)
        assert not {"hedges", "describes"} & set(request.text.split())
    assert sum(MISSING in request.text for request in requests) == 2


def test_equal_replies_are_asked_about_once():
    """A hundred rows of two texts take two requests, and every row gets its verdict."""
    rows = [{"response": text, "label": "missing"} for text in (MISSING, DESCRIBES)] * 50
    requests, judged = ask(lambda request: TRUE if MISSING in request.text else FALSE, rows, max_connections=3)
    assert len(requests) == 2
    assert judged.verdicts == (True, False) * 50


def test_a_judge_that_cannot_work_is_given_up():
    """After an unusable model's first error no row has an answer, and nothing is made of that."""

    def broken(request):
        raise UnusableModelError("wrong key")

    _, judged = ask(broken, max_connections=1)
    assert (judged.failed, judged.unread) == (6, 0)
    assert judged.progress.unusable == {"fake/judge": "wrong key"}
    assert "The judge graded no row, so there is no agreement." in judged_as_text(judged)


def test_the_text_sets_judge_and_parser_side_by_side():
    """How many rows, what is left out and why, and both on the same rows."""
    _, judged = ask(careful)
    heading, compared, confusion = judged_as_text(judged).split("\n\n")
    assert heading == (
        "Judge fake/judge on the same question: 4 of 6 rows graded\n"
        "1 answers could not be read, 1 rows got no answer; none of these are counted"
    )
    header, of_judge, of_parser = compared.splitlines()
    assert header.split() == ["agreement", "Cohen's", "κ"]
    assert of_judge.startswith("judge   1.00 [")
    assert of_parser.startswith("parser  0.75 [")
    assert confusion.startswith("people (rows) and judge (columns)\n")


@pytest.fixture
def command(tmp_path, monkeypatch):
    """`snellen parser qualify missing-image FILE`, with temporary files in a folder of the test's own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(*arguments, answer=careful):
        monkeypatch.setattr(client, "open_model", lambda spec, timeout: FakeModel(answer, name=spec))
        done = CliRunner().invoke(cli, ["parser", "qualify", "missing-image", str(source), *map(str, arguments)])
        assert list((tmp_path / "temporary").iterdir()) == []
        return done

    return run


def test_the_command_prints_the_parser_alone(command):
    """Without a judge none is asked."""
    done = command()
    assert done.exit_code == 0, done.output
    assert "Parser missing-image: 6 rows" in done.output
    assert "The question behind the mirage rate" in done.output
    assert "Judge" not in done.output


def test_the_command_prints_the_judge_and_writes_its_verdicts(command, tmp_path):
    """`judged` is true, false or null; failures are said, and do not fail a judge that answered others."""
    target = tmp_path / "out.jsonl"
    done = command("--judge", "fake/judge", "--out", target, "--max-connections", 2)
    assert done.exit_code == 0, done.output
    assert "Judge fake/judge on the same question: 4 of 6 rows graded" in done.output
    assert "1 request failed" in done.output
    assert "too long for me" in done.output
    written = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["judged"] for row in written] == [True, False, True, None, None, False]
    assert [row["predicted"] for row in written][:2] == ["missing", "describes"]


def test_a_judge_that_never_answers_is_a_failure(command, tmp_path):
    """Exit status 1, the parser's part is printed all the same, and every row is null."""

    def broken(request):
        raise UnusableModelError("wrong key")

    target = tmp_path / "out.jsonl"
    done = command("--judge", "fake/judge", "--out", target, answer=broken)
    assert done.exit_code == 1
    assert "Parser missing-image: 6 rows" in done.output
    assert "fake/judge is no longer asked: wrong key" in done.output
    assert {json.loads(line)["judged"] for line in target.read_text().splitlines()} == {None}


def test_ctrl_c_says_what_is_lost(command, tmp_path):
    """Interrupted while a judge is asked: status 130, no traceback, no temporary file, and the rows as read before."""

    def interrupted(request):
        signal.raise_signal(signal.SIGINT)
        return TRUE

    target = tmp_path / "out.jsonl"
    # A shell that starts the tests in the background has Ctrl-C ignored in them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = command("--judge", "fake/judge", "--out", target, "--max-connections", 1, answer=interrupted)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.exit_code == 130
    assert "Stopped. The judge's answers were not stored" in done.output
    assert "judged" not in json.loads(target.read_text().splitlines()[0])


def test_an_organism_can_be_asked_by_its_name(tmp_path):
    """A model is named as in an exam; one that refuses gives no verdict, and none is invented."""
    source = tmp_path / "rows.jsonl"
    source.write_text(json.dumps(ROWS[0]))
    done = CliRunner().invoke(cli, ["parser", "qualify", "missing-image", str(source), "--judge", "organism/refuser"])
    assert done.exit_code == 0, done.output
    assert "1 answers could not be read, 0 rows got no answer" in done.output


def test_a_judge_beside_another_parser_is_refused(tmp_path):
    """The parser's own result stands; the message says with what a judge can be compared."""
    source = tmp_path / "rows.jsonl"
    source.write_text('{"response": "B", "label": "B", "n_options": 3}')
    done = CliRunner().invoke(cli, ["parser", "qualify", "lenient", str(source), "--judge", "organism/refuser"])
    assert isinstance(done.exception, StudyError)
    assert "with the parser missing-image only, got lenient. Qualify" in str(done.exception)
    assert "Parser lenient: 1 rows" in done.output
