"""Steady? (rule 7): does the order of the options change answers, beyond what changes from repeat to repeat?"""

from __future__ import annotations

import numpy as np

from snellen.reading.columns import Floats
from snellen.stress.base import Status
from snellen.stress.verdicts.decision import Decision, settle
from snellen.stress.verdicts.responses import Responses, Skill, View

NAME = "steady"
MOVED, RERUN = 0.1, 0.5
"""Order may add a tenth of changed answers; repeats of one order that differ in half of them hide what order does."""


def decide_steady(responses: Responses, skill: Skill) -> Decision:
    """Test how many answers change with the order, less how many change by themselves."""
    responses = responses.with_repeats()
    own, reordered = responses.own, responses.reordered
    if responses.table.kind != "choice":
        return settle(NAME, Status.NOT_APPLICABLE, "no-options")
    if own is None or reordered is None:
        return settle(NAME, Status.INCONCLUSIVE, "order-not-asked")
    alone = (_differ(responses, own, own) + _differ(responses, reordered, reordered)) / 2
    orders = _differ(responses, own, reordered)
    if not np.isfinite(alone).any():
        return _decide_by_one_run(responses, skill, orders)
    orders = np.where(np.isfinite(alone), orders, np.nan)
    runs = responses.compare_mean(alone, RERUN)
    adds = responses.compare_mean(orders - alone, MOVED) if np.nansum(alone) else responses.compare_share(orders, MOVED)
    numbers = {"added": adds.estimate, "runs_differ": responses.compare_share(alone, RERUN).estimate}
    if (few := responses.find_too_few(orders)) is not None:
        return settle(NAME, Status.INCONCLUSIVE, few, **numbers)
    return Decision(
        NAME,
        max(adds.below, runs.below, skill.p),
        max(adds.above, skill.p),
        "order-adds-little",
        "order-changes-answers",
        "runs-differ" if runs.below > 0.025 and adds.below < 0.025 else "",
        numbers=numbers,
        decides=adds,
        limit=MOVED,
    )


def _decide_by_one_run(responses: Responses, skill: Skill, orders: Floats) -> Decision:
    """With one repeat each, only a pass can be shown: what moves may move by itself."""
    if not np.isfinite(orders).any():
        return settle(NAME, Status.INCONCLUSIVE, "few-items")
    adds = responses.compare_share(orders, MOVED)
    if (few := responses.find_too_few(orders)) is not None:
        return settle(NAME, Status.INCONCLUSIVE, few, moved=adds.estimate)
    return Decision(
        NAME,
        max(adds.below, skill.p),
        1.0,
        "order-moves-few",
        open_reason="repeat-both-orders",
        numbers={"moved": adds.estimate},
        decides=adds,
        limit=MOVED,
    )


def _differ(responses: Responses, first: View, second: View) -> Floats:
    """Per item, the share of pairs of repeats with different answers; no answer is an answer of its own.

    Of one condition all pairs of two repeats count; NaN for items with fewer than two.
    """
    items = len(responses.table.items)
    codes, sizes = [], []
    for view in (first, second):
        codes.append(view.ordinal * _WIDTH + view.chosen + _WIDTH // 2)
        sizes.append(np.bincount(view.ordinal, minlength=items).astype(float))
    (one, times), (two, others) = (np.unique(each, return_counts=True) for each in codes)
    both, here, there = np.intersect1d(one, two, return_indices=True)
    same = np.bincount(both // _WIDTH, weights=times[here] * others[there], minlength=items)
    pairs = sizes[0] * sizes[1]
    if first is second:
        same, pairs = same - sizes[0], pairs - sizes[0]
    return np.asarray(np.divide(pairs - same, pairs, out=np.full(items, np.nan), where=pairs > 0))


_WIDTH = 2**20
"""More options than any item has."""
