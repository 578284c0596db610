"""Files of an audit: the page, CSV files of items to fix and of problems, and a JSON record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from snellen.errors import StudyError
from snellen.files import create_folder, open_plain, remove_leftovers, replace_set, write_whole
from snellen.report.words.numbers import shorten_text
from snellen.runtime import on_one_line
from snellen.schemas import check_replaceable
from snellen.scoring.writing import estimate_as_json, finite, write_csv
from snellen.stats import Estimate
from snellen.tools.audit.audit import LEVEL, Audit, ItemToMend, list_about_set, list_to_mend
from snellen.tools.audit.audited import name_key, name_options, split_of
from snellen.tools.audit.finding import LONGEST_QUOTE, Checked, Flagged
from snellen.tools.audit.identifying import (
    identifying_words,
    places_of_identifying,
    without_identifiers,
    without_identifiers_in_name,
)
from snellen.tools.audit.page import render

SCHEMA = 1
PAGE, RECORD = "audit.html", "audit.json"
FINDING_COLUMNS = (
    "check", "severity", "finding", "item_id", "evidence", "quote", "with_items", "score", "p_adjusted", "fix",
)  # fmt: skip
MEND_COLUMNS = (
    "item_id", "sure", "severity", "question", "options", "key", "images", "problems", "evidence", "quote", "to_do",
)  # fmt: skip


def write(audit: Audit, folder: str | Path, about: Mapping[str, Any], *, quotes: bool = True) -> Path:
    """Write an audit into a folder and return the path of its page.

    Without `quotes`, the files contain no text of the benchmark except words that are cues.
    """
    home = writable(folder)
    lists = {f"{name}.txt": ids for each in audit.checked for name, ids in each.lists.items()}
    numbers = {name: values for each in audit.checked for name, values in each.columns.items()}
    columns = ("item_id", "category", "options", "split", *numbers)
    record = _as_json(audit, about, quotes=quotes)
    with replace_set(home, record=RECORD, schema=SCHEMA, page=PAGE) as (new, stale):
        stale.update(set(_earlier_lists(home)) - set(lists))
        write_csv(new / "findings.csv", FINDING_COLUMNS, _finding_rows(audit, quotes=quotes))
        write_csv(new / "mend.csv", MEND_COLUMNS, _mend_rows(audit, quotes=quotes))
        write_csv(new / "items.csv", columns, _item_rows(audit, numbers))
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
        for name, ids in lists.items():
            write_whole(new / name, "".join(f"{on_one_line(one)}\n" for one in ids).encode())
        write_whole(new / PAGE, render(audit, about, quotes=quotes).encode())
    return home / PAGE


def writable(folder: str | Path) -> Path:
    """Create the folder of an audit. Raise StudyError if it contains anything but an earlier audit."""
    home = Path(folder)
    try:
        create_folder(home)
        remove_leftovers(home)
        taken = not (home / PAGE).exists() and any(home.iterdir())
    except OSError as error:
        raise StudyError(f"The audit cannot be written to {home}: {error.strerror}. Name another folder.") from error
    if taken:
        raise StudyError(f"{home} holds other files than an audit's, and none is overwritten. Name another folder.")
    check_replaceable(home / RECORD, SCHEMA)
    return home


def _earlier_lists(home: Path) -> Iterator[str]:
    """Yield the names of the id lists that an earlier audit wrote into the folder."""
    try:
        with open_plain(home / RECORD) as file:
            checks = orjson.loads(file.read())["checks"]
        names = [name for each in checks for name in each["lists"]]
    except (OSError, ValueError, KeyError, TypeError):
        return
    yield from (f"{name}.txt" for name in names if re.fullmatch(r"[a-z-]+", name))


def _finding_rows(audit: Audit, *, quotes: bool) -> Iterator[dict[str, Any]]:
    for finding in audit.findings:
        own = {
            "check": finding.check,
            "severity": finding.severity.value,
            "finding": finding.sentence,
            "p_adjusted": finding.p,
            "fix": finding.fix,
        }
        if not finding.items:
            yield own
        for item in finding.items:
            yield own | {
                "item_id": item.item_id,
                "evidence": item.evidence,
                "quote": shorten_text(item.quote, LONGEST_QUOTE) if quotes else "",
                "with_items": " ".join(item.with_items),
                "score": finite(item.score),
            }


def _mend_rows(audit: Audit, *, quotes: bool) -> Iterator[dict[str, Any]]:
    """Yield the items to fix, the surest first. Without quotes, no text of the benchmark is included."""
    for listed in list_to_mend(audit):
        yield {
            "item_id": listed.item_id,
            "sure": round(listed.sure, 2),
            "severity": listed.severity.value,
            "problems": " ".join(dict.fromkeys(each.finding.check for each in listed.problems)),
            "evidence": " ".join(dict.fromkeys(each.flagged.evidence for each in listed.problems)),
            "to_do": " ".join(dict.fromkeys(each.finding.fix for each in listed.problems)),
            **(_words_of(listed) if quotes else {}),
        }


def _words_of(listed: ItemToMend) -> dict[str, str]:
    """Return an item's question, options, key and image names, with patients' identifiers masked."""
    quote = " … ".join(dict.fromkeys(each.flagged.quote for each in listed.problems if each.flagged.quote))
    if listed.item is None:
        return {"quote": quote}
    known = identifying_words((listed.item,))
    own = {
        "question": listed.item.question,
        "options": name_options(listed.item),
        "key": name_key(listed.item),
        "images": " ".join(without_identifiers_in_name(image.name.rpartition("/")[2]) for image in listed.item.images),
    }
    return {name: without_identifiers(text, known) for name, text in own.items()} | {"quote": quote}


def _item_rows(audit: Audit, columns: Mapping[str, Mapping[str, float]]) -> Iterator[dict[str, Any]]:
    places = places_of_identifying((*audit.of.items, *audit.of.training))
    for item in audit.of.items:
        yield {
            "item_id": places.get(item.id, item.id),
            "category": without_identifiers(item.category),
            "options": len(item.options),
            "split": split_of(item),
            **{name: finite(values.get(item.id, math.nan)) for name, values in columns.items()},
        }


def _as_json(audit: Audit, about: Mapping[str, Any], *, quotes: bool) -> dict[str, Any]:
    places = places_of_identifying((*audit.of.items, *audit.of.training))
    return {
        "schema": SCHEMA,
        "benchmark": audit.of.name,
        "items": len(audit.of.items),
        "choices": len(audit.of.choices),
        "training_items": len(audit.of.training),
        "broken_rows": len(audit.of.broken),
        "about": dict(about),
        "hypotheses": audit.tested,
        "level": LEVEL,
        "findings": [
            {
                "check": each.check,
                "severity": each.severity.value,
                "sentence": each.sentence,
                "fix": each.fix,
                "p_adjusted": each.p,
                "items": [_export_item(item, quotes=quotes) for item in each.items],
            }
            for each in audit.findings
        ],
        "about_set": [each.sentence for each in list_about_set(audit)],
        "mend": [
            {
                "item_id": each.item_id,
                "sure": round(each.sure, 2),
                "severity": each.severity.value,
                "problems": list(dict.fromkeys(problem.finding.check for problem in each.problems)),
            }
            for each in list_to_mend(audit)
        ],
        "checks": [_export_check(each, places) for each in audit.checked],
    }


def _export_item(item: Flagged, *, quotes: bool) -> dict[str, Any]:
    return {
        "item_id": item.item_id,
        "evidence": item.evidence,
        **({"quote": shorten_text(item.quote, LONGEST_QUOTE)} if quotes and item.quote else {}),
        "with_items": list(item.with_items),
        "score": finite(item.score),
    }


def _export_check(checked: Checked, places: Mapping[str, str]) -> dict[str, Any]:
    return {
        "check": checked.check,
        "looked_at": checked.looked_at,
        "numbers": [
            {"name": each.name, "words": each.words, **_estimate(each.estimate), "expected": each.expected}
            for each in checked.numbers
        ],
        "curves": [
            {
                "name": each.name,
                "across": each.across,
                "upwards": each.upwards,
                "level": each.level,
                "points": [{"at": at, **_estimate(estimate)} for at, estimate in each.points],
            }
            for each in checked.curves
        ],
        "lists": {name: [places.get(one, one) for one in ids] for name, ids in checked.lists.items()},
        "notes": list(checked.notes),
        "cannot": list(checked.cannot),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {**estimate_as_json(estimate), "p": None if estimate.p is None else finite(estimate.p)}
