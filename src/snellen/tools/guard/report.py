"""The report of a guard's log: verdicts by time and model, actions, and durations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from snellen.report.components import (
    Bar,
    Bars,
    Cell,
    Column,
    Fold,
    Grid,
    Key,
    Link,
    Note,
    Section,
    Segment,
    Table,
    fold_chapter,
    name_columns,
    write_row,
    write_shares,
)
from snellen.report.drawing import Page, draw_page
from snellen.report.sections.headline import describe_demonstration
from snellen.report.words.numbers import from_to, with_interval
from snellen.runtime import counted
from snellen.stats import Estimate, proportion
from snellen.tools.guard.log import HEADLESS, REASONS, GuardDecision, SealCheck

SCHEMA = 1
DECIDED = ("moved", "unmoved")
STATUSES = ("moved", "unmoved", "undecided", "unchecked")
LOOKS = dict(zip(STATUSES, ("correct", "wrong", "unclear", "truncated"), strict=True))
"""Colour class of each verdict in the bars."""
MEANINGS = {
    "moved": "moved: without the image the answer changes, or the model says that the image is missing",
    "unmoved": "unmoved: the same answer without the image",
    "undecided": "undecided: the responses could not be compared, or answers and score disagree",
    "unchecked": "unchecked: forwarded without an extra call",
}
NOT_DECIDED = {"undecided": "decided", "unchecked": "checked"}
DONE = {"warn": "warned", "block": "blocked"}
"""Each policy's action on an unmoved response."""
BINS = 24
"""Maximum number of periods on the page."""
_STEPS = (
    ("minute", 60), ("hour", 3_600), ("6 hours", 21_600), ("day", 86_400), ("week", 604_800), ("4 weeks", 2_419_200),
)  # fmt: skip


class Group(NamedTuple):
    """Decisions on one model or in one period: counts per verdict, and the unmoved share.

    `unmoved` is the share among decided responses (moved or unmoved); None if none was decided.
    """

    name: str
    counts: Mapping[str, int]
    unmoved: Estimate | None

    @property
    def n(self) -> int:
        """Number of decisions."""
        return sum(self.counts.values())


class Times(NamedTuple):
    """Median, 95th percentile and maximum of a duration, in milliseconds."""

    name: str
    n: int
    median: float
    p95: float
    longest: float


