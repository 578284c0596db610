"""The eye exam: sends charts to a model, adaptively or all of them, and logs every response."""

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

from snellen.asking.run import RunProgress, Watch
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
    candidates,
    exhaustive_series,
    list_unread,
    make_prior,
    nine_chart,
    row_chart,
    rows_of,
    transfer_belief,
)
from snellen.tools.chart.files import ChartLog, Examined
from snellen.tools.chart.measured import measure
from snellen.tools.chart.result import ChartResult, ChartSeries, Outcome, Trial

MOST_REQUESTS = 60
FIRST_ROWS = 14
"""Number of requests of the first series chosen adaptively, before those of `EXTREMES`."""
EXTREMES = (1 / 1.5, 1 / 2, 1 / 2.5, 1.6)
"""Further letter sizes, as multiples of the threshold.

The small ones show what the model does with unreadable letters, the large one shows its slips.
"""
ROWS = {"large": 7}
USUAL_ROWS = 6
"""Number of requests of each other series."""
CORNER_CHARTS = 5
CLEAR = 1.6
"""Letter size in the nine parts of the image, as a multiple of the threshold."""
ENOUGH = 6
"""Minimum number of requests before the exam may conclude that a model reads no letters."""
READS_NONE = 0.02
"""Probability of reading any letters below which the exam ends."""
FAILURES_IN_A_ROW = 5
"""Number of consecutive failed requests after which the exam ends."""
GIVE_UP = 3
"""Number of unanswered requests after which a series without any answer ends."""
EXHAUSTIVE_SIZES = (4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 32, 40, 50, 63, 80)
REPEATS = 3
"""Number of charts of each size in an exhaustive exam."""


class _GivenUp(Exception):  # noqa: N818 - the end of an exam, told in its result
    """The exam ends because the model no longer answers; the message is the reason."""


@dataclass(frozen=True)
class Exam:
    """The settings of an exam.

    If `seed` is None, it is that of an unfinished exam in the folder, or else random.
    """

    model: str | Model
    out: str | Path = "chart"
    seed: int | None = None
    exhaustive: bool = False
    settings: Settings = PROVIDER_DEFAULTS
    timeout: float | None = None
    max_connections: int = 8
    watch: Watch = field(default=lambda progress: None, repr=False, compare=False)

    def run(self) -> ChartResult:
        """Ask the missing charts and measure; a stopped exam continues in the same folder."""
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
            examined, trials = self._begin(model, log)
            why = unexaminable(model)
            if not why:
                sitting = Sitting(model, examined, self.settings, log, trials, self.max_connections)
                why = await self._sat(sitting)
                trials = tuple(sitting.trials)
        finally:
            await model.close()
        return measure(examined, trials, why)

    async def _sat(self, sitting: Sitting) -> str:
        """Ask all charts; return why the exam ended early, or an empty string."""
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

    def _begin(self, model: Model, log: ChartLog) -> tuple[Examined, tuple[Trial, ...]]:
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
                f"{self.out} contains an eye chart of {before.model} (seed {before.seed}) with another revision, seed "
                "or settings. Choose another folder with --out."
            )
        return before, trials


def unexaminable(model: Model) -> str:
    """Return why a model cannot be examined; empty if it can."""
    if model.text_only:
        return f"{model.name} takes no images, so no chart was sent to it."
    if not model.reads_letters:
        return f"{model.name} is marked as unable to read letters, so no chart was sent to it."
    return ""


class Sitting:
    """A running exam: its trials so far, and the requests for new charts."""

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
        self.progress = RunProgress(addresses={model.name: model.address} if model.address else {})
        self._model, self._examined, self._settings, self._log = model, examined, settings, log
        self._places = asyncio.Semaphore(connections)
        self._failures = 0
        self._own = Counter(trial.series.name for trial in trials)
        self._number = max((trial.number for trial in trials), default=0)
        self.expect(MOST_REQUESTS)

    def expect(self, most: int) -> None:
        """Set the maximum number of all trials, for the progress display."""
        self.progress.awaited[self._model.name] = max(0, most - len(self.trials))

    def list_trials(self, series: ChartSeries) -> list[Trial]:
        """List a series' trials so far, without failed ones, which are asked again."""
        return [trial for trial in self.trials if trial.series == series and trial.outcome != "failed"]

    async def ask(
        self, series: ChartSeries, size: int, draw: Callable[[ChartSeries, int, int, int], LetterChart]
    ) -> Trial:
        """Send a newly drawn chart to the model; store and return the trial."""
        async with self._places:
            self._number += 1
            number, own = self._number, self._own[series.name]
            self._own[series.name] += 1
            trial = await self._ask_chart(series, draw(series, size, self._examined.seed, own), number)
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
        """Report the progress ten times per second."""
        while True:
            self.progress.troubles = {self._model.name: self._model.trouble} if self._model.trouble else {}
            watch(self.progress)
            await asyncio.sleep(0.1)

    async def _ask_chart(self, series: ChartSeries, chart: LetterChart, number: int) -> Trial:
        trial = Trial(number, series, list_unread(chart), rows_of(chart), chart.seed, "failed", "")
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
        return mark_letters(trial, response)


