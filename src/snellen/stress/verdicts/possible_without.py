"""Accuracy possible without images, compared with the best accuracy with images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snellen.reading.columns import Floats
from snellen.stats import Estimate, LimitTest
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.stress.verdicts.decision import as_json
from snellen.stress.verdicts.responses import ArmView, Responses, Skill, measure_skill
from snellen.stress.verdicts.sentences import percent, ratio_with_interval, share_with_interval

KEPT = 0.5
"""Largest share of the best model's skill that may be possible without images."""
LEVEL = 0.05
QUESTION = "Score possible without images"
WHY_OPEN = {
    "not-shown-to-beat-guessing": "no model is shown to beat guessing",
    "no-image-not-asked": "nothing was asked without the image; run the suite `standard` in the same folder",
    "all-decline": "all models decline; ask in guess mode (`guess-mode`) or run the text-only guesser "
    "(`snellen audit`)",
}


def describe_possible(who: str, accuracy: Estimate, guessing: float) -> str:
    """Describe an accuracy without images, compared with guessing."""
    return f"{QUESTION}: {who} scores {share_with_interval(accuracy)}; guessing scores {percent(guessing)}"


class BlindScore(NamedTuple):
    """A score without images: the model, the way in which it was asked, and the result."""

    model: str
    way: str
    accuracy: Estimate
    skill: float
    """Mean score above guessing."""
    test: LimitTest
    kept: Estimate
    """Share of the best model's skill that this score keeps."""
    declined: float


class BenchmarkLine(NamedTuple):
    """Score possible on a benchmark without seeing its images."""

    benchmark: str
    status: Status
    reason: str
    best: BlindScore | None
    guessing: float
    models: int
    p: float = 1.0

    @property
    def sentence(self) -> str:
        """The result in a sentence."""
        if self.best is not None:
            who = "the best of these models" if self.models > 1 else "this model"
            kept = self.best.kept
            side = "more" if self.status is Status.FAIL else "less" if kept.high < KEPT else ""
            shown = f"{side} than the limit, half" if side else "the limit is half: not decided"
            skill = f"that is {ratio_with_interval(kept)} of the best model's skill"
            return f"{describe_possible(who, self.best.accuracy, self.guessing)}; {skill}; {shown}."
        return f"{QUESTION}: not decided: {WHY_OPEN[self.reason]}."

    def record(self) -> dict[str, object]:
        """Return the result for results.json."""
        best = self.best
        source = {"model": best.model, "way": best.way, "accuracy": as_json(best.accuracy)} if best else None
        names = ("benchmark", "status", "reason", "guessing", "models", "p", "sentence")
        return {**{name: getattr(self, name) for name in names}, "best": source}


def judge_benchmark(tables: Sequence[Table]) -> BenchmarkLine | None:
    """Judge a benchmark over its models; None if it has no images."""
    seen = [(each, skill) for each in map(Responses, tables) if each.has_images and (skill := measure_skill(each))]
    if not seen:
        return None
    name = tables[0].benchmark
    best, best_skill = max(seen, key=lambda pair: pair[1].test.estimate.value)
    guessing = best_skill.guessing
    if best.own is None or 2 * best_skill.p > LEVEL:
        return BenchmarkLine(name, Status.INCONCLUSIVE, "not-shown-to-beat-guessing", None, guessing, len(seen))
    most = best_skill.credit(best, best.own)
    sources = [source for each, skill in seen for source in _list_sources(each, skill, most)]
    if not sources:
        return BenchmarkLine(name, Status.INCONCLUSIVE, "no-image-not-asked", None, guessing, len(seen))
    tried = [each for each in sources if each.declined < 0.5]
    if not tried:
        return BenchmarkLine(name, Status.INCONCLUSIVE, "all-decline", None, guessing, len(seen))
    likely = min(sources, key=lambda each: each.test.above)
    p = max(len(sources) * likely.test.above, best_skill.p)
    top = max(tried, key=lambda each: each.skill)
    status, reason, shown = Status.REPORTED, "stated", top
    if 2 * p <= LEVEL:
        status, reason, shown = Status.FAIL, "half-possible", likely
    return BenchmarkLine(name, status, reason, shown, guessing, len(seen), min(1.0, 2 * p))


def _list_sources(responses: Responses, skill: Skill, most: Floats) -> list[BlindScore]:
    """List a model's scores without the right image.

    They include one for each condition without it, and one for keeping the old answer with a swapped image.
    """
    found = [(f"image {name}", view, view.right) for name, view in responses.without.items()]
    swapped = responses.swapped or responses.exchanged
    if swapped is not None and responses.table.kind == "choice":
        found.append(("old answer kept under a swap", swapped, swapped.chooses(responses.key)))
    return [_measure_source(responses, skill, most, *each) for each in found if len(each[1].ordinal)]


def _measure_source(
    responses: Responses, skill: Skill, most: Floats, way: str, view: ArmView, right: Floats
) -> BlindScore:
    kept, given = responses.average(view.ordinal, right), responses.average(view.ordinal, view.answered)
    credited = kept + (1 - given) * skill.chance - skill.chance
    return BlindScore(
        responses.table.model,
        way,
        responses.compare_share(kept, 0.5).estimate,
        float(np.nanmean(credited)),
        responses.compare_mean(credited - KEPT * most),
        responses.compare_ratio(credited, most, KEPT).estimate,
        1 - float(np.nanmean(given)),
    )
