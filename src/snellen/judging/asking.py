"""Ask judges about the stored responses of a study, and store what they say."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from snellen.asking.consent import PART, ImagesToSend, Question, ask_in_terminal, departures, obtain, read_consents
from snellen.asking.progress import ProgressBar
from snellen.asking.run import RunProgress, Watch, ask_all
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
) -> RunProgress:
    """Ask one or several judges about the stored responses of a study. The report then shows their opinions.

    Each item with options gets one request per repeat, and each open answer gets `opinions` requests. `epochs` is the
    number of repeats to judge: by default one, but all for open questions. With `unsure`, the judge is asked instead
    which option a response states, for responses that the parser is unsure about; its reading then counts. If a
    `question` is given, it is asked about each response, `opinions` times; `snellen.judging.qualify.judge_responses`
    reads the result.

    Before images are sent to a judge on another machine, `consent` is asked for, unless `yes`.
    """
    named = [model] if isinstance(model, str | Model) else list(model)
    judges = [open_client(each, timeout=timeout) for each in named]
    Store.open(out).close()  # do not create a study in a folder without one
    with Store.open(out, write=True) as store, ProgressBar() if watch is None else nullcontext(watch) as seen:
        record = store.studies.record(study)
        source = JudgeSource(
            store, record, limit=limit, epochs=epochs, unsure=unsure, opinions=opinions, question=question
        )
        part = "" if limit is None else f"{PART}{limit}"
        shown = (ImagesToSend(name, record["benchmarks"][name] + part, count) for name, count in source.images())
        for departure in obtain(departures(judges, shown, read_consents()), yes=yes, ask=consent):
            store.studies.add_consent(departure.record)
        return ask_all(judges, source, store, connections=max_connections, watch=seen)
