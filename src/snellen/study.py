"""Study: what is to be done, in one record or one TOML file; plan it, run it, report it."""

from __future__ import annotations

import gzip
import platform
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cached_property
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

from snellen import report
from snellen.datasets import load
from snellen.errors import StudyError
from snellen.files import write_whole
from snellen.grading import READERS
from snellen.grading.missing_image.readers import ADMISSION_READERS
from snellen.imports import Imported, import_answers, jsonl_line, sources, stored_answers
from snellen.imports import Watch as ImportWatch
from snellen.items import Benchmark
from snellen.judging import JudgeSource
from snellen.models.base import Model
from snellen.models.retrying import retrying
from snellen.plan import Plan
from snellen.plugins import parse_settings
from snellen.progress import Bar
from snellen.prompts import PROVIDER_DEFAULTS, Settings, prompt_named
from snellen.results import Results, score, study_record
from snellen.run import Progress, Watch, ask_all, run
from snellen.stats import Human, human
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import StressTest
from snellen.stress.suites import Suite, suite_named

ORGANISMS = tuple(f"organism/{name}" for name in ("grounded", "blind", "mirage", "positional", "refuser", "random"))
USUAL_BENCHMARKS = ("phantoms:leak=0.5",)
USUAL_PROMPT = "letter"

SECONDS = (int, float)
TYPES: dict[str, Any] = {
    **dict.fromkeys(("models", "benchmarks", "tests"), list),
    **dict.fromkeys(("seed", "epochs", "limit", "max_connections"), int),
    **dict.fromkeys(("out", "prompt", "reader"), str),
    "allow_broken": bool,
    "timeout": SECONDS,
}
WORDS = {
    list: "a list of names",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    SECONDS: "a number of seconds",
}


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be done: which models, on which benchmarks, under which tests. Names, or the things themselves.

    With no argument it is the embedded exam: the bundled organisms on the bundled phantoms, in half of which the text
    gives the answer away.
    """

    models: Sequence[str | Model] = ORGANISMS
    benchmarks: Sequence[str | Benchmark] = USUAL_BENCHMARKS
    tests: Sequence[str | StressTest] = ("standard",)
    out: str | Path = "exam"
    seed: int = 0
    epochs: int = 1
    limit: int | None = None
    prompt: str = ""
    """How questions are worded; by default as the tests' protocol does, or else our own way."""
    reader: str = "lenient"
    settings: Settings = PROVIDER_DEFAULTS
    max_connections: int = 64
    timeout: float | None = None
    """Seconds one call of a named model may take; None leaves it to the model (openai/…: 600)."""
    allow_broken: bool = False
    human: Human | None = None

    def __post_init__(self) -> None:
        if self.reader not in READERS:
            raise StudyError(f"There is no reader {self.reader!r}. There are: {', '.join(READERS)}.")
        if not -(2**63) <= self.seed < 2**63:
            raise StudyError(f"Expected a seed of at most 64 bits, got {self.seed}.")
        if self.max_connections < 1:
            raise StudyError(f"Expected at least one connection, got max_connections={self.max_connections}.")
        if self.timeout is not None and not 0 < self.timeout < inf:
            raise StudyError(f"Expected a timeout of more than 0 seconds, got {self.timeout}.")

    @classmethod
    def from_toml(cls, path: str | Path, **changes: Any) -> Study:
        """The study a file describes, with some of it changed."""
        try:
            record = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise StudyError(f"The study {path} cannot be read: {error}.") from error
        for name, kind in TYPES.items():
            value = record.get(name)
            if value is not None and (not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)):
                raise StudyError(f"{path}: expected {name} to be {WORDS[kind]}, got {value!r}.")
        own = Settings(**_known(Settings, record.pop("settings", {}), where=f"[settings] of {path}"))
        settings = changes.pop("settings", PROVIDER_DEFAULTS).over(own)
        if "human" in record:
            record["human"] = human_reference(record["human"])
        return cls(**{**_known(cls, record, where=str(path)), **changes, "settings": settings})

    def plan(self) -> Plan:
        """What will be asked; loads the benchmarks, sends nothing."""
        return self._plan

    @cached_property
    def _plan(self) -> Plan:
        tests = tuple(self._tests())
        return Plan(
            benchmarks=tuple(self._benchmarks(tests)),
            models=tuple(retrying(entry, timeout=self.timeout) for entry in self.models),
            tests=tests,
            prompt=prompt_named(self.prompt or self._prompt_of_tests()),
            settings=self.settings,
            seed=self.seed,
            epochs=self.epochs,
            limit=self.limit,
            reader=self.reader,
            human=self.human,
        )

    def _tests(self) -> Iterator[StressTest]:
        """Every test once, suites taken apart."""
        seen = set()
        for entry in self.tests:
            suite = suite_named(entry) if isinstance(entry, str) else None
            for each in suite.tests if suite else [entry]:
                test = stress_test(each) if isinstance(each, str) else each
                # One of the user's own is never dropped in silence: the plan refuses a name that is taken.
                if test.name not in seen or isinstance(each, StressTest):
                    yield test
                seen.add(test.name)

    def _suites(self) -> Iterator[Suite]:
        return filter(None, (suite_named(entry) for entry in self.tests if isinstance(entry, str)))

    def _prompt_of_tests(self) -> str:
        return next((suite.prompt for suite in self._suites() if suite.prompt), USUAL_PROMPT)

    def _benchmarks(self, tests: Sequence[StressTest]) -> Iterator[Benchmark]:
        """Those that were named, then the questions that tests bring; the usual one only if some test asks it."""
        if any(not test.questions for test in tests) or self.benchmarks != USUAL_BENCHMARKS:
            for entry in self._benchmarks_of_tests():
                yield load(entry, allow_broken=self.allow_broken) if isinstance(entry, str) else entry
        given = [entry if isinstance(entry, str) else entry.name for entry in self.benchmarks]
        for questions in dict.fromkeys(test.questions for test in tests if test.questions):
            if questions not in given:
                yield load(questions)

    def _benchmarks_of_tests(self) -> Sequence[str | Benchmark]:
        """Those that were named, or where none was, those that the tests' protocols are for."""
        if self.benchmarks != USUAL_BENCHMARKS:
            return self.benchmarks
        suites = list(self._suites())
        own = [suite.benchmark or USUAL_BENCHMARKS[0] for suite in suites] if len(suites) == len(self.tests) else []
        return tuple(dict.fromkeys(own)) or self.benchmarks

    def run(self, watch: Watch | None = None) -> Results:
        """Ask what is missing, then score it and draw the report. Stopped, it goes on where it was the next time.

        A model that was given up or failed throughout is warned of; what others answered is scored.
        """
        progress = self.ask(watch)
        for model, why in progress.silent.items():
            warnings.warn(f"{model} gave no reply or was given up: {why}", stacklevel=2)
        return self.score()

    def ask(self, watch: Watch | None = None) -> Progress:
        """Ask what is missing; nothing is graded yet."""
        plan = self.plan()
        with Store.open(self.out, write=True) as store:
            store.add_study(study_record(plan, store, provenance()))
            shown = Bar() if watch is None else nullcontext(watch)
            with shown as seen:
                return run(plan, store, connections=self.max_connections, watch=seen)

    def score(self) -> Results:
        """Grade and measure what is stored; write results.csv, results.json and report.html."""
        own = [test for test in self.tests if isinstance(test, StressTest)]
        return publish(self.out, tests=own)


