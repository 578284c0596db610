"""The exam: asks a model one chart after the other, by the adaptive rule or all of them, and keeps every reply."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from snellen.asking.run import Progress, Watch
from snellen.errors import ModelError, StudyError, UnusableModelError, raise_first
from snellen.images import Image
from snellen.images.letters import LetterChart
from snellen.models.base import CUT_OFF, FILTERED, Model, Response, check_sent
from snellen.models.client.client import open_client
from snellen.prompts import PROVIDER_DEFAULTS, Request, Settings
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import read_letters
from snellen.tools.chart.charts import (
    ACUITY,
    CORNERS,
    LARGEST_IN_A_PART,
    LETTERS,
    OTHERS,
    SMALL,
    Belief,
    at_first,
    beside,
    candidates,
    exhaustive_series,
    nine_chart,
    row_chart,
    rows_of,
    unread,
)
from snellen.tools.chart.files import ChartLog, Examined
from snellen.tools.chart.measured import measure
from snellen.tools.chart.result import ChartResult, Outcome, Series, Trial

MOST_REQUESTS = 60
FIRST_ROWS = 14
"""Requests of the first series by the adaptive rule; then come `EXTREMES`."""
EXTREMES = (1 / 1.5, 1 / 2, 1 / 2.5, 1.6)
"""Sizes over the threshold that are asked besides: what it does with letters that it cannot read, and its slips."""
ROWS = {"large": 7}
USUAL_ROWS = 6
"""Requests of each other series."""
CORNER_CHARTS = 5
CLEAR = 1.6
"""The size of the letters in the corners, over the threshold."""
ENOUGH = 6
"""Requests after which a model may be said to read no letters."""
READS_NONE = 0.02
"""The probability of reading any, below which the exam ends."""
FAILURES_IN_A_ROW = 5
"""Requests that fail one after the other, after which the exam ends."""
GIVE_UP = 3
"""Requests of a series, none of which was answered, after which no more is asked in it."""
EXHAUSTIVE_SIZES = (4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 32, 40, 50, 63, 80)
REPEATS = 3
"""Charts of each size in an exhaustive exam."""


class _GivenUp(Exception):  # noqa: N818 - the end of an exam, told in its result
    """The model answers no more; nothing else is asked."""


@dataclass(frozen=True)
class Exam:
    """What is asked of whom. `seed` None is a fresh one, or that of the exam that is in the folder already."""

    model: str | Model
    out: str | Path = "chart"
    seed: int | None = None
    exhaustive: bool = False
    settings: Settings = PROVIDER_DEFAULTS
    timeout: float | None = None
    max_connections: int = 8
    watch: Watch = field(default=lambda progress: None, repr=False, compare=False)

    def run(self) -> ChartResult:
        """Ask what is missing and measure; stopped at any moment, the next run in the same folder goes on."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._run())
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own
            return thread.submit(asyncio.run, self._run()).result()

    async def _run(self) -> ChartResult:
        model = open_client(self.model, timeout=self.timeout)
        log = ChartLog(self.out)
        try:
            examined, trials = self._begun(model, log)
            why = unexaminable(model)
            if not why:
                sitting = Sitting(model, examined, self.settings, log, trials, self.max_connections)
                why = await self._sat(sitting)
                trials = tuple(sitting.trials)
        finally:
            await model.close()
        return measure(examined, trials, why)

    async def _sat(self, sitting: Sitting) -> str:
        """Ask everything; returns why the exam ended early, or nothing."""
        ticker = asyncio.create_task(sitting.tell(self.watch))
        try:
            await (all_charts(sitting) if self.exhaustive else adaptively(sitting))
        except _GivenUp as end:
            return str(end)
        finally:
            ticker.cancel()
            sitting.progress.awaited, sitting.progress.troubles = {}, {}
            self.watch(sitting.progress)
        return ""

    def _begun(self, model: Model, log: ChartLog) -> tuple[Examined, tuple[Trial, ...]]:
        log.mend()
        before, trials = log.read()
        wanted = Examined(
            model.name,
            model.revision,
            secrets.randbits(48) if self.seed is None else self.seed % 2**64,
            self.exhaustive,
            dict(self.settings.chosen),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        if before is None:
            log.begin(wanted)
            return wanted, ()
        same = replace(before, created=wanted.created, seed=wanted.seed if self.seed is None else before.seed)
        if same != wanted:
            raise StudyError(
                f"{self.out} holds the eye chart of {before.model} with seed {before.seed}, asked in another way. Name "
                "another folder with --out."
            )
        return before, trials


def unexaminable(model: Model) -> str:
    """Why a model is not asked; empty where it can be."""
    if model.text_only:
        return f"{model.name} takes no images, so that no chart was sent to it."
    if not model.reads_letters:
        return f"{model.name} declares that it reads no letters, so that no chart was sent to it."
    return ""


class Sitting:
    """An exam under way: the trials so far, and how the next chart is asked."""

    def __init__(
        self,
        model: Model,
        examined: Examined,
        settings: Settings,
        log: ChartLog,
        trials: Sequence[Trial],
        connections: int,
    ) -> None:
        self.trials = list(trials)
        self.progress = Progress(addresses={model.name: model.address} if model.address else {})
        self._model, self._examined, self._settings, self._log = model, examined, settings, log
        self._places = asyncio.Semaphore(connections)
        self._failures = 0
        self._own = Counter(trial.series.name for trial in trials)
        self._number = max((trial.number for trial in trials), default=0)
        self.expect(MOST_REQUESTS)

    def expect(self, most: int) -> None:
        """How many trials there will be in all, at most."""
        self.progress.awaited[self._model.name] = max(0, most - len(self.trials))

    def kept(self, series: Series) -> list[Trial]:
        """What was replied in a series so far; failed requests are asked anew."""
        return [trial for trial in self.trials if trial.series == series and trial.outcome != "failed"]

    async def ask(self, series: Series, size: int, draw: Callable[[Series, int, int, int], LetterChart]) -> Trial:
        """Ask a fresh chart, and keep what came of it."""
        async with self._places:
            self._number += 1
            number, own = self._number, self._own[series.name]
            self._own[series.name] += 1
            trial = await self._asked(series, draw(series, size, self._examined.seed, own), number)
        self.trials.append(trial)
        self._log.add(trial)
        self.progress.settle(self._model.name)
        failed = trial.outcome == "failed"
        self.progress.failed += failed
        self.progress.done += not failed
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= FAILURES_IN_A_ROW:
            raise _GivenUp(trial.reply)
        return trial

    async def tell(self, watch: Watch) -> None:
        """Say how far it is, again and again."""
        while True:
            self.progress.troubles = {self._model.name: self._model.trouble} if self._model.trouble else {}
            watch(self.progress)
            await asyncio.sleep(0.1)

    async def _asked(self, series: Series, chart: LetterChart, number: int) -> Trial:
        trial = Trial(number, series, unread(chart), rows_of(chart), chart.seed, "failed", "")
        request = Request(
            self._model.name,
            LETTERS_QUESTION,
            images=(await asyncio.to_thread(Image(chart).encoded),),
            settings=self._settings,
            revision=self._model.revision,
            sample=f"chart-{number}" if self._settings.samples else "",
        )
        try:
            response = await self._model.answer(request)
            check_sent(request, response)
            if response.is_empty:
                raise ModelError("The response is empty.")
        except UnusableModelError as error:
            self._failures = FAILURES_IN_A_ROW  # it will not answer the next one either
            return replace(trial, reply=str(error))
        except ModelError as error:
            return replace(trial, reply=str(error))
        except Exception as error:
            return replace(trial, reply=f"The model {self._model.name} has a bug: {error!r}")
        return marked(trial, response)


def marked(trial: Trial, response: Response) -> Trial:
    """The trial with the reply and what became of each letter."""
    read = read_letters(response.text, trial.rows)
    if len(read.named) > read.n + (read.n >= LETTERS):
        # Of many letters some fit the few that are shown, wherever one looks: each must stand in its place.
        read = read_letters(read.named[: read.n], trial.rows)
    outcome: Outcome = "answered"
    if read.said_no_image:
        outcome = "no image"
    elif read.refused or response.finish in FILTERED:
        outcome = "refused"
    elif response.finish in CUT_OFF and len(read.named) != read.n:
        outcome = "cut off"
    said = read.said or ("",) * read.n
    letters = tuple(
        letter._replace(mark=mark.value, said="" if name == "?" else name)
        for letter, mark, name in zip(trial.letters, read.outcomes, said, strict=True)
    )
    return replace(
        trial,
        letters=letters,
        outcome=outcome,
        reply=response.text,
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
    )


async def adaptively(sitting: Sitting) -> None:
    """The first series alone, then all others side by side, each by its own replies."""
    belief = await chain(sitting, ACUITY, at_first(SMALL), FIRST_ROWS)
    if belief is None or belief.reads < READS_NONE:
        sitting.expect(0)
        return
    others: list[Coroutine[Any, Any, object]] = [
        chain(sitting, series, beside(belief, series.side), ROWS.get(series.name, USUAL_ROWS)) for series in OTHERS
    ]
    await _together([*others, extremes(sitting, belief.threshold), corners(sitting, belief.threshold)])


async def chain(sitting: Sitting, series: Series, belief: Belief, rows: int) -> Belief | None:
    """Ask rows of the size that tells most, one after the other; None where nothing comes of it."""
    done, answered = 0, 0
    for trial in sitting.kept(series)[:rows]:
        done += 1
        if trial.outcome == "answered":
            answered += 1
            belief = belief.after(trial.size, trial.count("right"), len(trial.letters))
    while done < rows and (answered or done < GIVE_UP):
        trial = await sitting.ask(series, await asyncio.to_thread(belief.next_size), row_chart)
        done += 1
        if trial.outcome == "answered":
            answered += 1
            belief = belief.after(trial.size, trial.count("right"), len(trial.letters))
        if done >= ENOUGH and belief.reads < READS_NONE:
            break
    return belief if answered else None


async def extremes(sitting: Sitting, threshold: float) -> None:
    """Rows far below the threshold and one above it, of the first series."""
    sizes = [min(candidates(SMALL), key=lambda size: abs(size - threshold * over)) for over in EXTREMES]
    missing = sizes[max(0, len(sitting.kept(ACUITY)) - FIRST_ROWS) :]
    await _together([sitting.ask(ACUITY, size, row_chart) for size in missing])


async def corners(sitting: Sitting, threshold: float) -> None:
    """Charts of nine letters that are large enough to be read in the middle, where they fit."""
    size = round(CLEAR * threshold)
    if size <= LARGEST_IN_A_PART:
        missing = range(len(sitting.kept(CORNERS)), CORNER_CHARTS)
        await _together([sitting.ask(CORNERS, size, nine_chart) for _ in missing])


async def all_charts(sitting: Sitting) -> None:
    """Every size, contrast, polarity and ground, a letter in each part of the image; then the large image."""
    wanted = [(series, size) for series in exhaustive_series() for size in EXHAUSTIVE_SIZES for _ in range(REPEATS)]
    for trial in sitting.trials:
        if trial.outcome != "failed" and (trial.series, trial.size) in wanted:
            wanted.remove((trial.series, trial.size))
    sitting.expect(len(sitting.trials) + len(wanted))
    first, rest = wanted[:GIVE_UP], wanted[GIVE_UP:]
    tried = [await sitting.ask(series, size, nine_chart) for series, size in first[::-1]]
    if tried and all(trial.outcome != "answered" for trial in tried):
        return
    await _together([sitting.ask(series, size, nine_chart) for series, size in rest])


async def _together(some: Iterable[Coroutine[Any, Any, object]]) -> None:
    """All of them at once; the first that raises stops the others."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for each in some:
                tasks.create_task(each)
    except ExceptionGroup as group:
        raise_first(group)
