"""Dose and response: at which degradation does a model lose the diagnosis?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from snellen.conditions import ImageDegraded
from snellen.errors import StudyError
from snellen.papers.artefacts.tests.arms import as_it_is, condition_of, name_test, present, strategy
from snellen.papers.artefacts.tests.detection_measures import gradable
from snellen.perturb.artefacts import PUBLISHED
from snellen.prompts import Arm
from snellen.reading.columns import Floats
from snellen.stats import DoseResponse, dose_response, mean
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, describe_margin, leave_open
from snellen.stress.design import Design
from snellen.stress.measures import credit_guesses, of_arm
from snellen.stress.table import Table

KINDS = by_name(
    Kind("trend", "change in accuracy from no artefact to a strong one, along a straight line", Unit.POINTS),
    Kind("threshold", "severity at which half of what can be lost is lost (0.5 is weak, 1 is strong)", Unit.DOSE),
    Kind("threshold_ssim", "measured degradation (1 − SSIM) at which half of what can be lost is lost", Unit.DOSE),
    Kind("ssim", "likeness to the original (SSIM, 1 is the same)", Unit.SCORE, parser=""),
    Kind("psnr", "signal to noise against the original (PSNR, in dB)", Unit.NUMBER, parser=""),
)


def dose_response_test(*artefacts: str, steps: int = 4, prompt: str = "", scale: str = "kept") -> StressTest:
    """Build the test with these artefacts at `steps` even severities up to 1.

    `prompt` is one of the paper's strategies, `standard`, `structured` or `cot`; by default the study's own prompt.
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or not 2 <= steps <= 20:
        raise StudyError(f"Expected 2 to 20 steps, got {steps!r}.")
    own = strategy(prompt)
    chosen = dict.fromkeys(artefacts or PUBLISHED)
    doses = [(step + 1) / steps for step in range(steps)]
    conditions = (ImageDegraded(name, dose, scale) for name in chosen for dose in doses)  # type: ignore[arg-type]
    told = {"steps": steps if steps != 4 else "", "prompt": prompt, "scale": scale}
    return StressTest(
        Design(
            name_test("dose-response", artefacts, **told),
            "How bad does an image have to be before the model loses the diagnosis?",
            arms=tuple(Arm(condition, own) for condition in conditions),
            baseline=as_it_is(prompt),
        ),
        Analysis(Expectation.UNKNOWN, headline="threshold", measure=measure, conclude=conclude),
        present("loses the diagnosis at", prompt),
    )


def series(test: StressTest) -> Mapping[str, tuple[Arm, ...]]:
    """Return the arms of each artefact, from the original image to the worst."""
    names = dict.fromkeys(condition_of(arm).artefact for arm in test.compared)
    return {
        name: (test.baseline, *(arm for arm in test.compared if condition_of(arm).artefact == name)) for name in names
    }


def arm_of(artefact: str) -> str:
    """Return the arm name for the measures of an artefact's whole curve."""
    return f"{ImageDegraded.name}:{artefact}"


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure accuracies, image distances and a curve per artefact."""
    table = gradable(table)
    for arm in test.all_arms:
        yield from of_arm(arm.name, table)
        yield from _distances(arm.name, table)
    if table.of_group:  # groups are too small for a curve, so they have accuracies only
        return
    for artefact, arms in series(test).items():
        fitted = curve(table, arms)
        if fitted is None:
            continue
        at = arm_of(artefact)
        yield Measure(at, KINDS["trend"], fitted.trend)
        if fitted.threshold is not None:
            yield Measure(at, KINDS["threshold"], fitted.threshold)
        by_ssim = curve(table, arms, by="ssim")
        if by_ssim is not None and by_ssim.threshold is not None:
            yield Measure(at, KINDS["threshold_ssim"], replace(by_ssim.threshold, p=None))


def _distances(arm: str, table: Table) -> Iterator[Measure]:
    grades = table.arms.get(arm)
    for name, values in grades.distances.items() if grades else ():
        there = np.flatnonzero(np.isfinite(values))
        there = there[np.isin(there, table.asked)]
        if len(there):
            yield Measure(arm, KINDS[name], mean(values[there], clusters=table.clusters[there]))


def curve(table: Table, arms: Sequence[Arm], *, by: str = "") -> DoseResponse | None:
    """Fit accuracy against severity or 1 − SSIM, over an artefact's arms.

    A response that chooses no option counts as a guess.
    """
    return table.compute_once(("curve", by, *(arm.name for arm in arms)), lambda: _fit_curve(table, arms, by))


def _fit_curve(table: Table, arms: Sequence[Arm], by: str) -> DoseResponse | None:
    asked = [arm for arm in arms if len(table.arms.get(arm.name, ()))]
    if len(asked) < 3 or asked[0] is not arms[0]:
        return None
    severities = np.array([0.0, *(condition_of(arm).severity for arm in asked[1:])])
    if (doses := _measure_doses(table, asked, by) if by else severities) is None:
        return None
    correct = np.stack([credit_guesses(table, arm.name) for arm in asked], axis=1)
    there = np.isfinite(correct).any(axis=1)
    chance = float(table.chance[there].mean()) if there.any() else 0.0
    return dose_response(doses, correct[there], chance=chance, clusters=table.clusters[there], seed=0)


def _measure_doses(table: Table, arms: Sequence[Arm], name: str) -> Floats | None:
    """Return the mean degradation in each arm; None unless it grows from arm to arm."""
    columns = [table.arms[arm.name].distances.get(name) for arm in arms[1:]]
    means = [float(np.nanmean(each)) for each in columns if each is not None and np.isfinite(each).any()]
    doses = np.array([0.0, *(1 - mean for mean in means)])
    return doses if len(doses) == len(arms) and (np.diff(doses) > 0).all() else None


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report the thresholds without pass or fail: every model loses the diagnosis somewhere.

    The lowest threshold represents the others.
    """
    told, thresholds, values = [], [], {}
    for artefact in series(test):
        found = measures.get((arm_of(artefact), "threshold"))
        if found is not None:
            thresholds.append(found)
            values[f"threshold_{artefact}"] = found.estimate
            to = f"{found.estimate.high:.2f}" if isfinite(found.estimate.high) else "beyond"
            told.append(f"{artefact} at {found.estimate.value:.2f} (95% CI {found.estimate.low:.2f} to {to})")
        elif (trend := measures.get((arm_of(artefact), "trend"))) is not None:
            values[f"trend_{artefact}"] = trend.estimate
            told.append(f"{artefact} not within the strengths asked")
    if not told:
        return leave_open("few-answers", "", "too few answers to draw a curve")
    above = measures.get((test.baseline.name, "above_chance"))
    if not thresholds and above is not None and above.estimate.low <= 0:
        why = "on the original images it is not shown to be better than guessing, so it has nothing to lose"
        margin = describe_margin(measures, test.baseline.name, above)
        return leave_open("not-above-chance", margin, why, (above, 0.0))
    return Verdict(
        Status.REPORTED,
        f"severity at which half of its accuracy above chance is lost (0.5 is weak, 1 is strong): {'; '.join(told)}",
        rests_on=min(thresholds, key=lambda each: each.estimate.value, default=None),
        values=values,
    )
