"""De-identification: list possible identifiers, read a person's decisions, write the cleaned copy.

Rules find candidates (`identifying`). A person decides on each of them in a CSV file and adds what rules missed. Only
then is a copy written. The list holds the identifiers themselves: it stays with the raw cases.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.folder import save
from snellen.errors import DataError, StudyError
from snellen.files import folder_written_whole, write_whole
from snellen.items import Item, Option
from snellen.runtime import counted
from snellen.scoring.writing import inert_text
from snellen.tools.audit.checks.identifiers import parts_of
from snellen.tools.audit.identifying import safe_id
from snellen.tools.audit.judged import read_rows

SCHEMA = 1
RECORD = "deidentified.json"
COLUMNS = ("item_id", "fields", "kind", "text", "around", "decision")
REMOVE, KEEP = "remove", "keep"
_AROUND = 40
"""Characters on each side of an identifier that a person is shown."""
_NAMES = frozenset(("id", "patient", "file name"))
"""Parts of an item that are replaced as a whole. Files have new names in every copy."""


class Candidate(NamedTuple):
    """Text that may identify a person: its kind, and the parts that hold it."""

    item_id: str
    kind: str
    text: str
    fields: tuple[str, ...]
    around: str


class RemovalDecision(NamedTuple):
    """A decision to remove or keep a text in one item. Without id, in all items."""

    item_id: str
    kind: str
    text: str
    remove: bool
    is_name: bool


def find_candidates(items: Iterable[Item]) -> list[Candidate]:
    """Find all texts that rules take for identifiers, each once per item."""
    found: dict[tuple[str, str], Candidate] = {}
    for item in items:
        for part in parts_of(item):
            for each in part.find_identifiers() if part.name != "file name" else ():
                whole = part.name in _NAMES
                text = part.text if whole else part.text[each.start : each.end]
                around = part.text[max(0, each.start - _AROUND) : each.end + _AROUND]
                new = Candidate(item.id, each.kind.value, text, (part.name,), " ".join(around.split()))
                old = found.setdefault((item.id, text), new)
                fields = tuple(dict.fromkeys((*old.fields, part.name)))
                found[item.id, text] = old._replace(fields=fields)
    return list(found.values())


def write_candidates(candidates: Sequence[Candidate], file: Path) -> None:
    """Write the list that a person decides on; an earlier list is never replaced."""
    if file.exists():
        raise StudyError(f"{file} is there already and may hold decisions. Give another file, or add --out to use it.")
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    for each in candidates:
        row = {**each._asdict(), "fields": ", ".join(each.fields)}
        writer.writerow({name: inert_text(value) for name, value in row.items()})
    write_whole(file, f"\ufeff{text.getvalue()}".encode())


def read_decisions(file: Path, items: Sequence[Item]) -> list[RemovalDecision]:
    """Read a person's decisions; StudyError if one is missing or matches no text."""
    cells = [{name: row.get(name, "") for name in COLUMNS} for row in read_rows(file)]
    open_ = [number for number, row in enumerate(cells, start=2) if row["decision"].casefold() not in (REMOVE, KEEP)]
    if open_:
        raise StudyError(
            f"{file} has {counted(len(open_), 'row')} without a decision, the first in row {open_[0]}. Expected "
            f"{REMOVE} or {KEEP} in the column `decision`. No copy was written."
        )
    _check_texts(file, cells, items)
    decisions = []
    for row in cells:
        remove, is_name = row["decision"].casefold() == REMOVE, not _NAMES.isdisjoint(row["fields"].split(", "))
        decisions.append(RemovalDecision(row["item_id"], row["kind"] or "removed", row["text"], remove, is_name))
    return decisions


def _check_texts(file: Path, cells: Sequence[Mapping[str, str]], items: Sequence[Item]) -> None:
    """Raise StudyError if a row is about a text that its item does not hold."""
    texts = {item.id: [part.text for part in parts_of(item)] for item in items}
    everywhere = [text for each in texts.values() for text in each]
    for number, row in enumerate(cells, start=2):
        held = texts.get(row["item_id"], ()) if row["item_id"] else everywhere
        if not row["text"] or not any(row["text"] in text for text in held):
            raise StudyError(
                f"{file}, row {number}: its `text` is not in the case that it names. If the cases were changed, write "
                "the list again."
            )


