"""snellen guard as its command starts it."""

import asyncio
import signal

import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.cli.guard import calibrate, guard, key_file, show_log
from snellen.errors import SnellenError, StudyError, UnusableModelError
from snellen.tools.guard.log import GuardDecision, GuardLog, Installation, now
from snellen.tools.guard.proxy import Conduct, start


@pytest.fixture
def surroundings(tmp_path, monkeypatch):
    """An environment without keys, whose own folders are empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    return tmp_path


def test_upstream_is_asked_for():
    """Without an upstream, the command says what to write."""
    done = CliRunner().invoke(cli, ["guard"])
    assert (done.exit_code, "snellen guard --upstream openai/MODEL" in done.output) == (2, True)


@pytest.mark.parametrize(
    ("host", "conduct", "more", "said"),
    [
        ("0.0.0.0", Conduct(), {}, "--key"),
        ("::", Conduct(key=""), {}, "--key"),
        ("127.0.0.1", Conduct(key="x"), {"pass_key": True}, "not both"),
    ],
)
def test_others_need_a_key(surroundings, host, conduct, more, said):
    """Beyond this computer the guard does not listen without a key, and there is one key only."""
    with pytest.raises(StudyError, match=said):
        guard("openai/m", host, 0, conduct, log=surroundings / "log", **more)


def test_upstreams(surroundings, monkeypatch):
    """An unknown provider, a broken address and a missing key are told before anything listens, without the secret."""
    with pytest.raises(UnusableModelError, match="openai/MODEL"):
        guard("organism/blind", "127.0.0.1", 0, Conduct(), log=surroundings / "log")
    monkeypatch.setenv("OPENAI_BASE_URL", "ftp://me:secret@host")
    with pytest.raises(UnusableModelError, match="http://host:8000/v1") as raised:
        guard("openai/m", "127.0.0.1", 0, Conduct(), log=surroundings / "log")
    assert "secret" not in str(raised.value)
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(UnusableModelError, match="OPENAI_API_KEY"):
        guard("openai/m", "127.0.0.1", 0, Conduct(), log=surroundings / "log")


def test_a_calibration_of_a_later_version_is_not_overwritten(tmp_path):
    """The refusal comes before anything is asked."""
    (tmp_path / "c.json").write_text('{"schema": 99}')
    how = {"upstream": None, "rate": 0.05, "items": 1, "seed": 0, "stand_in": False, "connections": 1}
    with pytest.raises(SnellenError, match="later version of snellen"):
        calibrate(**how, to=tmp_path / "c.json")
    assert (tmp_path / "c.json").read_text() == '{"schema": 99}'


def test_the_report_of_a_log_is_private(tmp_path):
    """Page and numbers are written as one set, beside the log."""
    log = GuardLog(tmp_path / "guard.jsonl", Installation.from_file(tmp_path / "key"))
    log.add(GuardDecision(now(), "openai/gpt-5", "moved", score=0.5))
    log.close()
    show_log(tmp_path / "guard.jsonl", key=tmp_path / "key", to=None)
    modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("guard.jsonl", "guard.jsonl.head", "guard.html", "guard.report.json", "key"), 0o600)


def test_port_in_use(surroundings):
    """A port that is taken is named."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SnellenError, match="another port"):
        guard("openai/m", "127.0.0.1", taken.getsockname()[1], Conduct(), log=surroundings / "log")


def test_guards_until_interrupted(surroundings, monkeypatch, capsys):
    """It says where it listens, what it guards and what that costs; Ctrl-C ends it and tells the end of the log."""
    log = GuardLog(surroundings / "log", Installation.from_file(key_file()))
    log.add(GuardDecision(now(), "m", "moved"))
    log.close()

    async def start_and_interrupt(*given):
        server = await start(*given)
        asyncio.get_running_loop().call_later(0.01, signal.raise_signal, signal.SIGINT)
        return server

    monkeypatch.setattr("snellen.tools.guard.proxy.start", start_and_interrupt)
    # A shell that starts the tests in the background has Ctrl-C ignored in all they start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        guard("openai/m", "127.0.0.1", 0, Conduct(policy="block"), log=surroundings / "log")
    finally:
        signal.signal(signal.SIGINT, before)
    where, place, cost, threshold, kept, end = capsys.readouterr().out.splitlines()
    assert where.startswith("Guarding m of http://127.0.0.1:9/v1 at http://127.0.0.1:")
    assert str(surroundings / "log") in place
    assert "twice" in cost
    assert "calibrate" in threshold
    assert "kept until they are checked" in kept
    assert end.startswith(f"Lines written to the log: 1. The last seal is {log.head.seal}.")
