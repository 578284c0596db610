"""A judge's statements about the quality of every item, and how reliable they are.

The judge reads question, options and key, and the image if that is wanted. It changes nothing: a person decides.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from snellen.conditions import ORIGINAL
from snellen.errors import DataError, StudyError
from snellen.items import LETTERS, Benchmark, Item, Option
from snellen.prompts import Arm
from snellen.reading.grades import grade
from snellen.scoring.writing import plain_text
from snellen.stats import Estimate, clustered_kappa, wilson
from snellen.store import Store
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import Design
from snellen.tools.audit.audited import name_key, name_options, right_place
from snellen.tools.audit.identifying import places_of_identifying

STUDY = "audit-judge"
"""Name of the study that asks a judge. Its test is `TEST`, and its questions are about the items."""
SOUND = "sound"
STATEMENTS: Mapping[str, str] = {
    SOUND: "The item is sound: it can be answered as it is written, and its key is right.",
    "key": "The key is wrong, or another answer is at least as right.",
    "unanswerable": "It cannot be answered as it is written: words are missing, or what it assumes is untrue.",
    "no-image": "Its text alone suffices: no image is needed to answer it.",
    "wording": "Its wording is damaged or misleading.",
}
"""The statements that a judge chooses from."""
FEWEST_LABELS = 20
"""Minimum number of doubted items with a label for the judge's precision to be used."""
UNQUALIFIED = 0.25
"""Confidence of a doubt if the judge was not compared with labels: too low to list an item for it alone."""
_ASKS = (
    "You check a benchmark of medical questions before it is used. Below is one of its items with its answer key. Do "
    "not answer it. Say what is true of the item itself.{image}\n\n{item}\n\nWhich statement is most true of this item?"
)
TEST = StressTest(Design(STUDY, "Is the item sound?", (), Arm(ORIGINAL)), Analysis(Expectation.UNKNOWN))


@dataclass(frozen=True)
class Qualified:
    """A judge's doubts compared with people's labels: precision, recall and κ."""

    precision: Estimate
    recall: Estimate
    kappa: Estimate


@dataclass(frozen=True)
class JudgedItems:
    """A judge's statement about each item, and the number of unreadable answers."""

    model: str
    said: Mapping[str, str]
    unread: int
    qualified: Qualified | None = None
    shown_images: bool = False

    @property
    def sure(self) -> float:
        """Confidence of a doubt: the lower end of the precision's interval, given enough labels."""
        if self.qualified is None or self.qualified.precision.n < FEWEST_LABELS:
            return UNQUALIFIED
        return float(self.qualified.precision.low)


def describe_item(item: Item) -> str:
    """Describe an item for a judge: context, question, options and key."""
    options = f"Options: {name_options(item)}" if item.options else ""
    context = f"Context: {item.context}" if item.context.strip() else ""
    return "\n".join(filter(None, (context, f"Question: {item.question}", options, f"Answer key: {name_key(item)}")))


def judge_items(benchmark: Benchmark, *, images: bool) -> Benchmark:
    """Turn items into questions about them, with five statements to choose from.

    The key of such a question is not used.
    """
    options = tuple(map(Option, STATEMENTS.values()))
    items = []
    for item in benchmark:
        if not (item.has_choice or item.references):
            continue
        note = "" if not item.images or images else " Its image is not shown here; take it that it shows what is asked."
        asked = _ASKS.format(image=note, item=describe_item(item))
        shown = item.images if images else ()
        items.append(Item(item.id, asked, options, 0, images=shown, cluster=item.cluster, language="en"))
    if not items:
        raise StudyError(f"{benchmark.name} has no item with a key, so a judge has nothing to read.")
    return Benchmark(f"{benchmark.name}/as-items", tuple(items))


