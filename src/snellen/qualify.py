"""How far a reader agrees with people: their labels beside what it read, row by row."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.datasets.answers import parse_options
from snellen.datasets.rows import read
from snellen.errors import DataError, PluginError
from snellen.files import write_whole
from snellen.grading import READERS, Outcome, grade
from snellen.items import LETTERS, Item, Option
from snellen.stats import Estimate, wilson
from snellen.stats.agreement import cohens_kappa

NONE = "none"
SILENCES = tuple(
    outcome.value
    for outcome in (
        Outcome.ABSTAINED,
        Outcome.REFUSED,
        Outcome.FLAGGED_QUALITY,
        Outcome.UNPARSED,
        Outcome.TRUNCATED,
    )
)


class Read(NamedTuple):
    """One row: where it stands, what people say, what the reader says, and by which rule."""

    where: str
    fields: Mapping[str, Any]
    label: str
    predicted: str
    rule: str


@dataclass(frozen=True)
class Qualification:
    """A reader held against people's labels."""

    reader: str
    rows: tuple[Read, ...]

    @cached_property
    def agreement(self) -> Estimate:
        """The share of rows in which reader and people say the same."""
        return wilson(len(self.rows) - len(self.differing), len(self.rows))

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's κ between reader and people."""
        return cohens_kappa([row.label for row in self.rows], [row.predicted for row in self.rows])

    @cached_property
    def differing(self) -> tuple[Read, ...]:
        """The rows in which reader and people differ."""
        return tuple(row for row in self.rows if row.label != row.predicted)

    @cached_property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """How often people's label (first) met the reader's (second)."""
        return Counter((row.label, row.predicted) for row in self.rows)

    @cached_property
    def by_rule(self) -> Mapping[str, tuple[int, int]]:
        """For each rule that decided: rows that agree, and all its rows; the commonest rule first."""
        every = Counter(row.rule for row in self.rows)
        wrong = Counter(row.rule for row in self.differing)
        return {rule: (count - wrong[rule], count) for rule, count in every.most_common()}


def qualify(reader: str, rows: Iterable[Mapping[str, Any]]) -> Qualification:
    """Hold a reader against rows with `response` and `label`, and `options` (texts) or `n_options`.

    A label is an option's letter, an outcome's name, or none, "" or null where no option was chosen, whatever the
    reason: such a label agrees with every silence of the reader, and where a file knows no outcome's name, all the
    reader's silences are called none.

    >>> rows = [{"response": "Answer: B", "label": "B"}, {"response": "A or C", "label": None}]
    >>> print(qualify("lenient", [{**row, "n_options": 4} for row in rows]).agreement)
    1.00 [0.34, 1.00] (n=2, wilson)
    """
    return _qualify(reader, [(f"row {number}", row) for number, row in enumerate(rows, start=1)])


def qualify_file(reader: str, path: Path, out: Path | None = None) -> Qualification:
    """Hold a reader against a file of such rows (JSON Lines, also gzipped); `out` gets them again with `predicted`."""
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for row in read(path):
        if row.reason is not None:
            raise DataError(f"{row.where}: {row.reason}. Each line must be a JSON object with `response` and `label`.")
        rows.append((row.where, row.fields))
    done = _qualify(reader, rows)
    if out is not None:
        write_rows(done, out)
    return done


def write_rows(done: Qualification, path: Path) -> None:
    """Write each row again, with what the reader says (`predicted`) and by which rule (`rule`)."""
    lines = [orjson.dumps({**row.fields, "predicted": row.predicted, "rule": row.rule}) + b"\n" for row in done.rows]
    content = b"".join(lines)
    write_whole(path, gzip.compress(content) if path.suffix == ".gz" else content)


