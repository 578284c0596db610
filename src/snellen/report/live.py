"""Live page of a running study: progress, first table, latest responses and failures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from markupsafe import Markup

from snellen.asking.progress import duration
from snellen.asking.stored import StoredShare, shares
from snellen.errors import SnellenError
from snellen.models.secrets import HIDDEN, environment_secrets, masking
from snellen.reading.grades import grade_reply
from snellen.reading.parsers import WITHOUT_IMAGE, Parser, parser_named
from snellen.report import drawing
from snellen.report.components import Cell, Column, Facts, Fold, Listing, Note, Part, Quote, Quotes, Row, Section, Table
from snellen.report.drawing import draw, draw_page
from snellen.report.evidence.reply_kinds import LABEL_WORDS
from snellen.report.figures.forests import number
from snellen.report.page import render
from snellen.report.result_lines import measure_accuracy
from snellen.report.sheet import policy, scripts, styles
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import OUTCOME_WORDS, count
from snellen.runtime import counted, time_left, visible
from snellen.scoring.findings import MARKS, MISSING_ALLOWED, Finding, mark_model
from snellen.scoring.reading_plan import plan_reading
from snellen.scoring.results import Results, score
from snellen.scoring.tables import grade_study
from snellen.store import Store
from snellen.store.viewing import RECENT, Failed, Latest, Tokens, failures, item_under, last_begun, newest, pace, tokens
from snellen.stress.table import Table as Graded
from snellen.stress.verdicts.marks import is_judged
from snellen.stress.verdicts.sentences import QUESTIONS, share_with_interval

STYLES = ("tokens", "page", "parts", "marks", "live")
NEWEST = 20
"""Number of latest responses shown."""
LONGEST_TEXT = 400
"""Largest number of characters shown of a response or an error message."""
FIRST_ITEMS = (
    "Items are asked in the order of the benchmark, so those asked so far are its first items. They are not a random "
    "sample of the benchmark unless that order is random, and responses that take long or fail are missing."
)
NOT_FINAL = f"Running estimates: not final. {FIRST_ITEMS} No verdict is drawn here before all responses are there."
FAILURE_WORDS = {
    "TransientError": "timeout, overload or a response that cannot be read",
    "OutageError": "server down",
    "RejectedError": "request not accepted",
    "UnusableModelError": "model cannot be used",
    "ModelError": "model failed",
}


class StudyProgress(StrEnum):
    """State of a study: running, stopped or finished."""

    RUNNING = "running"
    STOPPED = "stopped"
    """No requests are being sent, and responses are missing."""
    FINISHED = "finished"


class Situation(NamedTuple):
    """A study at one moment: its record, its state and the responses stored."""

    study: Mapping[str, Any]
    state: StudyProgress
    shares: Sequence[StoredShare]

    @property
    def stored(self) -> int:
        """Number of stored responses."""
        return sum(each.stored for each in self.shares)

    @property
    def wanted(self) -> int:
        """Number of expected responses, as far as known."""
        return sum(each.wanted for each in self.shares)

    @property
    def title(self) -> str:
        """Models and benchmarks in a few words."""
        models = [name for name, _ in self.study["models"]]
        return f"{_format_names(models, 'model')} on {_format_names(list(self.study['benchmarks']), 'benchmark')}"


def _format_names(names: Sequence[str], noun: str) -> str:
    return visible(", ".join(names)) if len(names) <= 3 else counted(len(names), noun)


def situation(store: Store, name: str | None, *, writing: bool) -> Situation:
    """Load the progress of a study (default: the latest).

    `writing` is True if another process is writing to the store; such a process runs the latest study.
    """
    study = store.studies.record(name)
    asked_now = writing and study["name"] == store.studies.record()["name"]
    found = shares(store, study)
    missing = any(each.stored < each.wanted for each in found)
    at_rest = StudyProgress.STOPPED if missing and "imported" not in study else StudyProgress.FINISHED
    return Situation(study, StudyProgress.RUNNING if asked_now else at_rest, found)


# Parts that are quick to compute -----------------------------------------------------------------------------------


def status(store: Store, now: Situation) -> dict[str, Any]:
    """Return the study's progress and the parts of the page, with recent responses graded."""
    failed = failures(store, [each.cells for each in now.shares])
    responses = newest(store, [each.cells for each in now.shares], NEWEST)
    lost = sum(each.responses for each in failed)
    told = {
        "title": now.title,
        "study": now.study["name"],
        "state": now.state,
        "sentence": _describe_state(now, lost),
        "stored": now.stored,
        "wanted": now.wanted,
    }
    if now.state is StudyProgress.FINISHED:  # the page shows only the report
        return {**told, "shown": {}}
    facts = dict(_list_facts(store, now, lost, responses))
    quotes = tuple(_quote_newest(store, now, responses))
    parts: dict[str, list[Part]] = {
        "facts": [Facts(tuple(facts.items()))],
        "progress": [_draw_progress(now.shares, failed)],
        "failures": [Section("Failures", (Quotes(tuple(_quote_failures(now.shares, failed))),))] if failed else [],
        "newest": [Section("Newest responses", (Quotes(quotes),))] if quotes else [],
    }
    return {**told, "shown": {name: draw(those) for name, those in parts.items()}}


