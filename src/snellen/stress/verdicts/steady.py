"""Verdict "steady": does the order of the options change answers more than repeats do?"""

from __future__ import annotations

import numpy as np

from snellen.reading.columns import Floats
from snellen.stress.base import Status
from snellen.stress.verdicts.decision import UncorrectedVerdict, settle
from snellen.stress.verdicts.responses import ArmView, Responses, Skill

NAME = "steady"
MOVED, RERUN = 0.1, 0.5
"""Limits for changed answers and for differences between repeats.

The order may change a tenth more answers than repeats do. Repeats that differ in half of the answers hide the effect of
the order.
"""


def decide_steady(responses: Responses, skill: Skill) -> UncorrectedVerdict:
    """Decide by how many answers change with the order, beyond changes between repeats."""
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
    return UncorrectedVerdict(
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


def _decide_by_one_run(responses: Responses, skill: Skill, orders: Floats) -> UncorrectedVerdict:
    """Decide without repeats: only a pass can be shown."""
    if not np.isfinite(orders).any():
        return settle(NAME, Status.INCONCLUSIVE, "few-items")
    adds = responses.compare_share(orders, MOVED)
    if (few := responses.find_too_few(orders)) is not None:
        return settle(NAME, Status.INCONCLUSIVE, few, moved=adds.estimate)
    return UncorrectedVerdict(
        NAME,
        max(adds.below, skill.p),
        1.0,
        "order-moves-few",
        open_reason="repeat-both-orders",
        numbers={"moved": adds.estimate},
        decides=adds,
        limit=MOVED,
    )


def _differ(responses: Responses, first: ArmView, second: ArmView) -> Floats:
    """Return, per item, the share of pairs of responses with different answers.

    Within one condition, all pairs of two repeats count; NaN for items with fewer than two responses.
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
"""Larger than the number of options of any item."""
