"""Calibration of the guard: the score threshold for a requested false-alarm rate.

A false alarm is a response that rests on the image although its score reaches the threshold.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from snellen.benchmarks.phantoms import load
from snellen.errors import ModelError, StoreError, StudyError
from snellen.images import EncodedImage
from snellen.items import Item
from snellen.models.base import Model
from snellen.models.organisms import open_organism
from snellen.prompts import PROVIDER_DEFAULTS, Request, ask, prompt_named
from snellen.reading import Outcome, grade
from snellen.reading.reports.comparison import compare_reports
from snellen.report.words.numbers import end, with_interval
from snellen.schemas import later
from snellen.stats import Estimate, RocPoint, area_under_curve, proportion, roc, threshold_at
from snellen.tools.guard.signal import ALIKE, GuardResponse, GuardStatus, compare

TASKS = ("questions", "detection", "report")
"""The phantom tasks, asked equally often: multiple choice, healthy or not, and free text."""
SHARES = {"grounded": 0.5, "blind": 0.25, "mirage": 0.25}
"""Relative frequency of each organism. Only responses of `grounded` rest on the image."""
RESTS = "grounded"
AGAIN = "the same model without the image"
PROMPT = "letter"


@dataclass(frozen=True)
class CalibrationTrial:
    """The guard's comparison for one query, with the truth: whether the response rests on the image.

    `source` names the model that answered; `status` is the verdict at the default threshold, 0.5.
    """

    source: str
    patient: str
    task: str
    rests: bool
    status: GuardStatus
    kind: str
    score: float | None

    def decide_at(self, threshold: float) -> GuardStatus:
        """Return the verdict at `threshold`: undecided if the score contradicts the comparison of the answers."""
        if self.score is None or self.status is GuardStatus.UNDECIDED:
            return GuardStatus.UNDECIDED
        reached = self.score >= threshold
        return self.status if reached == (self.status is GuardStatus.UNMOVED) else GuardStatus.UNDECIDED


class CalibrationCase(NamedTuple):
    """A question with its image, and another patient's image of the same kind as stand-in."""

    task: str
    item: Item
    request: Request
    stand_in: tuple[EncodedImage, ...]


