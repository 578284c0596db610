"""Looks: with how many questions each model was judged, before and now; each look is a chance of an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from snellen.files import open_plain
from snellen.scoring.result_files import RECORD, RULES
from snellen.scoring.tables import Tables
from snellen.store import Store


def count_looks(store: Store, name: str, tables: Tables) -> dict[tuple[str, str], tuple[int, ...]]:
    """With how many questions each model was judged before, by the results in the folder, and with how many now.

    What a later study found is no look of this one.
    """
    before: dict[tuple[str, str], set[int]] = {}
    names = [study.name for study in store.studies()]
    for earlier in names[: names.index(name) + 1]:
        for each in _read_looks(store.results_folder(earlier) / RECORD):
            before.setdefault((each["model"], each["benchmark"]), set()).update(each["questions"])
    found = {}
    for at, table in tables.items():
        now = table.questions_asked
        found[at] = (*sorted(each for each in before.get(at, ()) if 0 < each < now), now)
    return found


def _read_looks(published: Path) -> list[dict[str, Any]]:
    """The looks that a results.json tells; none if it is not there, damaged or of other rules."""
    try:
        with open_plain(published) as file:
            record = orjson.loads(file.read())
        looks = record["looks"] if record["rules"] == RULES else []
        return [each for each in looks if all(isinstance(count, int) for count in each["questions"]) and each["model"]]
    except (OSError, ValueError, TypeError, KeyError):
        return []
