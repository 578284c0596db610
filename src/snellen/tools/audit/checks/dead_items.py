"""Dead items: all models are right or wrong, or the weaker models do better."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from snellen.runtime import counted
from snellen.stats import benjamini_hochberg, proportion, wilson
from snellen.stats.item_response import TwoParameter, two_parameter_logistic
from snellen.stress.conclusions import interval, percent
from snellen.tools.audit.answers import AnswerMatrix, collect_answered
from snellen.tools.audit.audited import Audited, Floats
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity

NAME = "dead-items"
LEAST_MODELS = 8
"""Minimum number of models. Fewer models are often all right on an easy item, or all wrong on a hard one."""
LEAST_FOR_CORRELATION = 20
"""Minimum number of models for correlations. With fewer, no p-value is small enough among many items."""
LEAST_FOR_2PL = 30
LISTED = 0.10
"""Maximum expected share of false alarms among items flagged for their correlation (Benjamini–Hochberg)."""


def look(audited: Audited) -> Checked:
    """Find the items that do not distinguish the models."""
    given = collect_answered(audited)
    if given is None:
        sentence = "Items that distinguish models cannot be identified: no answers of models to these items are given."
        return Checked(NAME, 0, cannot=(sentence,))
    right = given.right
    rest = item_rest(right)
    enough = len(right) >= LEAST_FOR_2PL and len(given.items) > 1
    fit = two_parameter_logistic(right, tolerance=1e-4) if enough else None
    findings: list[Finding] = []
    if len(right) >= LEAST_MODELS:
        findings += _unanimous(given, right)
    if len(right) >= LEAST_FOR_CORRELATION:
        findings.append(_find_reversed(given, right, rest, fit))
    notes: tuple[str, ...] = ()
    if fit is not None:
        end = "" if fit.converged else " The fit did not converge."
        notes = (
            "2PL by marginal maximum likelihood with weak normal priors; b is left out if the slope's 95% CI "
            f"contains 0.{end}",
        )
    return Checked(
        NAME,
        len(given.items) if len(right) >= LEAST_MODELS else 0,
        tuple(findings),
        tuple(_numbers(given, right, rest)),
        tuple(_cannot(given)),
        notes,
        _columns(given, right, rest, fit),
    )


def item_rest(right: Floats) -> Floats:
    """Correlate each item with the share right of all other items, over models.

    NaN if fewer than three models answered, or if all results are equal.
    """
    there = ~np.isnan(right)
    hits = np.nan_to_num(right)
    rest = _rest(right)
    n = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        one = np.where(there, hits - hits.sum(axis=0) / n, 0)
        two = np.where(there, rest - np.where(there, rest, 0).sum(axis=0) / n, 0)
        spread = np.sqrt((one**2).sum(axis=0) * (two**2).sum(axis=0))
        found = np.where((n > 2) & (spread > 1e-12), (one * two).sum(axis=0) / spread, np.nan)
    return np.asarray(found)


def _rest(right: Floats) -> Floats:
    """Compute the share right of each model without the item itself."""
    there = ~np.isnan(right)
    hits = np.nan_to_num(right)
    others = there.sum(axis=1, keepdims=True) - there
    return np.asarray((hits.sum(axis=1, keepdims=True) - hits) / np.maximum(others, 1))


def _unanimous(given: AnswerMatrix, right: Floats) -> Iterator[Finding]:
    asked = (~np.isnan(right)).sum(axis=0)
    share = np.nansum(right, axis=0) / np.maximum(asked, 1)
    enough = asked >= LEAST_MODELS
    for all_right, severity in ((True, Severity.LOW), (False, Severity.MEDIUM)):
        which = np.flatnonzero(enough & (share == float(all_right)))
        if not which.size:
            continue
        said = "right" if all_right else "wrong"
        part = proportion((share[enough] == float(all_right)).astype(np.float64), given.groups[enough])
        bound = 1 - 0.05 ** (1 / int(asked[which].min()))
        sentence = (
            f"All of {given.whose} answer {counted(len(which), 'item')} of {int(enough.sum()):,} {said} "
            f"({percent(part.value)}, {interval(part.low, part.high, 0)}): these items do not distinguish the models. "
            f"Up to {percent(bound)} of such models may still answer an item differently."
        )
        fix = (
            "Keep them if they are meant to be easy; to distinguish models like these, add harder items."
            if all_right
            else "Check their keys and images, and if they can be answered at all; see the check wrong-keys."
        )
        evidence = "All {} models that answered it are {}."
        flagged = tuple(Flagged(given.items[at].id, evidence.format(asked[at], said)) for at in which.tolist())
        yield Finding(NAME, severity, sentence, fix, flagged)


def _find_reversed(given: AnswerMatrix, right: Floats, rest: Floats, fit: TwoParameter | None) -> Finding:
    """Find items that weaker models answer right more often than stronger ones."""
    p = _p_of_negative(right, rest)
    adjusted = benjamini_hochberg(p)
    listed = np.flatnonzero(adjusted <= LISTED)
    listed = listed[np.argsort(rest[listed], kind="stable")]
    sentence = (
        f"The weaker of {given.whose} answer {counted(len(listed), 'item')} of {len(given.items):,} right more often "
        "than the stronger: the correlation with the rest of the benchmark is below 0. At most "
        f"{LISTED:.0%} of the list are expected to be chance."
    )
    flagged = []
    for at in listed.tolist():
        asked, hits = int((~np.isnan(right[:, at])).sum()), int(np.nansum(right[:, at]))
        slope = ""
        if fit is not None:
            low, high = fit.a[at] - 1.96 * fit.a_se[at], fit.a[at] + 1.96 * fit.a_se[at]
            slope = f"; 2PL discrimination {fit.a[at]:.1f} (95% CI {low:.1f} to {high:.1f})"
        evidence = f"{hits} of {asked} models are right; item–rest correlation {rest[at]:.2f} (p {p[at]:.2g}){slope}."
        flagged.append(Flagged(given.items[at].id, evidence, score=-float(rest[at])))
    fix = "Check their keys. Does more knowledge lead to another answer? Remove items that cannot be fixed."
    return Finding(NAME, Severity.MEDIUM, sentence, fix, tuple(flagged), float(adjusted.min()), sure=0.4)


def _p_of_negative(right: Floats, rest: Floats) -> Floats:
    """Test whether models that are right score lower elsewhere (one-sided rank-sum test)."""
    from scipy.stats import mannwhitneyu  # takes a second to import, and most audits have no answers of models

    scores = _rest(right)
    p = np.ones(right.shape[1])
    for at in np.flatnonzero(rest < 0):
        there = ~np.isnan(right[:, at])
        hit, missed = (scores[there & (right[:, at] == value), at] for value in (1.0, 0.0))
        method = "exact" if min(len(hit), len(missed)) <= 20 and len(hit) + len(missed) <= 60 else "asymptotic"
        p[at] = mannwhitneyu(hit, missed, alternative="less", method=method).pvalue
    return p


def _numbers(given: AnswerMatrix, right: Floats, rest: Floats) -> Iterator[Number]:
    share = np.nanmean(right, axis=0)
    for name, words, marked in (
        ("all_models_right", "all models right", share == 1),
        ("all_models_wrong", "all models wrong", share == 0),
    ):
        yield Number(name, words, proportion(marked.astype(np.float64), given.groups))
    if (known := ~np.isnan(rest)).any():
        low = (rest[known] <= 0).astype(np.float64)
        yield Number("item_rest_not_above_0", "item–rest correlation 0 or below", proportion(low, given.groups[known]))


def _cannot(given: AnswerMatrix) -> Iterator[str]:
    found = f"answers of {given.whose} were found"
    if len(given.models) < LEAST_MODELS:
        yield (
            f"Dead items cannot be identified: {found}, and with fewer than {LEAST_MODELS} models, all right or "
            "all wrong is common among items that are merely easy or hard."
        )
    if len(given.models) < LEAST_FOR_CORRELATION:
        yield (
            f"Items that weaker models answer better cannot be identified: {found}, and {LEAST_FOR_CORRELATION} "
            "models are needed."
        )
    if len(given.models) < LEAST_FOR_2PL:
        yield (
            f"No item response model (2PL) was fitted: {found}, and {LEAST_FOR_2PL} different models are needed; runs "
            "of one model are not subjects of their own."
        )


def _columns(given: AnswerMatrix, right: Floats, rest: Floats, fit: TwoParameter | None) -> dict[str, dict[str, float]]:
    asked = (~np.isnan(right)).sum(axis=0)
    shares = [wilson(float(hits), int(n)) for hits, n in zip(np.nansum(right, axis=0), asked, strict=True)]
    values = {
        "difficulty": [each.value for each in shares],
        "difficulty_low": [each.low for each in shares],
        "difficulty_high": [each.high for each in shares],
        "item_rest": rest.tolist(),
    }
    if fit is not None:
        values |= {"irt_a": fit.a.tolist(), "irt_b": fit.b.tolist()}
    ids = [item.id for item in given.items]
    return {name: dict(zip(ids, column, strict=True)) for name, column in values.items()}


CHECK = Check(NAME, "Which items do not distinguish models?", look)
