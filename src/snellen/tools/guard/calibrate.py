"""Calibration: the threshold that a stated share of replies that rest on the image reaches, and how many others do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from math import isfinite
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
from snellen.reading.reports.comparison import compared
from snellen.report.words.numbers import end, with_interval
from snellen.schemas import later
from snellen.stats import Estimate, RocPoint, area_under_curve, proportion, roc, threshold_at
from snellen.tools.guard.signal import ALIKE, Answered, Status, compare

TASKS = ("questions", "detection", "report")
"""The phantoms that are asked, as many of each: options, healthy or not, and words."""
SHARES = {"grounded": 0.5, "blind": 0.25, "mirage": 0.25}
"""How often each organism answers; only replies of `grounded` rest on the image."""
RESTS = "grounded"
AGAIN = "the same model without the image"
PROMPT = "letter"


@dataclass(frozen=True)
class Trial:
    """One query: who answered, whether the reply rests on the image, and what the signal said of it.

    `status` is the verdict at even odds, `at` gives it at another threshold.
    """

    source: str
    patient: str
    task: str
    rests: bool
    status: Status
    kind: str
    score: float | None

    def at(self, threshold: float) -> Status:
        """The verdict at a threshold: undecided where the score and the answers disagree."""
        if self.score is None or self.status is Status.UNDECIDED:
            return Status.UNDECIDED
        reached = self.score >= threshold
        return self.status if reached == (self.status is Status.UNMOVED) else Status.UNDECIDED


class Case(NamedTuple):
    """A question with its image, and one with another patient's image of the same kind in its place."""

    task: str
    item: Item
    request: Request
    stand_in: tuple[EncodedImage, ...]