def _describe_state(now: Situation, lost: int) -> str:
    """Describe the progress in a sentence that rarely changes."""
    if now.state is StudyProgress.FINISHED:
        return f"Finished: all {count(now.stored)} responses are there. The report is being drawn."
    missing = now.wanted - now.stored
    if now.state is StudyProgress.STOPPED:
        failed = f", {count(lost)} of them after failed requests" if lost else ""
        are_missing = f"{count(missing)} of {counted(now.wanted, 'response')} are missing{failed}"
        return f"Stopped: {are_missing}. Run the same command again to ask for them."
    return f"Running: {100 * now.stored // max(1, now.wanted)}% of the responses are there."


def _list_facts(store: Store, now: Situation, lost: int, responses: Sequence[Latest]) -> Iterator[tuple[str, str]]:
    yield "responses", f"{count(now.stored)} of {count(now.wanted)}"
    if lost:
        yield "failed", count(lost)
    if without := sum(each.inapplicable for each in now.shares):
        yield "not applicable", count(without)
    if responses:
        yield "last response", _format_clock(responses[0].created)
    if now.state is not StudyProgress.RUNNING:
        return
    begun = last_begun(store)
    came = pace(store, begun)
    if came.responses:
        since = came.first if came.responses == RECENT else begun
        rate = came.responses / max(1.0, came.last - since)
        yield "rate", f"{rate:,.0f} a second" if rate >= 2 else f"{60 * rate:,.0f} a minute"
        left = time_left(came.responses, came.responses + now.wanted - now.stored, came.responses / rate)
        if left is not None:
            yield "time left", f"about {duration(left)}"


def _format_clock(created: float) -> str:
    when = datetime.fromtimestamp(created).astimezone()
    return when.strftime("%H:%M:%S") if time.time() - created < 43_200 else when.strftime("%Y-%m-%d %H:%M")


def _draw_progress(found: Sequence[StoredShare], failed: Sequence[Failed]) -> Table | Fold:
    """Table of the responses of each model, with a folded table by condition."""
    lost: dict[tuple[int, int], int] = {}
    for one in failed:
        lost[one.model, one.arm] = lost.get((one.model, one.arm), 0) + one.responses
    several = len({each.benchmark for each in found}) > 1
    groups: dict[tuple[str, str], list[StoredShare]] = {}
    for each in found:
        groups.setdefault((each.model, each.benchmark), []).append(each)
    rows, detailed = [], []
    for (model, benchmark), group in groups.items():
        heading = f"{model} on {benchmark}" if several else model
        rows.append(_progress_row(heading, group, lost))
        detailed += [_progress_row(f"{heading}, {arm_label(each.arm)}", [each], lost) for each in group]
    columns = (Column("model"), *(Column(each, look="figure") for each in ("responses", "failed", "not applicable")))
    by_condition = Fold("Under each condition", (Table(columns, tuple(detailed)),))
    return Fold("Responses of each model", (Table(columns, tuple(rows)), by_condition), open=True)


