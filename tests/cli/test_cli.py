"""The command line, as a user meets it."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from snellen.cli import cli, main, terminal
from snellen.errors import BrokenRowsError, SnellenError, raise_first
from snellen.models.client.client import Client
from snellen.testing import own_benchmark

ROOT = Path(__file__).parents[2]


def snellen(*arguments, cwd, environment=None, status=0):
    """Run the command here, as in a process of its own; returns what it printed."""
    variables = {"COLUMNS": "200", **(environment or {})}
    printed, ended = io.StringIO(), 0
    with ExitStack() as stack:
        stack.enter_context(chdir(cwd))
        stack.enter_context(redirect_stdout(printed))
        stack.enter_context(redirect_stderr(printed))
        stack.enter_context(patch.dict(os.environ, variables))
        stack.enter_context(patch.object(sys, "argv", ["snellen", *map(str, arguments)]))
        stack.enter_context(patch.object(terminal.out, "_width", int(variables["COLUMNS"])))
        try:
            main()
        except SystemExit as end:
            ended = end.code
    assert ended == status, printed.getvalue()
    return printed.getvalue()


def started(*arguments, cwd):
    """Run the command as a user does; returns what it printed."""
    command = [sys.executable, "-m", "snellen", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_an_exam_from_start_to_report(tmp_path):
    """Ask, score, report, in a process of its own; then score and report again from what is stored."""
    printed = started(
        "exam", "--model", "organism/blind", "--benchmark", "phantoms:items=4", "--out", "o", cwd=tmp_path
    )
    report = Path(re.search(r"Report: (.*report\.html)", printed)[1])
    assert report == tmp_path / "o" / "report.html"
    before = json.loads((tmp_path / "o" / "results.json").read_text())
    assert "phantoms (items 4), n 4" in snellen("report", "o", cwd=tmp_path)
    assert "report.html" in snellen("report", "o", "--figures", "svg", cwd=tmp_path)
    assert json.loads((tmp_path / "o" / "results.json").read_text()) == before
    assert (tmp_path / "o" / "figures" / "summary-accuracy.svg").is_file()


def test_a_dry_run_sends_nothing(tmp_path):
    """It prints the plan and leaves no folder."""
    printed = snellen("exam", "--dry-run", "--benchmark", "phantoms:items=10", cwd=tmp_path)
    assert "420 requests in all" in printed
    assert not (tmp_path / "exam").exists()


def test_a_plan_says_by_which_prompt_it_asks(tmp_path):
    """Two suites have two prompts, and a study asks by one."""
    args = ("--model", "organism/blind", "--benchmark", "phantoms:items=4", "--dry-run")
    assert "1 model · 1 epoch · seed 0 · prompt mirage" in snellen("exam", "--tests", "mirage", *args, cwd=tmp_path)
    assert "· prompt readiness" in snellen("exam", "--tests", "readiness,mirage", *args, cwd=tmp_path)


def test_a_study_file_is_planned_and_run(no_page, tmp_path):
    """plan, then run with another folder and a limit."""
    (tmp_path / "s.toml").write_text('models = ["organism/random"]\nbenchmarks = ["phantoms:items=20"]\n')
    assert "140 requests in all" in snellen("plan", "s.toml", cwd=tmp_path)
    snellen("run", "s.toml", "--out", "here", "--limit", "5", cwd=tmp_path)
    saved = json.loads((tmp_path / "here" / "results.json").read_text())
    twice = {"original": 10, "options-shuffled": 10}
    once = dict.fromkeys(("image-removed", "image-blank", "image-exchanged"), 5)
    assert {entry["arm"]: entry["replies"] for entry in saved["accounting"]} == {
        "image-substituted": 0,
        **twice,
        **once,
    }


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """Commands typed one after the other in a folder, in this process; gives what each printed, its lines joined."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        cli.main(list(map(str, arguments)), standalone_mode=False)
        return " ".join(capsys.readouterr().out.split())

    return run