def deidentify_items(items: Sequence[Item], decisions: Sequence[RemovalDecision]) -> list[Item]:
    """Remove the texts decided on; StudyError if rules find identifiers without a decision."""
    by_item: dict[str, list[RemovalDecision]] = {}
    for each in decisions:
        by_item.setdefault(each.item_id, []).append(each)
    known = {(each.item_id, each.text) for each in decisions}
    shared = {text for item_id, text in known if not item_id}
    found = ((each.item_id, each.text) for each in find_candidates(items))
    if undecided := [each for each in found if each not in known and each[1] not in shared]:
        raise StudyError(
            f"Rules find {counted(len(undecided), 'identifier')} that the list does not have. The cases were changed "
            "since: write the list again. No copy was written."
        )
    patients: dict[str, str] = {}
    copies = []
    for number, item in enumerate(items, start=1):
        own = [*by_item.get(item.id, ()), *by_item.get("", ())]
        copies.append(_remove_texts(item, own, number, patients))
        kept = {each.text for each in own if not each.remove}
        if any(each.text not in kept for each in find_candidates(copies[-1:])):
            raise StudyError(
                f"Case {safe_id(item.id, number)} still holds an identifier after the removal, such as one inside a "
                "longer word. Add a row with the whole word. No copy was written."
            )
    return copies


def _remove_texts(item: Item, decisions: Sequence[RemovalDecision], number: int, patients: dict[str, str]) -> Item:
    """Remove the decided texts from an item, the longest first."""
    gone = sorted((each for each in decisions if each.remove), key=lambda each: -len(each.text))
    names = {each.text for each in gone if each.is_name}

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            for each in gone:
                value = re.sub(rf"(?<!\w){re.escape(each.text)}(?!\w)", f"[{each.kind}]", value)
            return value
        if isinstance(value, Mapping):
            return {key: clean(each) for key, each in value.items()}
        return [clean(each) for each in value] if isinstance(value, list | tuple) else value

    return replace(
        item,
        id=f"anonymous-{number}" if item.id in names else item.id,
        cluster=patients.setdefault(item.cluster, f"anonymous-{number}") if item.cluster in names else item.cluster,
        question=clean(item.question),
        context=clean(item.context),
        options=tuple(Option(clean(option.text), option.abstains) for option in item.options),
        answer=clean(item.answer),
        category=clean(item.category),
        metadata=MappingProxyType(clean(item.metadata)),
    )


def save_copy(
    items: Sequence[Item], decisions: Sequence[RemovalDecision], folder: Path, *, left_out: int
) -> dict[str, Any]:
    """Write the copy as a benchmark folder, with a record of decisions without names."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already, and nothing is overwritten. Choose an empty folder with --out.")
    copies = deidentify_items(items, decisions)
    record = {
        "schema": SCHEMA,
        "cases": len(copies),
        "left_out": left_out,
        "removed": Counter(each.kind for each in decisions if each.remove),
        "kept": Counter(each.kind for each in decisions if not each.remove),
        "pixels": "not read and not changed",
    }
    with folder_written_whole(folder) as new:
        save(copies, new)
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return record


def leave_out(items: Sequence[Item], files: Sequence[Path]) -> list[Item]:
    """Leave out the items whose ids are listed; StudyError for an unknown id."""
    try:
        lines = [line.strip() for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"A list of --without cannot be read: {error}.") from error
    ids = set(filter(None, lines))
    if unknown := ids - {item.id for item in items}:
        raise StudyError(f"{counted(len(unknown), 'id')} in the lists of --without fit no case. Check the lists.")
    return [item for item in items if item.id not in ids]


def describe_candidates(candidates: Sequence[Candidate], items: Sequence[Item]) -> Iterator[str]:
    """Yield the number of candidates of each kind and the first cases with them."""
    numbers = {item.id: number for number, item in enumerate(items, start=1)}
    for kind, count in Counter(each.kind for each in candidates).most_common():
        ids = list(dict.fromkeys(each.item_id for each in candidates if each.kind == kind))
        shown = ", ".join(safe_id(each, numbers[each]) for each in ids[:3])
        yield f"{kind}: {count:,} in {counted(len(ids), 'case')} ({shown}{', …' if len(ids) > 3 else ''})"
