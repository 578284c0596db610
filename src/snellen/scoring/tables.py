"""Every stored reply of a study, graded: one table a model and benchmark, for each parser that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.plan import epochs_asked, limit_asked
from snellen.conditions import ORIGINAL
from snellen.grading import grade
from snellen.grading.claims.columns import Rationales
from snellen.grading.claims.contradictions import contradictions
from snellen.grading.claims.parser import Rationale, read_rationale
from snellen.grading.columns import NEW_OPTION, NOTHING, Floats, Integers
from snellen.items import Benchmark, Item
from snellen.judging import Opinions, columns, opinions, said
from snellen.judging import Said as Opined
from snellen.judging.admission import ADMISSION, flagged
from snellen.judging.quality import QUALITY, Judged
from snellen.judging.quality import read as read_judged
from snellen.runtime import few_collections
from snellen.scoring.detection import Said, detections
from snellen.scoring.detection import said as detected
from snellen.scoring.missing_image import MISSING_IMAGE, admissions
from snellen.store import Reply, Store, as_changed, distances
from snellen.stress.table import Grades, Table, code
from snellen.stress.taxonomy import Mask, unseen

Tables = dict[tuple[str, str], Table]
"""The tables of one parser, by model and benchmark."""
Run = tuple[int, int]
"""An item's place and the replicate."""


def grade_study(
    store: Store, study: Mapping[str, Any], benchmarks: Mapping[str, Benchmark], parsers: Sequence[str]
) -> dict[str, Tables]:
    """The tables of a study by parser; every reply is taken out of the store once."""
    tables: dict[str, Tables] = {parser: {} for parser in parsers}
    with few_collections():
        for name, benchmark in benchmarks.items():
            items = benchmark.items[: limit_asked(study, name)]
            arms = {arm: store.arm(digest) for arm, digest in study["arms"][name].items()}
            epochs = epochs_asked(study, name)
            in_words = any(record.get("kinds") == ["open"] for _, record in arms.values())
            for model, revision in study["models"]:
                number = store.model(model, revision)
                cells = {arm: Cells(store, number, at, epochs) for arm, (at, _) in arms.items()}
                of = (name, (model, revision))
                if in_words:
                    said_so = said(ADMISSION, flagged, store, study, of)
                    read_by = study.get("admissions_by", MISSING_IMAGE)
                    by_arm = _admitted(cells, items, said_so, read_by)
                    judge = (said_so.judge, said_so.unread)
                    tables[parsers[0]][model, name] = Table(model, name, items, by_arm, read_by, *judge)
                    continue
                classed = said(QUALITY, read_judged, store, study, of)
                graded = {
                    arm: _grades(each, items, parsers, classed.by_reply.get(arm, {})) for arm, each in cells.items()
                }
                told = opinions(store, study, *of)
                judge = (told.judge or classed.judge, told.unread + classed.unread)
                for parser in parsers:
                    by_arm = _with_rationales(parser, graded, told)
                    tables[parser][model, name] = Table(model, name, items, by_arm, parser, *judge)
    return tables


def _admitted(
    cells: Mapping[str, Cells], items: tuple[Item, ...], said: Opined[bool], parser: str
) -> dict[str, Grades]:
    """The replies to questions that came without an image; parsers of options have no part in them."""
    arms = {}
    for arm, each in cells.items():
        kept = [reply for reply in each.replies() if reply.ordinal < len(items)]
        grades = admissions(kept, items, said.by_reply.get(arm, {}), parser)
        arms[arm] = replace(grades, **each.account(items, grades.replicate))
    return arms