def test_what_is_answered_already_is_planned_as_such(typed, tmp_path):
    """By a dry run and by a plan, of the study's folder or another; a folder that is not there is not made."""
    (tmp_path / "s.toml").write_text(
        'models = "organism/random"\nbenchmarks = "phantoms:items=4"\ntests = "option-order"'
    )
    assert "already" not in typed("plan", "s.toml")
    typed("run", "s.toml", "--limit", "3", "--out", "here")
    assert "16 requests in all." in (said := typed("plan", "s.toml", "--out", "here"))
    assert "12 are answered in here already; at most 4 to send." in said
    asked = ("run", "s.toml", "--out", "here", "--limit", "3", "--dry-run")
    assert "12 are answered in here already; nothing is left to send." in typed(*asked)
    assert not (tmp_path / "exam").exists()


def test_rows_that_are_left_out_are_counted_wherever_they_are_missed(typed, tmp_path):
    """By the plan, by the exam before it asks and when it closes, by the report, and by an import; with the reason."""
    rows = [{**ROW, "id": str(n), "question": "Which?" if n < 3 else ""} for n in range(5)]
    own_benchmark(tmp_path / "mine", rows)
    left_out = "mine: 2 broken rows left out: 2 × its question is empty (items.jsonl, line 4, item '3')"
    exam = ("exam", "--model", "organism/blind", "--benchmark", "mine", "--tests", "option-order", "--allow-broken")
    assert left_out in typed(*exam, "--dry-run")
    assert typed(*exam).count(left_out) == 2
    assert left_out in typed("report", "exam")
    answers = [{**ROW, "benchmark": "mine", "item_id": str(n), "response": "A"} for n in (1, 2)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, [*answers, {**answers[0], "item_id": ""}])))
    brought = ("import", "a.jsonl", "--from", "jsonl", "--benchmark", "mine", "--out", "in")
    said = typed(*brought, "--allow-broken")
    assert "This import: 3 broken rows left out: 2 × its question is empty (items.jsonl, line 4, item '3') 1 × " in said
    with pytest.raises(BrokenRowsError, match="--allow-broken"):
        typed(*brought)


WINDOWS = """
import sys
sys.modules["fcntl"] = None
from snellen.__main__ import main
for line in sys.argv[1:]:
    sys.argv[1:] = line.split()
    try:
        main()
    except SystemExit as left:
        print(line, "exited with", left.code)
"""


def test_without_file_locks_everything_but_writing_works(typed, tmp_path):
    """As on Windows: help, lists, plans and reports as ever; what would write answers is one sentence."""
    exam = "exam --model organism/blind --benchmark phantoms:items=2 --tests option-order --out"
    typed(*exam.split(), "o")
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    reading = ["--help", "list tests", f"{exam} o --dry-run", "report o", "export o --to jsonl --file b.jsonl"]
    writing = [f"{exam} p", "import a.jsonl --from jsonl --out p", "judge o --model organism/blind"]
    done = subprocess.run(
        [sys.executable, "-c", WINDOWS, *reading, *writing], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert re.findall(r"^(.*) exited with (?!0|None)(.*)$", done.stdout, re.MULTILINE) == [
        (line, "1") for line in writing
    ]
    assert "8 are answered in o already" in done.stdout
    assert done.stderr.count("On Windows, run it under WSL") == len(writing)
    assert "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"o", "a.jsonl", "b.jsonl"}


def test_options_come_from_the_environment_and_from_dotenv(tmp_path):
    """SNELLEN_… variables and .env count as options; the command line wins."""
    (tmp_path / ".env").write_text("SNELLEN_EXAM_LIMIT=3\n")
    models = {"SNELLEN_EXAM_MODEL": "organism/blind organism/random", "SNELLEN_JUDGE_MODEL": "nobody/x"}
    environment = {"SNELLEN_EXAM_BENCHMARK": "phantoms:items=20", **models}
    assert "42 requests in all" in snellen("exam", "--dry-run", cwd=tmp_path, environment=environment)
    assert "56 requests in all" in snellen("exam", "--dry-run", "--limit", "4", cwd=tmp_path, environment=environment)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["exam", "--model", "openai/gpt-5"], "OPENAI_API_KEY"),
        (["exam", "--model", "organism/blnd"], "blind"),
        (["exam", "--model", "nobody/x"], "organism"),
        (["exam", "--benchmark", "nope"], "phantoms"),
        (["exam", "--tests", "option-oder"], "Did you mean 'option-order'"),
        (["exam", "--tests", "blank-image:fill=pink"], "white, black, grey or noise"),
        (["exam", "--human", "71"], "between 0 and 1"),
        (["report", "."], "Run a study"),
    ],
)
def test_a_mistake_is_one_message(tmp_path, arguments, message):
    """Our own errors are words and exit status 1, never a traceback."""
    assert message in snellen(*arguments, cwd=tmp_path, status=1)