def cases(items: int, seed: int) -> list[Case]:
    """Phantoms of every task, with what is sent; the text of none gives its answer away."""
    if items < len(TASKS):
        raise StudyError(f"A calibration needs {len(TASKS)} queries or more, got {items}.")
    each = -(-items // len(TASKS))
    return list(chain.from_iterable(_of_task(task, each, seed) for task in TASKS))[:items]


def _of_task(task: str, items: int, seed: int) -> Iterator[Case]:
    prompt = prompt_named(PROMPT)
    asked = list(load(task=task, items=items, seed=seed))
    encoded = {id(image): image.encoded() for item in asked for image in item.images}
    for item in asked:
        others = [other for other in asked if other.category == item.category and _patient(other) != _patient(item)]
        shown = others[len(item.id) % len(others)].images if others else ()
        request = ask(item, prompt=prompt, settings=PROVIDER_DEFAULTS, encode=lambda image: encoded[id(image)])
        yield Case(task, item, request, tuple(encoded[id(image)] for image in shown))


def _patient(item: Item) -> str:
    return item.cluster or item.id


async def organism_trials(
    asked: Sequence[Case], *, shares: Mapping[str, float] = SHARES, seed: int = 0, stand_in: bool = False
) -> list[Trial]:
    """Each case answered by one organism, drawn by the shares."""
    total = sum(shares.values())
    if RESTS not in shares or total <= 0 or min(shares.values()) < 0:
        raise StudyError(f"Expected shares of organisms with {RESTS!r} among them, got {dict(shares)!r}.")
    organisms = {name: open_organism(name) for name in shares}
    drawn = np.random.default_rng(seed).choice(list(shares), size=len(asked), p=[s / total for s in shares.values()])
    return [
        await _trial(case, organisms[str(name)], rests=name == RESTS, stand_in=stand_in)
        for case, name in zip(asked, drawn, strict=True)
    ]


class UpstreamTrials(NamedTuple):
    """What an upstream made of the cases: trials, which it answered right and by what chance, and failed calls."""

    trials: tuple[Trial, ...]
    right: tuple[bool, ...]
    chances: tuple[float, ...]
    failed: int


async def upstream_trials(
    asked: Sequence[Case],
    model: Model,
    *,
    connections: int = 8,
    stand_in: bool = False,
    watch: Callable[[int], None] = lambda done: None,
) -> UpstreamTrials:
    """The user's own model on phantoms.

    A right answer to a question that only the image answers is taken to rest on it; some are lucky guesses, which can
    only raise the false-alarm rate. What the model answers without the image surely does not rest on one: it is
    compared with a second such reply.
    """
    gate = asyncio.Semaphore(connections)
    done = 0

    async def one(case: Case) -> tuple[list[Trial], bool, float] | None:
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
    return UpstreamTrials(
        tuple(trial for trials, _, _ in made for trial in trials),
        tuple(right for _, right, _ in made),
        tuple(chance for _, _, chance in made),
        len(asked) - len(made),
    )


async def _of_upstream(case: Case, model: Model, *, stand_in: bool) -> tuple[list[Trial], bool, float]:
    reply, first, second = await asyncio.gather(
        _answered(model, case.request),
        _answered(model, replace(case.request, images=())),
        _answered(model, replace(case.request, images=(), replicate=1)),
    )
    shown = await _shown(case, model) if stand_in else ()
    right = _right(case.item, reply)
    trials = [_judged(case, AGAIN, first, (second,), shown, rests=False)]
    if right:
        trials.append(_judged(case, model.name, reply, (first,), shown, rests=True))
    return trials, right, case.item.chance


async def _trial(case: Case, model: Model, *, rests: bool, stand_in: bool) -> Trial:
    reply = await _answered(model, case.request)
    without = await _answered(model, replace(case.request, images=()))
    shown = await _shown(case, model) if stand_in else ()
    return _judged(case, model.name, reply, (without,), shown, rests=rests)


def _judged(
    case: Case, source: str, reply: Answered, without: Sequence[Answered], shown: Sequence[Answered], *, rests: bool
) -> Trial:
    told = compare(case.request.text, reply, without, shown)
    return Trial(source, _patient(case.item), case.task, rests, told.status, told.kind.value, told.score)


async def _shown(case: Case, model: Model) -> tuple[Answered, ...]:
    return (await _answered(model, replace(case.request, images=case.stand_in)),) if case.stand_in else ()


async def _answered(model: Model, request: Request) -> Answered:
    response = await model.answer(request.to(model.name, model.revision, request.replicate))
    return Answered(response.text, response.finish)


def _right(item: Item, reply: Answered) -> bool:
    """Whether a reply is right: its option, or its findings where the image shows one."""
    if item.kind == "choice":
        return grade(reply.text, reply.finish, item).outcome is Outcome.CORRECT
    found = compared(reply.text, str(item.answer))
    return found.abnormal_f1 >= ALIKE  # NaN, where nothing is wrong with anything, is not


SCHEMA = 1
LEAST = 20
"""Replies that rest on the image, on which a false-alarm rate can be measured at all."""


@dataclass(frozen=True)
class Caught:
    """Replies of one source that do not rest on the image, held against those that do.

    `auc` and `curve` are of all trials. `reached`, the share at or above the threshold, and `verdicts` are of the half
    of the patients on which the threshold was not chosen.
    """

    source: str
    n: int
    auc: Estimate
    reached: Estimate
    verdicts: Mapping[str, int]
    curve: tuple[RocPoint, ...] = field(repr=False)


@dataclass(frozen=True)
class Calibration:
    """A threshold with what it is worth.

    `alarms` is the share of replies that rest on the image and reach it all the same, on the half of the patients on
    which it was not chosen.
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
        """Whether the trials bear the stated rate out: the interval of the false alarms does not lie above it."""
        return self.alarms.low <= self.rate

    @property
    def wide(self) -> bool:
        """Whether so few trials were made that twice the stated rate, or more, cannot be ruled out."""
        return self.alarms.high > 2 * self.rate

    def record(self) -> dict[str, Any]:
        """What the file holds."""
        caught = [{**asdict(each), "curve": [point._asdict() for point in each.curve]} for each in self.caught]
        return {"schema": SCHEMA, "threshold": self.threshold, **asdict(self), "caught": caught}


def calibrated(
    trials: Sequence[Trial], *, of: str, rate: float, stand_in: bool = False, about: Mapping[str, Any] | None = None
) -> Calibration:
    """The lowest threshold that at most a share `rate` of the replies reaches that rest on the image.

    It is chosen on every second patient, and false alarms and detections are counted on the others.
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
            f"Only {len(resting)} replies that rest on the image could be scored; a false-alarm rate needs {LEAST}, in "
            "two halves by patient. Ask more queries with --items, or calibrate on organisms with --organisms."
        )
    threshold = threshold_at(_scores(choosing), rate, _scores([each for each in scored if each.patient not in held]))
    sources = dict.fromkeys(each.source for each in scored if not each.rests)
    return Calibration(
        of=of,
        rate=rate,
        threshold=threshold,
        alarms=_reached(measured, threshold),
        verdicts=_verdicts(measured, threshold),
        caught=tuple(_caught(source, scored, held, threshold) for source in sources),
        n=len(trials),
        unscored=dict(Counter(f"{each.source}: {each.kind}" for each in trials if each.score is None)),
        stand_in=stand_in,
        about=dict(about or {}),
    )


