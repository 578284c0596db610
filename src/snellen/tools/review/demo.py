"""A demonstration: simulated raters of known accuracy review responses, and the results are compared with the truth.

Organisms (models with known flaws) answer questions about phantoms (synthetic images). The answer parser's reading of a
response counts as the truth. Two simulated raters judge each response independently with known sensitivity and
specificity; a third, always right, settles their disagreements. Three raters rate what the questions require, around
known levels. Some cases, and a link, are left for a person.
"""

from __future__ import annotations

import platform
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from snellen.asking.plan import Plan as Asking
from snellen.asking.requests import PlanSource
from snellen.asking.run import ask_all
from snellen.benchmarks import load
from snellen.errors import StoreError
from snellen.models import open_model
from snellen.prompts import PROVIDER_DEFAULTS, prompt_named
from snellen.reading.grades import grade_reply
from snellen.reading.outcomes import OpenGrade, Outcome
from snellen.reading.parsers import OPEN, USUAL, parser_named
from snellen.scoring.resolving import study_record
from snellen.stats import Estimate, proportion
from snellen.store import Store
from snellen.stress import stress_test
from snellen.tools.review.ballots import Ballots, Rater, ReviewedCase
from snellen.tools.review.case import Subject
from snellen.tools.review.drawing import DrawingPlan, draw_sample
from snellen.tools.review.results import Reviewed, summarise_review
from snellen.tools.review.returning import find_response, items_of
from snellen.tools.review.task import Value
from snellen.tools.review.tasks.profile import PROFILE, REASONING, VISUAL
from snellen.tools.review.tasks.rationale import RATIONALE
from snellen.tools.review.tasks.verdict import VERDICT

NAME = "demo"
MODELS = ("organism/grounded", "organism/blind", "organism/nearsighted-8")
ITEMS = 84
"""Items of the clinical pathway; 48 are open questions, twelve per task."""
EACH, LEFT = 30, 6
"""Cases per task that are simulated (as many as in the paper), and cases left for a person."""
QUESTIONS = 20
"""Questions of each kind that are rated."""
YOU = "You"
SETTLER = "Simulated settler"
RATERS = ("Simulated rater 1", "Simulated rater 2", "Simulated rater 3")
"""The first two judge responses; all three rate questions."""
EXACT = 0.8
"""Probability that a rater gives the true level of an axis; otherwise an adjacent one."""


class Accuracy(NamedTuple):
    """Shares of correct and of incorrect responses that a rater recognises as such."""

    sensitivity: float
    specificity: float


PLANTED = {RATERS[0]: Accuracy(0.95, 0.9), RATERS[1]: Accuracy(0.9, 0.85)}
LEVELS = {
    "phantoms": {"reasoning": (1, 1, 1, 1, 2), "visual": (2, 2, 2, 2, 1)},
    "phantoms/open": {"reasoning": (3, 3, 1, 2, 3), "visual": (3, 3, 3, 2, 1)},
}
"""True levels per kind of question, on the reasoning and the visual axes."""


class Held(NamedTuple):
    """A planted (true) number, and the estimate from the simulated review."""

    what: str
    planted: float
    found: Estimate

    @property
    def sentence(self) -> str:
        """The planted and the estimated number in words."""
        found = self.found
        return (
            f"{self.what}: planted {self.planted:.2f}, found {found.value:.2f} "
            f"(95% CI {found.low:.2f} to {found.high:.2f}, n = {found.n}, {found.method})."
        )


@dataclass(frozen=True)
class Demo:
    """The demo review: its folder, a link token for a person, and its results."""

    folder: Path
    token: str
    held: tuple[Held, ...]
    medians: Mapping[tuple[str, str], tuple[int, float]]
    """Per benchmark and axis: the true level, and the median of the ratings."""
    left: int
    """Number of cases left for the person."""

    @property
    def sentences(self) -> list[str]:
        """Sentences to print."""
        same = sum(planted == found for planted, found in self.medians.values())
        who = "; ".join(
            f"{name} finds {each.sensitivity:.0%} of correct and {each.specificity:.0%} of incorrect responses"
            for name, each in PLANTED.items()
        )
        return [
            "Models with known flaws (organisms) answered questions about synthetic images (phantoms). Simulated "
            f"raters judged the responses blindly. {who}; the settler is always right. The number of errors is fixed, "
            "their cases are random.",
            *(each.sentence for each in self.held),
            f"The median rating is the planted level on {same} of {len(self.medians)} axes (10 for each of "
            f"{len(LEVELS)} kinds of questions; a rater says the planted level {EXACT:.0%} of the time).",
            f"{self.left} cases are left for you to judge.",
        ]


