"""The report of a guard's log: verdicts, over time and by model, what was done about them, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from snellen.guard.log import HEADLESS, REASONS, Decision, SealCheck
from snellen.report.figures.marks import Scale, axis_title, forest_mark, scale, titled_axis
from snellen.report.sheet import policy, styles, templates
from snellen.report.words.numbers import figure, interval
from snellen.runtime import counted
from snellen.stats import Estimate, proportion

SCHEMA = 1
STYLES = ("tokens", "page", "figures", "marks", "chapters", "audit", "narrow", "print")
DECIDED = ("moved", "unmoved")
STATUSES = ("moved", "unmoved", "undecided", "unchecked")
BINS = 24
"""Stretches of time on the page, at the most."""
_STEPS = (
    ("minute", 60), ("hour", 3_600), ("6 hours", 21_600), ("day", 86_400), ("week", 604_800), ("4 weeks", 2_419_200),
)  # fmt: skip


class Group(NamedTuple):
    """Decisions that share a model or a stretch of time: how many of each verdict, and the share called unmoved.

    `unmoved` is of those that were decided, moved or unmoved; None where none was.
    """

    name: str
    counts: Mapping[str, int]
    unmoved: Estimate | None

    @property
    def n(self) -> int:
        """How many decisions there are."""
        return sum(self.counts.values())


class Times(NamedTuple):
    """Milliseconds of one kind: half of the queries took no longer than `median`, 95% no longer than `p95`."""

    name: str
    n: int
    median: float
    p95: float
    longest: float


@dataclass(frozen=True)
class GuardReport:
    """What a log says."""

    whole: Group
    models: tuple[Group, ...]
    stretches: tuple[Group, ...]
    step: str
    reasons: Mapping[str, int]
    kinds: Mapping[str, int]
    actions: Mapping[str, int]
    times: tuple[Times, ...]
    thresholds: tuple[float, ...]
    first: str
    last: str
    damaged: int = 0
    seals: SealCheck | None = None
    """What the key shows of the log; None where it was not given."""

    @property
    def broken(self) -> tuple[int, ...] | None:
        """The lines whose seal does not hold; None where the key was not given."""
        return None if self.seals is None else self.seals.broken

    def record(self) -> dict[str, Any]:
        """What the JSON beside the page holds."""
        groups = {"models": self.models, "stretches": self.stretches}
        listed = {name: [each._asdict() for each in found] for name, found in groups.items()}
        times = [each._asdict() for each in self.times]
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        whole = self.whole._asdict()
        return {"schema": SCHEMA, **own, **listed, "times": times, "whole": whole, "broken": self.broken}


def reported(decisions: Sequence[Decision], *, damaged: int = 0, seals: SealCheck | None = None) -> GuardReport:
    """What some decisions come to."""
    step, stretches = _over_time(decisions)
    times = sorted(each.time for each in decisions)
    return GuardReport(
        whole=_group("all", decisions),
        models=tuple(_grouped(decisions, lambda each: each.model or "(not named)")),
        stretches=stretches,
        step=step,
        reasons=_counted(each.reason for each in decisions if each.reason),
        kinds=_counted(each.kind for each in decisions if each.kind),
        actions=_counted(each.action for each in decisions),
        times=tuple(_times(decisions)),
        thresholds=tuple(sorted({each.threshold for each in decisions if each.threshold is not None})),
        first=times[0] if times else "",
        last=times[-1] if times else "",
        damaged=damaged,
        seals=seals,
    )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _grouped(decisions: Sequence[Decision], name: Callable[[Decision], str]) -> Iterator[Group]:
    names = sorted({name(each) for each in decisions})
    return (_group(one, [each for each in decisions if name(each) == one]) for one in names)


def _group(name: str, decisions: Sequence[Decision]) -> Group:
    counts = Counter[str](each.status for each in decisions)
    judged = [each for each in decisions if each.status in DECIDED]
    unmoved = None
    if judged:
        # The same query twice tells nothing new: its decisions count as one cluster.
        queries = np.unique([each.query or str(at) for at, each in enumerate(judged)], return_inverse=True)[1]
        unmoved = proportion([float(each.status == "unmoved") for each in judged], queries).alone
    return Group(name, {status: counts[status] for status in STATUSES}, unmoved)


def _over_time(decisions: Sequence[Decision]) -> tuple[str, tuple[Group, ...]]:
    """Decisions by stretches of time, the shortest of which there are not too many; a damaged time is left out."""
    dated = [(at, each) for each in decisions if (at := _seconds(each.time)) is not None]
    if not dated:
        return "", ()
    first, last = min(at for at, _ in dated), max(at for at, _ in dated)
    named = [(name, size) for name, size in _STEPS if last // size - first // size < BINS] or [_STEPS[-1]]
    step, size = named[0]
    bins: dict[int, list[Decision]] = {}
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
    "reply_ms": "the reply itself",
    "extra_ms": "the slowest extra call",
    "total_ms": "all together",
    "overhead_ms": "the guard, beyond the slower of the two",
}


def _times(decisions: Sequence[Decision]) -> Iterator[Times]:
    for field, name in _TIMED.items():
        taken = [value for each in decisions if isinstance(value := getattr(each, field), int | float)]
        if taken:
            median, p95 = (float(value) for value in np.percentile(taken, [50, 95]))
            yield Times(name, len(taken), median, p95, float(max(taken)))


def sentences(report: GuardReport) -> list[str]:
    """What a log says, in sentences; the first is the one to remember."""
    whole, counts = report.whole, report.whole.counts
    if not whole.n:
        return ["The log holds no decision.", *_doubts(report)]
    judged = sum(counts[each] for each in DECIDED)
    if whole.unmoved is None:
        said = [f"None of {whole.n:,} queries with an image could be decided."]
    else:
        said = [
            f"{counts['unmoved']:,} of {counted(judged, 'decided answer')} did not move without the "
            f"image: "
            f"{_percent(whole.unmoved)}."
        ]
    left = [f"{counts[each]:,} {each}" for each in ("undecided", "unchecked") if counts[each]]
    if left:
        said.append(f"{whole.n:,} queries in all; {' and '.join(left)}.")
    acted = [f"{number:,} {action}" for action, number in report.actions.items()]
    said.append(f"Replies: {', '.join(acted)}.")
    if own := next((each for each in report.times if each.name == _TIMED["overhead_ms"]), None):
        said.append(f"The guard itself took {own.median:.1f} ms (median), {own.p95:.1f} ms (95%), n = {own.n:,}.")
    if len(report.thresholds) > 1:
        listed = ", ".join(f"{each:.2f}" for each in report.thresholds)
        said.append(f"The threshold changed during the log ({listed}): verdicts before and after do not compare.")
    return [*said, *_doubts(report)]


def _doubts(report: GuardReport) -> Iterator[str]:
    if report.damaged:
        left = "is" if report.damaged == 1 else "are"
        yield f"{counted(report.damaged, 'line')} of the log cannot be read and {left} left out."
    if (seals := report.seals) is None:
        return
    if seals.torn:
        yield f"Not whole, as a crash leaves a line: {', '.join(f'line {each}' for each in seals.torn[:5])}."
    if seals.broken:
        lines = ", ".join(map(str, seals.broken[:5]))
        yield f"The log was changed: {counted(len(seals.broken), 'seal')} broken, from line {lines} on."
    if seals.cut or seals.missing:
        end = "The log was cut off at its end" if seals.cut else "Lines were taken out of the log"
        yield f"{end}: {counted(seals.missing, 'line')} missing."
    if seals.head and seals.last.lines:
        yield HEADLESS[seals.head]
    if is_sound(seals) and report.whole.n:
        yield "Every seal holds, and the last line that was written is there: nothing was changed or taken out."
        yield f"{counted(seals.last.lines, 'line')}, the last seal is {seals.last.seal}."


def is_sound(seals: SealCheck) -> bool:
    """Whether all of a log is there as it was written, as far as its key shows."""
    return not (seals.broken or seals.cut or seals.missing or seals.head)


def _percent(estimate: Estimate) -> str:
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.value:.1f}% (95% CI {low:.1f} to {high:.1f}, n = {estimate.n:,})"


class Row(NamedTuple):
    """A group on the page."""

    group: Group
    picture: Markup
    said: str


def render(report: GuardReport, *, source: str = "", created: str = "") -> str:
    """The whole page; it holds names of models and numbers, and nothing of a query or a reply."""
    style = styles(STYLES)
    first, *others = sentences(report)
    shares = scale([], "share")
    return (
        templates()
        .get_template("snellen.guard:report.html.jinja")
        .render(
            style=style,
            policy=policy(style, ""),
            report=report,
            source=source,
            created=created,
            headline=first,
            others=others,
            statuses=STATUSES,
            models=[_row(each, shares) for each in report.models],
            stretches=[_row(each, shares) for each in report.stretches],
            axis=titled_axis(shares, axis_title("replies that did not move", "share")),
            reasons=[(REASONS.get(word, word), number) for word, number in report.reasons.items()],
            bad=report.seals is not None and not is_sound(report.seals),
        )
    )


def _row(group: Group, shares: Scale) -> Row:
    if group.unmoved is None:
        return Row(group, Markup(""), "–")
    said = f"{figure(group.unmoved.value, 'share')} [{interval(group.unmoved, 'share')}]"
    return Row(group, forest_mark(group.unmoved, shares), said)