def publish(
    out: str | Path,
    *,
    tests: Sequence[StressTest] = (),
    readers: Sequence[str] = (),
    human: Human | None = None,
) -> Results:
    """Score a stored study and write results.csv, results.json and report.html beside it; asks nothing."""
    for reader in readers:
        if reader not in (*READERS, *ADMISSION_READERS):
            raise StudyError(f"There is no reader {reader!r}. There are: {', '.join((*READERS, *ADMISSION_READERS))}.")
    with Store.open(out) as store:
        results = score(store, tests=tests, readers=readers, human=human)
        results.save()
        report.write(results, store)
    return results


def rescore(out: str | Path) -> Results:
    """The results of a stored study; asks nothing and writes nothing."""
    with Store.open(out) as store:
        return score(store)


def bring(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    benchmarks: Sequence[str | Benchmark] = (),
    allow_broken: bool = False,
    new_arms: Sequence[str] = (),
    human: str | None = None,
    watch: ImportWatch = lambda doing, count: None,
    **how: Any,
) -> Imported:
    """Store answers that somebody already has, so that they can be scored and reported; asks nothing.

    `how` are the settings of `snellen.imports.sources`: `format`, and `arm` and `name` where the rows do not say.
    An arm that is called by no condition's name is declared in `new_arms`.
    """
    known = [load(each) if isinstance(each, str) else each for each in benchmarks]
    about = {**provenance(), "human": human_reference(human) if human else None}
    brought = sources(files, benchmarks=known, **how)
    return import_answers(brought, out, allow_broken=allow_broken, new_arms=new_arms, about=about, watch=watch)


def export(out: str | Path, file: str | Path) -> int:
    """Write every stored reply as a row of our own format, as `snellen import` takes it; returns how many."""
    path = Path(file)
    if not path.name.endswith((".jsonl", ".jsonl.gz")):
        raise StudyError(f"Expected a file that ends in .jsonl or .jsonl.gz, got {path.name!r}.")
    with Store.open(out) as store:
        lines = [jsonl_line(answer) for answer in stored_answers(store, images=False)]
    rows = b"".join(lines)
    write_whole(path, gzip.compress(rows) if path.suffix == ".gz" else rows)
    return len(lines)


def judge(
    out: str | Path,
    model: str | Model,
    *,
    limit: int | None = None,
    epochs: int = 1,
    max_connections: int = 64,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> Progress:
    """Ask a judge about the stored rationales, one request for each run of each item; then `publish` shows it."""
    judging = retrying(model, timeout=timeout)
    Store.open(out).close()  # a folder without a study is not made into one
    with Store.open(out, write=True) as store, Bar() if watch is None else nullcontext(watch) as seen:
        source = JudgeSource(store, store.latest_study(), limit=limit, epochs=epochs)
        return ask_all([judging], source, store, connections=max_connections, watch=seen)


def human_reference(given: object) -> Human:
    """What people score, from `0.71` or `71%`, or an exam's points: `points=56.9,questions=60,right=1.5,wrong=-0.4`."""
    try:
        return human(**_settings_of_human(given))
    except (TypeError, ValueError) as error:
        raise StudyError(f"The human reference {given!r} cannot be used: {error}") from error


def _settings_of_human(given: object) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        raise ValueError("expected a share, or an exam's points and rules.")
    bare, named = parse_settings(str(given))
    if len(bare) > 1:
        raise ValueError(f"expected one share, got {', '.join(bare)}.")
    if not bare:
        return named
    share = bare[0].strip()
    return {"accuracy": float(share.rstrip("%")) / (100 if share.endswith("%") else 1), **named}


def provenance() -> dict[str, Any]:
    """When, and with which versions."""
    packages = ("snellen", "numpy", "opencv-python-headless", "aiohttp")
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }


def _known(record: type, values: dict[str, Any], *, where: str) -> dict[str, Any]:
    """The values, all of which the record has a field for."""
    names = [field.name for field in fields(record)]
    for name in values:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(names)}."
            raise StudyError(f"{where}: there is no setting {name!r}.{hint}")
    return values
