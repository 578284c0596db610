"""Completeness of a stored study: wanted and stored responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.asked import ModelArm, Rounds, asked_in_rounds, limit_asked
from snellen.asking.repeats import Repeats, Runs, repeats_asked, select_wanted
from snellen.store import Store
from snellen.store.viewing import WantedResponses, arm_numbers, count_inapplicable, count_stored, model_numbers

NOT_THERE = 0
"""The number of a model or an arm that the store does not have. Stored numbers begin at 1."""
ANY_EPOCHS = 2**31


class Completeness(NamedTuple):
    """Number of stored and of wanted responses of a study. Conditions that do not apply are left out."""

    stored: int
    wanted: int


class StoredShare(NamedTuple):
    """Wanted and stored responses of one model under one condition of a benchmark."""

    model: str
    benchmark: str
    arm: str
    cells: WantedResponses
    stored: int
    wanted: int
    inapplicable: int
    """Responses left out because the condition does not apply to their item."""


def shares(store: Store, study: Mapping[str, Any]) -> list[StoredShare]:
    """Count stored and wanted responses by model, benchmark and condition; no response is read."""
    models, arms = model_numbers(store), arm_numbers(store)
    asked: list[tuple[str, str, str, WantedResponses]] = []
    design: dict[str, Repeats | None] = {}
    for benchmark, digests in study["arms"].items():
        there = store.studies.count_items(study["benchmarks"][benchmark])
        items = min(there, limit_asked(study, benchmark) or there)
        repeats = design[benchmark] = repeats_asked(study, benchmark, items)
        for model, revision in study["models"]:
            number = models.get((model, revision), NOT_THERE)
            for arm, digest in digests.items():
                most = ANY_EPOCHS if repeats is None else int(repeats.count_runs(arm).max(initial=0))
                asked.append((model, benchmark, arm, WantedResponses(number, arms.get(digest, NOT_THERE), items, most)))
    stored = count_stored(store, [each[3] for each in asked])
    without = count_inapplicable(store, [each[3] for each in asked])
    found = []
    drawn = {
        name: Rounds.from_items(store.studies.benchmark(digest).items[: limit_asked(study, name)], study["seed"])
        for name, digest in study["benchmarks"].items()
        if asked_in_rounds(study, name)
    }
    for model, benchmark, arm, cells in asked:
        rounds, repeats, text_only = drawn.get(benchmark), design[benchmark], model in study.get("text_only", ())
        if repeats is not None and (rounds is not None or arm in repeats.arms):
            told = _count_by_item(store, cells, repeats.count_runs(arm), rounds, text_only=text_only)
            found.append(StoredShare(model, benchmark, arm, cells, *told))
            continue
        runs, left_out = cells.epochs, without.get(cells.arm, 0)
        if runs == ANY_EPOCHS:  # an import: the number of different repeats found
            runs = len(np.unique(store.responses.load_answered(cells.model, cells.arm)[:, 1]))
        if text_only:
            left_out += sum(ordinal < cells.items for ordinal in store.variants.with_images(cells.arm))
        counts = stored.get((cells.model, cells.arm), 0), (cells.items - left_out) * runs, left_out * runs
        found.append(StoredShare(model, benchmark, arm, cells, *counts))
    return found


def _count_by_item(
    store: Store, cells: WantedResponses, runs: Runs, rounds: Rounds | None, *, text_only: bool
) -> tuple[int, int, int]:
    """Return stored, wanted and left-out responses, counted by item.

    If the study asked in rounds, only the responses that the verdicts needed are wanted.
    """
    if rounds is not None:
        whole = ModelArm(cells.model, cells.arm, runs, text_only).rounds(store, rounds)
        runs = np.where(rounds.is_in_rounds(max(1, whole)), runs, 0)
    places = {*store.variants.inapplicable(cells.arm), *(store.variants.with_images(cells.arm) if text_only else ())}
    left_out = int(runs[[place for place in places if place < len(runs)]].sum())
    stored = len(select_wanted(store.responses.load_answered(cells.model, cells.arm), runs))
    return stored, int(runs.sum()) - left_out, left_out


def completeness(store: Store, study: Mapping[str, Any]) -> Completeness:
    """Count the stored and the wanted responses of a study."""
    found = shares(store, study)
    return Completeness(sum(each.stored for each in found), sum(each.wanted for each in found))
