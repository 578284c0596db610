"""The live page: how far a study is, running estimates, the newest responses and what failed, from the store alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from markupsafe import Markup

from snellen.asking.plan import read_by
from snellen.asking.progress import duration
from snellen.asking.stored import Share, shares
from snellen.conditions import ORIGINAL
from snellen.errors import SnellenError
from snellen.grading.missing_image import Admission
from snellen.grading.parsers import WITHOUT_IMAGE, Parser, graded
from snellen.models.secrets import HIDDEN, environment_secrets, masking
from snellen.prompts import asked_under
from snellen.report.evidence.reply_kinds import LABEL_WORDS
from snellen.report.page import render
from snellen.report.sheet import policy, scripts, styles, templates
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import OUTCOME_WORDS, count, figure, interval
from snellen.runtime import counted, time_left, visible
from snellen.scoring.findings import MISSING_ALLOWED
from snellen.scoring.results import score
from snellen.scoring.tables import Chosen, grade_study
from snellen.stats import Estimate
from snellen.store import Store
from snellen.store.viewing import RECENT, Failed, Latest, Tokens, failures, item_under, last_begun, newest, pace, tokens
from snellen.stress.measures import differences, of_arm, share
from snellen.stress.table import Table

STYLES = ("tokens", "page", "live")
NEWEST = 20
"""Responses shown of those that came last."""
LONGEST_TEXT = 400
"""Characters shown of each of them, and of what an error said."""
FIRST_ITEMS = (
    "Items are asked in the order of the benchmark, so those asked so far are its first items. They are not a random "
    "sample of the benchmark unless that order is random, and responses that take long or fail are missing."
)
NOT_FINAL = f"Running estimates: not final. {FIRST_ITEMS} No verdict is drawn here before all responses are there."
FINAL = "All responses are there. The verdicts are in the report."
FAILURE_WORDS = {
    "TransientError": "timeout, overload or a response that cannot be read",
    "OutageError": "server down",
    "RejectedError": "request not accepted",
    "UnusableModelError": "model cannot be used",
    "ModelError": "model failed",
}


class State(StrEnum):
    """What becomes of a study just now."""

    RUNNING = "running"
    STOPPED = "stopped"
    """Nobody asks, and responses are missing."""
    FINISHED = "finished"


class Situation(NamedTuple):
    """A study of a store at one moment: its record, its state and what there is of it."""

    study: Mapping[str, Any]
    state: State
    shares: Sequence[Share]

    @property
    def stored(self) -> int:
        """How many of the responses are there."""
        return sum(each.stored for each in self.shares)

    @property
    def wanted(self) -> int:
        """How many there will be, as far as is known which conditions do not apply to which items."""
        return sum(each.wanted for each in self.shares)

    @property
    def title(self) -> str:
        """The models on the benchmarks, in a few words."""
        models = [name for name, _ in self.study["models"]]
        return f"{_listed(models, 'model')} on {_listed(list(self.study['benchmarks']), 'benchmark')}"


def _listed(names: Sequence[str], noun: str) -> str:
    return visible(", ".join(names)) if len(names) <= 3 else counted(len(names), noun)


def situation(store: Store, name: str | None, *, writing: bool) -> Situation:
    """Where a study stands, by default the latest; `writing` says whether somebody adds to the store.

    Whoever adds to the store asks for its latest study.
    """
    study = store.study(name)
    asked_now = writing and study["name"] == store.study()["name"]
    found = shares(store, study)
    missing = any(each.stored < each.wanted for each in found)
    at_rest = State.STOPPED if missing and "imported" not in study else State.FINISHED
    return Situation(study, State.RUNNING if asked_now else at_rest, found)


# What is quick to tell --------------------------------------------------------------------------------------------


def status(store: Store, now: Situation) -> dict[str, Any]:
    """What the page shows of a study, in words; counted, with nothing graded but the newest responses."""
    failed = failures(store, [each.cells for each in now.shares])
    responses = newest(store, [each.cells for each in now.shares], NEWEST)
    lost = sum(each.responses for each in failed)
    return {
        "title": now.title,
        "study": now.study["name"],
        "state": now.state,
        "sentence": _sentence(now, lost),
        "stored": now.stored,
        "wanted": now.wanted,
        "facts": dict(_facts(store, now, lost, responses)),
        "progress": list(_progress(now.shares, failed)),
        "newest": list(_newest(store, now, responses)),
        "failures": list(_failures(now.shares, failed)),
    }


def _sentence(now: Situation, lost: int) -> str:
    """How far it is, in a sentence that changes now and then only: it is read aloud."""
    if now.state is State.FINISHED:
        return f"Finished: all {count(now.stored)} responses are there."
    missing = now.wanted - now.stored
    if now.state is State.STOPPED:
        failed = f", {count(lost)} of them after failed requests" if lost else ""
        are_missing = f"{count(missing)} of {counted(now.wanted, 'response')} are missing{failed}"
        return f"Stopped: {are_missing}. The same command asks for them."
    return f"Running: {100 * now.stored // max(1, now.wanted)}% of the responses are there."


def _facts(store: Store, now: Situation, lost: int, responses: Sequence[Latest]) -> Iterator[tuple[str, str]]:
    yield "responses", f"{count(now.stored)} of {count(now.wanted)}"
    if lost:
        yield "failed", count(lost)
    if without := sum(each.inapplicable for each in now.shares):
        yield "not applicable", count(without)
    if responses:
        yield "last response", _clock(responses[0].created)
    if now.state is not State.RUNNING:
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


def _clock(created: float) -> str:
    when = datetime.fromtimestamp(created).astimezone()
    return when.strftime("%H:%M:%S") if time.time() - created < 43_200 else when.strftime("%Y-%m-%d %H:%M")


def _progress(found: Sequence[Share], failed: Sequence[Failed]) -> Iterator[dict[str, Any]]:
    """Each model on each benchmark, with a row for each condition."""
    lost: dict[tuple[int, int], int] = {}
    for each in failed:
        lost[each.model, each.arm] = lost.get((each.model, each.arm), 0) + each.responses
    for (model, benchmark), group in _groups(found).items():
        rows = [
            {
                "condition": visible(arm_label(each.arm)),
                "stored": each.stored,
                "wanted": each.wanted,
                "said": f"{count(each.stored)} of {count(each.wanted)}",
                "failed": _or_none(lost.get((each.cells.model, each.cells.arm), 0)),
                "inapplicable": _or_none(each.inapplicable),
            }
            for each in group
        ]
        stored, wanted = sum(each.stored for each in group), sum(each.wanted for each in group)
        yield {
            "heading": _heading(model, benchmark),
            "stored": stored,
            "wanted": wanted,
            "said": f"{count(stored)} of {count(wanted)}",
            "rows": rows,
        }


def _groups(found: Iterable[Share]) -> dict[tuple[str, str], list[Share]]:
    groups: dict[tuple[str, str], list[Share]] = {}
    for each in found:
        groups.setdefault((each.model, each.benchmark), []).append(each)
    return groups


def _heading(model: str, benchmark: str) -> str:
    return visible(f"{model} on {benchmark}")


def _or_none(number: int) -> str:
    return count(number) if number else ""


def _newest(store: Store, now: Situation, responses: Sequence[Latest]) -> Iterator[dict[str, str]]:
    """The last responses, each graded as the study's own parser does."""
    parsers = Chosen.of(now.study, ())
    cells = {(each.cells.model, each.cells.arm): each for each in now.shares}
    for each in responses:
        of = cells[each.model, each.arm]
        item = item_under(store, each.arm, each.ordinal)
        _, asked = store.arm(now.study["arms"][of.benchmark][of.arm])
        yield {
            "model": visible(of.model),
            "condition": visible(arm_label(of.arm)),
            "item": visible(f"{of.benchmark} · {item.id}"),
            "outcome": _outcome(each, item, parsers.of_kind(read_by(asked))[0]),
            "text": shown(each.text),
            "came": _clock(each.created),
        }


