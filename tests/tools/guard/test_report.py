"""The report of a guard's log: what the policy did, bars of all responses, shares, time, latency, broken seals."""

import re

import orjson
import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.stats import wilson
from snellen.tools.guard.log import REASONS, GuardDecision, GuardLog, Installation, SealCheck
from snellen.tools.guard.report import BINS, DECIDED, STATUSES, make_report, render, sentences


def decision(status, *, hour=0, model="openai/a", query="", **more):
    return GuardDecision(
        f"2026-11-{14 + hour // 24:02d}T{hour % 24:02d}:30:00.000+00:00", model, status, query=query, **more
    )


def test_shares_are_of_decided_queries():
    """Undecided and unchecked ones are counted apart; single queries have Wilson's interval."""
    statuses = ["moved"] * 6 + ["unmoved"] * 2 + ["undecided"] * 3 + ["unchecked"]
    whole = make_report([decision(each, query=str(at)) for at, each in enumerate(statuses)]).whole
    assert whole.counts == {"moved": 6, "unmoved": 2, "undecided": 3, "unchecked": 1}
    assert whole.unmoved == wilson(2, 8)


def test_a_query_asked_over_and_over_is_one():
    """The same query a hundred times makes the interval no narrower than that of few queries."""
    once = [decision("unmoved", query="a"), *(decision("moved", query=each) for each in "bcd")]
    again = make_report([*once, *([once[0]] * 100)]).whole.unmoved
    assert again.high - again.low > 0.5


def test_time_is_cut_into_a_few_stretches():
    """A day is shown by hours, a year by four weeks; nothing is lost."""
    day = make_report([decision("moved", hour=each) for each in range(24)])
    assert (day.step, len(day.stretches)) == ("hour", 24)
    long = [GuardDecision(f"2026-{month:02d}-05T00:00:00+00:00", "m", "moved") for month in range(1, 13)]
    months = make_report(long)
    assert len(months.stretches) <= BINS
    assert sum(each.n for each in months.stretches) == len(long)


def logged(policy, **numbers):
    """As many decisions of each status as are named, with what a policy does about them."""
    act = {"warn": "warned", "block": "blocked"}.get(policy, "annotated")
    return [
        decision(status, query=f"{policy} {status} {at}", policy=policy, reason="" if status in DECIDED else "tools",
                 action=act if status == "unmoved" else "annotated")
        for status, number in numbers.items() for at in range(number)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decisions", "first", "policy"),
    [
        (logged("warn", moved=63, unmoved=98, undecided=29), "98 of 190 responses warned; 29 not decided.",
         "Policy: warn. The policy block would have replaced 98 responses."),
        (logged("annotate", moved=1, unmoved=2, unchecked=1),
         "2 of 4 responses did not change without the image; 1 not checked.",
         "Policy: annotate. The policy block would have replaced 2 responses."),
        (logged("block", moved=1, unmoved=1), "1 of 2 responses blocked.", "Policy: block."),
        ([*logged("block", unmoved=2), *logged("warn", unmoved=1)], "2 of 3 responses blocked, 1 warned.",
         "Policies: block (2), warn (1). The policy block would have replaced 3 responses in all."),
        (logged("warn", undecided=2), "0 of 2 responses warned; 2 not decided.",
         "Policy: warn. The policy block would have replaced 0 responses."),
    ],
)  # fmt: skip
def test_the_page_leads_with_what_the_policy_did(decisions, first, policy):
    """The headline counts what was done and what was left open; below it stands what block would have done."""
    report = make_report(decisions)
    page = render(report)
    assert sentences(report)[0] == first
    assert f"<h1>{first}</h1>" in page
    assert f'<p class="lede">{policy}</p>' in page


def test_undecided_replies_stay_in_each_bar():
    """A bar is all responses of its model: moved, unmoved, undecided and unchecked; its shares add up to 100%."""
    mixed = {"openai/a": (6, 2, 3, 1), "openai/b": (0, 38, 25, 0)}
    made = [
        decision(status, model=model, query=f"{model} {status} {at}")
        for model, numbers in mixed.items()
        for status, number in zip(STATUSES, numbers, strict=True) for at in range(number)
    ]  # fmt: skip
    summary = render(make_report(made)).partition('<section class="part"')[0]
    bars = re.findall(r'<svg class="outcome-bar"[^>]*aria-label="([^"]*)">(.*?)</svg>', summary, re.DOTALL)
    assert [name for name, _ in bars] == [
        f"{each}, All responses, n {n}" for each, n in (("all", 75), ("a", 12), ("b", 63))
    ]
    for (_, drawn), numbers in zip(bars[1:], mixed.values(), strict=True):
        titles = re.findall(r"<title>(\w+) ([\d.]+)%, (\d+) of \d+</title>", drawn)
        there = [(status, str(number)) for status, number in zip(STATUSES, numbers, strict=True) if number]
        assert [(status, number) for status, _, number in titles] == there
        assert sum(float(share) for _, share, _ in titles) == 100


def test_a_share_has_one_notation():
    """Page and terminal write "25% (7 to 59)"; "95% CI" stands where the share is first named, and in no table."""
    report = make_report(logged("warn", moved=6, unmoved=2, undecided=3))
    page = render(report)
    assert "Of 8 decided responses, 25% (95% CI 7 to 59) did not change without the image." in page
    assert '<span class="v">25% (7 to 59)</span> <span class="n">n 8</span>' in page
    assert page.count("95% CI") == 1
    assert not re.search(r"\[\d", page.partition("<script")[0])


def test_latency_and_what_was_done_are_told():
    """Median and 95th percentile with n; a changed threshold and damaged lines are named."""
    made = [decision("moved", overhead_ms=float(ms), action="annotated", threshold=0.5) for ms in range(101)]
    made.append(decision("unmoved", action="blocked", threshold=0.7, reason="patience", kind="choice"))
    report = make_report(made, damaged=2, seals=SealCheck(broken=(3,)))
    said, page = " ".join(sentences(report)), render(report)
    told = (
        "50.0 ms (median), 95.0 ms (95th percentile), n = 101",
        "101 annotated, 1 blocked",
        "0.50, 0.70",
        "2 lines",
        "line 3",
    )
    for words in told:
        assert words in said
        assert words in page
    for words in (
        REASONS["patience"],
        "choice",
        "Over time, by minute",
        "the guard itself (all minus the slower of the two)",
    ):
        assert words in page
    assert re.search(r'class="alarm"[^>]*>[^<]*The log was changed: 1 seal broken, in or before line 3\.', page)


def test_an_empty_log_and_hostile_names_do_no_harm():
    """Nothing is divided by nothing, and a model's name stays text."""
    assert sentences(make_report([], seals=SealCheck())) == ["The log contains no decisions."]
    assert "Replies:" not in render(make_report([]))
    assert "<script>x" not in render(make_report([decision("moved", model="<script>x")]))
    assert make_report([GuardDecision("yesterday", "m", "moved")]).stretches == ()


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (slice(None), "nothing was changed or removed"),
        (slice(0, None, 2), "The log was changed: 1 seal broken, in or before line 2. "),
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
    log = GuardLog(path, Installation.from_file(tmp_path / "snellen" / "guard.key"))
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
