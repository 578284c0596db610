"""The report of a guard's log: counts, shares with intervals, time, latency, and whether it was changed."""

import orjson
import pytest
from click.testing import CliRunner

from snellen.commands.cli import cli
from snellen.guard.log import Decision, Installation, Log, SealCheck
from snellen.guard.report import BINS, render, reported, sentences
from snellen.stats import wilson


def decision(status, *, hour=0, model="openai/a", query="", **more):
    return Decision(
        f"2026-11-{14 + hour // 24:02d}T{hour % 24:02d}:30:00.000+00:00", model, status, query=query, **more
    )


def test_shares_are_of_decided_queries():
    """Undecided and unchecked ones are counted apart; single queries have Wilson's interval."""
    statuses = ["moved"] * 6 + ["unmoved"] * 2 + ["undecided"] * 3 + ["unchecked"]
    whole = reported([decision(each, query=str(at)) for at, each in enumerate(statuses)]).whole
    assert whole.counts == {"moved": 6, "unmoved": 2, "undecided": 3, "unchecked": 1}
    assert whole.unmoved == wilson(2, 8)


def test_a_query_asked_over_and_over_is_one():
    """The same query a hundred times makes the interval no narrower than that of few queries."""
    once = [decision("unmoved", query="a"), *(decision("moved", query=each) for each in "bcd")]
    again = reported([*once, *([once[0]] * 100)]).whole.unmoved
    assert again.high - again.low > 0.5


def test_time_is_cut_into_a_few_stretches():
    """A day is shown by hours, a year by four weeks; nothing is lost."""
    day = reported([decision("moved", hour=each) for each in range(24)])
    assert (day.step, len(day.stretches)) == ("hour", 24)
    long = [Decision(f"2026-{month:02d}-05T00:00:00+00:00", "m", "moved") for month in range(1, 13)]
    months = reported(long)
    assert len(months.stretches) <= BINS
    assert sum(each.n for each in months.stretches) == len(long)


def test_latency_and_what_was_done_are_told():
    """Median and 95th percentile with n; a changed threshold and damaged lines are named."""
    made = [decision("moved", overhead_ms=float(ms), action="annotated", threshold=0.5) for ms in range(101)]
    made.append(decision("unmoved", action="blocked", threshold=0.7))
    said = " ".join(sentences(reported(made, damaged=2, seals=SealCheck(broken=(3,)))))
    told = ("50.0 ms (median), 95.0 ms (95%), n = 101", "101 annotated, 1 blocked", "0.50, 0.70", "2 lines", "line 3")
    for words in told:
        assert words in said


def test_an_empty_log_and_hostile_names_do_no_harm():
    """Nothing is divided by nothing, and a model's name stays text."""
    assert sentences(reported([], seals=SealCheck())) == ["The log holds no decision."]
    assert "<html" in render(reported([]))
    assert "<script" not in render(reported([decision("moved", model="<script>x")]))
    assert reported([Decision("yesterday", "m", "moved")]).stretches == ()


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (slice(None), "nothing was changed or taken out"),
        (slice(0, None, 2), "The log was changed: 1 seal broken, from line 2 on. "),
        (slice(2), "The log was cut off at its end: 1 line missing."),
        (slice(1), "The log was cut off at its end: 2 lines missing."),
        (slice(0), "The log was cut off at its end: 3 lines missing."),
    ],
)
def test_the_command_checks_the_seals(tmp_path, monkeypatch, kept, said):
    """With the installation's key, lines taken out or cut off are told; the page and its numbers are written."""
    (tmp_path / "guard.jsonl").unlink(missing_ok=True)
    (tmp_path / "guard.jsonl.head").unlink(missing_ok=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "guard.jsonl"
    log = Log(path, Installation.at(tmp_path / "snellen" / "guard.key"))
    for each in ("moved", "unmoved", "moved"):
        log.add(decision(each))
    log.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[kept]))
    done = CliRunner().invoke(cli, ["guard", "report", str(path)])
    assert done.exit_code == 0, done.output
    assert said in done.output.replace("\n", " ")
    numbers = orjson.loads((tmp_path / "guard.report.json").read_bytes())
    assert numbers["whole"]["counts"]["moved"] == len(lines[kept]) - numbers["whole"]["counts"]["unmoved"]
    assert "guard.jsonl" in (tmp_path / "guard.html").read_text()


def test_the_report_is_not_written_over_the_log(tmp_path):
    """A log that is named like its page stays as it is."""
    log = tmp_path / "guard.html"
    log.write_text("")
    done = CliRunner().invoke(cli, ["guard", "report", str(log)])
    assert ("over the log" in str(done.exception), log.read_text()) == (True, "")