def _outcome(response: Latest, item: Any, parser: Parser) -> str:
    try:
        grade, said = graded(response, item, parser)
    except SnellenError:  # the report says what is wrong with the parser
        return "not read"
    return LABEL_WORDS[said.label] if parser.kind == WITHOUT_IMAGE else OUTCOME_WORDS[grade.outcome]


def shown(text: str) -> str:
    """The beginning of a text from elsewhere, with nothing in it that a reader would not see."""
    cut = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT].rstrip()} …"
    return visible(cut)


def _failures(found: Sequence[Share], failed: Sequence[Failed]) -> Iterator[dict[str, str]]:
    """What failed and never came, by model and kind of error, with what was said last; the latest kind first."""
    models = {each.cells.model: each.model for each in found}
    kinds: dict[tuple[int, str], tuple[int, str]] = {}
    for each in failed:  # the last one last
        number, _ = kinds.pop((each.model, each.error), (0, ""))
        kinds[each.model, each.error] = (number + each.responses, each.message)
    # A run hides what it knows to be secret; a model of a plug-in may not.
    hidden = masking(environment_secrets())
    for (model, error), (number, message) in reversed(kinds.items()):
        yield {
            "model": visible(models[model]),
            "kind": FAILURE_WORDS.get(error, visible(error)),
            "count": count(number),
            "message": shown(hidden.sub(HIDDEN, message)),
        }


