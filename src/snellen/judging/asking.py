"""Asking judges: what they say of the stored responses of a study, stored beside them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from snellen.asking.consent import PART, Question, Shown, ask_in_terminal, departures, obtain, remembered
from snellen.asking.progress import Bar
from snellen.asking.run import Progress, Watch, ask_all
from snellen.judging import OPINIONS
from snellen.judging.single import JudgeQuestion
from snellen.judging.source import JudgeSource
from snellen.models.base import Model
from snellen.models.client.client import open_client
from snellen.store import Store


def judge(
    out: str | Path,
    model: str | Model | Sequence[str | Model],
    *,
    study: str | None = None,
    limit: int | None = None,
    epochs: int | None = None,
    unsure: bool = False,
    opinions: int = OPINIONS,
    question: JudgeQuestion | None = None,
    max_connections: int = 64,
    timeout: float | None = None,
    yes: bool = False,
    watch: Watch | None = None,
    consent: Question = ask_in_terminal,
) -> Progress:
    """Ask a judge, or several, about the stored responses; then `publish` shows what they say.

    There is one request for each run of each item with options, and `opinions` requests for each open answer. `epochs`
    is how many runs of each item are judged, by default one, of open questions all. With `unsure`, the judge is asked
    instead which option each response states whose reading is unsure, by default in all runs; that then counts. A
    `question` is asked instead about each response, `opinions` times; `snellen.judging.qualify.judge_responses` reads
    it.
    Before images go to a judge on another machine, `consent` is asked for, unless `yes`.
    """
    named = [model] if isinstance(model, str | Model) else list(model)
    judges = [open_client(each, timeout=timeout) for each in named]
    Store.open(out).close()  # a folder without a study is not made into one
    with Store.open(out, write=True) as store, Bar() if watch is None else nullcontext(watch) as seen:
        record = store.studies.record(study)
        source = JudgeSource(
            store, record, limit=limit, epochs=epochs, unsure=unsure, opinions=opinions, question=question
        )
        part = "" if limit is None else f"{PART}{limit}"
        shown = (Shown(name, record["benchmarks"][name] + part, count) for name, count in source.images())
        for departure in obtain(departures(judges, shown, remembered()), yes=yes, ask=consent):
            store.studies.add_consent(departure.record)
        return ask_all(judges, source, store, connections=max_connections, watch=seen)