def demo(folder: Path | str, *, seed: int = 0) -> Demo:
    """Create the study, let simulated raters review it, and return the results."""
    folder = Path(folder)
    _ask(folder)
    with Store.open(folder) as store, Ballots.open(store.studies.results_folder(NAME)) as ballots:
        study = store.studies.record(NAME)
        if not ballots.reviews():
            ballots.in_transaction(lambda: _simulate(ballots, store, study, seed))
        truth = _truth(store, study)
        token = ballots.invite(YOU)
        you = ballots.rater(token)
        left = 0 if you is None else ballots.progress(you).left
        verdicts = summarise_review(_read_by(ballots.read(VERDICT.name), RATERS[:2]), VERDICT)
        profiles = summarise_review(_read_by(ballots.read(PROFILE.name), RATERS), PROFILE)
        return Demo(folder, token, tuple(_compare_with_planted(verdicts, profiles, truth)), _medians(profiles), left)


def _ask(folder: Path) -> None:
    """Ask the demo's questions and store the study, unless the folder contains it."""
    if Store.is_in(folder):
        with Store.open(folder) as store:
            if NAME not in {each.name for each in store.studies.load_all()}:
                raise StoreError(f"{folder} holds another study. Choose an empty folder for the demonstration.")
            return
    plan = Asking(
        benchmarks=load("phantoms", task="pathway", items=ITEMS).by_kind(),
        models=tuple(map(open_model, MODELS)),
        tests=(stress_test("open-answers").design, stress_test("image-needed").design),
        prompt=prompt_named("letter"),
        settings=PROVIDER_DEFAULTS,
    )
    with Store.open(folder, write=True) as store:
        made = {"created": datetime.now(UTC).isoformat(timespec="seconds"), "python": platform.python_version()}
        record = study_record(plan, store, {**made, "versions": {"snellen": version("snellen")}})
        ask_all(plan.models, PlanSource(plan, store), store)
        store.studies.add(record, name=NAME)


def _truth(store: Store, study: Mapping[str, Any]) -> Callable[[Subject], bool]:
    """Return a function that tells if a response is correct, by the answer parser."""
    parser, items = parser_named(USUAL[OPEN]), items_of(store, study)

    def correct(subject: Subject) -> bool:
        reply, item = find_response(store, study, subject), items(subject.benchmark)[subject.ordinal]
        return grade_reply(reply, item, parser)[0].outcome is Outcome.CORRECT

    return correct


def _simulate(ballots: Ballots, store: Store, study: Mapping[str, Any], seed: int) -> None:
    verdicts = draw_sample(store, study, VERDICT, DrawingPlan(each=EACH, seed=seed))
    profiles = draw_sample(store, study, PROFILE, DrawingPlan(each=QUESTIONS, seed=seed))
    truth = _truth(store, study)
    right = {case.shown.json: truth(case.subject) for case in verdicts.cases}
    levels = {case.shown.json: LEVELS[case.subject.benchmark] for case in profiles.cases}
    for task, cases in ((VERDICT, verdicts), (PROFILE, profiles)):
        ballots.add_review(task.name, cases.record, cases.cases)
    settler = _invite_rater(ballots, SETTLER, settles=True)  # before others read, or a third would be asked instead
    for name in RATERS:
        rated = _draw_levels(levels, random.Random(f"{seed} rates {name}"))
        judged = _draw_verdicts(right, PLANTED[name], random.Random(f"{seed} judges {name}")) if name in PLANTED else {}
        _vote(ballots, _invite_rater(ballots, name), {**rated, **judged})
    perfect = _draw_verdicts(right, Accuracy(1.0, 1.0), random.Random(seed))
    _vote(ballots, settler, perfect)
    more = draw_sample(store, study, VERDICT, DrawingPlan(each=EACH + LEFT, seed=seed))
    reasons = draw_sample(store, study, RATIONALE, DrawingPlan(each=LEFT, seed=seed))
    ballots.add_review(VERDICT.name, more.record, more.cases)
    ballots.add_review(RATIONALE.name, reasons.record, reasons.cases)


def _invite_rater(ballots: Ballots, name: str, *, settles: bool = False) -> Rater:
    ballots.invite(name, settles=settles)
    return next(rater for rater in ballots.raters() if rater.name == name)


def _vote(ballots: Ballots, rater: Rater, says: Mapping[str, Value]) -> None:
    """Vote on every case of a rater; `says` maps the shown content to the vote."""
    number = 0
    while (case := ballots.next_case(rater)) is not None:
        number += 1
        ballots.cast(rater, case.id, says[case.json], nonce=str(number), seconds=20.0)


