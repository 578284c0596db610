"""chart.jsonl: who was examined, then every request and its reply, a line each; only ever added to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import StudyError
from snellen.files import create_folder, open_private, write_whole
from snellen.schemas import later
from snellen.tools.chart.result import Letter, Series, Trial

LOG = "chart.jsonl"
SCHEMA = 1


@dataclass(frozen=True)
class Examined:
    """Who is examined and how: the first line of the log. Another exam does not go into the same folder."""

    model: str
    revision: str
    seed: int
    exhaustive: bool
    settings: dict[str, Any]
    created: str


class ChartLog:
    """The log of one exam in a folder, made where there is none."""

    def __init__(self, folder: str | Path) -> None:
        self._path = Path(folder) / LOG

    def read(self) -> tuple[Examined | None, tuple[Trial, ...]]:
        """What is there: nothing, or the exam and its trials so far. A last line that was cut off is left out."""
        if not self._path.exists():
            return None, ()
        lines = list(self._lines())
        if not lines:
            return None, ()
        if isinstance(lines[0], dict) and (said := later(self._path, lines[0].pop("schema", None), SCHEMA)):
            raise StudyError(said)
        try:
            return Examined(**lines[0]), tuple(_trial(line) for line in lines[1:])
        except (TypeError, KeyError, ValueError) as error:
            raise StudyError(f"{self._path} is no log of an eye chart: {error!r}. Name another folder.") from error

    def begin(self, examined: Examined) -> None:
        """Write the first line."""
        try:
            create_folder(self._path.parent)
            if any(self._path.parent.iterdir()):
                raise StudyError(
                    f"{self._path.parent} holds other files than an eye chart's, and none is overwritten. "
                    "Name another folder with --out."
                )
            first = {"schema": SCHEMA, **asdict(examined)}
            write_whole(self._path, orjson.dumps(first, option=orjson.OPT_APPEND_NEWLINE))
        except OSError as error:
            raise StudyError(
                f"The eye chart cannot be written to {self._path.parent}: {error.strerror}. Name another folder."
            ) from error

    def add(self, trial: Trial) -> None:
        """Append a trial."""
        record = {
            "number": trial.number,
            "series": asdict(trial.series),
            "letters": [each._asdict() for each in trial.letters],
            "rows": trial.rows,
            "seed": trial.seed,
            "outcome": trial.outcome,
            "reply": trial.reply.encode("utf-8", "replace").decode(),
            "input_tokens": trial.input_tokens,
            "output_tokens": trial.output_tokens,
        }
        with open_private(self._path, "ab") as file:
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))

    def mend(self) -> None:
        """Take away the half of a line that a crash left at the end, so that the next one begins on its own."""
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
    return Trial(
        **{
            **line,
            "series": Series(**line["series"]),
            "letters": tuple(Letter(**each) for each in line["letters"]),
            "rows": tuple(line["rows"]),
        }
    )