def _progress_row(words: str, group: Sequence[StoredShare], lost: Mapping[tuple[int, int], int]) -> Row:
    stored, wanted = sum(each.stored for each in group), sum(each.wanted for each in group)
    failed = sum(lost.get((each.cells.model, each.cells.arm), 0) for each in group)
    without = sum(each.inapplicable for each in group)
    said = (f"{count(stored)} of {count(wanted)}", *(count(each) if each else "" for each in (failed, without)))
    return Row(Cell(words), tuple(map(Cell, said)))


def _quote_newest(store: Store, now: Situation, responses: Sequence[Latest]) -> Iterator[Quote]:
    benchmarks = {name: store.studies.benchmark(digest) for name, digest in now.study["benchmarks"].items()}
    plan = plan_reading(store, now.study, benchmarks)
    cells = {(each.cells.model, each.cells.arm): each for each in now.shares}
    for each in responses:
        of = cells[each.model, each.arm]
        item = item_under(store, each.arm, each.ordinal)
        look, outcome = _grade(each, item, parser_named(plan.graders[of.benchmark][0]))
        about = f"{of.benchmark} · {item.id}, {arm_label(of.arm)}, {_format_clock(each.created)}"
        yield Quote(of.model, look, outcome, shorten(each.text), note=about)


def _grade(response: Latest, item: Any, parser: Parser) -> tuple[str, str]:
    try:
        grade, said = grade_reply(response, item, parser)
    except SnellenError:  # the report explains the parser's error
        return "", "not read"
    if parser.kind == WITHOUT_IMAGE:
        return said.label.value, LABEL_WORDS[said.label]
    return grade.outcome.value, OUTCOME_WORDS[grade.outcome]