def _draw_verdicts(right: Mapping[str, bool], known: Accuracy, rng: random.Random) -> dict[str, Value]:
    """Draw verdicts of a rater of known accuracy; the number of errors is fixed."""
    verdicts: dict[str, Value] = {}
    for correct, share in ((True, known.sensitivity), (False, known.specificity)):
        of_a_kind = sorted(shown for shown, each in right.items() if each == correct)
        missed = set(rng.sample(of_a_kind, round((1 - share) * len(of_a_kind))))
        for shown in of_a_kind:
            said_correct = correct != (shown in missed)
            verdicts[shown] = {"verdict": (OpenGrade.CORRECT if said_correct else OpenGrade.INCORRECT).value}
    return verdicts


def _draw_levels(levels: Mapping[str, Mapping[str, Sequence[int]]], rng: random.Random) -> dict[str, Value]:
    """Draw ratings: the true level with probability `EXACT`, else an adjacent one."""
    axes = [*REASONING, *VISUAL]
    return {
        shown: {
            axis.name: str(
                level if rng.random() < EXACT else rng.choice([n for n in (level - 1, level + 1) if 1 <= n <= 3])
            )
            for axis, level in zip(axes, (*planted["reasoning"], *planted["visual"]), strict=True)
        }
        for shown, planted in sorted(levels.items())
    }


# Results ----------------------------------------------------------------------------------------------------------


def _read_by(cases: Sequence[ReviewedCase], raters: Sequence[str]) -> list[ReviewedCase]:
    """Return the cases read by all these simulated raters; a person may vote on others."""
    return [case for case in cases if {vote.rater for vote in case.votes} >= set(raters)]


def _compare_with_planted(verdicts: Reviewed, profiles: Reviewed, truth: Callable[[Subject], bool]) -> Iterator[Held]:
    """Compare agreement, settled labels and ratings with the planted values."""
    correct = {case.number: truth(case.subject) for case in verdicts.cases}
    prevalence = fmean(correct.values())
    found = next(each for each in verdicts.agreement if each.statistic == "Cohen's κ")
    yield Held("Cohen's κ of the two raters", kappa(prevalence, *PLANTED.values()), found.estimate)
    settled = {number: each.value["verdict"] == OpenGrade.CORRECT for number, each in verdicts.settled.items()}
    items = {case.number: case.subject.item_id for case in verdicts.cases}
    same = [float(settled[number] == correct[number]) for number in settled]
    by_item = [items[number] for number in settled]
    yield Held(
        "Settled verdicts that are correct", settled_rightly(prevalence, *PLANTED.values()), proportion(same, by_item)
    )
    yield Held("Correct responses", prevalence, proportion([float(each) for each in settled.values()], by_item))
    for row in profiles.record["landscape"]:
        for group in ("reasoning", "visual"):
            planted = fmean(expected_level(level) for level in LEVELS[row["benchmark"]][group])
            estimate = Estimate(**row[group])
            yield Held(f"Mean {group} complexity of {row['benchmark']} (1 to 3)", planted, estimate)


def kappa(prevalence: float, one: Accuracy, two: Accuracy) -> float:
    """Compute the expected Cohen's κ of two independent raters of known accuracy.

    >>> kappa(0.5, Accuracy(1.0, 1.0), Accuracy(0.75, 0.75))
    0.5
    """
    both = ((prevalence, one.sensitivity, two.sensitivity), (1 - prevalence, 1 - one.specificity, 1 - two.specificity))
    agree = sum(share * (a * b + (1 - a) * (1 - b)) for share, a, b in both)
    first, second = (sum(share * each[place] for share, *each in both) for place in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return (agree - chance) / (1 - chance)


def settled_rightly(prevalence: float, one: Accuracy, two: Accuracy) -> float:
    """Compute the expected share of correctly settled cases: not both raters are wrong.

    >>> settled_rightly(1.0, Accuracy(0.5, 1.0), Accuracy(0.5, 1.0))
    0.75
    """
    missed = prevalence * (1 - one.sensitivity) * (1 - two.sensitivity)
    invented = (1 - prevalence) * (1 - one.specificity) * (1 - two.specificity)
    return 1 - (missed + invented)


def expected_level(level: int) -> float:
    """Compute the expected rating of a question with a given true level.

    >>> expected_level(1), expected_level(2), expected_level(3)
    (1.2, 2.0, 2.8)
    """
    return round(EXACT * level + (1 - EXACT) * (2 if level != 2 else level), 12)


def _medians(profiles: Reviewed) -> dict[tuple[str, str], tuple[int, float]]:
    axes = {axis.name: place for group in (REASONING, VISUAL) for place, axis in enumerate(group)}
    return {
        (row["benchmark"], row["axis"]): (LEVELS[row["benchmark"]][row["group"]][axes[row["axis"]]], row["median"])
        for row in profiles.record["profile"]
    }
