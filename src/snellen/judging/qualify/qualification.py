"""Qualification: raters' labels, a parser's readings, and the agreement of the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from snellen.benchmarks.answers import parse_options
from snellen.errors import DataError
from snellen.items import Option
from snellen.models.base import Response
from snellen.stats import Estimate, wilson
from snellen.stats.agreement import cohens_kappa


class Labelled(NamedTuple):
    """A row with a rater's label: its place in the file and its fields."""

    where: str
    fields: Mapping[str, Any]

    @property
    def response(self) -> str:
        """The text of the response; DataError if there is none."""
        response = self.fields.get("response")
        if not isinstance(response, str):
            raise DataError(
                f"{self.where}: expected the response's text in `response`, got {response!r}. Fix or remove the row."
            )
        return response

    @property
    def question(self) -> str:
        """The question; empty if the row has none."""
        return str(self.fields.get("question") or "")

    @property
    def finish(self) -> str:
        """Why the response ended; empty if the row does not have it."""
        return str(self.fields.get("finish") or "")

    @property
    def options(self) -> tuple[Option, ...]:
        """The options in `options`; DataError if they are not a list of texts."""
        try:
            return tuple(labelled.option for labelled in parse_options(self.fields.get("options")))
        except DataError as error:
            raise DataError(f"{self.where}: {error}. Give the options' texts as a list.") from error

    @property
    def came_back(self) -> Response:
        """The response in the form that a parser takes."""
        return Response(self.response, self.finish)

    @property
    def came(self) -> str:
        """The label in the form that error messages show."""
        return repr(self.fields["label"]) if "label" in self.fields else "no label"


def find_label(row: Labelled, labels: Sequence[str]) -> str:
    """Return the label of a row in its usual spelling; DataError if it is unknown."""
    label = row.fields.get("label")
    known = {_spell(each): each for each in labels}
    if isinstance(label, str) and _spell(label) in known:
        return known[_spell(label)]
    raise DataError(
        f"{row.where}: expected as label {', '.join(labels[:-1])} or {labels[-1]}, got {row.came}. "
        "Correct the label, or drop the row."
    )


def _spell(label: str) -> str:
    return " ".join(label.lower().replace("-", " ").replace("_", " ").split())


class QualifiedRow(NamedTuple):
    """One row: its place in the file, the raters' label, and the parser's label and rule."""

    where: str
    fields: Mapping[str, Any]
    label: str
    predicted: str
    rule: str


@dataclass(frozen=True)
class Qualification:
    """A parser or a judge compared with raters' labels."""

    parser: str
    rows: tuple[QualifiedRow, ...]

    def simplify(self, answer_of: Callable[[str], str]) -> Qualification:
        """Return the rows with simpler labels, as `answer_of` maps them."""
        rows = (row._replace(label=answer_of(row.label), predicted=answer_of(row.predicted)) for row in self.rows)
        return Qualification(self.parser, tuple(rows))

    @cached_property
    def agreement(self) -> Estimate:
        """The share of rows on which parser and raters agree."""
        return wilson(len(self.rows) - len(self.differing), len(self.rows))

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's κ between parser and raters."""
        return cohens_kappa([row.label for row in self.rows], [row.predicted for row in self.rows])

    @cached_property
    def differing(self) -> tuple[QualifiedRow, ...]:
        """The rows on which parser and raters differ."""
        return tuple(row for row in self.rows if row.label != row.predicted)

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """Counts of each pair of the raters' label and the parser's label."""
        return Counter((row.label, row.predicted) for row in self.rows)

    @cached_property
    def by_rule(self) -> Mapping[str, tuple[int, int]]:
        """Number of agreeing and of all rows per rule, the most frequent rule first."""
        every = Counter(row.rule for row in self.rows)
        wrong = Counter(row.rule for row in self.differing)
        return {rule: (count - wrong[rule], count) for rule, count in every.most_common()}
