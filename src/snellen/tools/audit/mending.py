"""People's decisions on doubtful items, and the corrected copy of the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.folder import save
from snellen.errors import ImageError, StudyError
from snellen.files import folder_written_whole, write_whole
from snellen.images import Image
from snellen.items import LETTERS, Benchmark, Item
from snellen.scoring.writing import write_csv
from snellen.tools.audit.audit import Audit, list_to_mend
from snellen.tools.audit.audited import name_key

SCHEMA = 1
RECORD, CHANGELOG = "mended.json", "changelog.csv"
COLUMNS = ("item_id", "decision", "done", "question_before", "question", "key_before", "key", "why", "decided_by")
KEEP, MEND, REMOVE = "keep", "mend", "remove"


class MendDecision(NamedTuple):
    """People's decision on an item: keep, fix or remove, with new key and question."""

    item_id: str
    decision: str
    key: str = ""
    question: str = ""
    why: str = ""
    decided_by: str = ""


class ItemChange(NamedTuple):
    """An item before and after a decision; `after` is None if it was removed."""

    decision: MendDecision
    before: Item
    after: Item | None
    done: str


def doubt_items(audit: Audit) -> Benchmark:
    """Make a benchmark of the items to fix, with their problems in the metadata.

    Images that cannot be read are left out, and a sentence among the problems says so.
    """
    found = []
    for item, problems in ((each.item, each.problems) for each in list_to_mend(audit)):
        if item is not None:
            doubts = list(dict.fromkeys(each.flagged.evidence for each in problems))
            shown = tuple(filter(_is_readable, item.images))
            if missing := len(item.images) - len(shown):
                part = f"{missing} of its {len(item.images)} images" if shown else f"All its images ({missing})"
                doubts.insert(0, f"{part} cannot be read, so they are not shown here.")
            found.append(replace(item, images=shown, metadata=MappingProxyType({**item.metadata, "doubts": doubts})))
    if not found:
        raise StudyError(f"The audit of {audit.of.name} lists no item to mend, so there is nothing to review.")
    return Benchmark(audit.of.name, tuple(found))


def _is_readable(image: Image) -> bool:
    try:
        image.encoded()
    except (ImageError, OSError):
        return False
    return True


def apply_decisions(items: Sequence[Item], decisions: Sequence[MendDecision]) -> tuple[list[Item], list[ItemChange]]:
    """Apply decisions to the items and list every change; StudyError for unmatched decisions."""
    by_id = {each.item_id: each for each in decisions}
    if unknown := sorted(by_id.keys() - {item.id for item in items}):
        raise StudyError(
            f"The review decides on {unknown[0]!r}, which this benchmark does not have. Name the one that was audited."
        )
    changes = {item.id: _apply(item, by_id[item.id]) for item in items if item.id in by_id}
    after = (changes[item.id].after if item.id in changes else item for item in items)
    return [item for item in after if item is not None], list(changes.values())


def _apply(item: Item, decision: MendDecision) -> ItemChange:
    if decision.decision == REMOVE:
        return ItemChange(decision, item, None, "removed")
    if decision.decision == KEEP:
        return ItemChange(decision, item, item, "kept as it is")
    if not decision.key and not decision.question:
        return ItemChange(decision, item, item, "still to be mended: no new key or question was written")
    after = replace(item, question=decision.question or item.question)
    if decision.key:
        keyed = _with_key(after, decision.key)
        if keyed is None:
            return ItemChange(decision, item, item, "still to be mended: the new key is none of the options")
        after = keyed
    return ItemChange(decision, item, after, "mended")


def _with_key(item: Item, key: str) -> Item | None:
    """Return the item with another key; None if it has no such option."""
    if item.kind != "choice":
        metadata = {name: value for name, value in item.metadata.items() if name != "answers"}
        return replace(item, answer=key, metadata=MappingProxyType(metadata))
    said = key.strip().rstrip(".):").casefold()
    for at, (letter, option) in enumerate(zip(LETTERS, item.options, strict=False)):
        if said in (letter.casefold(), option.text.strip().casefold(), f"{letter}: {option.text}".casefold()):
            return replace(item, answer=at)
    return None


def save_mended(
    benchmark: Benchmark, decisions: Sequence[MendDecision], folder: Path, *, agreement: Mapping[str, Any] | None = None
) -> list[ItemChange]:
    """Write the corrected copy as a benchmark folder with its changelog."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already, and nothing is overwritten. Choose an empty folder with --out.")
    kept, changes = apply_decisions(benchmark.items, decisions)
    if not kept:
        raise StudyError("Every item was removed, so no copy was written.")
    rows = [
        {
            "item_id": decision.item_id,
            "decision": decision.decision,
            "done": done,
            "question_before": before.question,
            "question": after.question if after else "",
            "key_before": name_key(before),
            "key": name_key(after) if after else "",
            "why": decision.why,
            "decided_by": decision.decided_by,
        }
        for decision, before, after, done in changes
    ]
    record = {
        "schema": SCHEMA,
        "benchmark": benchmark.name,
        "items_before": len(benchmark),
        "items": len(kept),
        "done": dict(Counter(each.done.partition(":")[0] for each in changes)),
        "agreement": dict(agreement or {}),
    }
    with folder_written_whole(folder) as new:
        save(kept, new, keep_unreadable=True)
        write_csv(new / CHANGELOG, COLUMNS, rows)
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return changes