def shorten(text: str) -> str:
    """Shorten a response or an error message to LONGEST_TEXT characters."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT].rstrip()} …"


def _quote_failures(found: Sequence[StoredShare], failed: Sequence[Failed]) -> Iterator[Quote]:
    """Quote failed requests by model and error, latest first."""
    models = {each.cells.model: each.model for each in found}
    kinds: dict[tuple[int, str], tuple[int, str]] = {}
    for each in failed:  # moved to the end, so that the latest is last
        responses, _ = kinds.pop((each.model, each.error), (0, ""))
        kinds[each.model, each.error] = (responses + each.responses, each.message)
    # A run hides known secrets, but a plug-in's model may not.
    hidden = masking(environment_secrets())
    for (model, error), (responses, message) in reversed(kinds.items()):
        kind = f"{FAILURE_WORDS.get(error, error)}, {count(responses)} ×"
        yield Quote(models[model], "", kind, shorten(hidden.sub(HIDDEN, message)))


# The first table so far -------------------------------------------------------------------------------------------


def estimates(store: Store, now: Situation) -> dict[str, Any]:
    """Return the first table so far, without verdicts, and the tokens used."""
    benchmarks = {name: store.studies.benchmark(digest) for name, digest in now.study["benchmarks"].items()}
    plan = plan_reading(store, now.study, benchmarks, tests=MARKS)
    name = plan.choice[0]  # the page shows the parser that counts
    tables = grade_study(store, now.study, benchmarks, plan)[name]
    results = Results(store.folder, {**now.study, "parser": name}, benchmarks, {name: tables}, ())
    judged = [table for table in tables.values() if table.kind != "report" and is_judged(table)]
    drawn = [_draw_so_far(results, [each for each in judged if each.benchmark == of]) for of in benchmarks]
    spent = tokens(store, [each.cells for each in now.shares])
    said = f"From {counted(now.stored, 'response')}, at {_format_clock(time.time())}."
    told = []
    for at, model in {each.cells.model: each.model for each in now.shares}.items():
        read, written = spent.get(at, Tokens(None, None))
        if read or written:
            told.append(Cell(f"{model}: {count(read or 0)} tokens read, {count(written or 0)} written"))
    parts: tuple[Part, ...] = (
        Note(NOT_FINAL, look="warning"),
        *(each for each in drawn if each.rows),
        Note(said, look="quiet"),
        *([Fold("Tokens, as servers counted them", (Listing(tuple(told)),))] if told else []),
    )
    return {"stored": now.stored, "shown": draw([Section("So far", parts)])}


def _cell_so_far(mark: Finding | None) -> Cell:
    measures = mark.measures if mark else ()
    there = (
        each for each in measures if mark and each.name == mark.test.headline and each.arm != mark.test.baseline.name
    )
    if (measure := next(there, None)) is None:
        return Cell("–")
    said = number(measure, "")
    return Cell(said.said, note=f"{measure.kind.words}, {arm_label(measure.arm)}", n=f"n {said.n}")


def _draw_so_far(results: Results, tables: Sequence[Graded]) -> Table:
    """Accuracy and the headline measures of the three verdicts so far, one row per model.

    No verdict is shown.
    """
    columns = [Column("Model"), Column("Accuracy so far"), *(Column(each) for each in QUESTIONS.values())]
    rows = []
    for table in tables:
        found = measure_accuracy(results, table.model, table.benchmark)
        accuracy = Cell(share_with_interval(found), n=f"n {count(found.n)}") if found else Cell("–")
        marks = {each.test.name: each for each in mark_model(table)}
        cells = (accuracy, *(_cell_so_far(marks.get(name)) for name in QUESTIONS))
        rows.append(Row(Cell(table.model.rpartition("/")[2]), cells, table.model, table.benchmark))
    return Table(tuple(columns), tuple(rows), tables[0].benchmark if tables else "", "first")


# Pages ------------------------------------------------------------------------------------------------------------


def report(store: Store, now: Situation) -> str:
    """Draw the report so far, with a note unless it is final."""
    results = score(store, study=now.study["name"])
    if now.state is StudyProgress.FINISHED:
        return render(results, store)
    missing = f"{count(now.wanted - now.stored)} of {counted(now.wanted, 'response')} are missing"
    withheld = f"A test that lacks more than {100 * MISSING_ALLOWED:g}% of a condition's responses is not decided."
    note = Markup('<b>Not final: {} (drawn at {}).</b> {} {} <a href="/">Progress of the study</a>')
    return render(results, store, note=note.format(missing, _format_clock(time.time()), FIRST_ITEMS, withheld))


class ServedPage(NamedTuple):
    """A page and its content security policy."""

    html: str
    policy: str


def live_page(title: str) -> ServedPage:
    """Return the page that requests the status repeatedly."""
    style, script = styles(STYLES), scripts(("live",))
    page = drawing.Page(
        title,
        Markup('<span id="title">{}</span>').format(visible(title)),
        Markup('<span id="sentence" role="status" aria-live="polite">Reading the responses …</span>'),
        "Served to this computer alone, and read-only: nothing here changes the study or its files.",
        summary=[SHELL],
        styles=STYLES,
        scripts=("live",),
        connects=True,
    )
    return ServedPage(draw_page(page), f"{policy(style, script)}; connect-src 'self'; frame-ancestors 'none'")


SHELL = Markup(
    '<progress id="overall" max="1" value="0" aria-label="Responses in all"></progress>'
    '<p id="problem" class="warning" role="alert" hidden></p>'
    '<p id="report"><a href="/report">The report so far</a> is drawn from the responses that are there.</p>'
    '<noscript><p class="warning">This page needs JavaScript to follow the run. The report so far does not.</p>'
    "</noscript>"
    '<div id="facts"></div><div id="so-far"></div><div id="progress"></div><div id="failures"></div>'
    '<div id="newest"></div>'
)
