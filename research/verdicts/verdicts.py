"""How often each stress test gives the right verdict, and how often a wrong one, where what is wrong is known.

    python research/verdicts/verdicts.py --repeats 200
    python research/verdicts/verdicts.py --only open-answers --only mismatched-image

Tables of grades are drawn by chance, without models or texts, and concluded as in a study. The script writes
`research/verdicts/verdicts.md` and the figures that `snellen plan` tells, `src/snellen/tools/planner/power.json`. Two
hundred repetitions take about half an hour on two cores. Every row has a seed of its own, so that one of them can be
drawn again without the others: `--only` simulates the rows of a test and keeps all others as they were written.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial, wraps
from itertools import groupby, product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

import snellen.papers.artefacts.tests.detection_measures
import snellen.papers.artefacts.tests.weak
import snellen.stats.paired
import snellen.stress.measures
import snellen.stress.reports
from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    OPTIONS_ONLY,
    ORIGINAL,
    AnswerCue,
    ElsewhereHidden,
    EvidenceHidden,
    FarCornerHidden,
    ImageMirrored,
    ImageSubstituted,
    NeighboursElsewhere,
    NeighboursHidden,
    SameLabel,
)
from snellen.conditions.cues import choose_cue
from snellen.items import Item, Option
from snellen.papers import suite_named
from snellen.papers.artefacts.tests.dose_response import arm_of
from snellen.papers.artefacts.tests.pooled import ORIGINALS, STRONG, WEAK
from snellen.papers.pathway.tests.tasks import REPORT
from snellen.papers.readiness.tests.robustness import SHARED, Removal, fragilities, robustness
from snellen.reading.claims.columns import Rationales
from snellen.reading.columns import NOTHING
from snellen.reading.diagnoses import Diagnosis
from snellen.reading.missing_image import Admission
from snellen.reading.missing_image.columns import LABELS, Admissions
from snellen.reading.outcomes import Outcome
from snellen.reading.reports.columns import reports
from snellen.reading.reports.comparison import ReportComparison, compare_reports
from snellen.reading.reports.reading import ReportReading
from snellen.reading.wording.columns import Terms, wordings
from snellen.scoring.findings import Finding, findings
from snellen.stats import bonett_price, holm, ratio_above_chance, wilson
from snellen.stress import stress_test
from snellen.stress.base import Status, Verdict
from snellen.stress.design import asked_of
from snellen.stress.table import Grades, Table, code

ITEMS = (60, 100, 200, 400)
CHANCES = (0.2, 0.5)
ACCURACY, LOWER, SELDOM = 0.8, 0.6, 0.3
ON_BLANKS = 0.4
"""The accuracy on blank images, where chain of thought is asked for."""
NOISE = 0.2
"""The share of answers that are drawn anew in every run, where questions are asked repeatedly."""
FEW_MOVE = 0.04
"""The share of answers that moves by itself, to and fro, in a model with nothing planted."""
NAMED = ("pleural effusion", "pneumothorax", "consolidation", "cardiomegaly", "pulmonary nodule", "")
REPORTS = tuple(
    "FINDINGS: " + " ".join(f"There is {'a' if each == named else 'no'} {each}." for each in NAMED if each)
    for named in NAMED
)
"""The reports of patients who have one finding each, or none."""
FLAG = -3
SILENCE = {NOTHING: Outcome.ABSTAINED, FLAG: Outcome.FLAGGED_QUALITY}
"""Responses that choose no option, by the number that stands for them among the choices."""
HERE = Path(__file__).parent
PAGE_FILE = HERE / "verdicts.md"
DATA = HERE.parents[1] / "src" / "snellen" / "tools" / "planner" / "power.json"

Choices = NDArray[np.int64]
"""For each item 0 for the right option, another number for a wrong one; several rows are several runs."""
Arms = Mapping[str, Grades]
Draw = Callable[[np.random.Generator, tuple[Item, ...]], Arms]
Named = tuple[str, str, float, str]
"""What names a row: the test, what is planted, chance and, where a number is checked, its name."""


# Tables of grades


class Asked(tuple[Item, ...]):
    """Items that are looked up by being the same, which is quicker than by being alike."""

    __slots__ = ()

    def __hash__(self) -> int:
        return id(self)


class Simulated(Table):
    """A table in which every item is its own patient and has the same chance."""

    @cached_property
    def clusters(self) -> Choices:  # type: ignore[override]
        """The items' own numbers."""
        return np.arange(len(self.items))

    @cached_property
    def chance(self) -> NDArray[np.float64]:  # type: ignore[override]
        """That of the first item."""
        return np.full(len(self.items), self.items[0].chance)


@lru_cache(maxsize=64)
def asked(count: int, options: int, kind: str = "choice") -> tuple[Item, ...]:
    """Items that raters say need their image; the right option goes round."""
    if kind == "premise":
        return Asked(_with_premise(at) for at in range(count))
    if kind == "open":
        return Asked(Item(id=f"q{at}", question="What is it?", kind="open", answer="none") for at in range(count))
    if kind == "report":
        return Asked(
            Item(
                id=f"q{at}",
                question="Write the report.",
                kind="report",
                answer=REPORTS[at % len(REPORTS)],
                metadata={"finding": NAMED[at % len(NAMED)]},
            )
            for at in range(count)
        )
    return Asked(
        Item(
            id=f"q{at}",
            question=f"What does picture {at} show?",
            options=tuple(Option(f"finding {place} of {at}") for place in range(options)),
            answer=at % options,
            metadata={"needs": 3},
        )
        for at in range(count)
    )


def _with_premise(at: int) -> Item:
    """A question that takes something for granted, every other time rightly."""
    told = {"premise": {"claims": "an effusion", "holds": bool(at % 2)}}
    return Item(id=f"q{at}", question="How large is the effusion?", kind="open", answer="none", metadata=told)


def graded(items: tuple[Item, ...], choices: Choices, shown: Choices | None = None) -> Grades:
    """The grades of choices; with `shown`, another option is the right one, since the image is another."""
    runs = np.atleast_2d(choices)
    each, options = np.tile(np.arange(len(items)), len(runs)), len(items[0].options)
    answers = each % options
    flat, right = runs.ravel(), np.zeros(len(items), np.int64) if shown is None else shown
    outcome = np.where(flat == right[each], code(Outcome.CORRECT), code(Outcome.WRONG))
    for silent, kind in SILENCE.items():
        outcome = np.where(flat == silent, code(kind), outcome)
    return Grades(
        ordinal=each,
        replicate=np.repeat(np.arange(len(runs)), len(items)),
        outcome=outcome.astype(np.uint8),
        chosen=np.where(flat < 0, NOTHING, (answers + flat) % options),
        response=np.arange(len(flat)),
        rule=np.zeros(len(flat), np.uint16),
        key=np.empty(0, np.int64) if shown is None else (answers[: len(items)] + right) % options,
    )


def graded_open(right: NDArray[np.bool_], silent: NDArray[np.bool_] | None = None) -> Grades:
    """The grades of answers in words, of which some are right and some are none."""
    outcome = np.where(right, code(Outcome.CORRECT), code(Outcome.WRONG)).astype(np.uint8)
    if silent is not None:
        outcome[silent] = code(Outcome.ABSTAINED)
    return replace(_open(len(right), 1), outcome=outcome)


# Behaviours


def right_with(rng: np.random.Generator, items: tuple[Item, ...], accuracy: float) -> Choices:
    """Right with this chance, else one of the wrong options."""
    return np.where(rng.random(len(items)) < accuracy, 0, wrong(rng, items))


def wrong(rng: np.random.Generator, items: tuple[Item, ...]) -> Choices:
    """Any wrong option."""
    return rng.integers(1, len(items[0].options), len(items))


def guessed(rng: np.random.Generator, items: tuple[Item, ...]) -> Choices:
    """Any option."""
    return rng.integers(0, len(items[0].options), len(items))


@dataclass(frozen=True)
class Change:
    """The shares of all answers that turn from right to wrong, from wrong to right, and from wrong to another wrong."""

    lost: float = 0.0
    gained: float = 0.0
    other: float = 0.0

    def of(self, rng: np.random.Generator, items: tuple[Item, ...], before: Choices, accuracy: float) -> Choices:
        """The choices after the change, of a model with this accuracy before."""
        drawn, right, options = rng.random(len(items)), before == 0, len(items[0].options)
        gained, moved = self.gained / (1 - accuracy), (self.gained + self.other) / (1 - accuracy)
        another = (before + rng.integers(0, max(1, options - 2), len(items))) % (options - 1) + 1
        after = np.where(right & (drawn < self.lost / accuracy), wrong(rng, items), before)
        after = np.where(~right & (drawn < gained), 0, after)
        return np.where(~right & (drawn >= gained) & (drawn < moved), another, after)


