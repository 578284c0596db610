"""The speed suite on one page: every script here that hands over ratios, one after the other.

    python benchmarks/page.py [SCRIPT ...] [--quick] [--keep] [--check] [--note TEXT]

Each script runs in a process of its own; one whose rival is not installed is skipped. Ctrl-C ends it with a page of
what was measured. `--keep` adds the ratios to history.jsonl. `--check` ends with status 1 if a ratio fell by more than
20% since the last entry of the same kind of machine, and by more than the rounds differ among themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history.jsonl"
FALL = 0.2
CONVENTION = re.compile(r"^from ratios import .*\btold\b", re.MULTILINE)
MISSING = re.compile(r"No module named '([\w.]+)'|MissingExtraError: (.+)")


class Ratio(NamedTuple):
    """How many times as fast as a rival ours is: the median of the rounds, and the lowest and highest of them."""

    script: str
    what: str
    beside: str
    version: str
    ratio: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, script: str, row: Mapping[str, Any]) -> Ratio:
        """From the line that a script handed over."""
        each = row["rounds"]
        middle = statistics.median(each)
        return cls(script, row["what"], row["beside"], row["version"], middle, min(each), max(each), len(each))

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from the others, and is the same in every run."""
        return self.script, self.what, self.beside


class Compared(NamedTuple):
    """A ratio beside the one of an earlier run; `fell` is the share that it lost."""

    now: Ratio
    before: Ratio
    fell: float
    within_noise: bool

    @property
    def flagged(self) -> bool:
        """Whether it fell by more than it may, and not by noise alone."""
        return self.fell > FALL and not self.within_noise

    def sentence(self) -> str:
        """What happened to it."""
        now, before = self.now, self.before
        said = (
            f"{now.script}: {now.what}, beside {now.beside}: {figures(before.ratio)} → {figures(now.ratio)}, "
            f"{self.fell:.0%} less"
        )
        if now.version != before.version:
            said += f" ({now.beside} was {before.version or 'unknown'} and is {now.version or 'unknown'})"
        noise = f"the rounds reach {figures(now.high)} now and began at {figures(before.low)} then"
        return f"{said}; within the noise: {noise}" if self.within_noise else said


def compared(now: Sequence[Ratio], before: Sequence[Ratio]) -> list[Compared]:
    """The ratios of both runs side by side. A fall is within the noise where the rounds of both runs overlap."""
    earlier = {each.key: each for each in before}
    return [
        Compared(each, then, 1 - each.ratio / then.ratio, each.high >= then.low)
        for each in now
        if (then := earlier.get(each.key))
    ]


