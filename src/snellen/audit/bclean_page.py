"""The page of a cleaned benchmark: what was removed, by whom, and accuracies and ranks before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any, NamedTuple

from markupsafe import Markup

from snellen.audit.bclean import Bclean, models_compromising, sentences
from snellen.audit.page import STYLES
from snellen.report.figures.marks import Scale, axis_title, forest_mark, scale, titled_axis
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import figure, interval, shortened
from snellen.runtime import counted
from snellen.stats import Estimate

ITEMS_SHOWN = 200
"""Removed items on the page; removed.csv has all."""


class Score(NamedTuple):
    """An accuracy in a row of the figure: on which items, its mark, numbers and rank."""

    on: str
    picture: Markup
    said: str
    between: str
    rank: str
    estimate: Estimate


class ModelScores(NamedTuple):
    """A model and its accuracies on all items, on those kept, and on those that are not compromised."""

    model: str
    scores: tuple[Score, ...]


def render(cleaned: Bclean, about: Mapping[str, Any]) -> str:
    """The whole page; it holds no text of the benchmark but ids."""
    style = styles(STYLES)
    environment = templates()
    environment.filters.update(shortened=shortened)
    first, *others = sentences(cleaned)
    rows = [each.whole for each in cleaned.accuracies]
    whole = scale(rows, "share") if rows else None
    removed = cleaned.removed
    return environment.get_template("snellen.audit:bclean.html.jinja").render(
        style=style,
        policy=policy(style, ""),
        cleaned=cleaned,
        about=about,
        headline=first,
        others=others,
        counts=models_compromising(cleaned),
        models=list(_models(cleaned, whole)) if whole else [],
        axis=titled_axis(whole, axis_title("accuracy with the image", "share")) if whole else "",
        pairs=[(each, [_difference(one) for one in (each.whole, each.kept, each.clean)]) for each in cleaned.pairs],
        removed=removed[:ITEMS_SHOWN],
        left=max(0, len(removed) - ITEMS_SHOWN),
        finite=isfinite,
        counted=counted,
    )


def _models(cleaned: Bclean, whole: Scale) -> Iterator[ModelScores]:
    chance = float(cleaned.asked.chance.mean())
    held = Scale(whole.low, whole.high, whole.ticks, whole.unit, chance)
    for each in cleaned.accuracies:
        named = (("all items", each.whole), ("kept", each.kept), ("not compromised, corrected", each.clean))
        scores = (_score(on, estimate, rank, held) for (on, estimate), rank in zip(named, each.ranks, strict=True))
        yield ModelScores(each.model, tuple(scores))


def _score(on: str, estimate: Estimate, rank: Estimate, held: Scale) -> Score:
    if not isfinite(estimate.value):
        return Score(on, Markup(""), "–", "", "–", estimate)
    between = interval(estimate, "share") if isfinite(estimate.low) else ""
    placed = f"{rank.value:.0f} ({rank.low:.0f}–{rank.high:.0f})" if isfinite(rank.value) else "–"
    picture = forest_mark(estimate, held) if between else Markup("")
    return Score(on, picture, figure(estimate.value, "share"), between, placed, estimate)


def _difference(estimate: Estimate) -> str:
    if not isfinite(estimate.value) or not isfinite(estimate.low):
        return "–"
    return f"{figure(estimate.value, 'points')} [{interval(estimate, 'points')}]"