def _held_out(trials: Sequence[Trial]) -> set[str]:
    """Every second patient, in the order in which they were asked, of those with and those without a grounded reply."""
    resting = list(dict.fromkeys(each.patient for each in trials if each.rests))
    others = list(dict.fromkeys(each.patient for each in trials if each.patient not in set(resting)))
    return {*resting[1::2], *others[1::2]}


def _scores(trials: Sequence[Trial]) -> list[float]:
    return [each.score for each in trials if each.score is not None]


def _caught(source: str, scored: Sequence[Trial], held: set[str], threshold: float) -> Caught:
    own = [each for each in scored if each.source == source and not each.rests]
    both = [*own, *(each for each in scored if each.rests)]
    marks = [not each.rests for each in both]
    patients = np.unique([each.patient for each in both], return_inverse=True)[1]
    judged = [each for each in own if each.patient in held] or own
    return Caught(
        source=source,
        n=len(own),
        auc=area_under_curve(_scores(both), marks, patients),
        reached=_reached(judged, threshold),
        verdicts=_verdicts(judged, threshold),
        curve=roc(_scores(both), marks),
    )


def _reached(trials: Sequence[Trial], threshold: float) -> Estimate:
    patients = np.unique([each.patient for each in trials], return_inverse=True)[1]
    return proportion([float(score >= threshold) for score in _scores(trials)], patients).alone


def _verdicts(trials: Sequence[Trial], threshold: float) -> dict[str, int]:
    counted = Counter(each.at(threshold) for each in trials)
    return {status.value: counted[status] for status in Status}


class Calibrated(NamedTuple):
    """What a guard takes from a calibration file: the threshold, and with whom and how it was found."""

    threshold: float
    of: str
    stand_in: bool

    def misfits(self, upstream: str, *, stand_in: bool) -> list[str]:
        """Why the threshold may not fit a guard, in sentences."""
        said = []
        if self.stand_in != stand_in:
            made, asks = ("with", "none") if self.stand_in else ("without", "one")
            again = "snellen guard calibrate" + (" --stand-in" if stand_in else "")
            said.append(
                f"The calibration was made {made} a stand-in image and this guard asks about {asks}: its threshold "
                f"does not fit. Run: {again}"
            )
        if self.of != upstream:
            said.append(f"The calibration was made on {self.of or 'an unknown model'}, not on {upstream}: false alarms "
                        "may be more or fewer than stated.")  # fmt: skip
        return said


def read_calibration(path: Path) -> Calibrated:
    """What a calibration file says; StoreError where it holds no threshold."""
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"The calibration {path} cannot be read: {error.strerror}.") from error
    except orjson.JSONDecodeError as error:
        raise StoreError(f"The calibration {path} is no JSON. Make it with: snellen guard calibrate") from error
    schema = record.get("schema") if isinstance(record, dict) else None
    if said := later(f"The calibration {path}", schema, SCHEMA):
        raise StoreError(said)
    found = record.get("threshold") if isinstance(record, dict) else None
    if isinstance(found, bool) or not isinstance(found, int | float) or not (isfinite(found) and 0 < found <= 1):
        raise StoreError(
            f"Expected a threshold between 0 and 1 in the calibration {path}, got {found!r}. "
            "Make it with: snellen guard calibrate"
        )
    of = record.get("of")
    return Calibrated(float(found), of if isinstance(of, str) else "", record.get("stand_in") is True)


def sentences(calibration: Calibration) -> list[str]:
    """What a calibration says, in sentences; the first is the one to remember."""
    alarms, rate = calibration.alarms, f"{100 * calibration.rate:g}%"
    share = with_interval(alarms, "share").replace("(", "(95% CI ")
    said = [f"Threshold {calibration.threshold:.2f}: {share} false alarms, n = {alarms.n:,}; {rate} was asked for."]
    if not calibration.firm:
        said.append(f"The false-alarm rate of {rate} does not hold on patients on whom it was not chosen. Ask more.")
    elif calibration.wide:
        high = f"{end(alarms.high, 'share')}%"
        said.append(f"So few trials cannot show {rate}: the interval reaches {high}. Ask more.")
    for each in calibration.caught:
        judged = ", ".join(f"{number:,} {status}" for status, number in each.verdicts.items() if number)
        said.append(
            f"{each.source}: {with_interval(each.reached, 'share')} reach the threshold (n = {each.reached.n:,}: "
            f"{judged}); AUC {with_interval(each.auc, 'score')}, n = {each.auc.n:,}."
        )
    if calibration.unscored:
        listed = ", ".join(f"{number:,} {what}" for what, number in calibration.unscored.items())
        said.append(f"Not scored: {listed}.")
    return said