def test_an_empty_list_of_tests_is_no_exam_of_the_usual_ones(typed):
    """Whoever lets a variable expand to nothing hears of it."""
    for given in ("", ","):
        with pytest.raises(click.BadParameter, match="names no test"):
            typed("exam", "--tests", given, "--dry-run")


def test_a_server_that_is_not_there_is_said_and_fails(tmp_path, monkeypatch):
    """Nothing answered: the reason is printed and the exit status is 1."""
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "SNELLEN_EXAM_BENCHMARK": "phantoms:items=1"}
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "patience_at_start", 0)
    printed = snellen("exam", "--model", "openai/x", "--out", "o", cwd=tmp_path, environment=environment, status=1)
    assert printed.startswith("openai/x at http://127.0.0.1:1/v1, no key\n")
    assert "openai/x is no longer asked: openai/x: cannot reach http://127.0.0.1:1/v1" in printed
    assert "Traceback" not in printed


def test_names_are_printed_as_they_are(tmp_path):
    """Square brackets in a folder's name are no markup."""
    printed = snellen(
        "exam", "--model", "organism/blind", "--benchmark", "phantoms:items=6", "--out", "o[/x][red]", cwd=tmp_path
    )
    assert "o[/x][red]" in printed


def test_a_second_run_on_the_same_folder_is_refused(tmp_path):
    """While one process writes, another is told so."""
    from snellen.store import Store

    with Store.open(tmp_path / "o", write=True):
        printed = snellen("exam", "--model", "organism/blind", "--out", "o", cwd=tmp_path, status=1)
    assert "Another process" in printed


def test_lists_show_every_member(tmp_path):
    """Datasets, models, tests and conditions, each with a sentence."""
    printed = snellen("list", cwd=tmp_path)
    for name in (
        "phantoms",
        "vqa-rad",
        "folder",
        "openai/…",
        "organism/…",
        "image-needed",
        "option-order",
        "image-removed",
    ):
        assert name in printed
    assert "vqa-rad" not in snellen("list", "tests", cwd=tmp_path)


ROW = {
    "model": "a/m", "benchmark": "b", "item_id": "1", "arm": "original", "replicate": 1, "question": "Which?",
    "options": ["Cyst", "Mass"], "answer": "B", "response": "Answer: B",
}  # fmt: skip


def test_answers_are_imported_reported_and_exported(tmp_path):
    """Import says what came and what to do next; report draws it; export gives it back."""
    rows = [ROW, {**ROW, "arm": "image-removed", "response": "There is no image, so I cannot tell."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    printed = snellen("import", "a.jsonl", "--from", "jsonl", "--out", "o", cwd=tmp_path)
    assert "image-removed" in printed
    assert "Next: snellen report o" in printed
    assert "report.html" in snellen("report", "o", "--human", "71%", cwd=tmp_path)
    assert json.loads((tmp_path / "o" / "results.json").read_text())["study"]["human"] == {"accuracy": 0.71}
    assert "2 responses" in snellen("export", "o", "--to", "jsonl", "--file", "b.jsonl", cwd=tmp_path)
    back = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert {row["response"] for row in back} == {row["response"] for row in rows}


def test_graded_responses_are_exported(tmp_path):
    """For analysis, read by the parsers that are named; the key is among them."""
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    snellen("import", "a.jsonl", "--from", "jsonl", "--out", "o", cwd=tmp_path)
    both = ("--parser", "lenient", "--parser", "boxed")
    assert "2 rows" in snellen("export", "o", "--to", "csv", "--file", "r.csv", *both, cwd=tmp_path)
    with (tmp_path / "r.csv").open(newline="") as file:
        found = [
            (row["parser"], row["chosen_letter"], row["answer_text"], row["right"]) for row in csv.DictReader(file)
        ]
    assert found == [("lenient", "B", "Mass", "1.0"), ("boxed", "", "Mass", "0.0")]
    assert "1 row: " in snellen("export", "o", "--to", "parquet", "--file", "r.parquet", cwd=tmp_path)


def test_printed_figures_are_shown(tmp_path):
    """A paper's table without its replies."""
    printed = snellen("paper", "figures", "italian", cwd=tmp_path)
    assert "55.3 [44.1, 66.6]" in printed
    assert "not in OUT" in printed


def test_stored_rationales_are_judged(tmp_path):
    """A judge that cannot judge is asked, its replies are stored, and the report is drawn again."""
    snellen("exam", "--model", "organism/mirage", "--benchmark", "phantoms:items=4", "--out", "o", cwd=tmp_path)
    printed = snellen("judge", "o", "--model", "organism/refuser", "--limit", "2", cwd=tmp_path)
    assert "report.html" in printed


def test_an_export_does_not_write_over_anything_else(tmp_path):
    """Only files that end in .jsonl or .jsonl.gz; packed where the name says so."""
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW))
    snellen("import", "a.jsonl", "--from", "jsonl", "--out", "o", cwd=tmp_path)
    failed = snellen("export", "o", "--to", "jsonl", "--file", "o/responses.sqlite", cwd=tmp_path, status=1)
    assert "Expected a file that ends in .jsonl" in failed
    snellen("export", "o", "--to", "jsonl", "--file", "b.jsonl.gz", cwd=tmp_path)
    assert "1 " in snellen("import", "b.jsonl.gz", "--from", "jsonl", "--out", "p", cwd=tmp_path)


