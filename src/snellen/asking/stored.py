"""How much of a stored study is there: the responses that it asks for, and those that came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from snellen.asking.asked import Asked, Rounds, asked_in_rounds, limit_asked
from snellen.asking.repeats import Repeats, Runs, repeats_asked, select_wanted
from snellen.store import Store
from snellen.store.viewing import Wanted, arm_numbers, count_inapplicable, count_stored, model_numbers

NOT_THERE = 0
"""The number of a model or an arm that the store does not know yet; its own begin at 1."""
ANY_EPOCHS = 2**31


class Completeness(NamedTuple):
    """How many responses a study has, and how many it asks for; conditions that do not apply to an item ask none."""

    stored: int
    wanted: int


class Share(NamedTuple):
    """What a study asks of one model under one condition of a benchmark, and how many of the responses are there."""

    model: str
    benchmark: str
    arm: str
    cells: Wanted
    stored: int
    wanted: int
    inapplicable: int
    """Responses that nobody asks for, because the condition does not apply to their item."""


def shares(store: Store, study: Mapping[str, Any]) -> list[Share]:
    """What there is of a study, by model, benchmark and condition; no response is read."""
    models, arms = model_numbers(store), arm_numbers(store)
    asked: list[tuple[str, str, str, Wanted]] = []
    design: dict[str, Repeats | None] = {}
    for benchmark, digests in study["arms"].items():
        there = store.studies.count_items(study["benchmarks"][benchmark])
        items = min(there, limit_asked(study, benchmark) or there)
        repeats = design[benchmark] = repeats_asked(study, benchmark, items)
        for model, revision in study["models"]:
            number = models.get((model, revision), NOT_THERE)
            for arm, digest in digests.items():
                most = ANY_EPOCHS if repeats is None else int(repeats.count_runs(arm).max(initial=0))
                asked.append((model, benchmark, arm, Wanted(number, arms.get(digest, NOT_THERE), items, most)))
    stored = count_stored(store, [each[3] for each in asked])
    without = count_inapplicable(store, [each[3] for each in asked])
    found = []
    drawn = {
        name: Rounds.of(store.studies.benchmark(digest).items[: limit_asked(study, name)], study["seed"])
        for name, digest in study["benchmarks"].items()
        if asked_in_rounds(study, name)
    }
    for model, benchmark, arm, cells in asked:
        rounds, repeats, text_only = drawn.get(benchmark), design[benchmark], model in study.get("text_only", ())
        if repeats is not None and (rounds is not None or arm in repeats.arms):
            told = _count_by_item(store, cells, repeats.count_runs(arm), rounds, text_only=text_only)
            found.append(Share(model, benchmark, arm, cells, *told))
            continue
        runs, left_out = _runs(store, cells), without.get(cells.arm, 0)
        if text_only:
            left_out += sum(ordinal < cells.items for ordinal in store.variants.with_images(cells.arm))
        counts = stored.get((cells.model, cells.arm), 0), (cells.items - left_out) * runs, left_out * runs
        found.append(Share(model, benchmark, arm, cells, *counts))
    return found


def _count_by_item(
    store: Store, cells: Wanted, runs: Runs, rounds: Rounds | None, *, text_only: bool
) -> tuple[int, int, int]:
    """What is stored, wanted and left out; in rounds, no more is wanted than verdicts needed."""
    if rounds is not None:
        whole = Asked(cells.model, cells.arm, runs, text_only).rounds(store, rounds)
        runs = np.where(rounds.within(max(1, whole)), runs, 0)
    places = {*store.variants.inapplicable(cells.arm), *(store.variants.with_images(cells.arm) if text_only else ())}
    left_out = int(runs[[place for place in places if place < len(runs)]].sum())
    stored = len(select_wanted(store.responses.answered(cells.model, cells.arm), runs))
    return stored, int(runs.sum()) - left_out, left_out


def _runs(store: Store, cells: Wanted) -> int:
    """How often each item is asked; of imported questions nobody said it: as often as any of them was."""
    if cells.epochs != ANY_EPOCHS:
        return cells.epochs
    return len(np.unique(store.responses.answered(cells.model, cells.arm)[:, 1]))


def completeness(store: Store, study: Mapping[str, Any]) -> Completeness:
    """How many responses of a study there are, and how many it asks for."""
    found = shares(store, study)
    return Completeness(sum(each.stored for each in found), sum(each.wanted for each in found))