def mark_letters(trial: Trial, response: Response) -> Trial:
    """Mark each letter of a trial by the response."""
    read = read_letters(response.text, trial.rows)
    if len(read.named) > read.n + (read.n >= LETTERS):
        # A long list of letters contains the shown ones by chance somewhere: compare only its start, letter by letter.
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
    """Run the first series alone, then all others in parallel, each adaptive."""
    belief = await chain(sitting, ACUITY, make_prior(SMALL), FIRST_ROWS)
    if belief is None or belief.reads < READS_NONE:
        sitting.expect(0)
        return
    others = (
        chain(sitting, series, transfer_belief(belief, series.side), ROWS.get(series.name, USUAL_ROWS))
        for series in OTHERS
    )
    await _gather_or_cancel([*others, extremes(sitting, belief.threshold), corners(sitting, belief.threshold)])


async def chain(sitting: Sitting, series: ChartSeries, belief: Belief, rows: int) -> Belief | None:
    """Ask a series' charts one by one, each of the most informative size.

    Return the final belief; None if no chart was answered.
    """
    earlier = iter(sitting.list_trials(series)[:rows])
    done, answered = 0, 0
    while done < rows and (answered or done < GIVE_UP):
        trial = next(earlier, None)
        if trial is None:
            trial = await sitting.ask(series, await asyncio.to_thread(belief.next_size), row_chart)
        done += 1
        if trial.outcome == "answered":
            answered += 1
            belief = belief.update_belief(trial.size, trial.count("right"), len(trial.letters))
        if done >= ENOUGH and belief.reads < READS_NONE:
            break
    return belief if answered else None


async def extremes(sitting: Sitting, threshold: float) -> None:
    """Ask rows of the first series much smaller than the threshold, and one larger."""
    sizes = [min(candidates(SMALL), key=lambda size: abs(size - threshold * over)) for over in EXTREMES]
    missing = sizes[max(0, len(sitting.list_trials(ACUITY)) - FIRST_ROWS) :]
    await _gather_or_cancel([sitting.ask(ACUITY, size, row_chart) for size in missing])


async def corners(sitting: Sitting, threshold: float) -> None:
    """Ask charts of nine letters that are large enough to be read in the middle."""
    size = round(CLEAR * threshold)
    if size <= LARGEST_IN_A_PART:
        missing = range(len(sitting.list_trials(CORNERS)), CORNER_CHARTS)
        await _gather_or_cancel([sitting.ask(CORNERS, size, nine_chart) for _ in missing])


async def all_charts(sitting: Sitting) -> None:
    """Ask every size of every series of an exhaustive exam."""
    wanted = [(series, size) for series in exhaustive_series() for size in EXHAUSTIVE_SIZES for _ in range(REPEATS)]
    for trial in sitting.trials:
        if trial.outcome != "failed" and (trial.series, trial.size) in wanted:
            wanted.remove((trial.series, trial.size))
    sitting.expect(len(sitting.trials) + len(wanted))
    first, rest = wanted[:GIVE_UP], wanted[GIVE_UP:]
    tried = [await sitting.ask(series, size, nine_chart) for series, size in first[::-1]]
    if tried and all(trial.outcome != "answered" for trial in tried):
        return
    await _gather_or_cancel([sitting.ask(series, size, nine_chart) for series, size in rest])


async def _gather_or_cancel(some: Iterable[Coroutine[Any, Any, object]]) -> None:
    """Run all coroutines at once; the first error cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as tasks:
            for each in some:
                tasks.create_task(each)
    except ExceptionGroup as group:
        raise_first(group)
