"""The files of an eye chart: chart.html, chart.json and trials.csv; and what other charts hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import StudyError
from snellen.files import replace_set, write_whole
from snellen.schemas import later
from snellen.scoring.writing import write_csv
from snellen.stats import Estimate
from snellen.tools.chart.log import SCHEMA
from snellen.tools.chart.page import KnownSight, render
from snellen.tools.chart.result import ChartResult

PAGE, RECORD = "chart.html", "chart.json"
COLUMNS = (
    "request", "series", "side", "contrast", "light_on_dark", "ground", "outcome", "letter", "x", "y", "size", "mark",
    "said",
)  # fmt: skip


def write(result: ChartResult, folder: str | Path, beside: Sequence[KnownSight] = ()) -> Path:
    """Write a result into its folder; its page, which is returned, also shows thresholds of other models."""
    home = Path(folder)
    record = {"schema": SCHEMA} | {name: value for name, value in _plain(result).items() if name != "trials"}
    with replace_set(home, record=RECORD, schema=SCHEMA, page=PAGE) as (new, _):
        write_csv(new / "trials.csv", COLUMNS, _rows(result))
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
        write_whole(new / PAGE, render(result, beside).encode())
    return home / PAGE


def read_sight(folder: str | Path) -> KnownSight:
    """The threshold that a folder's chart.json holds."""
    path = Path(folder) / RECORD
    try:
        record = orjson.loads(path.read_bytes())
        if said := later(path, record.get("schema"), SCHEMA):
            raise StudyError(said)
        size = (record["acuity"] or {}).get("size")
        return KnownSight(str(record["model"]), None if size is None else _estimate(**size))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StudyError(f"Expected the chart.json of an eye chart in {folder}, got {error!r}. Name the folder that "
                         "`snellen chart` wrote with --out.") from error  # fmt: skip


def _estimate(value: float, low: float, high: float | None, n: int, method: str, **_: Any) -> Estimate:
    return Estimate(float(value), float(low), inf if high is None else float(high), int(n), str(method))


def _rows(result: ChartResult) -> Iterator[dict[str, Any]]:
    """A row for every letter."""
    for trial in result.trials:
        series = trial.series
        for letter in trial.letters:
            yield {
                "request": trial.number,
                "series": series.name,
                "side": series.side,
                "contrast": series.contrast,
                "light_on_dark": series.light_on_dark,
                "ground": series.ground,
                "outcome": trial.outcome,
                "mark": letter.mark if trial.outcome == "answered" else "",
                **{name: getattr(letter, name) for name in ("letter", "x", "y", "size", "said")},
            }


def _plain(value: Any) -> Any:
    """Records as JSON holds them; an end that nothing bounds is null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
