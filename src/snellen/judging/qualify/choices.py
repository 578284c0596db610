"""Rows for parsers of choices: a row has options, and its label is an option's letter, an outcome or none."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.benchmarks.answers import parse_options
from snellen.errors import DataError
from snellen.items import LETTERS, Item, Option
from snellen.judging.qualify.qualification import Labelled, QualifiedRow
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Parser

NONE = "none"
SILENCES = tuple(
    outcome.value
    for outcome in (
        Outcome.ABSTAINED,
        Outcome.REFUSED,
        Outcome.FLAGGED_QUALITY,
        Outcome.UNPARSED,
        Outcome.TRUNCATED,
        Outcome.EMPTY,
    )
)


def read_choices(parser: Parser, rows: Sequence[Labelled]) -> tuple[QualifiedRow, ...]:
    """Read rows with options; the label "none" matches any outcome without an answer.

    If no label in a file is an outcome, all outcomes without an answer are predicted as "none". If no label is "empty",
    empty responses are predicted as "unparsed", as in earlier versions.
    """
    items = [_item(row) for row in rows]
    labels = [_label(row, len(item.options)) for row, item in zip(rows, items, strict=True)]
    coarse, empties = not set(labels) & set(SILENCES), Outcome.EMPTY.value in labels
    done: list[QualifiedRow] = []
    for row, item, label in zip(rows, items, labels, strict=True):
        grade, _ = grade_reply(row.came_back, item, parser)
        outcome = Outcome.UNPARSED if grade.outcome is Outcome.EMPTY and not empties else grade.outcome
        predicted = LETTERS[grade.choice] if grade.choice is not None else outcome.value
        if grade.choice is None and (coarse or label == NONE):
            predicted = NONE
        done.append(QualifiedRow(row.where, row.fields, label, predicted, grade.rule))
    return tuple(done)


def _item(row: Labelled) -> Item:
    """Make the item of a row, as far as a parser needs it."""
    if row.fields.get("options") is not None:
        try:
            options = tuple(labelled.option for labelled in parse_options(row.fields["options"]))
        except DataError as error:
            raise DataError(f"{row.where}: {error}. Give the options' texts as a list.") from error
    else:
        options = _make_options(row.where, row.fields.get("n_options"))
    if not 2 <= len(options) <= len(LETTERS):
        raise DataError(f"{row.where}: expected 2 to {len(LETTERS)} options, got {len(options)}. Correct `options`.")
    name = row.fields.get("item_id", row.fields.get("id", row.where))
    return Item(id=str(name), question=row.question, options=options)


def _make_options(where: str, count: object) -> tuple[Option, ...]:
    if isinstance(count, str) and count.strip().isdecimal():
        count = int(count)
    if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= len(LETTERS):
        raise DataError(
            f"{where}: expected `options` (their texts) or `n_options` (2 to {len(LETTERS)}), got n_options={count!r}. "
            "Add one of them to the row."
        )
    return tuple(Option(letter) for letter in LETTERS[:count])


def _label(row: Labelled, options: int) -> str:
    """Return the raters' label of a row in its usual spelling."""
    label = row.fields.get("label", ...)
    if label is None or (isinstance(label, str) and label.strip().lower() in ("", NONE)):
        return NONE
    if isinstance(label, str):
        if label.strip().lower() in SILENCES:
            return label.strip().lower()
        letter = label.strip().upper()
        if letter in LETTERS[:options] and len(letter) == 1:
            return letter
    raise DataError(
        f"{row.where}: expected as label a letter from A to {LETTERS[options - 1]}, "
        f"{', '.join(SILENCES)} or none, got {row.came}. Correct the label, or drop the row."
    )