def read_judge(folder: Path, asked: Benchmark, *, images: bool = False) -> JudgedItems:
    """Read the answers that a judge's study stored."""
    said: dict[str, str] = {}
    unread = 0
    names = list(STATEMENTS)
    with Store.open(folder) as store:
        record = store.studies.record(STUDY)
        ((model, revision),) = record["models"]
        arm = store.studies.arm(next(iter(record["arms"][asked.name].values())))[0]
        for reply in store.responses.replies(store.studies.model_number(model, revision), arm):
            item = asked.items[reply.ordinal]
            chosen = grade(reply.text, reply.finish, item).choice
            if chosen is None:
                unread += 1
            else:
                said[item.id] = names[chosen]
    return JudgedItems(model, MappingProxyType(said), unread, shown_images=images)


def qualify_judge(judged: JudgedItems, file: Path, items: Sequence[Item]) -> JudgedItems:
    """Compare a judge with people's labels: a CSV file of `item_id` and `defect`."""
    labels = {row["item_id"]: row["defect"] for row in read_rows(file, ("item_id", "defect"))}
    if unknown := sorted(labels.keys() - {item.id for item in items}):
        raise DataError(f"{file}: the benchmark has no item {unknown[0]!r}.")
    known = [item_id for item_id in labels if item_id in judged.said]
    if not known:
        raise StudyError(f"{file} labels no item that the judge answered. Expected ids as in the benchmark.")
    people = [bool(labels[item_id]) for item_id in known]
    model = [judged.said[item_id] != SOUND for item_id in known]
    both = sum(one and other for one, other in zip(people, model, strict=True))
    clusters = {item.id: item.cluster or item.id for item in items}
    kappa = clustered_kappa(people, model, [clusters[item_id] for item_id in known])
    return replace(judged, qualified=Qualified(wilson(both, sum(model)), wilson(both, sum(people)), kappa))


def read_rows(file: Path, columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """Read the rows of a CSV file that people wrote. Raise DataError if it cannot be read or lacks a column."""
    try:
        rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{file} cannot be read as a CSV file in UTF-8: {error}.") from error
    if rows and (absent := [name for name in columns if name not in rows[0]]):
        raise DataError(f"{file}: expected the columns {' and '.join(columns)}, got no {absent[0]!r}.")
    return [{name: plain_text(cell).strip() for name, cell in row.items() if name} for row in rows]


NONE, UNCLEAR = "none", "unclear"
"""Answers of a rater instead of a letter: no option is right; unclear which is."""


def read_key_review(file: Path, items: Sequence[Item], training: Sequence[Item] = ()) -> dict[str, bool | None]:
    """Read whether most raters of an item find its key wrong; None if divided.

    A row is one rater's answer to one item, given without the key: a letter, `none` or `unclear`. A row without an
    answer is left out.
    """
    places = places_of_identifying((*items, *training))
    by_name = {places.get(item.id, item.id): item for item in items if item.has_choice}
    votes: dict[str, list[bool | None]] = {}
    for number, row in enumerate(read_rows(file, ("item_id", "answer")), start=2):
        if row["answer"]:
            if row["item_id"] not in by_name:
                raise DataError(f"{file}, row {number}: the benchmark has no item {row['item_id']!r} with options.")
            item = by_name[row["item_id"]]
            votes.setdefault(item.id, []).append(_finds_wrong(item, row["answer"], f"{file}, row {number}"))
    return {
        item_id: next((said for said in (True, False) if 2 * given.count(said) > len(given)), None)
        for item_id, given in votes.items()
    }


def _finds_wrong(item: Item, answer: str, where: str) -> bool | None:
    letters = list(LETTERS[: len(item.options)])
    if answer.casefold() == UNCLEAR:
        return None
    if answer.casefold() != NONE and answer.upper() not in letters:
        raise DataError(f"{where}: expected a letter from A to {letters[-1]}, {NONE} or {UNCLEAR}, got {answer!r:.60}.")
    return answer.casefold() == NONE or letters.index(answer.upper()) != right_place(item)