class Cells(NamedTuple):
    """Where one model's replies under one arm lie; `epochs` is None where nobody said how many there should be."""

    store: Store
    model: int
    arm: int
    epochs: int | None

    def replies(self) -> Iterator[Reply]:
        """The replies, of the epochs that count."""
        found = self.store.replies(self.model, self.arm)
        return (reply for reply in found if self.epochs is None or reply.replicate < self.epochs)

    def account(self, items: Sequence[Item], replicates: Integers) -> dict[str, Any]:
        """What has no meaning, what failed, and how many replies there should be, as fields of Grades."""
        reasons = [reason for at, reason in self.store.inapplicable(self.arm).items() if at < len(items)]
        if self.epochs is None:
            tried = [each for _, each, _ in self.store.failed_cells(self.model, self.arm)]
            runs = len(np.unique(np.append(replicates, np.array(tried, dtype=np.int64))))
        else:
            runs = self.epochs
        return {
            "inapplicable": {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
            "failed": self.store.failures(self.model, self.arm, items=len(items), epochs=self.epochs),
            "wanted": (len(items) - len(reasons)) * runs,
            "epochs": runs,
        }


@dataclass
class Graded:
    """The replies of one arm: their grades by parser, and their rationales."""

    grades: dict[str, Grades] = field(default_factory=dict)
    rationales: dict[Run, Rationale] = field(default_factory=dict)

    def read(self, asked: Graded) -> tuple[Integers, Mask, Mask, Mask, Mask]:
        """How many claims each reply makes; whether it notices, hedges, contradicts the reply as asked, explains."""
        said = self.rationales.values()
        against = [
            bool(each.claims)
            and run in asked.rationales
            and bool(contradictions(asked.rationales[run].claims, each.claims))
            for run, each in self.rationales.items()
        ]
        return (
            np.array([len(each.claims) for each in said], dtype=np.int64),
            np.array([each.notices for each in said], dtype=bool),
            np.array([each.hedges for each in said], dtype=bool),
            np.array(against, dtype=bool),
            np.array([each.explains for each in said], dtype=bool),
        )


def _grades(cells: Cells, items: Sequence[Item], parsers: Sequence[str], judged: Mapping[Run, Judged]) -> Graded:
    """Every reply of an arm, graded against the item as the arm left it."""
    changes = cells.store.changes(cells.arm).items()
    variants = {i: as_changed(items[i], changed) for i, changed in changes if i < len(items)}
    places: list[tuple[int, int, int]] = []
    seen: dict[Run, Said] = {}
    read: dict[str, list[tuple[int, int, int]]] = {parser: [] for parser in parsers}
    rules: dict[str, dict[str, int]] = {parser: {} for parser in parsers}
    made = Graded()
    for reply in cells.replies():
        if reply.ordinal not in variants:
            continue
        original, variant = items[reply.ordinal], variants[reply.ordinal]
        places.append((reply.ordinal, reply.replicate, reply.response))
        made.rationales[reply.ordinal, reply.replicate] = read_rationale(reply.text, reply.reasoning, variant)
        seen[reply.ordinal, reply.replicate] = detected(reply, variant)
        for parser in parsers:
            graded = grade(reply.text, reply.finish, variant, parser)
            rule = rules[parser].setdefault(graded.rule, len(rules[parser]))
            read[parser].append((code(graded.outcome), _chosen(original, variant, graded.choice), rule))
    ordinal, replicate, response = np.array(places, dtype=np.int64).reshape(-1, 3).T
    account = cells.account(items, replicate)
    beside, far = detections(seen, judged), _distances(cells, len(items))
    for parser in parsers:
        outcome, chosen, rule_of = np.array(read[parser], dtype=np.int64).reshape(-1, 3).T
        made.grades[parser] = Grades(
            ordinal=ordinal,
            replicate=replicate,
            outcome=outcome.astype(np.uint8),
            chosen=chosen,
            response=response,
            rule=rule_of.astype(np.uint16),
            rules=tuple(rules[parser]),
            detections=beside,
            distances=far,
            **account,
        )
    return made


def _distances(cells: Cells, items: int) -> dict[str, Floats]:
    """How far the arm took each item's image from what it was; nothing where it was not measured."""
    columns: dict[str, Floats] = {}
    for ordinal, measured in distances(cells.store, cells.arm):
        for name, value in measured.items() if ordinal < items else ():
            columns.setdefault(name, np.full(items, np.nan))[ordinal] = value
    return columns


def _with_rationales(parser: str, graded: Mapping[str, Graded], said: Opinions) -> dict[str, Grades]:
    """The grades with what the replies say they see, held against what the same run said of the image as asked."""
    by_arm = {arm: each.grades[parser] for arm, each in graded.items()}
    asked = graded.get(ORIGINAL.name, Graded())
    blind = next((grades for arm, grades in by_arm.items() if unseen(arm)), None)
    made = {}
    for arm, grades in by_arm.items():
        as_asked = arm == ORIGINAL.name
        read = graded[arm].read(Graded() if as_asked else asked)
        judged, heard = columns(said, arm, grades, blind if as_asked else by_arm.get(ORIGINAL.name))
        made[arm] = replace(grades, rationales=Rationales(*read, judged, heard))
    return made


def _chosen(original: Item, variant: Item, choice: int | None) -> int:
    """The chosen option as the original item numbers it; one that it does not have, by its own place."""
    if choice is None:
        return NOTHING
    if variant is original:
        return choice
    option = variant.options[choice]
    return original.options.index(option) if option in original.options else NEW_OPTION - choice
