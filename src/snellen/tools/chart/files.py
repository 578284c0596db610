"""The files of an eye chart: its log, and chart.html, chart.json and trials.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import StudyError
from snellen.files import create_folder, open_private, replace_set, write_whole
from snellen.schemas import later
from snellen.scoring.writing import write_csv
from snellen.stats import Estimate
from snellen.tools.chart.page import KnownSight, render
from snellen.tools.chart.result import ChartResult, ChartSeries, Letter, Trial

LOG = "chart.jsonl"
SCHEMA = 1


@dataclass(frozen=True)
class Examined:
    """The settings of an exam, as in its log's first line. A folder holds only one exam."""

    model: str
    revision: str
    seed: int
    exhaustive: bool
    settings: dict[str, Any]
    created: str


class ChartLog:
    """The log of one exam in a folder; the folder is created if missing."""

    def __init__(self, folder: str | Path) -> None:
        self._path = Path(folder) / LOG

    def read(self) -> tuple[Examined | None, tuple[Trial, ...]]:
        """Read the exam (None without a log) and its trials so far.

        An incomplete last line is left out.
        """
        lines = list(self._lines()) if self._path.exists() else []
        if not lines:
            return None, ()
        if isinstance(lines[0], dict) and (problem := later(self._path, lines[0].pop("schema", None), SCHEMA)):
            raise StudyError(problem)
        try:
            return Examined(**lines[0]), tuple(_trial(line) for line in lines[1:])
        except (TypeError, KeyError, ValueError) as error:
            raise StudyError(f"{self._path} is not a log of an eye chart: {error!r}. Choose another folder.") from error

    def begin(self, examined: Examined) -> None:
        """Create the log and write its first line."""
        try:
            create_folder(self._path.parent)
            if any(self._path.parent.iterdir()):
                raise StudyError(
                    f"{self._path.parent} contains files that are not from an eye chart. Choose another --out."
                )
            first = {"schema": SCHEMA, **asdict(examined)}
            write_whole(self._path, orjson.dumps(first, option=orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise StudyError(
                f"The eye chart cannot be written to {self._path.parent}: {error.strerror}. Name another folder."
            ) from error

    def add(self, trial: Trial) -> None:
        """Append a trial."""
        letters = [each._asdict() for each in trial.letters]
        record = {**vars(trial), "letters": letters, "reply": trial.reply.encode("utf-8", "replace").decode()}
        with open_private(self._path, "ab") as file:
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))

    def mend(self) -> None:
        """Remove an incomplete last line, as after a crash."""
        if not self._path.exists():
            return
        try:
            with open_private(self._path, "r+b") as file:
                file.truncate(file.read().rfind(b"\n") + 1)
        except OSError as error:
            raise StudyError(
                f"{self._path} cannot be written to: {error.strerror}. Name another folder with --out."
            ) from error

    def _lines(self) -> Iterator[dict[str, Any]]:
        whole = self._path.read_bytes().split(b"\n")[:-1]
        for number, line in enumerate(whole, 1):
            try:
                yield orjson.loads(line)
            except ValueError as error:
                raise StudyError(f"Line {number} of {self._path} is not JSON: {error}. Name another folder.") from error


def _trial(line: dict[str, Any]) -> Trial:
    series, letters = ChartSeries(**line["series"]), tuple(Letter(**each) for each in line["letters"])
    return Trial(**{**line, "series": series, "letters": letters, "rows": tuple(line["rows"])})


PAGE, RECORD = "chart.html", "chart.json"
COLUMNS = (
    "request", "series", "side", "contrast", "light_on_dark", "ground", "outcome", "letter", "x", "y", "size", "mark",
    "said",
)  # fmt: skip


def write(result: ChartResult, folder: str | Path, beside: Sequence[KnownSight] = ()) -> Path:
    """Write the files of a result; return the path of the page. `beside` are other models' thresholds."""
    home = Path(folder)
    record = {"schema": SCHEMA} | {name: value for name, value in _plain(result).items() if name != "trials"}
    with replace_set(home, record=RECORD, schema=SCHEMA, page=PAGE) as (new, _):
        write_csv(new / "trials.csv", COLUMNS, _rows(result))
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
        write_whole(new / PAGE, render(result, beside).encode())
    return home / PAGE


def read_sight(folder: str | Path) -> KnownSight:
    """Read a model's threshold from the chart.json in a folder."""
    path = Path(folder) / RECORD
    try:
        record = orjson.loads(path.read_bytes())
        if said := later(path, record.get("schema"), SCHEMA):
            raise StudyError(said)
        size = (record["acuity"] or {}).get("size")
        return KnownSight(str(record["model"]), None if size is None else _estimate(**size))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StudyError(f"{folder} has no readable chart.json of an eye chart: {error!r}. Give the folder that "
                         "`snellen chart` wrote with --out.") from error  # fmt: skip


def _estimate(value: float, low: float, high: float | None, n: int, method: str, **_: Any) -> Estimate:
    return Estimate(float(value), float(low), inf if high is None else float(high), int(n), str(method))


def _rows(result: ChartResult) -> Iterator[dict[str, Any]]:
    """Yield a row for every letter."""
    for trial in result.trials:
        series = asdict(trial.series)
        shared = {"request": trial.number, **series, "series": trial.series.name, "outcome": trial.outcome}
        for letter in trial.letters:
            mark = letter.mark if trial.outcome == "answered" else ""
            row = {**shared, **letter._asdict(), "mark": mark}
            yield {column: row[column] for column in COLUMNS}


def _plain(value: Any) -> Any:
    """Convert records to JSON values; an infinite or undefined number becomes null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
