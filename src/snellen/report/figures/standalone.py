"""Figures as files with numbers, caption and stable name."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import NamedTuple

from snellen.report.components import Figure
from snellen.report.figures.layout import LaidOut
from snellen.report.figures.plain import plain
from snellen.report.words.numbers import from_to
from snellen.scoring.findings import Finding
from snellen.scoring.writing import cell
from snellen.stats import Estimate
from snellen.stress.base import Measure

FOLDER = "figures"
MAIN = "figure-1"
"""First part of the names of figures for papers and slides; they are also written as PDF and PNG."""
CAPTIONS = f"{FOLDER}/captions.md"
LONGEST_NAME = 110
ROW = 24.0
"""Height in pixels of a row with one marker."""


class Datum(NamedTuple):
    """Numbers of one marker or line of a figure: a row of its CSV."""

    measure: str
    value: float
    low: float = math.nan
    high: float = math.nan
    n: int | None = None
    method: str = ""
    model: str = ""
    benchmark: str = ""
    condition: str = ""
    group: str = ""
    unit: str = "share"


def datum(finding: Finding, measure: Measure) -> Datum:
    """Return the numbers of a marker that shows a measure."""
    return of_estimate(
        measure.name, measure.estimate, model=finding.model, benchmark=finding.benchmark, condition=measure.arm,
        group=finding.group, unit=str(measure.kind.unit),
    )._replace(method=measure.how)  # fmt: skip


def of_estimate(measure: str, estimate: Estimate, **where: str) -> Datum:
    """Return the numbers of a marker that shows an estimate. `where` are the other columns."""
    return Datum(measure, estimate.value, estimate.low, estimate.high, estimate.n, estimate.method, **where)


class About(NamedTuple):
    """Description of a figure: words for its name, content, and meaning of its markers."""

    name: Sequence[str]
    shown: str
    marks: str = "Marks are estimates, lines are 95% CIs"


class Figures:
    """The figures of a report, each once."""

    def __init__(self) -> None:
        self._kept: dict[str, Figure] = {}

    def __iter__(self) -> Iterator[Figure]:
        return iter(self._kept.values())

    def keep(self, words: Iterable[str], caption: str, svg: str, data: Iterable[Datum]) -> Figure:
        """Keep a figure under a name made of words. Repeated names get a number."""
        made = Figure(_name(words), caption, svg, as_csv(data))
        name, number = made.name, 1
        while name in self._kept and self._kept[name].csv != made.csv:
            number += 1
            name = f"{made.name}-{number}"
        return self._kept.setdefault(name, made._replace(name=name))

    def draw(self, about: About, data: Sequence[Datum], drawn: LaidOut) -> Figure:
        """Keep a figure of these numbers, as `figures.layout` laid it out."""
        caption = caption_of(about.shown, [each.n for each in data if each.n is not None], about.marks)
        svg = plain(drawn.drawing, width=drawn.width, height=drawn.height, title=about.shown, about=caption)
        return self.keep(about.name, caption, svg, data)

    def files(self) -> Mapping[str, bytes]:
        """Return the files of all figures, by path below the report's folder."""
        drawn = {
            f"{FOLDER}/{each.name}.{ending}": text.encode(errors="replace")
            for each in self
            for ending, text in (("svg", each.svg), ("csv", each.csv))
        }
        return drawn | {CAPTIONS: self.captions().encode(errors="replace")}

    def captions(self) -> str:
        """Return all captions, each under the name of its figure."""
        return "# Figures\n" + "".join(f"\n## {each.name}\n\n{each.caption}\n" for each in self)


def _name(words: Iterable[str]) -> str:
    """Make a file name of plain letters.

    >>> _name(["image-needed", "kept_above_chance", "image-removed", ""]), _name(["mirage-rate", "mirage_rate"])
    ('image-needed-kept-above-chance-image-removed', 'mirage-rate')
    """
    plain = [re.sub(r"[^a-z0-9]+", "-", each.lower()).strip("-") for each in words]
    return "-".join(each for each in dict.fromkeys(plain) if each)[:LONGEST_NAME].strip("-") or "figure"


def as_csv(data: Iterable[Datum]) -> str:
    """Return a figure's rows as CSV. Unknown values are empty."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    order = ("model", "benchmark", "condition", "group", "measure", "unit", "value", "low", "high", "n", "method")
    writer.writerow(order)
    for each in data:
        row = []
        for value in map(each._asdict().__getitem__, order):
            number = float(value) if isinstance(value, float) else value  # plain, so that NumPy's type is not written
            row.append("" if number is None or number != number else cell(number))
        writer.writerow(row)
    return text.getvalue()


def caption_of(shown: str, counts: Sequence[int], marks: str, *more: str) -> str:
    """Join content, n, marks and further sentences to a caption.

    >>> caption_of("Accuracy, no image", [200, 200], "Marks are estimates, lines 95% CIs")
    'Accuracy, no image (n 200). Marks are estimates, lines 95% CIs.'
    """
    n = f" (n {from_to(counts)})" if counts else ""
    return " ".join(f"{each.rstrip('.')}." for each in (f"{shown.rstrip('.')}{n}", marks, *more) if each)
