"""Mending: people's decisions on the items that an audit doubts, and the corrected copy of the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.folder import save
from snellen.errors import StudyError
from snellen.files import folder_written_whole, write_whole
from snellen.items import LETTERS, Benchmark, Item
from snellen.scoring.writing import write_csv
from snellen.tools.audit.audit import Audit
from snellen.tools.audit.audited import name_key
from snellen.tools.audit.mend import list_to_mend

SCHEMA = 1
RECORD, CHANGELOG = "mended.json", "changelog.csv"
COLUMNS = ("item_id", "decision", "done", "question_before", "question", "key_before", "key", "why", "decided_by")
KEEP, MEND, REMOVE = "keep", "mend", "remove"


class MendDecision(NamedTuple):
    """What people decided on an item: keep, mend or remove; the new key and question, if any; how it was decided."""

    item_id: str
    decision: str
    key: str = ""
    question: str = ""
    why: str = ""
    decided_by: str = ""


class Change(NamedTuple):
    """An item before and after a decision; `after` is None if it was removed."""

    decision: MendDecision
    before: Item
    after: Item | None
    done: str


def doubt_items(audit: Audit) -> Benchmark:
    """The items to mend as a benchmark, each with what the audit says of it in its metadata."""
    found = [
        replace(
            each.item,
            metadata=MappingProxyType(
                {**each.item.metadata, "doubts": list(dict.fromkeys(one.flagged.evidence for one in each.problems))}
            ),
        )
        for each in list_to_mend(audit)
        if each.item is not None
    ]
    if not found:
        raise StudyError(f"The audit of {audit.of.name} lists no item to mend, so there is nothing to review.")
    return Benchmark(audit.of.name, tuple(found))


def apply_decisions(items: Sequence[Item], decisions: Sequence[MendDecision]) -> tuple[list[Item], list[Change]]:
    """The items that stay, corrected, and every change; StudyError for a decision that fits no item."""
    by_id = {each.item_id: each for each in decisions}
    if unknown := sorted(by_id.keys() - {item.id for item in items}):
        raise StudyError(
            f"The review decides on {unknown[0]!r}, which this benchmark does not have. Name the one that was audited."
        )
    kept: list[Item] = []
    changes = []
    for item in items:
        decision = by_id.get(item.id)
        change = _apply(item, decision) if decision else None
        after = change.after if change else item
        if change:
            changes.append(change)
        if after is not None:
            kept.append(after)
    return kept, changes


def _apply(item: Item, decision: MendDecision) -> Change:
    if decision.decision == REMOVE:
        return Change(decision, item, None, "removed")
    if decision.decision == KEEP:
        return Change(decision, item, item, "kept as it is")
    if not decision.key and not decision.question:
        return Change(decision, item, item, "still to be mended: no new key or question was written")
    after = replace(item, question=decision.question or item.question)
    if decision.key:
        keyed = _with_key(after, decision.key)
        if keyed is None:
            return Change(decision, item, item, "still to be mended: the new key is none of the options")
        after = keyed
    return Change(decision, item, after, "mended")


def _with_key(item: Item, key: str) -> Item | None:
    """The item with another right answer: a letter or the text of an option; None if it has no such option."""
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
) -> list[Change]:
    """Write the corrected copy as a benchmark folder with its changelog; the original is never touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StudyError(f"{folder} is there already, and nothing is overwritten. Choose an empty folder with --out.")
    kept, changes = apply_decisions(benchmark.items, decisions)
    if not kept:
        raise StudyError("Every item was removed, so no copy was written.")
    record = {
        "schema": SCHEMA,
        "benchmark": benchmark.name,
        "items_before": len(benchmark),
        "items": len(kept),
        "done": dict(Counter(each.done.partition(":")[0] for each in changes)),
        "agreement": dict(agreement or {}),
    }
    with folder_written_whole(folder) as new:
        save(kept, new)
        write_csv(new / CHANGELOG, COLUMNS, _list_changes(changes))
        write_whole(new / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return changes


def _list_changes(changes: Sequence[Change]) -> Iterator[dict[str, Any]]:
    for each in changes:
        after = each.after
        yield {
            "item_id": each.before.id,
            "decision": each.decision.decision,
            "done": each.done,
            "question_before": each.before.question,
            "question": after.question if after else "",
            "key_before": name_key(each.before),
            "key": name_key(after) if after else "",
            "why": each.decision.why,
            "decided_by": each.decision.decided_by,
        }