@dataclass(frozen=True)
class GuardReport:
    """Summary of a guard's log."""

    whole: Group
    models: tuple[Group, ...]
    stretches: tuple[Group, ...]
    step: str
    reasons: Mapping[str, int]
    kinds: Mapping[str, int]
    actions: Mapping[str, int]
    policies: Mapping[str, int]
    times: tuple[Times, ...]
    thresholds: tuple[float, ...]
    first: str
    last: str
    damaged: int = 0
    seals: SealCheck | None = None
    """Result of checking the seals with the key; None if no key was given."""

    def record(self) -> dict[str, Any]:
        """Return the content of the report's JSON file."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        listed = {name: [each._asdict() for each in own[name]] for name in ("models", "stretches", "times")}
        broken = None if self.seals is None else self.seals.broken
        return {"schema": SCHEMA, **own, **listed, "whole": self.whole._asdict(), "broken": broken}


def make_report(decisions: Sequence[GuardDecision], *, damaged: int = 0, seals: SealCheck | None = None) -> GuardReport:
    """Summarise decisions for a report."""
    step, stretches = _over_time(decisions)
    times = sorted(each.time for each in decisions)
    by_model: dict[str, list[GuardDecision]] = {}
    for each in decisions:
        by_model.setdefault(each.model or "(not named)", []).append(each)
    return GuardReport(
        whole=_group("all", decisions),
        models=tuple(_group(name, by_model[name]) for name in sorted(by_model)),
        stretches=stretches,
        step=step,
        reasons=_count_values(each.reason for each in decisions if each.reason),
        kinds=_count_values(each.kind for each in decisions if each.kind),
        actions=_count_values(each.action for each in decisions),
        policies=_count_values(each.policy for each in decisions),
        times=tuple(_times(decisions)),
        thresholds=tuple(sorted({each.threshold for each in decisions if each.threshold is not None})),
        first=times[0] if times else "",
        last=times[-1] if times else "",
        damaged=damaged,
        seals=seals,
    )


def _count_values(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _group(name: str, decisions: Sequence[GuardDecision]) -> Group:
    counts = Counter[str](each.status for each in decisions)
    judged = [each for each in decisions if each.status in DECIDED]
    unmoved = None
    if judged:
        # A repeated query adds no information: its decisions count as one cluster.
        queries = np.unique([each.query or str(at) for at, each in enumerate(judged)], return_inverse=True)[1]
        unmoved = proportion([float(each.status == "unmoved") for each in judged], queries).alone
    return Group(name, {status: counts[status] for status in STATUSES}, unmoved)


def _over_time(decisions: Sequence[GuardDecision]) -> tuple[str, tuple[Group, ...]]:
    """Group decisions by the shortest period that needs at most `BINS` groups; skip invalid times."""
    dated = [(at, each) for each in decisions if (at := _seconds(each.time)) is not None]
    if not dated:
        return "", ()
    first, last = min(at for at, _ in dated), max(at for at, _ in dated)
    named = [(name, size) for name, size in _STEPS if last // size - first // size < BINS] or [_STEPS[-1]]
    step, size = named[0]
    bins: dict[int, list[GuardDecision]] = {}
    for at, each in dated:
        bins.setdefault(int(at // size), []).append(each)
    return step, tuple(_group(_begins(at * size, size), bins[at]) for at in sorted(bins))


def _seconds(time: str) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _begins(seconds: float, size: int) -> str:
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at:%Y-%m-%d}" if size >= _STEPS[3][1] else f"{at:%Y-%m-%d %H:%M}"


_TIMED = {
    "reply_ms": "the response itself",
    "extra_ms": "the slowest extra call",
    "total_ms": "all together",
    "overhead_ms": "the guard itself (all minus the slower of the two)",
}


def _times(decisions: Sequence[GuardDecision]) -> Iterator[Times]:
    for field, name in _TIMED.items():
        taken = [value for each in decisions if isinstance(value := getattr(each, field), int | float)]
        if taken:
            median, p95 = (float(value) for value in np.percentile(taken, [50, 95]))
            yield Times(name, len(taken), median, p95, float(max(taken)))


def sentences(report: GuardReport) -> list[str]:
    """Summarise the log in sentences; the first says what the policy did."""
    if not report.whole.n:
        return ["The log contains no decisions.", *_doubts(report)]
    return [_describe_actions(report), *_describe_policy(report), *_describe_rest(report), *_doubts(report)]


def _describe_actions(report: GuardReport) -> str:
    """Describe how many responses were blocked, held back, warned about, or unmoved."""
    counts = report.whole.counts
    acted = [(report.actions[each], each) for each in ("blocked", "held back", "warned") if report.actions.get(each)]
    unmoved = (counts["unmoved"], "did not change without the image")
    (number, done), *more = acted or [(0, DONE[each]) for each in report.policies if each in DONE] or [unmoved]
    counted_actions = [
        f"{number:,} of {counted(report.whole.n, 'response')} {done}",
        *(f"{other:,} {word}" for other, word in more),
    ]
    left = [f"{counts[each]:,} not {word}" for each, word in NOT_DECIDED.items() if counts[each]]
    return "; ".join([", ".join(counted_actions), *left]) + "."


def _describe_policy(report: GuardReport) -> Iterator[str]:
    """Name the policies in force, and count the responses that `block` would have replaced."""
    names = [name if len(report.policies) == 1 else f"{name} ({number:,})" for name, number in report.policies.items()]
    yield f"{'Policy' if len(names) == 1 else 'Policies'}: {', '.join(names)}."
    if set(report.policies) != {"block"}:
        more = "" if not report.actions.get("blocked") else " in all"
        yield f"The policy block would have replaced {counted(report.whole.counts['unmoved'], 'response')}{more}."


def _describe_rest(report: GuardReport) -> Iterator[str]:
    if (share := report.whole.unmoved) is not None:
        judged = sum(report.whole.counts[each] for each in DECIDED)
        percent = with_interval(share, "share").replace("(", "(95% CI ")
        yield (
            f"Of {judged:,} decided responses, {percent} did not change without the image. Check these answers"
            " against the image yourself: the model may not have used it."
        )
    if report.actions:
        yield f"Responses: {_list_actions(report)}."
    if own := next((each for each in report.times if each.name == _TIMED["overhead_ms"]), None):
        yield f"The guard itself took {own.median:.1f} ms (median), {own.p95:.1f} ms (95th percentile), n = {own.n:,}."
    if len(report.thresholds) > 1:
        listed = ", ".join(f"{each:.2f}" for each in report.thresholds)
        yield f"The threshold changed during the log ({listed}): verdicts before and after are not comparable."


def _list_actions(report: GuardReport) -> str:
    return ", ".join(f"{number:,} {action}" for action, number in report.actions.items())


def _doubts(report: GuardReport) -> Iterator[str]:
    if report.damaged:
        left = "is" if report.damaged == 1 else "are"
        yield f"{counted(report.damaged, 'line')} of the log cannot be read and {left} left out."
    if (seals := report.seals) is None:
        return
    if seals.torn:
        yield f"Incomplete, as after a crash: {', '.join(f'line {each}' for each in seals.torn[:5])}."
    if seals.broken:
        lines = ", ".join(map(str, seals.broken[:5]))
        yield f"The log was changed: {counted(len(seals.broken), 'seal')} broken, in or before line {lines}."
    if seals.cut or seals.missing:
        end = "The log was cut off at its end" if seals.cut else "Lines were removed from the log"
        yield f"{end}: {counted(seals.missing, 'line')} missing."
    if seals.head and seals.last.lines:
        yield HEADLESS[seals.head]
    if is_sound(seals) and report.whole.n:
        yield "Every seal is valid and the last line written is there: nothing was changed or removed."
        yield f"{counted(seals.last.lines, 'line')}, the last seal is {seals.last.seal}."


def is_sound(seals: SealCheck) -> bool:
    """Return whether the key shows the log to be complete and unchanged."""
    return not (seals.broken or seals.cut or seals.missing or seals.head)


def render(report: GuardReport, *, source: str = "", created: str = "") -> str:
    """Render the page as HTML: model names and numbers, without text of queries or responses."""
    doubts, several, names = list(_doubts(report)), len(report.models) > 1, [each.name for each in report.models]
    damaged = report.seals is not None and not is_sound(report.seals)
    span = " to ".join(each[:16].replace("T", " ") for each in (report.first, report.last) if each)
    notes = [*_describe_rest(report), *([] if damaged else doubts)]
    groups = [report.whole._replace(name="all"), *(report.models if several else ())]
    bars = [_draw_bars("All responses", groups, "models")] if report.whole.n else []
    page = Page(
        title="The guard’s log",
        headline=sentences(report)[0],
        lede=" ".join(_describe_policy(report)) if report.whole.n else "",
        meta=" · ".join(each for each in (source, span, f"read {created[:10]}" if created else "") if each),
        alarm=" ".join([*filter(None, [describe_demonstration(names)]), *(doubts if damaged else [])]),
        summary=[*bars, *(Note(each, look="below") for each in notes)],
        parts=[Section("Chapters", tuple(_list_chapters(report)), "chapters")],
        contents=[Link("Summary", "summary"), Link("Methods", "methods")],
        scripts=("page",),
    )
    return draw_page(page)


def _draw_bars(title: str, groups: Sequence[Group], to: str) -> Bars:
    """Draw one bar per group, with the share of each verdict."""
    short = {each.name: each.name.rpartition("/")[2] for each in groups}
    names = short if len(set(short.values())) == len(short) else {name: name for name in short}
    rows = []
    for each in groups:
        shares = zip(each.counts.items(), write_shares(list(each.counts.values())), strict=True)
        bar = Bar(tuple(Segment(LOOKS[status], status, number, share, to) for (status, number), share in shares))
        rows.append((names[each.name], each.name, (bar,)))
    there = [status for status in STATUSES if any(each.counts[status] for each in groups)]
    key = tuple(Key(f"outcome {LOOKS[status]}", MEANINGS[status]) for status in there)
    column = Column(title, f"n {from_to([each.n for each in groups])} in a bar")
    return Bars((column,), tuple(rows), key, "Share of all responses to queries with an image.")


def _list_groups(what: str, groups: Sequence[Group]) -> Table:
    rows = []
    for each in groups:
        share = Cell(with_interval(each.unmoved, "share"), n=f"n {each.unmoved.n:,}") if each.unmoved else "–"
        rows.append(write_row(each.name, *(f"{number:,}" for number in (each.n, *each.counts.values())), share))
    columns = name_columns(what, numbers=("responses", *STATUSES), more=("unmoved, of those decided",))
    return Table(columns, tuple(rows))


def _list_chapters(report: GuardReport) -> Iterator[Fold]:
    if report.reasons:
        number = counted(sum(report.reasons.values()), "response")
        named = {REASONS.get(word, word): number for word, number in report.reasons.items()}
        yield fold_chapter("Why not decided or not checked?", number, "reasons", _list_counts("reason", named))
    if report.models:
        found = ", ".join(each.name for each in report.models[:3]) + (", …" if len(report.models) > 3 else "")
        yield fold_chapter("By model", found, "models", _list_groups("model", report.models))
    if report.stretches:
        drawn = _draw_bars("From (UTC)", report.stretches, "time"), _list_groups("from (UTC)", report.stretches)
        yield fold_chapter(f"Over time, by {report.step}", report.first[:10], "time", *drawn)
    if report.actions:
        counts = Grid((_list_counts("what was done", report.actions), _list_counts("compared by", report.kinds)))
        title = "What was done, and how responses were compared"
        yield fold_chapter(title, _list_actions(report), "actions", counts)
    if report.times:
        rows = tuple(
            write_row(each.name, *(f"{ms:,.1f}" for ms in (each.median, each.p95, each.longest)), f"{each.n:,}")
            for each in report.times
        )
        table = Table(name_columns("milliseconds", numbers=("median", "95%", "longest", "n")), rows)
        longest = max(each.median for each in report.times)
        yield fold_chapter("Latency", f"medians up to {longest:,.0f} ms", "latency", table)
    yield fold_chapter("Methods", "shares, intervals, thresholds", "methods", *_describe_methods(report))


def _list_counts(what: str, numbers: Mapping[str, int]) -> Table:
    rows = tuple(write_row(name, f"{number:,}") for name, number in numbers.items())
    return Table(name_columns(what, numbers=("responses",)), rows)


def _describe_methods(report: GuardReport) -> Iterator[Note]:
    yield Note(
        "The share of unmoved responses counts only decided responses. Its interval is Wilson’s. Repeated queries "
        "have the same hash and count as one cluster. The share says how often the image made no difference. "
        "It does not say that those responses are wrong: some can be answered from the words of the question."
    )
    listed = ", ".join(f"{each:.2f}" for each in report.thresholds)
    threshold = f"Threshold{'s' * (len(report.thresholds) > 1)}: {listed}." if listed else "The log names no threshold."
    yield Note(f"{threshold} The log holds no words, no images and no keys.")