def as_text(done: Qualification, most: int = 10) -> str:
    """The result for a terminal: agreement, κ, rules, confusion matrix, and the first rows that differ."""
    parts = [
        f"Reader {done.reader}: {done.agreement.n} rows",
        f"agreement  {done.agreement}\nCohen's κ  {done.kappa}",
        _table(("rule", "agree", "rows"), [(rule, *counts) for rule, counts in done.by_rule.items()]),
        "people (rows) and reader (columns)\n" + _confusion(done),
    ]
    if done.differing:
        shown = [
            f"{row.where}: people {row.label}, reader {row.predicted} ({row.rule}): {_excerpt(row.fields['response'])}"
            for row in done.differing[:most]
        ]
        parts.append(f"{len(done.differing)} rows differ, the first {len(shown)}:\n" + "\n".join(shown))
    return "\n\n".join(parts)


def _qualify(reader: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Qualification:
    if reader not in READERS:
        raise PluginError(f"There is no reader {reader!r}. Known: {', '.join(READERS)}.")
    if not rows:
        raise DataError("There are no rows to qualify the reader on. Expected rows with `response` and `label`.")
    items = [_item(where, fields) for where, fields in rows]
    labels = [_label(where, fields, item) for (where, fields), item in zip(rows, items, strict=True)]
    coarse = not set(labels) & set(SILENCES)
    done: list[Read] = []
    for (where, fields), item, label in zip(rows, items, labels, strict=True):
        graded = grade(_response(where, fields), str(fields.get("finish") or "stop"), item, reader)
        predicted = LETTERS[graded.choice] if graded.choice is not None else graded.outcome.value
        if graded.choice is None and (coarse or label == NONE):
            predicted = NONE
        done.append(Read(where, fields, label, predicted, graded.rule))
    return Qualification(reader, tuple(done))


def _response(where: str, fields: Mapping[str, Any]) -> str:
    response = fields.get("response")
    if not isinstance(response, str):
        raise DataError(
            f"{where}: expected the reply's text in `response`, got {response!r}. Drop the row or fill it in."
        )
    return response


def _item(where: str, fields: Mapping[str, Any]) -> Item:
    """The question of a row, as far as a reader needs it."""
    if fields.get("options") is not None:
        try:
            options = tuple(labelled.option for labelled in parse_options(fields["options"]))
        except DataError as error:
            raise DataError(f"{where}: {error}. Give the options' texts as a list.") from error
    else:
        options = _lettered(where, fields.get("n_options"))
    if not 2 <= len(options) <= len(LETTERS):
        raise DataError(f"{where}: expected 2 to {len(LETTERS)} options, got {len(options)}. Correct `options`.")
    name = fields.get("item_id", fields.get("id", where))
    return Item(id=str(name), question=str(fields.get("question") or ""), options=options)


def _lettered(where: str, count: object) -> tuple[Option, ...]:
    if isinstance(count, str) and count.strip().isdecimal():
        count = int(count)
    if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= len(LETTERS):
        raise DataError(
            f"{where}: expected `options` (their texts) or `n_options` (2 to {len(LETTERS)}), got n_options={count!r}. "
            "Add one of them to the row."
        )
    return tuple(Option(letter) for letter in LETTERS[:count])


def _label(where: str, fields: Mapping[str, Any], item: Item) -> str:
    """What people say of a row, in one spelling."""
    label = fields.get("label") if "label" in fields else ...
    if label is None or (isinstance(label, str) and label.strip().lower() in ("", NONE)):
        return NONE
    if isinstance(label, str):
        if label.strip().lower() in SILENCES:
            return label.strip().lower()
        letter = label.strip().upper()
        if letter in LETTERS[: len(item.options)] and len(letter) == 1:
            return letter
    came = "no label" if label is ... else repr(label)
    raise DataError(
        f"{where}: expected as label a letter from A to {LETTERS[len(item.options) - 1]}, "
        f"{', '.join(SILENCES)} or none, got {came}. Correct the label, or drop the row."
    )


def _confusion(done: Qualification) -> str:
    used = {name for pair in done.confusion for name in pair}
    names = [*sorted(name for name in used if len(name) == 1), *sorted(name for name in used if len(name) > 1)]
    rows = [(name, *(done.confusion.get((name, other), 0) or "·" for other in names)) for name in names]
    return _table(("", *names), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    cells = [header, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:48]} … {words[-48:]}"
