"""Key review: raters' answers to items, given without seeing the key."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from snellen.errors import DataError
from snellen.items import LETTERS, Item
from snellen.scoring.writing import plain_text
from snellen.tools.audit.audited import right_place
from snellen.tools.audit.identifying import places_of_identifying

COLUMNS = ("item_id", "answer")
NONE, UNCLEAR = "none", "unclear"
"""What a rater may write instead of a letter: no option is right; it cannot be said which one is."""


def read_key_review(file: Path, items: Sequence[Item], training: Sequence[Item] = ()) -> dict[str, bool | None]:
    """Read whether most raters of an item find its key wrong; None if divided.

    A row is one rater's answer to one item: a letter, `none` or `unclear`. A row without an answer is left out.
    """
    places = places_of_identifying((*items, *training))
    by_name = {places.get(item.id, item.id): item for item in items if item.has_choice}
    votes: dict[str, list[bool | None]] = {}
    for number, item_id, answer in _iter_answers(file):
        if item_id not in by_name:
            raise DataError(f"{file}, row {number}: the benchmark has no item {item_id!r} with options.")
        item = by_name[item_id]
        votes.setdefault(item.id, []).append(_finds_wrong(item, answer, f"{file}, row {number}"))
    return {item_id: _settle(given) for item_id, given in votes.items()}


def _iter_answers(file: Path) -> Iterator[tuple[int, str, str]]:
    try:
        rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file} cannot be read as a CSV file in UTF-8: {error}.") from error
    if rows and (absent := [name for name in COLUMNS if name not in rows[0]]):
        raise DataError(f"{file}: expected the columns {' and '.join(COLUMNS)}, got no {absent[0]!r}.")
    for number, row in enumerate(rows, start=2):
        item_id, answer = (plain_text(row[name]).strip() for name in COLUMNS)
        if answer:
            yield number, item_id, answer


def _finds_wrong(item: Item, answer: str, where: str) -> bool | None:
    letters = list(LETTERS[: len(item.options)])
    if answer.casefold() == UNCLEAR:
        return None
    if answer.casefold() != NONE and answer.upper() not in letters:
        raise DataError(f"{where}: expected a letter from A to {letters[-1]}, {NONE} or {UNCLEAR}, got {answer!r:.60}.")
    return answer.casefold() == NONE or letters.index(answer.upper()) != right_place(item)


def _settle(votes: Sequence[bool | None]) -> bool | None:
    """What more than half say; None if no such majority is."""
    for said in (True, False):
        if 2 * votes.count(said) > len(votes):
            return said
    return None


def count_reviewed_first(ranked: Sequence[str], reviewed: Mapping[str, bool | None]) -> int:
    """Count the items of a ranked list that were reviewed without a gap."""
    return next((place for place, item_id in enumerate(ranked) if item_id not in reviewed), len(ranked))
