"""Trials: queries of which it is known whether the reply rests on the image, asked as the guard asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from snellen.benchmarks.phantoms import load
from snellen.errors import ModelError, StudyError
from snellen.images import EncodedImage
from snellen.items import Item
from snellen.models.base import Model
from snellen.models.organisms import open_organism
from snellen.prompts import PROVIDER_DEFAULTS, Request, ask, prompt_named
from snellen.reading import Outcome, grade
from snellen.reading.reports.comparison import compared
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
