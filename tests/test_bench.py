"""The page of the speed suite: what a ratio is compared with, and when its fall is flagged."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1] / "benchmarks"
MACHINE = {"cpu": "A", "cores": 2, "architecture": "x86_64", "system": "Linux", "python": "3.11.7"}


@pytest.fixture
def page(monkeypatch, tmp_path):
    """The module, whose scripts and history lie in an empty folder."""
    spec = importlib.util.spec_from_file_location("bench_page", HERE / "page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "ratios.py").write_text((HERE / "ratios.py").read_text())
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "HISTORY", tmp_path / "history.jsonl")
    return module


def ratio(page, value, *, what="noise", spread=0.0, version="1"):
    rounds = [value * (1 - spread), value, value * (1 + spread)]
    return page.Ratio.of("artefacts", {"what": what, "beside": "TorchIO", "version": version, "rounds": rounds})


def test_a_ratio_that_fell_by_more_than_a_fifth_is_flagged(page):
    """A fifth itself is not more than a fifth, and what rose is never flagged."""
    flagged = {now: page.compared([ratio(page, now)], [ratio(page, 10)])[0].flagged for now in (7.9, 8.0, 9, 10, 30)}
    assert flagged == {7.9: True, 8.0: False, 9: False, 10: False, 30: False}


def test_a_fall_within_the_noise_is_told_and_not_flagged(page):
    """Where the rounds of both runs overlap."""
    [noisy] = page.compared([ratio(page, 7, spread=0.3)], [ratio(page, 10, spread=0.1)])
    [clear] = page.compared([ratio(page, 7, spread=0.1)], [ratio(page, 10, spread=0.1)])
    assert (noisy.flagged, clear.flagged) == (False, True)
    assert noisy.sentence() == (
        "artefacts: noise, beside TorchIO: 10 → 7.0, 30% less; within the noise: "
        "the rounds reach 9.1 now and began at 9.0 then"
    )


def test_another_version_of_the_rival_is_said(page):
    """A ratio also falls when the rival gets faster."""
    [found] = page.compared([ratio(page, 5, version="2")], [ratio(page, 10)])
    assert found.sentence().endswith("50% less (TorchIO was 1 and is 2)")


def test_what_is_missing_on_either_side_is_not_compared(page):
    """A new ratio has no past, and one that was not measured now is counted in words."""
    now, before = [ratio(page, 1, what="new")], [ratio(page, 9, what="old")]
    assert page.compared(now, before) == []
    told = list(page.verdict([], {"date": "2026-01-01", "commit": "c"}, lacking=1))
    assert told == ["Beside 2026-01-01 (c): 0 of 0 ratios fell by more than 20%; 1 of that run were not measured now."]


def test_only_the_last_entry_of_the_same_machine_and_size_counts(page):
    """Another processor, more cores or quick inputs are another matter; another Python is not."""
    history = [
        {"quick": False, "machine": MACHINE, "n": 1},
        {"quick": False, "machine": {**MACHINE, "python": "3.12.1"}, "n": 2},
        {"quick": True, "machine": MACHINE, "n": 3},
        {"quick": False, "machine": {**MACHINE, "cores": 4}, "n": 4},
    ]
    assert page.last_entry(history, MACHINE, quick=False)["n"] == 2
    assert page.last_entry(history, {**MACHINE, "cpu": "B"}, quick=False) is None
    assert next(page.verdict([], None, 0)).startswith("There is no earlier entry of this kind of machine")


def test_the_page_takes_any_script_that_hands_ratios_over(page, tmp_path, monkeypatch, capsys):
    """One is measured, kept and flagged the next time; one without its rival and one that fails are named."""
    monkeypatch.setattr(page.signal, "signal", lambda *handler: None)
    monkeypatch.setattr(page, "about", lambda quick: {
        "date": "2026-11-17", "version": "0", "commit": "c", "quick": quick,
    })  # fmt: skip
    script = "from ratios import QUICK, told\ntold('what', 'Rival', [{} + QUICK, {}])\n"
    (tmp_path / "fast.py").write_text(script.format(9, 9))
    (tmp_path / "lonely.py").write_text("from ratios import told\nimport there_is_no_rival\n")
    (tmp_path / "other.py").write_text("print('no ratios')\n")
    (tmp_path / "wrong.py").write_text("from ratios import told\nraise ValueError('so\\nit is')\n")
    monkeypatch.setattr(sys, "argv", ["page.py", "--keep"])
    page.main()
    said = capsys.readouterr().out
    assert "| fast | what | Rival | 9.0 (9.0 to 9.0) | 2 |" in said
    assert "Not measured: lonely: skipped, there_is_no_rival is not installed." in said
    assert "Not measured: wrong: failed with status 1: it is." in said
    assert "| other |" not in said
    [kept] = [json.loads(line) for line in page.HISTORY.read_text().splitlines()]
    assert [each["ratio"] for each in kept["ratios"]] == [9.0]
    (tmp_path / "fast.py").write_text(script.format(4, 5))
    monkeypatch.setattr(sys, "argv", ["page.py", "fast", "--check"])
    with pytest.raises(SystemExit) as ended:
        page.main()
    assert ended.value.code == 1
    assert "FELL: fast: what, beside Rival: 9.0 → 4.5, 50% less" in capsys.readouterr().out


def test_the_history_can_be_read():
    """Every entry says when and on what it was measured, and holds ratios alone."""
    for line in (line for file in HERE.glob("history.jsonl") for line in file.read_text().splitlines()):
        entry = json.loads(line)
        assert {"date", "version", "commit", "quick", "load", "note", "machine", "ratios"} == set(entry)
        assert all(0 < each["low"] <= each["ratio"] <= each["high"] for each in entry["ratios"])
