"""Verdict "follows the image": does the answer change to what another patient's image shows?"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from snellen.reading.columns import NOTHING, Floats
from snellen.stats import Estimate
from snellen.stress.base import Status
from snellen.stress.verdicts.decision import Number, UncorrectedVerdict, settle
from snellen.stress.verdicts.responses import FEWEST_ITEMS, ArmView, Mask, Responses, Skill

FOLLOWED = 0.5
"""Share of the skill that must follow the image. Skill is the accuracy above guessing."""
NAME = "follows"


def decide_follows(responses: Responses, skill: Skill) -> UncorrectedVerdict:
    """Decide if more than half of the model's skill follows the image that is shown."""
    own, swapped, exchanged = responses.own, responses.swapped, responses.exchanged
    if own is None or (swapped is None and exchanged is None):
        return settle(NAME, Status.INCONCLUSIVE, "swap-not-asked")
    if swapped is not None:
        asked = _has_shown_answer(responses, own, swapped)
        shown = len(np.unique(own.ordinal[own.match(swapped)[0]][asked]))
        if shown >= FEWEST_ITEMS or exchanged is None:
            return _decide(responses, skill, (own, swapped), _by_shown_answer(responses, own, swapped, asked), asked)
    assert exchanged is not None
    asked = np.ones(len(own.match(exchanged)[0]), dtype=np.bool_)
    return _decide(responses, skill, (own, exchanged), _by_old_answer(responses, own, exchanged, asked), asked)


def cut_share(estimate: Estimate) -> Estimate:
    """Limit the interval of a share of the skill to 0 and 1."""
    low, high = estimate.low, estimate.high
    least, most = (0.0 if low <= 0 <= high else low), (1.0 if low <= 1 <= high else high)
    value, low, high = (min(max(end, least), most) for end in (estimate.value, low, high))
    return replace(estimate, value=value, low=low, high=high) if isfinite(estimate.value) else estimate


def _has_shown_answer(responses: Responses, own: ArmView, swapped: ArmView) -> Mask:
    """Mark matched responses whose other image shows a known, different answer."""
    at = own.ordinal[own.match(swapped)[0]]
    shown = responses.table.key(swapped.arm)[at]
    return np.asarray((shown != NOTHING) & (shown != responses.key[at]))


def _by_shown_answer(responses: Responses, own: ArmView, view: ArmView, asked: Mask) -> tuple[Floats, Floats]:
    """Return, per item, the gain in the swapped image's answer, and the skill."""
    here, there = own.match(view)
    both = asked & own.answered[here] & view.answered[there]
    at = own.ordinal[here][both]
    shown, before, after = responses.table.key(view.arm)[at], own.chosen[here][both], view.chosen[there][both]
    gain = (after == shown).astype(float) - (before == shown)
    known = (before == responses.key[at]).astype(float) - (before == shown)
    return responses.average(at, gain), responses.average(at, known)


def _by_old_answer(responses: Responses, own: ArmView, view: ArmView, asked: Mask) -> tuple[Floats, Floats]:
    """Return, per item, the skill lost with another image, and the skill.

    Every correct option has the same total weight.
    """
    here, there = own.match(view)
    both = asked & own.answered[here] & view.answered[there]
    at = own.ordinal[here][both]
    guess = np.array([item.chance for item in responses.table.items])[at]
    old = (view.chooses(responses.key) if responses.table.kind == "choice" else view.right)[there][both]
    weight = responses.weights[at]
    skill = weight * (own.right[here][both] - guess)
    return responses.average(at, skill - weight * (old - guess)), responses.average(at, skill)


def _decide(
    responses: Responses, skill: Skill, views: tuple[ArmView, ArmView], parts: tuple[Floats, Floats], asked: Mask
) -> UncorrectedVerdict:
    (own, view), (tops, known) = views, parts
    here, there = own.match(view)
    answered = asked & own.answered[here]
    both = answered & view.answered[there]
    numbers: dict[str, Number] = {"swaps": len(np.unique(own.ordinal[here][asked])), "condition": view.arm}
    few = responses.find_too_few(responses.average(own.ordinal[here][asked], asked[asked]))
    few = "few-swaps" if few == "few-items" else few
    if few is not None and not both.any():
        return settle(NAME, Status.INCONCLUSIVE, few, **numbers)
    if both.sum() < max(1, answered.sum() / 2):
        return UncorrectedVerdict(NAME, open_reason="swaps-declined", numbers=numbers)
    weight = 1.0 if view is responses.swapped else max(1.0, float(np.nanmax(responses.weights)))
    found = responses.compare_ratio(tops, known, FOLLOWED, responses.donors(view), weight=weight)
    numbers["followed"] = cut_share(found.estimate)
    if few is not None:
        return settle(NAME, Status.INCONCLUSIVE, few, **numbers)
    shown = responses.compare_mean(known, weight=weight)
    must = max(skill.p, shown.above)
    return UncorrectedVerdict(
        NAME,
        max(found.above, must),
        max(found.below, must),
        "follows-image",
        "keeps-answer",
        "" if 2 * shown.above <= 0.05 else "knows-too-little",
        numbers=numbers,
        decides=found,
        limit=FOLLOWED,
    )