# What takes long --------------------------------------------------------------------------------------------------


def estimates(store: Store, now: Situation) -> dict[str, Any]:
    """Accuracy under each condition and its change from the original, from the responses so far; and tokens."""
    parsers = Chosen.of(now.study, ())
    # The parser that counts, and none that only adds columns: the page shows nothing of those.
    only = parsers._replace(choice=parsers.choice[:1], beside=())
    benchmarks = {name: store.benchmark(digest) for name, digest in now.study["benchmarks"].items()}
    tables = grade_study(store, now.study, benchmarks, only)[only.choice[0].name]
    spent = tokens(store, [each.cells for each in now.shares])
    return {
        "note": NOT_FINAL if now.state is not State.FINISHED else FINAL,
        "of": f"{counted(now.stored, 'response')}, at {_clock(time.time())}",
        "groups": [group for table in tables.values() if (group := _estimated(table))["rows"]],
        "tokens": list(_spent(now.shares, spent)),
    }


def _estimated(table: Table) -> dict[str, Any]:
    rows, as_it_is = [], asked_under(ORIGINAL.name, table.arms)
    for arm, grades in table.arms.items():
        if not len(grades):
            continue
        if grades.admissions is not None:
            admits = table.rate(arm, grades.admissions.is_(Admission.MISSING))
            rows.append(_row(arm, share(table, admits), None))
            continue
        found = {each.name: each.estimate for each in of_arm(arm, table)}
        change = {each.name: each.estimate for each in differences(as_it_is, arm, table)}
        rows.append(_row(arm, found["accuracy"], change.get("difference") if arm != as_it_is else None))
    in_words = any(grades.admissions is not None for grades in table.arms.values())
    measure = "says that there is no image" if in_words else "accuracy"
    return {"heading": _heading(table.model, table.benchmark), "measure": measure, "rows": rows}


def _row(arm: str, estimate: Estimate, change: Estimate | None) -> dict[str, str]:
    return {
        "condition": visible(arm_label(arm)),
        "value": figure(estimate.value, "share"),
        "interval": interval(estimate, "share"),
        "n": count(estimate.n),
        "change": f"{figure(change.value, 'points')} ({interval(change, 'points')})" if change else "",
        "pairs": count(change.n) if change else "",
    }


def _spent(found: Sequence[Share], spent: Mapping[int, Tokens]) -> Iterator[str]:
    """What servers counted for each model; nothing where they counted nothing."""
    for number, model in {each.cells.model: each.model for each in found}.items():
        read, written = spent.get(number, Tokens(None, None))
        if read or written:
            yield visible(f"{model}: {count(read or 0)} tokens read, {count(written or 0)} written")


# Pages ------------------------------------------------------------------------------------------------------------


def report(store: Store, now: Situation) -> str:
    """The report of what is stored, drawn and not written; one that is not final says so first."""
    results = score(store, study=now.study["name"])
    if now.state is State.FINISHED:
        return render(results, store)
    missing = f"{count(now.wanted - now.stored)} of {counted(now.wanted, 'response')} are missing"
    withheld = f"A test that lacks more than {100 * MISSING_ALLOWED:g}% of a condition's responses is inconclusive."
    note = Markup('<b>Not final: {} (drawn at {}).</b> {} {} <a href="/">How far it is</a>')
    return render(results, store, note=note.format(missing, _clock(time.time()), FIRST_ITEMS, withheld))


class Page(NamedTuple):
    """A page and the policy that it is sent with."""

    html: str
    policy: str


def live_page(title: str) -> Page:
    """The page that asks for the status again and again."""
    style, script = styles(STYLES), scripts(("live",))
    html = templates().get_template("live.html.jinja").render(title=title, style=style, script=script)
    return Page(html, f"{policy(style, script)}; connect-src 'self'; frame-ancestors 'none'")
