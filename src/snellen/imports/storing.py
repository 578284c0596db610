"""Storing: answers that were gathered go into a store as a study of their own, as if they had been asked here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import orjson

from snellen.conditions import ORIGINAL, Variant
from snellen.errors import BrokenRow, ModelError
from snellen.imports.answer import Answer
from snellen.imports.gathering import Gathering, cell_of, numbered, reply_of
from snellen.items import Benchmark
from snellen.plugins import names
from snellen.prompts import Request
from snellen.store import Cell, Store, Writer
from snellen.stress import MEMBERS, stress_test
from snellen.stress.comparison import comparison
from snellen.stress.rationale import rationale
from snellen.stress.taxonomy import unseen

NOT_ASKED = "it was not asked under this arm"
NOT_GRADED = "only questions with options can be graded yet"
AS_IMPORTED = {"name": "as imported", "system": "", "user": ""}


class Places:
    """The numbers that benchmarks, arms, models and items have in the store."""

    def __init__(self, store: Store, gathered: Gathering, about: Mapping[str, Any]) -> None:
        self.digests: dict[str, str] = {}
        self.arm_digests: dict[str, dict[str, str]] = {}
        self.arms: dict[tuple[str, str], int] = {}
        self.ordinals: dict[str, dict[str, int]] = {}
        for name in gathered.benchmarks():
            benchmark = Benchmark(name, gathered.items(name), about=MappingProxyType(dict(about)))
            number, self.digests[name] = store.add_benchmark(benchmark)
            self.ordinals[name] = {item.id: at for at, item in enumerate(benchmark.items)}
            self.arm_digests[name] = {arm: self._arm_digest(name, arm) for arm in gathered.arms(name)}
            for arm, digest in self.arm_digests[name].items():
                record = {"condition": arm, "prompt": AS_IMPORTED, "settings": {}, "seed": None, "kinds": ["choice"]}
                self.arms[name, arm] = store.add_arm(number, arm, digest, record)
        self.models = {model: store.add_model(model, revision) for model, revision in gathered.revisions.items()}

    def _arm_digest(self, benchmark: str, arm: str) -> str:
        return hashlib.sha256(orjson.dumps(("imported", self.digests[benchmark], arm))).hexdigest()

    def cell(self, answer: Answer, replicate: int) -> Cell:
        """Where a reply belongs."""
        arm = self.arms[answer.benchmark, answer.arm]
        return Cell(self.models[answer.model], arm, self.ordinals[answer.benchmark][answer.item.id], replicate)


def put_items(writer: Writer, gathered: Gathering, places: Places) -> None:
    """Keep how every arm put every item, and which items it did not put at all."""
    for (benchmark, arm), number in places.arms.items():
        put = gathered.put[benchmark, arm]
        for original in gathered.items(benchmark):
            ordinal = places.ordinals[benchmark][original.id]
            if original.id not in put:
                writer.inapplicable(number, ordinal, NOT_ASKED)
            elif original.kind != "choice":
                writer.inapplicable(number, ordinal, NOT_GRADED)
            else:
                item, text, system, _ = put[original.id]
                sent = tuple(image.encoded() for image in item.images)
                variant = Variant(original, item, arm, {})
                writer.varied(number, ordinal, variant, Request("", text, system, sent))


def put_replies(
    store: Store, writer: Writer, answers: Iterable[Answer | BrokenRow], places: Places, broken: set[BrokenRow]
) -> None:
    """Keep every reply and every failed call; what is stored already is not stored again."""
    left_out = {(row.where, row.item_id) for row in broken}
    for answer, replicate in numbered(answers):
        if (answer.where, answer.item.id) in left_out:
            continue
        cell = places.cell(answer, replicate)
        if answer.response is None:
            writer.failed([cell], ModelError(answer.error or "no reply, and the file does not say why"))
            continue
        key = hashlib.sha256(b"imported" + cell_of(answer, replicate) + reply_of(answer)).digest()
        known = store.known([key])
        if known:
            writer.linked(known[key], cell)
        else:
            writer.answered(key, answer.response, [cell])


def tests_of(arms: Iterable[Iterable[str]]) -> list[str]:
    """The tests that the arms of the benchmarks can answer; arms that none of them knows are compared as they are."""
    by_benchmark = [set(each) for each in arms]
    chosen = []
    for name in names("stress", MEMBERS):
        wanted = {arm.name for arm in stress_test(name).all_arms}
        if len(wanted) > 1 and any(wanted <= each for each in by_benchmark):
            chosen.append(name)
    everything = set().union(*by_benchmark)
    chosen += [
        f"blank-image:{settings}"
        for name, sign, settings in sorted(arm.partition(":") for arm in everything)
        if sign and ORIGINAL.name in everything
    ]
    blind = sorted(arm for arm in everything if unseen(arm) and ":" not in arm)
    if blind and "rationale" not in chosen:
        chosen.append(rationale(*blind).name)
    if ORIGINAL.name not in everything:
        first, *others = sorted(everything)
        return [*chosen, comparison(*others, baseline=first).name]
    known = {arm.name for name in chosen for arm in stress_test(name).all_arms}
    rest = sorted(everything - known - {ORIGINAL.name})
    return [*chosen, comparison(*rest).name] if rest or not chosen else chosen
