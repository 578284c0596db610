"""Qualification: people's labels beside what a parser says, and how far the two agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from snellen.errors import DataError
from snellen.models.base import Response
from snellen.stats import Estimate, wilson
from snellen.stats.agreement import cohens_kappa


class Labelled(NamedTuple):
    """A row that people have labelled: where it stands and what it holds."""

    where: str
    fields: Mapping[str, Any]

    @property
    def response(self) -> str:
        """The response's text."""
        response = self.fields.get("response")
        if not isinstance(response, str):
            raise DataError(
                f"{self.where}: expected the response's text in `response`, got {response!r}. Drop the row or mend it."
            )
        return response

    @property
    def question(self) -> str:
        """The question, where the row has it."""
        return str(self.fields.get("question") or "")

    @property
    def finish(self) -> str:
        """Why the response ended, empty where the row does not say so."""
        return str(self.fields.get("finish") or "")

    @property
    def came_back(self) -> Response:
        """The response as a parser takes it."""
        return Response(self.response, self.finish)

    @property
    def came(self) -> str:
        """The label as an error shows it."""
        return repr(self.fields["label"]) if "label" in self.fields else "no label"


def find_label(row: Labelled, labels: Sequence[str]) -> str:
    """The label of a row, in the spelling of the labels; DataError if it is none of them."""
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


class Read(NamedTuple):
    """One row: where it stands, what people say, what the parser says, and by which rule."""

    where: str
    fields: Mapping[str, Any]
    label: str
    predicted: str
    rule: str


@dataclass(frozen=True)
class Qualification:
    """A parser, or a judge, held against people's labels."""

    parser: str
    rows: tuple[Read, ...]

    def simplify(self, answer_of: Callable[[str], str]) -> Qualification:
        """The same rows on a simpler question, from the answer to it that each label amounts to."""
        rows = (row._replace(label=answer_of(row.label), predicted=answer_of(row.predicted)) for row in self.rows)
        return Qualification(self.parser, tuple(rows))

    @cached_property
    def agreement(self) -> Estimate:
        """The share of rows in which parser and people say the same."""
        return wilson(len(self.rows) - len(self.differing), len(self.rows))

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's κ between parser and people."""
        return cohens_kappa([row.label for row in self.rows], [row.predicted for row in self.rows])

    @cached_property
    def differing(self) -> tuple[Read, ...]:
        """The rows in which parser and people differ."""
        return tuple(row for row in self.rows if row.label != row.predicted)

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """How often people's label (first) met the parser's (second)."""
        return Counter((row.label, row.predicted) for row in self.rows)

    @cached_property
    def by_rule(self) -> Mapping[str, tuple[int, int]]:
        """For each rule that decided: rows that agree, and all its rows; the commonest rule first."""
        every = Counter(row.rule for row in self.rows)
        wrong = Counter(row.rule for row in self.differing)
        return {rule: (count - wrong[rule], count) for rule, count in every.most_common()}