def cases(items: int, seed: int) -> list[CalibrationCase]:
    """Make phantom items of every task with their requests; no question gives its answer away."""
    if items < len(TASKS):
        raise StudyError(f"A calibration needs {len(TASKS)} queries or more, got {items}.")
    each = -(-items // len(TASKS))
    return list(chain.from_iterable(_of_task(task, each, seed) for task in TASKS))[:items]


def _of_task(task: str, items: int, seed: int) -> Iterator[CalibrationCase]:
    prompt = prompt_named(PROMPT)
    asked = list(load(task=task, items=items, seed=seed))
    encoded = {id(image): image.encoded() for item in asked for image in item.images}
    for item in asked:
        others = [other for other in asked if other.category == item.category and _patient(other) != _patient(item)]
        shown = others[len(item.id) % len(others)].images if others else ()
        request = ask(item, prompt=prompt, settings=PROVIDER_DEFAULTS, encode=lambda image: encoded[id(image)])
        yield CalibrationCase(task, item, request, tuple(encoded[id(image)] for image in shown))


def _patient(item: Item) -> str:
    return item.cluster or item.id


async def organism_trials(
    asked: Sequence[CalibrationCase], *, shares: Mapping[str, float] = SHARES, seed: int = 0, stand_in: bool = False
) -> list[CalibrationTrial]:
    """Let one organism answer each case, drawn at random by the shares."""
    total = sum(shares.values())
    if RESTS not in shares or total <= 0 or min(shares.values()) < 0:
        raise StudyError(f"Expected shares of organisms with {RESTS!r} among them, got {dict(shares)!r}.")
    organisms = {name: open_organism(name) for name in shares}
    drawn = np.random.default_rng(seed).choice(list(shares), size=len(asked), p=[s / total for s in shares.values()])
    trials = []
    for case, name in zip(asked, drawn, strict=True):
        model = organisms[str(name)]
        reply = await _ask_model(model, case.request)
        without = await _ask_model(model, replace(case.request, images=()))
        shown = await _ask_stand_in(case, model) if stand_in else ()
        trials.append(_make_trial(case, model.name, reply, (without,), shown, rests=name == RESTS))
    return trials


class UpstreamTrials(NamedTuple):
    """An upstream's responses to the cases, with their correctness, chance level and failures.

    `failed` is the number of cases of which a call failed.
    """

    trials: tuple[CalibrationTrial, ...]
    right: tuple[bool, ...]
    chances: tuple[float, ...]
    failed: int


async def upstream_trials(
    asked: Sequence[CalibrationCase],
    model: Model,
    *,
    connections: int = 8,
    stand_in: bool = False,
    watch: Callable[[int], None] = lambda done: None,
) -> UpstreamTrials:
    """Calibrate with the user's own model, on phantoms.

    A correct answer to a question that needs the image is taken to rest on it. Some are lucky guesses, which can
    only raise the false-alarm rate. A response without the image cannot rest on one; it is compared with a
    second response without the image.
    """
    gate = asyncio.Semaphore(connections)
    done = 0

    async def one(case: CalibrationCase) -> tuple[list[CalibrationTrial], bool, float] | None:
        nonlocal done
        async with gate:
            try:
                found = await _of_upstream(case, model, stand_in=stand_in)
            except ModelError:
                found = None
            done += 1
            watch(done)
            return found

    made = [each for each in await asyncio.gather(*map(one, asked)) if each is not None]
    trials, right, chances = zip(*made, strict=True) if made else ((), (), ())
    return UpstreamTrials(tuple(chain.from_iterable(trials)), right, chances, len(asked) - len(made))


async def _of_upstream(
    case: CalibrationCase, model: Model, *, stand_in: bool
) -> tuple[list[CalibrationTrial], bool, float]:
    reply, first, second = await asyncio.gather(
        _ask_model(model, case.request),
        _ask_model(model, replace(case.request, images=())),
        _ask_model(model, replace(case.request, images=(), replicate=1)),
    )
    shown = await _ask_stand_in(case, model) if stand_in else ()
    right = _right(case.item, reply)
    trials = [_make_trial(case, AGAIN, first, (second,), shown, rests=False)]
    if right:
        trials.append(_make_trial(case, model.name, reply, (first,), shown, rests=True))
    return trials, right, case.item.chance


def _make_trial(
    case: CalibrationCase,
    source: str,
    reply: GuardResponse,
    without: Sequence[GuardResponse],
    shown: Sequence[GuardResponse],
    *,
    rests: bool,
) -> CalibrationTrial:
    found = compare(case.request.text, reply, without, shown)
    return CalibrationTrial(source, _patient(case.item), case.task, rests, found.status, found.kind.value, found.score)


async def _ask_stand_in(case: CalibrationCase, model: Model) -> tuple[GuardResponse, ...]:
    return (await _ask_model(model, replace(case.request, images=case.stand_in)),) if case.stand_in else ()


async def _ask_model(model: Model, request: Request) -> GuardResponse:
    response = await model.answer(request.address_to(model.name, model.revision, request.replicate))
    return GuardResponse(response.text, response.finish)


def _right(item: Item, reply: GuardResponse) -> bool:
    """Return whether the chosen option is correct, or whether the stated findings match the reference."""
    if item.kind == "choice":
        return grade(reply.text, reply.finish, item).outcome is Outcome.CORRECT
    found = compare_reports(reply.text, str(item.answer))
    return found.abnormal_f1 >= ALIKE  # NaN, where nothing is wrong with anything, is not


SCHEMA = 1
LEAST = 20
"""Minimum number of scored responses that rest on the image, for a calibration."""


@dataclass(frozen=True)
class Caught:
    """Detection of one source's responses that do not rest on the image.

    `auc` and `curve` use all trials. `reached` is the share with a score at or above the threshold. It and
    `verdicts` use only the patients that were not used to choose the threshold.
    """

    source: str
    n: int
    auc: Estimate
    reached: Estimate
    verdicts: Mapping[str, int]
    curve: tuple[RocPoint, ...] = field(repr=False)


@dataclass(frozen=True)
class Calibration:
    """A threshold with its measured false-alarm rate.

    `alarms` is the measured false-alarm rate, `rate` the requested one. It is measured on the half of the
    patients that was not used to choose the threshold. `of` names the calibrated model.
    """

    of: str
    rate: float
    threshold: float
    alarms: Estimate
    verdicts: Mapping[str, int]
    caught: tuple[Caught, ...]
    n: int
    unscored: Mapping[str, int]
    stand_in: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def firm(self) -> bool:
        """Whether the measured rate is compatible with the requested one: its interval starts at or below it."""
        return self.alarms.low <= self.rate

    @property
    def wide(self) -> bool:
        """Whether the interval includes more than twice the requested rate."""
        return self.alarms.high > 2 * self.rate

    def record(self) -> dict[str, Any]:
        """Return the content of the calibration file."""
        caught = [{**asdict(each), "curve": [point._asdict() for point in each.curve]} for each in self.caught]
        return {"schema": SCHEMA, "threshold": self.threshold, **asdict(self), "caught": caught}


def make_calibration(
    trials: Sequence[CalibrationTrial],
    *,
    of: str,
    rate: float,
    stand_in: bool = False,
    about: Mapping[str, Any] | None = None,
) -> Calibration:
    """Choose the lowest threshold with at most `rate` false alarms, and measure it.

    The threshold is chosen on every second patient; false alarms and detections are counted on the others.
    """
    if not 0 < rate < 1:
        raise StudyError(f"Expected a false-alarm rate between 0 and 1, such as 0.05; got {rate}.")
    scored = [each for each in trials if each.score is not None]
    resting = [each for each in scored if each.rests]
    held = _held_out(scored)
    choosing = [each for each in resting if each.patient not in held]
    measured = [each for each in resting if each.patient in held]
    if min(len(choosing), len(measured)) < LEAST / 2:
        raise StudyError(
            f"Only {len(resting)} responses that rest on the image could be scored; {LEAST} are needed, half of "
            f"them in each half of the patients. Ask more queries with --items, or use --organisms."
        )
    threshold = threshold_at(_scores(choosing), rate, _scores([each for each in scored if each.patient not in held]))
    sources = dict.fromkeys(each.source for each in scored if not each.rests)
    return Calibration(
        of=of,
        rate=rate,
        threshold=threshold,
        alarms=_estimate_share(measured, threshold),
        verdicts=_verdicts(measured, threshold),
        caught=tuple(_measure_detection(source, scored, held, threshold) for source in sources),
        n=len(trials),
        unscored=dict(Counter(f"{each.source}: {each.kind}" for each in trials if each.score is None)),
        stand_in=stand_in,
        about=dict(about or {}),
    )


def _held_out(trials: Sequence[CalibrationTrial]) -> set[str]:
    """Select every second patient, separately among those with and without image-based responses."""
    resting = dict.fromkeys(each.patient for each in trials if each.rests)
    others = dict.fromkeys(each.patient for each in trials if each.patient not in resting)
    return {*list(resting)[1::2], *list(others)[1::2]}


def _scores(trials: Sequence[CalibrationTrial]) -> list[float]:
    return [each.score for each in trials if each.score is not None]


def _measure_detection(source: str, scored: Sequence[CalibrationTrial], held: set[str], threshold: float) -> Caught:
    own = [each for each in scored if each.source == source and not each.rests]
    both = [*own, *(each for each in scored if each.rests)]
    marks = [not each.rests for each in both]
    patients = np.unique([each.patient for each in both], return_inverse=True)[1]
    judged = [each for each in own if each.patient in held] or own
    return Caught(
        source=source,
        n=len(own),
        auc=area_under_curve(_scores(both), marks, patients),
        reached=_estimate_share(judged, threshold),
        verdicts=_verdicts(judged, threshold),
        curve=roc(_scores(both), marks),
    )


def _estimate_share(trials: Sequence[CalibrationTrial], threshold: float) -> Estimate:
    patients = np.unique([each.patient for each in trials], return_inverse=True)[1]
    return proportion([float(score >= threshold) for score in _scores(trials)], patients).alone


def _verdicts(trials: Sequence[CalibrationTrial], threshold: float) -> dict[str, int]:
    counted = Counter(each.decide_at(threshold) for each in trials)
    return {status.value: counted[status] for status in GuardStatus}


class Calibrated(NamedTuple):
    """The parts of a calibration file that the guard uses."""

    threshold: float
    of: str
    stand_in: bool

    def misfits(self, upstream: str, *, stand_in: bool) -> list[str]:
        """Return sentences on why the threshold may not fit this guard; empty if it fits."""
        doubts = []
        if self.stand_in != stand_in:
            made, uses = ("with", "none") if self.stand_in else ("without", "one")
            again = "snellen guard calibrate" + (" --stand-in" if stand_in else "")
            doubts.append(
                f"The calibration was made {made} a stand-in image but this guard uses {uses}, so its threshold does "
                f"not fit. Run: {again}"
            )
        if self.of != upstream:
            doubts.append(
                f"The calibration was made on {self.of or 'an unknown model'}, not on {upstream}: false alarms may be "
                "more or fewer than stated."
            )
        return doubts


def read_calibration(path: Path) -> Calibrated:
    """Read a calibration file; raise StoreError if it contains no valid threshold."""
    try:
        content = orjson.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"The calibration {path} cannot be read: {error.strerror}.") from error
    except orjson.JSONDecodeError as error:
        raise StoreError(f"The calibration {path} is not JSON. Make it with: snellen guard calibrate") from error
    record = content if isinstance(content, dict) else {}
    if problem := later(f"The calibration {path}", record.get("schema"), SCHEMA):
        raise StoreError(problem)
    threshold, of = record.get("threshold"), record.get("of")
    if isinstance(threshold, bool) or not (isinstance(threshold, int | float) and 0 < threshold <= 1):
        raise StoreError(
            f"Expected a threshold between 0 and 1 in the calibration {path}, got {threshold!r}. "
            "Make it with: snellen guard calibrate"
        )
    return Calibrated(float(threshold), of if isinstance(of, str) else "", record.get("stand_in") is True)


def sentences(calibration: Calibration) -> list[str]:
    """Summarise a calibration in sentences, the most important first."""
    alarms, rate = calibration.alarms, f"{100 * calibration.rate:g}%"
    share = with_interval(alarms, "share").replace("(", "(95% CI ")
    summary = [f"Threshold {calibration.threshold:.2f}: {share} false alarms, n = {alarms.n:,}; {rate} was requested."]
    if not calibration.firm:
        summary.append(f"On patients not used to choose the threshold, false alarms exceed {rate}. Ask more queries.")
    elif calibration.wide:
        high = f"{end(alarms.high, 'share')}%"
        summary.append(f"These queries are too few to show {rate}: the interval reaches {high}. Ask more queries.")
    for each in calibration.caught:
        judged = ", ".join(f"{number:,} {status}" for status, number in each.verdicts.items() if number)
        summary.append(
            f"{each.source}: {with_interval(each.reached, 'share')} reach the threshold (n = {each.reached.n:,}: "
            f"{judged}); AUC {with_interval(each.auc, 'score')}, n = {each.auc.n:,}."
        )
    if calibration.unscored:
        listed = ", ".join(f"{number:,} {what}" for what, number in calibration.unscored.items())
        summary.append(f"Not scored: {listed}.")
    return summary