def falls(points: int) -> Change:
    """A fall of the accuracy by so many points (a rise where negative), beside the few answers that always move."""
    return Change(FEW_MOVE / 2 + max(points, 0) / 100, FEW_MOVE / 2 + max(-points, 0) / 100)


STILL = falls(0)


def under(
    test: str, change: Change, accuracy: float, rng: np.random.Generator, items: tuple[Item, ...], *, still: Change
) -> Arms:
    """The last condition of a test changes the answers, the others move a few."""
    made = stress_test(test)
    before = right_with(rng, items, accuracy)
    changes = [*[still] * (len(made.compared) - 1), change]
    return {
        made.baseline.name: graded(items, before),
        **{
            arm.name: graded(items, each.of(rng, items, before, accuracy))
            for arm, each in zip(made.compared, changes, strict=True)
        },
    }


def substituted(points: int, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Answers follow a swapped image, but for so many points, where the old answer is given again."""
    own, shown = right_with(rng, items, ACCURACY), wrong(rng, items)
    about_new = falls(points).of(rng, items, own, ACCURACY)
    mistaken = (shown + wrong(rng, items)) % len(items[0].options)
    swapped = np.where(about_new == 0, shown, np.where(own == 0, 0, mistaken))
    return {ORIGINAL.name: graded(items, own), ImageSubstituted.name: graded(items, swapped, shown)}


def in_mirror(points: int, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Answers change sides with the image, but for so many points, where the old side is named again."""
    own = right_with(rng, items, ACCURACY)
    after = falls(points).of(rng, items, own, ACCURACY)
    stayed = np.where(own == 0, 0, np.where(after == 1, 0, after))
    return _mirrored(items, own, np.where(after == 0, 1, stayed))


def unmoved_in_mirror(accuracy: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """The same answer to both images, right about the first as often as that."""
    own = right_with(rng, items, accuracy)
    return _mirrored(items, own, own)


def guessed_in_mirror(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """A guess at each image."""
    return _mirrored(items, guessed(rng, items), guessed(rng, items))


def _mirrored(items: tuple[Item, ...], own: Choices, mirrored: Choices) -> Arms:
    """The option after the right one is that of the other side."""
    other = np.ones(len(items), np.int64)
    return {ORIGINAL.name: graded(items, own), ImageMirrored("sides").label: graded(items, mirrored, other)}


def keeping(
    kept: float,
    accuracy: float,
    blind: str,
    rng: np.random.Generator,
    items: tuple[Item, ...],
    *,
    silent: float = 0.0,
    mute: float = 0.0,
) -> Arms:
    """A share of what it knows is known without the image; half of the other guesses stay the same.

    A share of the questions is declined without the image (`silent`), a share with it (`mute`).
    """
    with_image, without = seen_and_blind(kept, accuracy, rng, len(items), len(items[0].options))
    without = np.where(rng.random(len(items)) < silent, NOTHING, without)
    with_image = np.where(rng.random(len(items)) < mute, NOTHING, with_image)
    return {ORIGINAL.name: graded(items, with_image), blind: graded(items, without)}


def notices(
    named: float, alarms: float, rng: np.random.Generator, items: tuple[Item, ...], *, silent: float = 0.0
) -> Arms:
    """How often a contradiction is named where there is one, and where there is none; a share says nothing at all."""
    made = stress_test("mismatched-image")

    def answered(rate: float, *, contradicted: bool) -> Grades:
        spoken = rng.random(len(items)) < rate
        return graded_open(spoken == contradicted, rng.random(len(items)) < silent)

    return {
        made.baseline.name: answered(alarms, contradicted=False),
        made.compared[0].name: answered(named, contradicted=True),
    }


@lru_cache(maxsize=64)
def _held(generated: int, reference: int) -> ReportComparison:
    return compare_reports(REPORTS[generated], REPORTS[reference])


def _as_read(found: ReportComparison, written: str, reference: str) -> ReportReading:
    return ReportReading("compared", Outcome.SCORED, "", found, written, reference, whole=written)


def graded_reports(items: tuple[Item, ...], written: Choices) -> Grades:
    """The grades of reports by their place among the reports; NOTHING where a response is none."""
    there = written != NOTHING
    made = [_held(int(each), at % len(REPORTS)) if each != NOTHING else None for at, each in enumerate(written)]
    columns = reports(
        {(at, 0): each and _as_read(each, REPORTS[written[at]], str(items[at].answer)) for at, each in enumerate(made)},
        {},
    )
    outcome = np.where(there, code(Outcome.SCORED), code(Outcome.ABSTAINED)).astype(np.uint8)
    count = len(items)
    plain = np.zeros(count, np.int64)
    grades = Grades(
        np.arange(count), plain, outcome, np.full(count, NOTHING), np.arange(count), plain.astype(np.uint16)
    )
    return grades.having(columns)


def reporting(
    right: float, without: str, rng: np.random.Generator, items: tuple[Item, ...], *, written: float = 1.0
) -> Arms:
    """Reports that name what the patient has in a share of them, and anything in the others; and those without image.

    Without the image it writes none, the usual normal one, anything, or what it writes with the image.
    """
    count = len(items)
    own = np.arange(count) % len(REPORTS)
    seen = np.where(rng.random(count) < right, own, rng.integers(0, len(REPORTS), count))
    normal = np.full(count, len(REPORTS) - 1)
    if right < 0:
        seen = normal

    def blind() -> Choices:
        made = {
            "none": np.full(count, NOTHING),
            "normal": normal,
            "anything": rng.integers(0, len(REPORTS), count),
            "the same": seen,
        }[without]
        return np.where(rng.random(count) < written, made, NOTHING)

    return {
        ORIGINAL.name: graded_reports(items, seen),
        IMAGE_REMOVED.name: graded_reports(items, blind()),
        IMAGE_BLANK.name: graded_reports(items, blind()),
    }


def shortcuts(direct: float, context: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Shares of the reported findings that are still reported unseen, and that are lost with the other findings."""
    count = len(items)
    own = np.where(rng.random(count) < ACCURACY, np.arange(count) % len(REPORTS), len(REPORTS) - 1)
    losses = {
        EvidenceHidden.name: 1 - direct,
        ElsewhereHidden.name: 0.0,
        NeighboursHidden.name: context,
        NeighboursElsewhere.name: 0.0,
    }
    lost = {arm: np.where(rng.random(count) < share, len(REPORTS) - 1, own) for arm, share in losses.items()}
    return {arm: graded_reports(items, each) for arm, each in {ORIGINAL.name: own, **lost}.items()}


def doubts(
    corrected: float, objected: float, rng: np.random.Generator, items: tuple[Item, ...], *, silent: float = 0.0
) -> Arms:
    """How often false premises are corrected, and true ones objected to; without the image nothing is answered."""
    true = np.array([item.premise is not None and item.premise.holds for item in items])
    objects = rng.random(len(items)) < np.where(true, objected, corrected)
    return {
        ORIGINAL.name: graded_open(objects != true, rng.random(len(items)) < silent),
        IMAGE_REMOVED.name: graded_open(objects, np.ones(len(items), dtype=bool)),
    }


def with_report(image: float, report: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Accuracies of open answers with the image, and with the radiology report in its place."""
    drawn = rng.random(len(items))
    again = np.where(rng.random(len(items)) < NOISE, rng.random(len(items)), drawn)
    return {ORIGINAL.name: graded_open(drawn < image), REPORT.label: graded_open(again < report)}


def exam(accuracy: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Questions with options, asked once, without any other condition."""
    return {ORIGINAL.name: graded(items, right_with(rng, items, accuracy))}


def seen_and_blind(
    kept: float, accuracy: float, rng: np.random.Generator, count: int, options: int, *, patients: int = 1
) -> tuple[Choices, Choices]:
    """Choices with the image and without; where patients have several items, they are half of the time known alike."""
    chance = 1 / options
    known = (accuracy - chance) / (1 - chance)
    alike = np.repeat(rng.random(-(-count // patients)), patients)[:count]
    drawn = rng.random(count) if patients == 1 else np.where(rng.random(count) < 0.5, alike, rng.random(count))
    guess, again = rng.integers(0, options, count), rng.integers(0, options, count)
    other = np.where(rng.random(count) < 0.5, guess, again)
    return np.where(drawn < known, 0, guess), np.where(drawn < known * kept, 0, other)


def without_image(above: int, silent: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """So many points above chance without the image, of the questions that are not declined."""
    accuracy = 1 / len(items[0].options) + above / 100
    blind = np.where(rng.random(len(items)) < silent, NOTHING, right_with(rng, items, accuracy))
    return {ORIGINAL.name: graded(items, right_with(rng, items, ACCURACY)), IMAGE_REMOVED.name: graded(items, blind)}


def takes_unknown(rate: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Without the image, Unknown is taken this often, and else an option."""
    made = stress_test("unknown-option:image=removed")
    offered = np.where(rng.random(len(items)) < rate, NOTHING, guessed(rng, items))
    return {
        made.baseline.name: graded(items, guessed(rng, items)),
        made.compared[0].name: graded(items, offered),
    }


def flags(poor: float, good: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """How often degraded images are flagged, and originals; images that are hard are hard under every artefact."""
    made = stress_test("strong-artefacts")
    hard = rng.random(len(items))

    def answered(rate: float) -> Choices:
        drawn = np.where(rng.random(len(items)) < 0.5, hard, rng.random(len(items)))
        return np.where(drawn < rate, FLAG, right_with(rng, items, ACCURACY))

    return {
        made.baseline.name: graded(items, answered(good)),
        **{arm.name: graded(items, answered(poor)) for arm in made.compared},
    }


def describes(rate: float, rng: np.random.Generator, items: tuple[Item, ...], *, every: bool = True) -> Arms:
    """Images that were never sent are described this often, under every scaffold or under the last one only."""
    made = stress_test("mirage-rate")
    arms = {}
    for arm in made.all_arms:
        told = rate if every or arm == made.all_arms[-1] else 0.0
        said = rng.random(len(items)) < told
        labels = np.where(said, LABELS.index(Admission.DESCRIBES), LABELS.index(Admission.MISSING))
        nothing = np.full(len(items), NOTHING)
        arms[arm.name] = _open(len(items), 1).having(Admissions(labels, nothing, nothing))
    return arms


def diagnoses(rate: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Images that were never sent are diagnosed this often; five requests, each sent many times."""
    runs = len(items) // 5
    made = rng.random(5 * runs) < rate
    labels = np.where(made, LABELS.index(Admission.DESCRIBES), LABELS.index(Admission.MISSING))
    named = Admissions(
        labels, np.where(made, 0, NOTHING), np.full(5 * runs, NOTHING), (Diagnosis("fracture", True, True, True),)
    )
    return {stress_test("mirage-bias").baseline.name: _open(5, runs).having(named)}


def _open(items: int, runs: int) -> Grades:
    """Responses to open questions, which choose no option."""
    count = items * runs
    return Grades(
        ordinal=np.tile(np.arange(items), runs),
        replicate=np.repeat(np.arange(runs), items),
        outcome=np.full(count, code(Outcome.ABSTAINED), np.uint8),
        chosen=np.full(count, NOTHING),
        response=np.arange(count),
        rule=np.zeros(count, np.uint16),
    )


def claims(rate: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Without an image something is described this often; with it always."""
    arms = {}
    for arm, share in ((ORIGINAL.name, 1.0), (IMAGE_REMOVED.name, rate), (IMAGE_BLANK.name, 0.0)):
        described = rng.random(len(items)) < share
        never, none = np.zeros(len(items), bool), np.zeros(len(items), np.int64)
        said = Rationales(described.astype(np.int64), ~described, never, never, ~never, none, never, never)
        arms[arm] = graded(items, right_with(rng, items, ACCURACY)).having(said)
    return arms


def repeatedly(
    rng: np.random.Generator, items: tuple[Item, ...], choices: Choices, runs: int = 3, noise: float = NOISE
) -> Choices:
    """The same choices in several runs, a share of them drawn anew in each."""
    return np.stack([np.where(rng.random(len(items)) < noise, guessed(rng, items), choices) for _ in range(runs)])


def moves_with_image(share: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """A share of the answers is another without the image; all have noise from run to run."""
    seen = right_with(rng, items, ACCURACY)
    options = len(items[0].options)
    blind = np.where(rng.random(len(items)) < share, (seen + wrong(rng, items)) % options, seen)
    return {
        ORIGINAL.name: graded(items, repeatedly(rng, items, seen)),
        IMAGE_REMOVED.name: graded(items, repeatedly(rng, items, blind)),
    }


SCORED = {
    "seen": 0.8,
    "text": 0.5,
    "shuffled": 0.45,
    "unknown": 0.4,
    "text_replaced": 0.4,
    "replaced": 0.85,
    "new": 0.6,
}
"""True accuracies of a model whose robustness score is known."""


def scored(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Every condition of the robustness score with its own accuracy."""
    made = stress_test("robustness:rating=needs")
    accuracies = {
        ORIGINAL.name: SCORED["seen"],
        IMAGE_REMOVED.name: SCORED["text"],
        **{
            arm.name: SCORED[
                ("text_" if "image-removed" in arm.name else "") + "replaced"
                if "distractors" in arm.name
                else "shuffled"
                if "shuffled" in arm.name
                else "unknown"
            ]
            for arm in made.compared
            if arm.name not in (IMAGE_REMOVED.name, ImageSubstituted.name)
        },
    }
    arms = {name: graded(items, right_with(rng, items, accuracy)) for name, accuracy in accuracies.items()}
    shown = wrong(rng, items)
    about_new = np.where(rng.random(len(items)) < SCORED["new"], shown, 0)
    return {**arms, ImageSubstituted.name: graded(items, about_new, shown)}


def true_robustness(chance: float) -> float:
    """R, by its formula, of the true accuracies."""
    of = SCORED
    shares = (
        of["text"], chance, of["text"], of["shuffled"], of["text"], of["text_replaced"], of["seen"], of["replaced"],
        of["text"], of["unknown"], of["seen"], of["new"],
    )  # fmt: skip
    found = fragilities([Removal(1.0, of["seen"], of["text"])], dict(zip(SHARED, shares, strict=True)))
    return float(robustness(found))


def read(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Sees 80%; without the image silent on 30% and else right on 45%; 30% of old answers stick; steady in 70%."""
    drawn, shown = rng.random(len(items)), wrong(rng, items)
    seen = np.where(drawn < 0.8, 0, wrong(rng, items))
    steady = np.where(drawn < 0.7, 0, wrong(rng, items))
    blind = np.where(rng.random(len(items)) < 0.3, NOTHING, right_with(rng, items, 0.45))
    stuck = np.where(rng.random(len(items)) < 0.3, 0, shown)
    return {
        ORIGINAL.name: graded(items, seen),
        IMAGE_REMOVED.name: graded(items, blind),
        "options-shuffled": graded(items, steady),
        ImageSubstituted.name: graded(items, stuck, shown),
    }


def worsening(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Half of what is above chance is lost at a severity of 0.5."""
    made = stress_test("dose-response:noise")
    chance = 1 / len(items[0].options)
    doses = [0.0, *(arm.condition.severity for arm in made.compared)]  # type: ignore[attr-defined]
    drawn = rng.random(len(items))
    arms = {}
    for arm, dose in zip(made.all_arms, doses, strict=True):
        known = (ACCURACY - chance) / (1 - chance) / (1 + np.exp(12 * (dose - 0.5)))
        arms[arm.name] = graded(items, np.where(drawn < known, 0, guessed(rng, items)))
    return arms


def worded(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Responses of words that come as they like, the same words with the image and without."""
    arms = {}
    likely = 1 / (1 + np.exp(-np.random.default_rng(0).normal(-3, 1, 200)))
    for arm in (ORIGINAL.name, IMAGE_REMOVED.name):
        said = rng.random((len(items), 200)) < likely
        read = {(at, 0): Terms(tuple(f"w{word}" for word in np.flatnonzero(row))) for at, row in enumerate(said)}
        arms[arm] = graded(items, right_with(rng, items, ACCURACY)).having(wordings(read, {}))
    return arms


POOLED = {"original": 0.7, "weak": 0.5, "strong": 0.3}
"""Of a model by every prompt: right on the originals, right under weak artefacts, and strong artefacts flagged."""


def pooled(rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Two artefacts and three prompts; images that are hard are hard under every condition."""
    made = stress_test("pooled-artefacts:noise,crop")
    hard = rng.random(len(items))

    def drawn(rate: float, hit: int) -> Choices:
        shared = np.where(rng.random(len(items)) < 0.5, hard, rng.random(len(items)))
        return np.where(shared < rate, hit, wrong(rng, items))

    kinds = {
        arm.name: next((each for each in ("weak", "strong") if each in arm.name), "original") for arm in made.all_arms
    }
    return {name: graded(items, drawn(POOLED[kind], FLAG if kind == "strong" else 0)) for name, kind in kinds.items()}


def told_to_guess(points: int, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Told that there is no image, it scores so many points less."""
    return under("guess-mode", falls(points), 0.55, rng, items, still=STILL)


def reasoned(points: int, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """With chain of thought, so many points more are right on blank images, and as many on the originals as before."""
    original, blank = right_with(rng, items, ACCURACY), right_with(rng, items, ON_BLANKS)
    steps, blank_steps = STILL.of(rng, items, original, ACCURACY), falls(-points).of(rng, items, blank, ON_BLANKS)
    names = (arm.name for arm in stress_test("blank-chain-of-thought").all_arms)
    return {name: graded(items, each) for name, each in zip(names, (original, steps, blank, blank_steps), strict=True)}


def hidden(
    rests: float, redrawn: float, rng: np.random.Generator, items: tuple[Item, ...], *, silent: bool = False
) -> Arms:
    """A share of the answers rests on the finding: where that is hidden, they are guessed, or not given (`silent`).

    A share of all answers is a new guess under every condition.
    """
    made = stress_test("rests-on-finding")
    own = right_with(rng, items, ACCURACY)
    arms = {made.baseline.name: graded(items, own)}
    for arm in made.compared:
        after = own
        if isinstance(arm.condition, EvidenceHidden):
            lost = np.full(len(items), NOTHING) if silent else guessed(rng, items)
            after = np.where(rng.random(len(items)) < rests, lost, own)
        arms[arm.name] = graded(items, np.where(rng.random(len(items)) < redrawn, guessed(rng, items), after))
    return arms


def swapped(same: float, other: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Shares of the right answers change with another image of the same label, and of another label."""
    own = right_with(rng, items, ACCURACY)
    lost = (np.where((own == 0) & (rng.random(len(items)) < share), wrong(rng, items), own) for share in (same, other))
    names = (ORIGINAL.name, SameLabel.name, ImageSubstituted.name)
    return {name: graded(items, each) for name, each in zip(names, (own, *lost), strict=True)}


def grounded(flips: float, unstable: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """Shares of the right answers flip with the finding hidden, and with the farthest corner hidden."""
    own = right_with(rng, items, ACCURACY)
    arms = {ORIGINAL.name: graded(items, own)}
    for condition, share in ((EvidenceHidden("black"), flips), (FarCornerHidden("black"), unstable)):
        lost = (own == 0) & (rng.random(len(items)) < share)
        arms[condition.label] = graded(items, np.where(lost, wrong(rng, items), own))
    return arms


def cued(follows: float, rng: np.random.Generator, items: tuple[Item, ...]) -> Arms:
    """A share of the answers becomes the option that the letter in a corner names."""
    own, options = right_with(rng, items, ACCURACY), len(items[0].options)
    named = np.array([(choose_cue(item) - int(item.answer or 0)) % options for item in items])
    after = np.where(rng.random(len(items)) < follows, named, own)
    return {
        ORIGINAL.name: graded(items, own),
        AnswerCue().label: graded(items, after),
        AnswerCue(says="nothing").label: graded(items, own),
    }


# What is simulated


@dataclass(frozen=True)
class Row:
    """A test, what is planted, and the verdict that is right, if one is; or the number whose 95% CI is checked."""

    test: str
    planted: str
    draw: Draw
    chance: float = 0.2
    right: Status | None = None
    says: str = ""
    """What a plan says of the right verdict."""
    spec: str = ""
    """The test as it is run, where it is not run by its name."""
    suite: str = ""
    """The suite in which its p-value is corrected, if its verdict has one."""
    truth: tuple[str, str, float] | None = None
    """Condition, measure and true value."""
    kind: str = "choice"

    @property
    def label(self) -> str:
        """What names the row in a message."""
        return f"{self.test}: {self.planted}"

    @property
    def named(self) -> Named:
        """What tells it from all other rows."""
        return self.test, self.planted, self.chance, self.about

    @property
    def about(self) -> str:
        """What is counted beside verdicts."""
        return "" if self.truth is None else self.truth[1]


PASS, FAIL = Status.PASS, Status.FAIL


def rows() -> Iterator[Row]:
    """Every registered test with a verdict or an interval of its own, each with several things planted."""
    yield from _reading()
    yield from _necessity()
    yield from _substitution()
    yield from _mirror()
    yield from _stable()
    yield from _unknown()
    yield from _mirage()
    yield from _artefacts()
    yield from _premises()
    yield from _mismatched()
    yield from _reports()
    yield from _evidence()
    yield from _reported()


def _reading() -> Iterator[Row]:
    """The share that is kept with the options alone decides; the steps before it are told."""
    row, alone = partial(Row, "text-needed"), OPTIONS_ONLY.name
    right = {0.0: PASS, 0.25: PASS, 0.75: FAIL, 1.0: FAIL}
    says = {0.0: "passes a score that needs question or image", 1.0: "fails a score that needs the options alone"}
    for chance, kept in product(CHANCES, (0.0, 0.25, 0.5, 0.75, 1.0)):
        words = f"keeps {100 * kept:.0f}% of its accuracy above chance with the options alone"
        yield row(words, partial(keeping, kept, ACCURACY, alone), chance, right.get(kept), says.get(kept, ""))
    for share, declines in ((1.0, "is silent"), (0.9, "declines 90%"), (0.5, "declines 50%")):
        draw = partial(keeping, 1.0, ACCURACY, alone, silent=share)
        yield row(f"goes by the options and {declines} where they are alone", draw, right=FAIL)
    needs = partial(keeping, 0.0, ACCURACY, alone, silent=0.9)
    yield row("needs question or image and declines 90% with the options alone", needs, right=PASS)
    mute = partial(keeping, 0.0, ACCURACY, alone, mute=0.5)
    yield row("needs question or image and declines 50% as asked", mute, right=PASS)


def _necessity() -> Iterator[Row]:
    row = partial(Row, "visual-necessity", spec="visual-necessity:rating=needs", suite="readiness")
    for chance, above in product(CHANCES, (0, 10, 20, 40)):
        says = {0: "passes a model at chance", 20: "finds 20 points above chance"}
        words = f"{above} points above chance without the image"
        yield row(words, partial(without_image, above, 0.0), chance, FAIL if above else PASS, says.get(above, ""))
    for above, silent in ((0, 0.9), (0, 1.0), (40, 0.9)):
        words = f"declines {100 * silent:.0f}% without the image, else {above} points above chance"
        yield row(words, partial(without_image, above, silent), 0.2, FAIL if above else PASS)


def _substitution() -> Iterator[Row]:
    for chance, points in product(CHANCES, (0, 10, 20, 40)):
        says = {0: "passes a model that follows", 20: "finds a drop of 20 points"}
        words = f"{points} points fewer are right about the other image"
        draw = partial(substituted, points)
        right = FAIL if points else PASS
        yield Row("visual-substitution", words, draw, chance, right, says.get(points, ""), suite="readiness")


def _mirror() -> Iterator[Row]:
    for chance, points in product(CHANCES, (0, 10, 20, 40)):
        says = {0: "passes a model whose answers change sides", 20: "finds that 20 points fewer change sides"}
        right = PASS if points == 0 else None if points == 10 else FAIL
        words = f"{points} points fewer are right about the mirror image, the old side named again"
        yield Row("mirror", words, partial(in_mirror, points), chance, right, says.get(points, ""))
    for chance in CHANCES:
        yield Row("mirror", "never looks, and guesses", partial(unmoved_in_mirror, chance), chance, FAIL)
        yield Row("mirror", "never looks, and knows the text", partial(unmoved_in_mirror, ACCURACY), chance, FAIL)
        yield Row("mirror", "guesses anew at each image", guessed_in_mirror, chance, None)


INVARIANT = {
    "distractors": (ACCURACY, "readiness", "lost"),
    "distractors:image=removed": (0.5, "readiness", "flipped"),
    "chain-of-thought": (ACCURACY, "readiness", "lost"),
    "reasoning-effort": (ACCURACY, "readiness", "lost"),
    "unknown-option": (ACCURACY, "readiness", ""),
    "weak-artefacts": (ACCURACY, "artefacts", ""),
}
"""Tests of no change: accuracy before, suite, and which moves of an answer count."""


def _stable() -> Iterator[Row]:
    for test, (accuracy, suite, moves) in INVARIANT.items():
        still = STILL if moves != "" else falls(0)
        for points in (0, 10, 20, 40):
            says = {0: "passes a stable model", 20: "finds a drop of 20 points"}
            draw = partial(under, test, falls(points), accuracy, still=still)
            words = f"a drop of {points} points, and {100 * FEW_MOVE:.0f}% of answers move to and fro"
            told = says.get(points, "")
            yield Row(test, words, draw, 0.2, FAIL if points else PASS, told, suite=suite)
        if moves:
            yield from _moving(test, suite, moves)
    for chance, points in product(CHANCES, (0, 10, 20, 40, -20)):
        says = {0: "passes if the name changes nothing", 20: "finds a gain of 20 points"}
        draw = partial(under, "dataset-name", falls(-points), chance + 0.05, still=STILL)
        words = f"the name adds {points} points" if points >= 0 else f"the name takes {-points} points"
        right = FAIL if points else PASS
        yield Row("dataset-name", words, draw, chance, right, says.get(points, ""), suite="mirage")


def _moving(test: str, suite: str, moves: str) -> Iterator[Row]:
    for share in (0.0, 0.05, 0.1, 0.2, 0.3):
        right = PASS if share < 0.1 else FAIL if share > 0.1 else None
        change = {"lost": Change(share, share), "flipped": Change(share / 2, share / 2)}[moves]
        counted = {"lost": "are lost and as many gained", "flipped": "turn, as many each way"}[moves]
        accuracy = LOWER if moves == "lost" else 0.5
        draw = partial(under, test, change, accuracy, still=Change())
        yield Row(test, f"no drop; {100 * share:.0f}% of answers {counted}", draw, 0.2, right, suite=suite)


def _unknown() -> Iterator[Row]:
    row = partial(Row, "unknown-option:image=removed", suite="readiness")
    for chance, rate in product(CHANCES, (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 1.0)):
        says = {0.0: "fails a model that never takes Unknown", 0.8: "passes if 80% are Unknown"}
        right = PASS if rate > 0.5 else FAIL if rate < 0.2 else None
        words = f"takes Unknown in {100 * rate:.0f}% without the image"
        yield row(words, partial(takes_unknown, rate), chance, right, says.get(rate, ""))


def _mirage() -> Iterator[Row]:
    for rate in (0.0, 0.05, 0.08, 0.1, 0.2, 0.4):
        right = PASS if rate < 0.1 else FAIL if rate > 0.1 else None
        shown = f"{100 * rate:.0f}%"
        says = {0.0: "passes a model that describes none", 0.2: "fails a model that describes 20%"}
        draw = partial(describes, rate)
        told = says.get(rate, "")
        yield Row("mirage-rate", f"describes {shown} under every scaffold", draw, 0.0, right, told, kind="open")
        if rate > 0.0:
            one = partial(describes, rate, every=False)
            yield Row("mirage-rate", f"describes {shown} under one scaffold", one, 0.0, right, kind="open")
        says = {0.0: "passes a model that diagnoses none", 0.2: "fails a model that diagnoses 20%"}
        draw = partial(diagnoses, rate)
        told = says.get(rate, "")
        yield Row("mirage-bias", f"diagnoses {shown} (n counts responses)", draw, 0.0, right, told, kind="open")
    for chance, share in (*product((0.2,), (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)), *product((0.5,), (0.0, 0.1, 0.2))):
        says = {
            0.0: "if asked 3 times, fails a model that never looks",
            0.2: "if asked 3 times, passes if 20% move with the image",
        }
        right = FAIL if share == 0 else PASS if share > 0.05 else None
        words = f"asked 3 times; {100 * share:.0f}% of answers move with the image, 20% drawn anew in every run"
        draw = partial(moves_with_image, share)
        yield Row("grounding-signal", words, draw, chance, right, says.get(share, ""), suite="mirage")


def _artefacts() -> Iterator[Row]:
    right = {(0.0, 0.0): FAIL, (0.25, 0.0): FAIL, (0.75, 0.0): PASS, (0.95, 0.0): PASS, (0.95, 0.2): FAIL}
    says = {(0.0, 0.0): "fails a model that flags nothing", (0.95, 0.0): "passes a model that flags 95%"}
    for poor, good in (*right, (0.5, 0.0), (0.95, 0.05), (0.95, 0.1)):
        verdict = right.get((poor, good), PASS if (poor, good) == (0.95, 0.05) else None)
        words = f"flags {100 * poor:.0f}% of degraded images and {100 * good:.0f}% of originals"
        draw = partial(flags, poor, good)
        yield Row("strong-artefacts", words, draw, 0.2, verdict, says.get((poor, good), ""))


def _premises() -> Iterator[Row]:
    row = partial(Row, "false-premise", chance=0.0, kind="premise")
    says = {(0.0, 0.0): "fails a model that goes along with everything", (0.8, 0.0): "passes a model that corrects 80%"}
    for corrected, objected in (*product((0.0, 0.2, 0.5, 0.8, 1.0), (0.0, 0.2)), (1.0, 1.0)):
        beyond = round(corrected - objected, 9)
        right = PASS if beyond > 0.5 else FAIL if beyond < 0.5 else None
        words = f"corrects {100 * corrected:.0f}% of false premises, and {100 * objected:.0f}% of true ones"
        yield row(words, partial(doubts, corrected, objected), right=right, says=says.get((corrected, objected), ""))
    yield row("declines everything", partial(doubts, 0.0, 0.0, silent=1.0), right=FAIL)


def _mismatched() -> Iterator[Row]:
    row = partial(Row, "mismatched-image", chance=0.0, kind="open")
    says = {(0.0, 0.0): "fails a model that notices nothing", (0.8, 0.0): "passes a model that notices 80%"}
    for named, alarms in (*product((0.0, 0.2, 0.5, 0.8, 1.0), (0.0, 0.2)), (1.0, 1.0)):
        beyond = round(named - alarms, 9)
        right = PASS if beyond > 0.5 else FAIL if beyond < 0.5 else None
        words = f"names {100 * named:.0f}% of contradictions; {100 * alarms:.0f}% false alarms"
        yield row(words, partial(notices, named, alarms), right=right, says=says.get((named, alarms), ""))
    yield row("declines everything", partial(notices, 0.0, 0.0, silent=1.0), right=FAIL)


def _reports() -> Iterator[Row]:
    row = partial(Row, "reports", chance=0.0, kind="report")
    passes = {0.8: "passes reports of which 80% name what there is"}
    for right in (1.0, 0.8, 0.5):
        words = f"{100 * right:.0f}% of the reports name what there is, and without an image it writes none"
        yield row(words, partial(reporting, right, "none"), right=PASS, says=passes.get(right, ""))
    for without in ("normal", "anything", "the same"):
        words = f"80% of the reports name what there is; without an image it writes {without}"
        yield row(words, partial(reporting, 0.8, without), right=FAIL)
    few = partial(reporting, 0.8, "anything", written=0.05)
    yield row("80% of the reports name what there is; without an image it writes any in 5%", few, right=PASS)
    yield row("copies the usual normal report", partial(reporting, -1.0, "normal"), right=FAIL)
    says = "fails reports that fit any patient"
    yield row("invents findings", partial(reporting, 0.0, "anything"), right=FAIL, says=says)


def _evidence() -> Iterator[Row]:
    row = partial(Row, "rests-on-finding", suite="evidence")
    says = {
        0.0: "fails a model whose answers do not rest on the finding",
        1.0: "passes a model whose answers all rest on the finding",
    }
    right = {0.0: FAIL, 0.25: FAIL, 0.75: PASS, 1.0: PASS}
    for chance, rests in product(CHANCES, (0.0, 0.25, 0.5, 0.75, 1.0)):
        words = f"{100 * rests:.0f}% of the answers rest on the finding"
        yield row(words, partial(hidden, rests, 0.0), chance, right.get(rests), says.get(rests, ""))
    for rests, redrawn in ((0.0, NOISE), (1.0, NOISE), (0.0, 1.0)):
        words = (
            f"{100 * rests:.0f}% of the answers rest on the finding, {100 * redrawn:.0f}% are guessed anew each time"
        )
        yield row(words, partial(hidden, rests, redrawn), right=right[rests] if redrawn < 1 else None)
    words = "declines wherever the finding is hidden"
    yield row(words, partial(hidden, 1.0, 0.0, silent=True), right=PASS)
    for same, other in ((0.0, 0.0), (0.1, 0.1), (0.1, 0.8)):
        words = f"{100 * same:.0f}% of right answers change with the same label, {100 * other:.0f}% with another"
        truth = (ImageSubstituted.name, "label_sensitivity", other - same)
        yield Row("label-swaps", words, partial(swapped, same, other), truth=truth)
    for flips, unstable in ((0.0, 0.0), (0.3, 0.1), (0.9, 0.05)):
        words = f"{100 * flips:.0f}% of right answers flip with the finding hidden, {100 * unstable:.0f}% with a corner"
        truth = (EvidenceHidden("black").label, "grounding_premium", flips - unstable)
        yield Row("published-grounding", words, partial(grounded, flips, unstable), truth=truth)
    for direct, context in ((0.0, 0.0), (0.3, 0.2), (1.0, 0.8)):
        words = f"{100 * direct:.0f}% of findings are reported unseen, {100 * context:.0f}% are lost with the others"
        draw = partial(shortcuts, direct, context)
        for arm, name, value in (
            (EvidenceHidden.name, "lost_beyond_elsewhere", 1 - direct),
            (NeighboursHidden.name, "contextual_shortcut", context),
        ):
            yield Row("report-shortcuts", words, draw, chance=0.0, kind="report", truth=(arm, name, value))
    for follows in (0.0, 0.2, 0.8):
        words = f"{100 * follows:.0f}% of the answers follow the letter in a corner"
        truth = (AnswerCue().label, "cue_follow_rate", follows * (1 - (1 - ACCURACY) / 4))
        yield Row("cues", words, partial(cued, follows), spec="cues:tag", truth=truth)


def _reported() -> Iterator[Row]:
    """Tests that draw no verdict: how often a 95% CI holds the truth, or a difference is claimed."""
    for chance, points in product(CHANCES, (0, 10, 20, 40)):
        words = f"told to guess, {points} points fewer are right"
        yield Row("guess-mode", words, partial(told_to_guess, points), chance, suite="mirage")
    for points in (0, 20):
        words = f"chain of thought adds {points} points on blank images"
        for name, value in (("blank_change", points / 100), ("blank_loss_change", -points / 100)):
            truth = (f"{IMAGE_BLANK.name}+cot", name, value)
            yield Row("blank-chain-of-thought", words, partial(reasoned, points), truth=truth)
    for rate in (0.0, 0.05, 0.1, 0.2, 0.4):
        words = f"describes something in {100 * rate:.0f}% without the image"
        yield Row("rationale", words, partial(claims, rate), truth=(IMAGE_REMOVED.name, "described_rate", rate))
    for chance, kept in product(CHANCES, (0.0, 0.5, 1.0)):
        draw = partial(keeping, kept, ACCURACY, IMAGE_REMOVED.name)
        published = (chance + kept * (ACCURACY - chance)) / ACCURACY
        for name, value in (("mirage_score", published), ("mirage_score_above_chance", kept)):
            words = f"keeps {100 * kept:.0f}% above chance"
            yield Row("mirage-score", words, draw, chance, truth=(IMAGE_REMOVED.name, name, value))
    truth = (IMAGE_REMOVED.name, "words_auc_unadmitted", 0.5)
    yield Row("mirage-words", "the image changes no word", worded, truth=truth)
    spec = "robustness:rating=needs"
    truth = ("score", "robustness", true_robustness(0.2))
    yield Row("robustness", f"R is {truth[2]:.3f}", scored, spec=spec, truth=truth)
    spec, words = "grounded-reading:rating=needs", "sight 42.5, honesty 30, steadiness 62.5 of 100"
    for name, value in (("sight_gain", 0.425), ("honesty", 0.3), ("steadiness", 0.625)):
        yield Row("grounded-reading", words, read, spec=spec, truth=("reading", name, value))
    spec = "pooled-artefacts:noise,crop"
    words = "70% right, 50% under weak artefacts, 30% of strong ones flagged, by every prompt"
    for arm, name, value in (
        (ORIGINALS, "pooled_accuracy", POOLED["original"]),
        (WEAK, "pooled_change", POOLED["weak"] / POOLED["original"] - 1),
        (STRONG, "pooled_detection_rate", POOLED["strong"]),
    ):
        yield Row("pooled-artefacts", words, pooled, spec=spec, truth=(arm, name, value))
    spec, words = "dose-response:noise", "half is lost at a severity of 0.5"
    yield Row("dose-response", words, worsening, spec=spec, truth=(arm_of("noise"), "threshold", 0.5))
    for accuracy in (SELDOM, ACCURACY):
        words, truth = f"{100 * accuracy:.0f}% right", (ORIGINAL.name, "accuracy", accuracy)
        yield Row("pathway-choices", words, partial(exam, accuracy), truth=truth)
    for image, report in ((SELDOM, SELDOM), (LOWER, ACCURACY)):
        words = f"{100 * image:.0f}% right with the image, {100 * report:.0f}% with the report"
        for arm, name, value in ((ORIGINAL.name, "accuracy", image), (REPORT.label, "difference", report - image)):
            draw, truth = partial(with_report, image, report), (arm, name, value)
            yield Row("pathway-answers", words, draw, 0.0, truth=truth, kind="open")


# Running it


@cache
def made_quick() -> None:
    """Keep what was computed of the same numbers, in every process: in small tables they come again and again.

    Here every item is its own patient and all have one chance, so nothing depends on which item had which number.
    """
    measures, paired = snellen.stress.measures, snellen.stats.paired
    kept = (
        (paired, "permutation_test", _multiset),
        (paired, "bonett_price", _multiset),
        (measures, "bootstrap", _multiset),
        (measures, "proportion", _multiset),
        (measures, "minimum_detectable_effect", None),
        (measures, "minimum_detectable_gain", None),
        (measures, "_of_arm", _outcomes),
        (measures, "_differences", _joint_outcomes),
        (snellen.papers.artefacts.tests.detection_measures, "percent_change", _pairs),
        (snellen.papers.artefacts.tests.weak, "percent_change", _pairs),
    )
    for module, name, key in kept:
        function = getattr(module, name)
        setattr(module, name, cache(function) if key is None else _kept(function, key))
    # No verdict on reports rests on their words, and fewer other patients make it no surer.
    snellen.stress.reports.WORDS, snellen.stress.reports.OTHERS = (), 6


def _kept(function: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """The function, computed once for what has the same key; always where the key is None."""
    known: dict[Any, Any] = {}

    @wraps(function)
    def quick(*given: Any, **settings: Any) -> Any:
        at = key(*given, **settings)
        if at is None:
            return function(*given, **settings)
        if at not in known:
            found = function(*given, **settings)
            known[at] = tuple(found) if isinstance(found, Iterator) else found
        return known[at]

    return quick


def _multiset(values: Any, clusters: Any = None, *more: Any, **settings: Any) -> Any:
    """The same numbers in any order."""
    settings.pop("clusters", None)
    return np.sort(np.asarray(values, np.float64)).tobytes(), more, tuple(settings.items())


def _pairs(first: Any, second: Any, **settings: Any) -> Any:
    """The same pairs in any order."""
    pairs = np.stack((first, second))
    return pairs[:, np.lexsort(pairs)].tobytes()


def _outcomes(arm: str, table: Table) -> Any:
    """As many responses of each outcome, where every item was asked once."""
    grades = table.arms.get(arm)
    if not grades or grades.repeated or grades.credit is not None:
        return None
    return arm, table.items[0].chance, tuple(np.bincount(grades.outcome))


def _joint_outcomes(baseline: str, arm: str, table: Table) -> Any:
    """As many items with the same two outcomes and the same choice or another, where every item was asked once."""
    one, two = table.arms.get(baseline), table.arms.get(arm)
    if not one or not two or one.repeated or two.repeated or len(one) != len(two):
        return None
    if one.credit is not None or two.credit is not None:
        return None
    joint = 2 * (16 * one.outcome.astype(np.int64) + two.outcome) + (one.chosen == two.chosen)
    return baseline, arm, table.items[0].chance, tuple(np.bincount(joint))


def in_suite(finding: Finding, count: int) -> Verdict:
    """The verdict with the p-values corrected among so many of a suite of which all others are 1."""
    test, own = finding.test, [each.estimate.p for each in finding.measures if each.p_adjusted is not None]
    adjusted = iter(holm([*(p or 0.0 for p in own), *[1.0] * (count - len(own))]).tolist())
    measures = {
        (each.arm, each.name): each if each.p_adjusted is None else replace(each, p_adjusted=next(adjusted))
        for each in finding.measures
    }
    return test.conclude(measures)


@cache
def p_values(suite: str) -> int:
    """How many p-values are corrected together in a suite, on a benchmark of questions with options."""
    tests = [stress_test(each) for each in suite_named(suite).tests]  # type: ignore[union-attr]
    tests = asked_of(tests, "b")
    rng, items = np.random.default_rng(0), asked(60, 5)
    shown = wrong(rng, items)
    arms = {
        arm.name: graded(
            items,
            repeatedly(rng, items, right_with(rng, items, ACCURACY)),
            shown if arm.name.startswith(ImageSubstituted.name) else None,
        )
        for test in tests
        for arm in test.all_arms
    }
    found = findings(tests, Table("m", "b", items, arms))
    return sum(each.p_adjusted is not None for finding in found for each in finding.measures)


def counted(row: Row, count: int, repeats: int) -> Counter[str]:
    """How often each verdict was given, alone and in a suite; or how often the 95% CI held the truth."""
    made_quick()
    rng = np.random.default_rng([count, *row.label.encode(), *row.about.encode(), int(100 * row.chance)])
    test = stress_test(row.spec or row.test)
    items = asked(count, round(1 / row.chance) if row.chance else 2, row.kind)
    shown = items[:5] if row.test == "mirage-bias" else items
    found: Counter[str] = Counter()
    for _ in range(repeats):
        table = Simulated("m", "b", shown, row.draw(rng, items))
        [finding] = findings([test], table)
        found[finding.verdict.status] += 1
        found["claims"] += finding.verdict.meaning.startswith("it answers better")
        if row.suite:
            verdict = in_suite(finding, p_values(row.suite))
            found[f"{verdict.status} in suite"] += 1
            found["claims in suite"] += verdict.meaning.startswith("it answers better")
        if row.truth is not None:
            measure = finding.measure(*row.truth[:2])
            if measure is not None:
                found["made"] += 1
                found["held"] += measure.estimate.low <= row.truth[2] <= measure.estimate.high
    return found


def cell(at: tuple[int, int, int]) -> Counter[str]:
    """One row at one number of items."""
    row, count, repeats = at
    return counted(ALL[row], count, repeats)


def _in_order() -> tuple[Row, ...]:
    """All rows, those of one test together."""
    made = list(rows())
    order = list(dict.fromkeys(row.test for row in made))
    return tuple(sorted(made, key=lambda row: order.index(row.test)))


ALL = _in_order()


def recorded(row: Row, found: Mapping[int, Counter[str]]) -> dict[str, Any]:
    """A row of the data file."""
    kept: dict[str, Any] = {"test": row.test, "planted": row.planted, "chance": row.chance}
    if row.truth is not None:
        kept |= {"measure": row.truth[1], "made": _each(found, "made"), "held": _each(found, "held")}
    elif row.test == "guess-mode":
        kept |= {"claims": _each(found, "claims"), "claims_in_suite": _each(found, "claims in suite")}
    else:
        kept |= {"right": row.right.value if row.right else "", PASS.value: _each(found, PASS)}
        kept |= {FAIL.value: _each(found, FAIL)}
        if row.suite and row.right:
            kept |= {"suite": _each(found, f"{row.right} in suite")}
        if row.says:
            kept["says"] = row.says
    return kept


def _each(found: Mapping[int, Counter[str]], name: str) -> list[int]:
    return [found[count][name] for count in ITEMS]


# The interval of the share kept


def coverage(setting: tuple[float, float, float, int, int], repeats: int) -> dict[str, Any]:
    """How often the interval of the share kept above chance holds the truth, over all samples and over those shown."""
    accuracy, chance, kept, count, patients = setting
    rng = np.random.default_rng([int(1000 * accuracy), int(100 * chance), int(100 * kept), count, patients])
    clusters, luck = np.arange(count) // patients, np.full(count, chance)
    found: Counter[str] = Counter()
    for _ in range(repeats):
        drawn = seen_and_blind(kept, accuracy, rng, count, round(1 / chance), patients=patients)
        seen, blind = (each == 0 for each in drawn)
        share = ratio_above_chance(blind, seen, luck, clusters=clusters)
        held, better = share.low <= kept <= share.high, bonett_price(seen - luck, clusters).low > 0
        bounded = isfinite(share.low) and isfinite(share.high)
        found.update(held=held, better=better, held_if_better=held and better, unbounded=not bounded)
        found["unbounded_if_better"] += better and not bounded
    named = dict(zip(("accuracy", "chance", "kept", "items", "patients"), setting, strict=True))
    return {**named, **{name: found[name] for name in COUNTED}}


COUNTED = ("held", "better", "held_if_better", "unbounded", "unbounded_if_better")
ABOVE = (0.05, 0.1, 0.2, 0.4, 0.6)
"""Accuracies above chance with the image."""
GRID = [
    (chance + above, chance, kept, count, patients)
    for chance, above, kept, count, patients in product(CHANCES, ABOVE, (0.0, 0.25, 0.5, 0.75, 1.0), ITEMS, (1, 4))
    if chance + above < 0.95
]


# The page


def share(count: int, of: int) -> str:
    """A share in percent."""
    return f"{100 * count / of:.0f}" if of else "–"


def verdict_table(data: Mapping[str, Any]) -> Iterator[str]:
    """Pass, fail and inconclusive for every row."""
    repeats = data["repeats"]
    judged = [row for row in data["rows"] if PASS in row]
    for test, of_test in groupby(judged, key=lambda row: row["test"]):
        group = list(of_test)
        suite = any("suite" in row for row in group)
        yield f"\n### `{test}`\n"
        heads = [f"n = {count}" for count in data["items"]]
        more = ["right in suite"] if suite else []
        yield f"| planted | chance | right | {' | '.join([*heads, *more])} |"
        yield f"|{'---|' * (3 + len(heads) + len(more))}"
        for row in group:
            cells = [
                f"{share(passed, repeats)} / {share(failed, repeats)} / {share(repeats - passed - failed, repeats)}"
                for passed, failed in zip(row[PASS], row[FAIL], strict=True)
            ]
            told = " / ".join(share(each, repeats) for each in row.get("suite", [])) or "–"
            end = [*cells, *([told] if suite else [])]
            yield f"| {row['planted']} | {_chance(row)} | {row['right'] or 'either'} | {' | '.join(end)} |"


def _chance(row: Mapping[str, Any]) -> str:
    return f"{row['chance']:g}" if row["chance"] else "–"


def wrong_table(data: Mapping[str, Any]) -> Iterator[str]:
    """For every test, how often its verdict is wrong at most, and where."""
    yield "| test | wrong fail: mean | most | wrong pass: mean | most | where most |"
    yield "|---|---|---|---|---|---|"
    for test, of_test in groupby((row for row in data["rows"] if PASS in row), key=lambda row: row["test"]):
        group = list(of_test)
        cells, places = [], []
        for right, mistaken in ((PASS, FAIL), (FAIL, PASS)):
            found = [
                (count / data["repeats"], f"{row['planted']}, chance {row['chance']:g}, n = {items}")
                for row in group
                if row["right"] == right
                for items, count in zip(data["items"], row[mistaken], strict=True)
            ]
            if not found:
                cells += ["–", "–"]
                continue
            mean, most = float(np.mean([each for each, _ in found])), max(found)
            cells += [f"{100 * mean:.1f}%", f"{100 * most[0]:.1f}%"]
            if most[0] > 0.025:
                places.append(f"{mistaken}: {most[1]}")
        yield f"| `{test}` | {' | '.join(cells)} | {'; '.join(places) or '–'} |"


def interval_table(data: Mapping[str, Any]) -> Iterator[str]:
    """What is reported without a verdict: how often the 95% CI holds the truth."""
    heads = " | ".join(f"n = {count}" for count in data["items"])
    yield f"| test | number | planted | chance | {heads} |"
    yield f"|---|---|---|---|{'---|' * len(data['items'])}"
    for row in (each for each in data["rows"] if "held" in each):
        cells = [
            share(held, made) + (f" (of {made})" if made < data["repeats"] else "")
            for held, made in zip(row["held"], row["made"], strict=True)
        ]
        named = f"| `{row['test']}` | `{row['measure']}` | {row['planted']} | {_chance(row)} |"
        yield f"{named} {' | '.join(cells)} |"


def claim_table(data: Mapping[str, Any]) -> Iterator[str]:
    """How often guess-mode says that there is a difference."""
    heads = " | ".join(f"n = {count}" for count in data["items"])
    yield f"| planted | chance | {heads} | in the suite |"
    yield f"|---|---|{'---|' * (1 + len(data['items']))}"
    for row in (each for each in data["rows"] if "claims" in each):
        cells = [share(each, data["repeats"]) for each in row["claims"]]
        in_suite = " / ".join(share(each, data["repeats"]) for each in row["claims_in_suite"])
        yield f"| {row['planted']} | {row['chance']:g} | {' | '.join(cells)} | {in_suite} |"


def coverage_table(found: list[dict[str, Any]], repeats: int) -> Iterator[str]:
    """The coverage of the share kept, by accuracy, chance and clustering; the least over shares kept and items."""
    yield (
        "| above chance with the image | chance | items per patient | coverage: mean | least | if shown better than "
        "guessing: mean | least | unbounded | unbounded if shown |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    by = ("accuracy", "chance", "patients")
    for key in sorted({tuple(each[name] for name in by) for each in found}, key=lambda key: (key[1], key[2], key[0])):
        group = [each for each in found if tuple(each[name] for name in by) == key]
        held = [each["held"] / repeats for each in group]
        shown = [each["held_if_better"] / each["better"] for each in group if each["better"] >= repeats / 10]
        total, better = len(group) * repeats, sum(each["better"] for each in group)
        if_shown = sum(each["held_if_better"] for each in group) / max(1, better)
        least = f"{100 * min(shown):.1f}%" if shown else "–"
        yield (
            f"| {100 * (key[0] - key[1]):.0f} points | {key[1]:g} | {key[2]} | {100 * np.mean(held):.1f}% | "
            f"{100 * min(held):.1f}% | {100 * if_shown:.1f}% | {least} | "
            f"{share(sum(each['unbounded'] for each in group), total)}% | "
            f"{share(sum(each['unbounded_if_better'] for each in group), better)}% |"
        )


def coverage_summary(found: list[dict[str, Any]], repeats: int) -> str:
    """The coverage over all settings in a sentence."""
    total, better = len(found) * repeats, sum(each["better"] for each in found)
    held, shown = sum(each["held"] for each in found) / total, sum(each["held_if_better"] for each in found) / better
    least = min(found, key=lambda each: each["held"])
    enough = [each for each in found if each["better"] >= repeats / 10]
    least_shown = min(enough, key=lambda each: each["held_if_better"] / each["better"])
    below = [each for each in enough if each["held_if_better"] / each["better"] < 0.93]
    seldom = max((each["better"] / repeats for each in below), default=0.0)
    unbounded = sum(each["unbounded"] for each in found)
    if_shown = sum(each["unbounded_if_better"] for each in found)
    return (
        f"Over all {len(found)} settings the interval holds the truth in {100 * held:.1f}% of samples, and in "
        f"{100 * shown:.1f}% of those in which the model is shown to be better than guessing. The least in one setting "
        f"is {100 * least['held'] / repeats:.1f}% ({_setting(least)}); of samples in which the model is shown to be "
        f"better, {100 * least_shown['held_if_better'] / least_shown['better']:.1f}% ({_setting(least_shown)}). "
        f"It is below 93% in {len(below)} of {len(enough)} settings, in all of which the model is so close to guessing "
        f"that at most {100 * seldom:.0f}% of the samples show it to be better: those with lucky guesses, of which "
        f"half are the same without the image. {unbounded:,} of {total:,} intervals have an infinite end, "
        f"{if_shown:,} of them where the model is shown to be better than guessing."
    )


def _setting(each: Mapping[str, Any]) -> str:
    return (
        f"{100 * (each['accuracy'] - each['chance']):.0f} points above a chance of {each['chance']:g}, "
        f"{100 * each['kept']:.0f}% kept, {each['items']} items, {each['patients']} per patient"
    )


INTERVAL = "\n## The interval of the share kept above chance\n"


def page(data: Mapping[str, Any], interval: str, draws: int) -> Iterator[str]:
    """The study as Markdown; its last section, which is about no test, is given."""
    suites = ", ".join(f"`{name}` has {p_values(name)}" for name in ("standard", "readiness", "mirage", "artefacts"))
    half = 100 * max(wilson(data["repeats"] // 2, data["repeats"]).high - 0.5, 0)
    yield PAGE.format(
        repeats=data["repeats"], draws=draws, half=half, suites=suites, accuracy=100 * ACCURACY, few=100 * FEW_MOVE
    )
    yield from wrong_table(data)
    yield "\n## Every test\n\nCells are pass / fail / inconclusive in percent of simulated studies."
    yield from verdict_table(data)
    yield "\n## Tests without a verdict\n\nThe share of studies, in percent, whose 95% CI holds the true number.\n"
    yield from interval_table(data)
    yield "\n`guess-mode`: the share of studies, in percent, that claim a difference.\n"
    yield from claim_table(data)
    yield interval


def interval_section(draws: int, pool: ProcessPoolExecutor) -> str:
    """The last section of the page: how often the interval of the share kept holds the truth."""
    covered = list(pool.map(partial(coverage, repeats=draws), GRID, chunksize=8))
    said = coverage_summary(covered, draws)
    return "\n".join([f"{INTERVAL}\n{KEPT.format(draws=draws)}\n", f"{said}\n", *coverage_table(covered, draws)])


PAGE = """\
# How often is a verdict right?

Redraw this page with `python research/verdicts/verdicts.py --repeats {repeats} --draws {draws}`. `snellen plan` reads \
its statements of power from the same run (`src/snellen/tools/planner/power.json`).

Each cell is {repeats} simulated studies, so a share of 50% is known to ± {half:.0f} points. No model is asked: the \
grades of the responses are drawn by chance, with a behaviour that is known because it is planted, and the verdict is \
drawn as in a study.

- `follows`, `honest` and `steady` are judged together by rules of their own: `docs/concepts/verdicts.md`, \
`research/verdicts/verdict_rates.md`. What \
`image-needed`, `blank-image`, `image-used`, `option-order` and `open-answers` measure is reported without a verdict.
- *Planted*: how the simulated model behaves. With the image, {accuracy:.0f}% of its answers are right unless the row \
says otherwise.
- *Chance*: 0.2 with five options, 0.5 with two; none (–) where questions are open, since nobody guesses an answer in \
words.
- *Right*: the verdict that is right. *Either*: the planted effect is at or near a threshold, so that no verdict is \
wrong.
- Where a test has several conditions, the effect is planted in the last one. {few:.0f}% of the answers move to and \
fro in a model with nothing planted.
- *n*: questions asked; for `mirage-bias`, responses. Images are swapped for all of them, and all of them need the \
image.
- *Right in suite*: the share of right verdicts if the p-value is corrected together with those of a whole suite, all \
of which are 1. That is the hardest case of Holm's correction; a suite in which other tests find something lies \
between the two. Of p-values, {suites}. The other figures are of the test alone, the case with most false alarms.

## Wrong verdicts

The share of studies with a fail where pass is right, and with a pass where fail is right: the mean over all cells, \
the cell with most, and which one that is where it is above 2.5%.

Two of them are properties of the rules and no accident of the draws. `visual-necessity` counts silence as a guess, \
so a model with a shortcut that answers one question in ten is 4 points above chance, which is less than the 5 that \
matter. `mirage-rate` takes the worst of its scaffolds without a correction.
"""

KEPT = """\
`kept_above_chance` decides the verdict of `text-needed`, and `image-needed` and `blank-image` report it. Each \
setting is {draws} samples, for 0, 25, 50, 75 and 100% kept and 60 to 400 items. With several items per patient, half \
of the items of a patient are known or unknown together. *Shown*: the 95% CI of the accuracy with the image lies above \
chance, without which there is no verdict; settings in which fewer than a tenth of the samples show it are left out of \
the least. *Unbounded*: an end of the interval is infinite."""


def simulated(tests: Container[str], repeats: int, pool: ProcessPoolExecutor) -> dict[Named, dict[str, Any]]:
    """The rows of these tests at all numbers of items, by what names each."""
    chosen = [at for at, row in enumerate(ALL) if row.test in tests]
    places = [(row, count, repeats) for row in chosen for count in ITEMS]
    found: dict[tuple[int, int], Counter[str]] = {}
    for done, (at, counts) in enumerate(zip(places, pool.map(cell, places, chunksize=2), strict=True), 1):
        found[at[:2]] = counts
        if done % 40 == 0:
            print(f"{done} of {len(places)}", flush=True)
    return {ALL[at].named: recorded(ALL[at], {count: found[at, count] for count in ITEMS}) for at in chosen}


def merged(before: Mapping[str, Any], fresh: Mapping[Named, dict[str, Any]]) -> dict[str, Any]:
    """The data with these rows instead of those that it had, every other row as it was, all in the study's order."""
    kept = {(row["test"], row["planted"], row["chance"], row.get("measure", "")): row for row in before["rows"]}
    known = {**kept, **fresh}
    if unknown := [row.label for row in ALL if row.named not in known]:
        raise SystemExit(f"{len(unknown)} rows were never simulated, such as {unknown[0]!r}: name their tests, too.")
    return {**before, "rows": [known[row.named] for row in ALL]}


def written(data: Mapping[str, Any]) -> bytes:
    """The data file, a row a line."""
    head = orjson.dumps({name: value for name, value in data.items() if name != "rows"}).removesuffix(b"}")
    lines: Iterable[bytes] = map(orjson.dumps, data["rows"])
    return head + b',"rows":[\n' + b",\n".join(lines) + b"\n]}\n"


def main() -> None:
    """Run it, and write the page and the data."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=PAGE_FILE)
    parser.add_argument("--data", type=Path, default=DATA)
    names = dict.fromkeys(row.test for row in ALL)
    parser.add_argument("--only", action="append", metavar="TEST", choices=names, help="keep the rows of other tests")
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.workers) as pool:
        if chosen.only:
            before = orjson.loads(DATA.read_bytes())
            if (before["repeats"], tuple(before["items"])) != (chosen.repeats, ITEMS):
                parser.error(f"the rows that are kept have {before['repeats']} repeats at {before['items']} items")
            data = merged(before, simulated(chosen.only, chosen.repeats, pool))
            interval = INTERVAL + PAGE_FILE.read_text(encoding="utf-8").removesuffix("\n").partition(INTERVAL)[2]
        else:
            marks = orjson.loads(DATA.read_bytes())["marks"]
            empty = {
                "study": "research/verdicts/verdicts.md",
                "repeats": chosen.repeats,
                "items": list(ITEMS),
                "rows": [],
            }
            data = merged({**empty, "marks": marks}, simulated(names, chosen.repeats, pool))
            interval = interval_section(chosen.draws, pool)
    chosen.data.write_bytes(written(data))
    chosen.out.write_text("\n".join(page(data, interval, chosen.draws)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