def test_two_studies_are_compared(no_page, tmp_path):
    """Each by its name in one folder; the file has every number, and what cannot be done is said."""
    for model, name in (("blind", "old"), ("grounded", "new")):
        asked = ("--model", f"organism/{model}", "--benchmark", "phantoms:items=12", "--tests", "image-needed")
        snellen("exam", *asked, "--out", "o", "--name", name, cwd=tmp_path)
    both = ("compare", "o", "o", "--study1", "old", "--study2", "new")
    printed = snellen(*both, "--flips", "1", "--to", "c.csv", cwd=tmp_path)
    assert "organism/blind → organism/grounded on phantoms (items 12): 12 questions are in both" in printed
    assert "1 of them, drawn at random" in " ".join(printed.split())
    with (tmp_path / "c.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert f"{len(rows)} rows: {tmp_path / 'c.csv'}" in printed
    assert {row["row"] for row in rows} == {"measure", "verdict", "flip"}
    assert "Both are the same study" in snellen("compare", "o", "o", "--page", "c.html", cwd=tmp_path)
    assert "<h1>" in (tmp_path / "c.html").read_text()
    assert "expected a file that ends in .csv" in snellen(*both, "--to", "c.txt", cwd=tmp_path, status=2)
    assert "There is no study 'odl' in o. Did you mean 'old'?" in snellen(
        "compare", "o", "o", "--study1", "odl", cwd=tmp_path, status=1
    )
    assert "no model 'organism/mirage' in the second study" in snellen(
        *both, "--model2", "organism/mirage", cwd=tmp_path, status=1
    )


def test_the_help_of_compare_suffices(tmp_path):
    """It says what is compared, in which direction, how p is corrected, what a flip is, and shows how to type it."""
    said = " ".join(snellen("compare", "--help", cwd=tmp_path).split())
    for words in ("second minus first", "95% CI", "(Holm)", "right in one study and not in the other", "[default: 5"):
        assert words in said
    for option in ("--study1", "--study2", "--model1", "--model2", "--parser", "--to", "--flips", "--page"):
        assert f"{option} " in said
    assert "snellen compare gpt-5-june gpt-5-july" in said


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    """A model's name with an escape sequence is spelled out."""
    (tmp_path / "a.jsonl").write_text(json.dumps({**ROW, "model": "a/\x1b[31mred"}))
    printed = snellen("import", "a.jsonl", "--from", "jsonl", "--out", "o", cwd=tmp_path)
    assert "\x1b[31m" not in printed
    assert "\x1b[31m" not in snellen("report", "o", cwd=tmp_path)


def test_control_characters_in_an_error_do_nothing(tmp_path, monkeypatch, capsys):
    """An error that quotes what came from elsewhere spells its escapes out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(sys, "argv", ["snellen", "exam", "--model", "openai/x\x1b[31m"])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert capsys.readouterr().err.startswith("snellen: openai/x⟨U+001B⟩[31m needs a key.")


def test_settings_of_a_test_may_stand_apart_by_commas(tmp_path):
    """What the docs and our own tables call a test is what --tests takes, also among others."""
    given = "reasoning-effort:low,high,rationale:image-removed,original+cot,readiness:images=2,words=50,blank-image"
    printed = snellen("exam", "--dry-run", "--tests", given, "--benchmark", "phantoms:items=8", cwd=tmp_path)
    for test in (
        "reasoning-effort:low,high",
        "rationale:image-removed,original+cot",
        "visual-substitution:images=2",
        "robustness:words=50",
        "blank-image",
    ):
        assert f" {test} " in printed


def test_a_narrow_terminal_shows_whole_names_and_why_not(tmp_path):
    """In eighty columns tests can be told apart, and a reason counts items, not items times arms."""
    printed = snellen(
        "exam", "--dry-run", "--tests", "distractors", "--benchmark", "phantoms:items=20", "--model", "organism/blind",
        cwd=tmp_path, environment={"COLUMNS": "80"},
    )  # fmt: skip
    assert "…" not in printed
    flat = " ".join(printed.split())
    [asked] = re.findall(r"phantoms:items=20: (\d+) of 20 items are not asked .*?: yes and no cannot be replaced", flat)
    assert int(asked) <= 20


@pytest.fixture(scope="module")
def gated(tmp_path_factory):
    """A folder with a study whose organism reads the image and whose rationales can be counted."""
    folder = tmp_path_factory.mktemp("gated")
    named = ("--model", "organism/grounded", "--model", "organism/mirage", "--benchmark", "phantoms:items=20")
    snellen("exam", *named, "--tests", "rationale", "--out", "o", cwd=folder)
    return folder


@pytest.mark.parametrize(
    ("required", "status", "said"),
    [
        (("rationale=reported", "explained_rate>=0.5"), 0, "Passed: 4 of 4 checks met."),
        (("rationale=reported,invents<=50%",), 1, "Not passed: 3 of 4 checks met; not met: invents<=0.5."),
        (("invents@image-blank<=1%",), 1, "not decided: invents@image-blank<=0.01."),
        (
            ("rationale=good",),
            2,
            "'good' is not a verdict. Verdicts: pass, fail, inconclusive, reported",
        ),
        (
            ("rationale=reported", "mirror=pass"),
            2,
            "there is no test 'mirror'. Tests: rationale, follows, honest, steady.",
        ),
        (("standard",), 1, "phantoms:items=20: Score possible without images: the best of these models scores"),
        (("invents<=5",), 2, "Write 5% or 0.05"),
        ((), 2, "Missing option '--require'"),
    ],
)
def test_the_exit_status_of_a_gate(required, status, said, gated, tmp_path):
    """0 if all is met, 1 if something is not, 2 if something cannot be read or names nothing; a slip writes no file."""
    file = tmp_path / "gate.xml"
    options = [part for each in required for part in ("--require", each)]
    assert said in snellen("gate", "o", *options, "--junit", file, cwd=gated, status=status)
    assert file.exists() == (status < 2)
    if status < 2:
        assert ("<failure" in file.read_text()) == bool(status)


def test_a_gate_has_a_line_for_every_check_and_says_which_study(gated):
    """Each begins with what the check came to; `--point` judges by the number; a study that is not there is named."""
    printed = snellen("gate", "o", "--require", "invents<=1%", cwd=gated, status=1, environment={"COLUMNS": "40"})
    grounded, mirage, summary = printed.splitlines()
    assert re.match(r"not decided  organism/grounded on .*: invents<=0.01: rationale, image-removed: ", grounded)
    assert re.match(r"not met      organism/mirage on .*: described_rate 100.0% \(95% CI .*, n=20\)$", mirage)
    assert summary == "Not passed: 0 of 2 checks met; not met: invents<=0.01; not decided: invents<=0.01."
    printed = snellen("gate", "o", "--require", "invents<=1%", "--point", cwd=gated, status=1)
    assert printed.startswith("met  ")
    assert "nowhere" in snellen("gate", "o", "--require", "a=pass", "--study", "nowhere", cwd=gated, status=1)


def test_errors_that_come_together_are_all_printed(monkeypatch, capsys):
    """What else failed stands below the first error."""

    def fail(**settings):
        raise_first(ExceptionGroup("", [SnellenError("The disk is full."), ValueError("a bug")]))

    monkeypatch.setattr(cli, "main", fail)
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err == "snellen: The disk is full.\nBesides, ValueError: a bug\n"
