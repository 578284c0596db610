"""Missing parts of the machine: tests are skipped and say so, or fail where all parts are required."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import parts
from parts import describe_missing, require

TESTS = Path(__file__).parent
CI = TESTS.parent / ".ci" / "run"


def test_a_missing_part_skips_or_fails(monkeypatch):
    """The reason names the part and the command that installs it; a part that is there is no reason."""
    monkeypatch.setitem(parts.PROGRAMS, "chromium", None)
    monkeypatch.setitem(parts.PROGRAMS, "postgresql", "/usr/bin")
    reason = re.escape("Missing part: chromium. Install it: apt-get install chromium")
    for required, outcome in ((False, pytest.skip.Exception), (True, pytest.fail.Exception)):
        monkeypatch.setattr(parts, "REQUIRED", required)
        with pytest.raises(outcome, match=reason):
            require("pytest", "postgresql", "chromium")
    require("pytest", "postgresql")


def test_the_last_lines_count_the_tests_of_each_missing_part():
    """Skips for other reasons are left out."""
    reasons = ["Skipped: Missing part: b. Install it: y", "no data here", "Skipped: Missing part: a. Install it: x"]
    assert describe_missing(reasons + reasons[:1]) == [
        "Skipped tests: 1. Missing part: a. Install it: x",
        "Skipped tests: 2. Missing part: b. Install it: y",
    ]


def test_one_browser_opens_every_page():
    """Nothing but the fixture starts a browser, so no test can miss the check that there is one."""
    starts = re.compile(r"\bBrowser\(\)|\.chromium\.launch|needs_chromium|importorskip")
    files = [path for path in TESTS.rglob("*.py") if path not in (TESTS / "conftest.py", Path(__file__))]
    assert [path.name for path in files if starts.search(path.read_text("utf-8"))] == []


@pytest.mark.skipif(not CI.exists(), reason="an sdist has no script of CI")
def test_ci_installs_every_part_and_requires_it():
    """A part that is added here is installed there; no green run has skipped it."""
    script = CI.read_text()
    assert "REQUIRE_ALL_PARTS=1" in script
    named = [re.search(r"([\w-]+)(?:\]')?$", command)[1] for command in parts.INSTALL.values()]
    assert [part for part in named if not re.search(rf"[(,\[]{part}[),\]]", script)] == []


def test_linting_needs_neither_torch_nor_ray():
    """`make check` has an environment of its own, and installs one extra into it, which brings neither."""
    command = ["make", "--dry-run", "--always-make", "check", "VENV=other"]
    told = subprocess.run(command, cwd=TESTS.parent, check=True, capture_output=True, text=True).stdout
    assert re.findall(r"pip install .* -e (\S+)", told) == ["'.[check]'"]
    assert set(re.findall(r"\S+/bin/", told)) == {"other-check/bin/"}
    extras = tomllib.loads((TESTS.parent / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted, packages = ["snellen[check]"], set()
    while wanted:
        name, _, more = wanted.pop().partition("[")
        packages.add(re.match(r"[\w-]+", name)[0])
        wanted += [each for extra in more.strip("]").split(",") if name == "snellen" for each in extras[extra]]
    assert {"ruff", "mypy"} <= packages
    assert packages.isdisjoint({"torch", "ray"})


def linted(folder):
    """The files that ruff reads there."""
    command = [sys.executable, "-m", "ruff", "check", "--show-files", "."]
    told = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return {Path(line).relative_to(folder).as_posix() for line in told.splitlines()}


def test_our_files_are_linted_and_no_environment(tmp_path):
    """Every Python file that git tracks; none of an environment, whatever its name is."""
    for name in ("src/ours.py", "other/bin/theirs.py", "other/lib/python3.11/site-packages/theirs.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    shutil.copy(TESTS.parent / "pyproject.toml", tmp_path)
    assert linted(tmp_path) == {"src/ours.py", "pyproject.toml"}
    git = subprocess.run(["git", "ls-files", "*.py"], cwd=TESTS.parent, capture_output=True, text=True)
    tracked = {name for name in git.stdout.splitlines() if (TESTS.parent / name).exists()}
    assert tracked <= linted(TESTS.parent)