def machine() -> dict[str, Any]:
    """What the ratios were measured on."""
    return {
        "cpu": _processor(),
        "cores": os.cpu_count() or 1,
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    with suppress(OSError):
        told = dict(
            (part.strip() for part in line.split(":", 1))
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if ":" in line
        )
        if "model name" in told:
            return told["model name"]
        if "CPU part" in told:
            return f"implementer {told.get('CPU implementer', '?')}, part {told['CPU part']}"
    return platform.processor() or platform.machine()


def same_kind(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two machines have the same processor and as many cores."""
    return all(one.get(name) == other.get(name) for name in ("cpu", "cores", "architecture"))


def last_entry(entries: Sequence[Mapping[str, Any]], on: Mapping[str, Any], *, quick: bool) -> Mapping[str, Any] | None:
    """The latest entry of the same kind of machine, with inputs of the same size."""
    fitting = [each for each in entries if each["quick"] == quick and same_kind(each["machine"], on)]
    return fitting[-1] if fitting else None


def entries() -> list[dict[str, Any]]:
    """The history, the oldest first."""
    return [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()] if HISTORY.exists() else []


def ratios_of(entry: Mapping[str, Any]) -> list[Ratio]:
    """The ratios of an entry."""
    return [Ratio(**each) for each in entry["ratios"]]


def scripts() -> list[str]:
    """The scripts that hand over ratios, by name."""
    return sorted(path.stem for path in HERE.glob("*.py") if CONVENTION.search(path.read_text(encoding="utf-8")))


class Suite:
    """Runs scripts one after the other, and keeps what they hand over and why others handed over nothing."""

    def __init__(self, *, quick: bool) -> None:
        self._quick = quick
        self.ratios: list[Ratio] = []
        self.skipped: list[str] = []
        self.stopped = False

    def run(self, names: Sequence[str]) -> None:
        """Run them all, or as many as there is time for until Ctrl-C."""
        began = time.monotonic()
        for number, name in enumerate(names):
            taken = time.monotonic() - began
            left = f", about {taken / number * (len(names) - number) / 60:.1f} min left" if number else ""
            print(f"[{number + 1}/{len(names)}] {name}{left}", file=sys.stderr, flush=True)
            try:
                self._one(name)
            except KeyboardInterrupt:
                self.stopped = True
                self.skipped.append(f"{', '.join(names[number:])}: stopped")
                return

    def _one(self, name: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file, errors = Path(folder) / "ratios.jsonl", Path(folder) / "errors"
            env = {**os.environ, "SNELLEN_BENCH_RATIOS": str(file), "SNELLEN_BENCH_QUICK": "1" if self._quick else ""}
            with errors.open("wb") as told:
                process = subprocess.Popen(
                    [sys.executable, str(HERE / f"{name}.py")], env=env, stdout=subprocess.DEVNULL, stderr=told
                )
                try:
                    status = process.wait()
                except KeyboardInterrupt:
                    process.terminate()
                    process.wait()
                    raise
                finally:
                    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
                    self.ratios += [Ratio.of(name, json.loads(line)) for line in lines]
            if status or not lines:
                self.skipped.append(f"{name}: {_reason(errors.read_text(errors='replace'), status)}")


def _reason(errors: str, status: int) -> str:
    if found := MISSING.findall(errors):
        module, sentence = found[-1]
        return sentence or f"skipped, {module} is not installed"
    last = errors.strip().splitlines()[-1:] or ["it handed over nothing"]
    return f"failed with status {status}: {last[0]:.200}"


def figures(ratio: float) -> str:
    """Two figures, or whole numbers from ten on.

    >>> figures(0.947), figures(3.14), figures(162.4)
    ('0.95', '3.1', '162')
    """
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def page(
    suite: Suite, on: Mapping[str, Any], *, about: Mapping[str, Any], before: Mapping[str, Any] | None
) -> Iterator[str]:
    """The page: the machine, a row for each ratio, and what was not measured."""
    yield f"# Speed of Snellen {about['version']} ({about['commit']}), {about['date']}"
    yield ""
    yield (
        f"{on['cpu']}, {on['cores']} cores, {on['system']} {on['architecture']}, Python {on['python']}; "
        f"load {about['load']:g} at the end{', so that the machine was busy' if about['load'] > on['cores'] else ''}."
    )
    yield "A ratio says how many times as fast as the other ours is: the median of the rounds (lowest to highest)."
    yield "Both took turns." + (" Small inputs and few rounds (quick)." if about["quick"] else "")
    yield ""
    then = {each.key: each.ratio for each in ratios_of(before)} if before else {}
    yield "| script | what | beside | times as fast | rounds |" + (f" {before['date']} |" if before else "")
    yield "|---|---|---|---|---|" + ("---|" if before else "")
    for each in suite.ratios:
        spread = f"{figures(each.ratio)} ({figures(each.low)} to {figures(each.high)})"
        earlier = f" {figures(then[each.key]) if each.key in then else '–'} |" if before else ""
        rival = f"{each.beside} {each.version}".strip()
        yield f"| {each.script} | {each.what} | {rival} | {spread} | {each.rounds} |{earlier}"
    if suite.skipped:
        yield ""
        yield from (f"Not measured: {each}." for each in suite.skipped)


def verdict(found: Sequence[Compared], before: Mapping[str, Any] | None, lacking: int) -> Iterator[str]:
    """What the comparison with an earlier run comes to, in sentences."""
    if before is None:
        yield "There is no earlier entry of this kind of machine to compare with. Add one with: make bench KEEP=1"
        return
    flagged = [each for each in found if each.flagged]
    noise = [each for each in found if each.fell > FALL and each.within_noise]
    yield (
        f"Beside {before['date']} ({before['commit']}): {len(flagged)} of {len(found)} ratios fell by more than "
        f"{FALL:.0%}{f'; {lacking} of that run were not measured now' if lacking else ''}."
    )
    yield from (f"FELL: {each.sentence()}" for each in flagged)
    yield from (f"Not flagged: {each.sentence()}" for each in noise)


def about(*, quick: bool) -> dict[str, Any]:
    """When and what was measured."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    git = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "version": project["version"],
        "commit": git.stdout.strip() or "no commit",
        "quick": quick,
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("scripts", nargs="*", metavar="SCRIPT", help="by default all that hand over ratios")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--keep", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("--note", default="")
    given = options.parse_args()
    known = scripts()
    if unknown := [name for name in given.scripts if name.removesuffix(".py") not in known]:
        sys.exit(f"{', '.join(unknown)} hands over no ratios. Those that do: {', '.join(known)}.")
    suite, on = Suite(quick=given.quick), machine()
    wanted = [name.removesuffix(".py") for name in given.scripts] or known
    told = about(quick=given.quick)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # no script is left running
    suite.run(wanted)
    told["load"] = round(os.getloadavg()[0], 1)
    before = last_entry(entries(), on, quick=given.quick)
    found = compared(suite.ratios, ratios_of(before) if before else [])
    print("\n".join(page(suite, on, about=told, before=before)))
    lacking = sum(each.script in wanted for each in ratios_of(before)) - len(found) if before else 0
    print("", *verdict(found, before, lacking), sep="\n")
    if given.keep and suite.ratios:
        entry = {**told, "note": given.note, "machine": on, "ratios": [each._asdict() for each in suite.ratios]}
        with HISTORY.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    if given.check and any(each.flagged for each in found):
        sys.exit(1)
    if suite.stopped:
        sys.exit(130)


if __name__ == "__main__":
    main()
