"""Results: what clinicians said, as agreement with intervals, settled labels and profiles; no rater is named in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isfinite
from statistics import median
from typing import Any, Literal, NamedTuple

from snellen.runtime import counted
from snellen.stats import Estimate, clustered_kappa, fleiss_kappa, krippendorff_alpha, proportion
from snellen.store.labels import REVIEW_SCHEMA
from snellen.tools.review.ballots import ReviewedCase
from snellen.tools.review.case import Subject, cluster
from snellen.tools.review.estimates import estimate_record
from snellen.tools.review.profiles import axes_of, landscape_of, ratings_of
from snellen.tools.review.task import Field, Task, Value

AGREEMENT, COHEN, FLEISS, KRIPPENDORFF = "agreement", "Cohen's κ", "Fleiss' κ", "Krippendorff's α"
ORDINAL = f"{KRIPPENDORFF} (ordinal)"
ABSENT, PRESENT = "absent", "present"
SETTLED = "settled label"
ANY = "any of them"
ALL_AXES = "all axes"
NEARLY_ALL = 0.8
"""The share of cases that the same two raters must have read, where others stood in for one of them on the rest."""


class Settled(NamedTuple):
    """What a case has come to: raters agreed, or another settled it, or more than half, or on scales the median.

    `reader` is one who was to read it alone, where nobody could agree or disagree.
    """

    by: Literal["agreement", "settler", "majority", "median", "reader"]
    value: Value


def readings(case: ReviewedCase) -> dict[str, Value]:
    """What raters said who read a case independently, by rater; whoever came after that read it to settle it.

    A rater who skipped the case said nothing of it.
    """
    said = [vote for vote in case.votes if not vote.settles and vote.value is not None]
    return {vote.rater: vote.value for vote in said[: case.wanted] if vote.value is not None}


def is_read(case: ReviewedCase) -> bool:
    """Whether as many have read a case as were to, or it was settled already."""
    return len(readings(case)) >= case.wanted or any(vote.settles and vote.value is not None for vote in case.votes)


def settled(case: ReviewedCase, task: Task) -> Settled | None:
    """What a case has come to; None while it waits for votes, or where they differ and nobody has settled it.

    Whoever settles decides. Else all must agree, or more than half. On scales that nobody settles it is the median.
    """
    said = [vote.value for vote in case.votes if not vote.settles and vote.value is not None]
    settlers = [vote.value for vote in case.votes if vote.settles and vote.value is not None]
    if settlers:
        return Settled("settler", settlers[-1])
    if len(said) < case.wanted or not said:
        return None
    if not task.differ(said):
        return Settled("agreement" if len(said) > 1 else "reader", said[0])
    if not task.settles:
        return Settled("median", {field.name: _middle(field, said) for field in task.compared})
    most = task.most_say(said)
    return None if most is None else Settled("majority", most)


def _middle(field: Field, said: Sequence[Value]) -> str:
    return f"{median(float(value[field.name]) for value in said if field.name in value):g}"


class Part(NamedTuple):
    """One thing that raters agree or disagree on: a field, or one pattern that may be marked."""

    field: Field
    asks: str
    labels: tuple[str, ...]
    tag: str = ""

    def said(self, task: Task, value: Value) -> str | None:
        """What a vote says to it; None where it leaves it out."""
        if self.tag:
            return PRESENT if any(mark["tag"] == self.tag for mark in value.get(self.field.name) or ()) else ABSENT
        said = task.says(self.field, value)
        return None if said in (None, "") else str(said)


def parts(field: Field) -> tuple[Part, ...]:
    """The field itself, or each pattern that it offers to be marked."""
    if field.kind != "marks":
        return (Part(field, field.asks, field.values),)
    return tuple(Part(field, choice.label, (ABSENT, PRESENT), choice.value) for choice in field.choices)


class Said(NamedTuple):
    """What each rater said to one part of one case, and what the case belongs with."""

    case: int
    cluster: str
    labels: Mapping[str, str]


class Agreement(NamedTuple):
    """How far raters agree on a part; without a tag on a field as a whole."""

    field: Field
    tag: str
    asks: str
    statistic: str
    estimate: Estimate
    raters: int
    left_out: int = 0
    """Cases that the statistic cannot take: of other raters than the two, or with another number of votes than most."""

    @property
    def record(self) -> dict[str, Any]:
        """It as JSON knows it."""
        named = {"field": self.field.name, "label": self.tag, "asks": self.asks, "statistic": self.statistic}
        return {**named, **estimate_record(self.estimate), "raters": self.raters, "left_out": self.left_out}


@dataclass(frozen=True)
class Reviewed:
    """The cases of one task with their votes, and all that follows from them."""

    task: Task
    cases: tuple[ReviewedCase, ...]

    @cached_property
    def raters(self) -> dict[str, str]:
        """What raters are called in results ("Rater 1"), by their names; those who settle come last."""
        first: dict[tuple[bool, str], float] = {}
        for vote in (vote for case in self.cases for vote in case.votes):
            key = (vote.settles, vote.rater)
            first[key] = min(vote.cast_at, first.get(key, vote.cast_at))
        order = sorted(first, key=lambda key: (key[0], first[key], key[1]))
        return {name: f"Rater {place}" for place, name in enumerate(dict.fromkeys(name for _, name in order), start=1)}

    @cached_property
    def settled(self) -> dict[int, Settled]:
        """What cases have come to, by their numbers."""
        found = ((case.number, settled(case, self.task)) for case in self.cases)
        return {number: each for number, each in found if each is not None}

    @cached_property
    def read(self) -> tuple[ReviewedCase, ...]:
        """The cases that as many have read as were to."""
        return tuple(case for case in self.cases if is_read(case))

    @cached_property
    def open(self) -> tuple[ReviewedCase, ...]:
        """The cases that were read, on which raters differ, and which nobody has settled."""
        return tuple(case for case in self.read if case.number not in self.settled)

    @cached_property
    def not_judged(self) -> tuple[ReviewedCase, ...]:
        """The cases that fewer have read than were to, because somebody could not judge them."""
        skipped = (case for case in self.cases if any(vote.value is None for vote in case.votes))
        return tuple(case for case in skipped if not is_read(case))

    def said(self, part: Part) -> list[Said]:
        """What raters said to a part of each case that anybody read."""
        rows = []
        for case in self.cases:
            votes = {self.raters[name]: part.said(self.task, value) for name, value in readings(case).items()}
            labels = {rater: label for rater, label in votes.items() if label is not None}
            if labels:
                rows.append(Said(case.number, cluster(case.subject), labels))
        return rows

    @cached_property
    def agreement(self) -> tuple[Agreement, ...]:
        """How far raters agree on each field, and on each pattern that may be marked."""
        found: list[Agreement] = []
        for field in self.task.compared:
            each = {part: self.said(part) for part in parts(field)}
            whole = [row for rows in each.values() for row in rows]
            found += agreed(field, "", field.asks, whole)
            for part, rows in each.items():
                found += agreed(field, part.tag, part.asks, rows) if part.tag else []
        return tuple(found)

    @cached_property
    def confusion(self) -> list[dict[str, Any]]:
        """What one rater said (rows) against the other; of more than two, each against what the case came to.

        Scales with the same levels are counted together, and so are all patterns, before each of them alone.
        """
        found = []
        for name, together in self._compared_together().items():
            rows = [row for part in together for row in self.said(part)]
            readers = sorted({rater for row in rows for rater in row.labels}, key=_number)
            if len(readers) == 2:
                pairs = [tuple(row.labels[each] for each in readers) for row in rows if len(row.labels) == 2]
                found.append(_table(name, together[0], pairs, readers[0], readers[1]))
            elif len(readers) > 2:
                for rater in readers:
                    against = [pair for part in together for pair in self._against(part, rater)]
                    found.append(_table(name, together[0], against, rater, SETTLED))
        return found

    def _compared_together(self) -> dict[str, list[Part]]:
        found: dict[str, list[Part]] = {}
        for field in self.task.compared:
            name = field.name if field.kind != "scale" else f"{ALL_AXES} ({', '.join(field.values)})"
            if field.kind != "words":
                found.setdefault(name, []).extend(parts(field))
            found.update({part.tag: [part] for part in parts(field) if part.tag})
        return found

    def _against(self, part: Part, rater: str) -> list[tuple[str, ...]]:
        """What a rater said, and what the case came to."""
        pairs = []
        for case in self.cases:
            said = {self.raters[name]: value for name, value in readings(case).items()}
            if rater in said and case.number in self.settled:
                pair = [part.said(self.task, value) for value in (said[rater], self.settled[case.number].value)]
                pairs.append(tuple(label for label in pair if label is not None))
        return [pair for pair in pairs if len(pair) == 2]

    @cached_property
    def labels(self) -> list[dict[str, Any]]:
        """How often cases came to each label of each field, by model and condition, by stratum, and by both."""
        return [
            row
            for field in self.task.compared
            if field.kind in ("choice", "marks")
            for by, grouped in self._groups().items()
            for subject, cases in grouped.items()
            for row in self._counted(field, by, subject, cases)
        ]

    def _groups(self) -> dict[str, dict[Subject, list[ReviewedCase]]]:
        grouped: dict[str, dict[Subject, list[ReviewedCase]]] = {}
        for case in self.read:
            about = case.subject
            keys = {
                "model": Subject(about.benchmark, "", 0, "", about.model, "", about.arm),
                "stratum": Subject(about.benchmark, "", 0, about.stratum),
                "model and stratum": Subject(about.benchmark, "", 0, about.stratum, about.model, "", about.arm),
            }
            for by, key in keys.items():
                grouped.setdefault(by, {}).setdefault(key, []).append(case)
        return grouped

    def _counted(
        self, field: Field, by: str, subject: Subject, cases: Sequence[ReviewedCase]
    ) -> Iterator[dict[str, Any]]:
        """A group's labels; open cases are counted apart, and no share has them."""
        came_to = [(cluster(case.subject), self.settled[case.number].value) for case in cases
                   if case.number in self.settled]  # fmt: skip
        known = [(group, labels) for group, value in came_to if (labels := _labels(field, value)) is not None]
        clusters = [group for group, _ in known]
        shown = [*field.values, *([ANY] if field.kind == "marks" else [])]
        shares = [
            {"of": label, **estimate_record(proportion([label in labels for _, labels in known], clusters))}
            for label in shown
            if known
        ]
        counts = Counter(label for _, labels in known for label in labels)
        yield {
            "by": by, "field": field.name, "benchmark": subject.benchmark, "model": subject.model, "arm": subject.arm,
            "stratum": subject.stratum, "counts": {label: counts[label] for label in shown}, "n": len(known),
            "open": len(cases) - len(came_to), "share": (shares[-1] if field.kind == "marks" else shares[0]) if shares
            else None, "shares": shares,
        }  # fmt: skip

    @cached_property
    def record(self) -> dict[str, Any]:
        """All of it as JSON knows it; a number that is not known is null. `give_back` adds study, plan and judges."""
        how = Counter(each.by for each in self.settled.values())
        first = self.task.compared[0].name
        in_short = [row for row in self.labels if (row["by"], row["field"]) == ("model", first)]
        votes = {name: [vote for case in self.cases for vote in case.votes if vote.rater == name]
                 for name in self.raters}  # fmt: skip
        rated = self.task.name == "profile"
        return {
            "schema": REVIEW_SCHEMA,
            "task": self.task.name,
            "title": self.task.title,
            "raters": [
                {
                    "rater": called, "settles": any(vote.settles for vote in votes[name]), "votes": len(votes[name]),
                    "skipped": sum(vote.value is None for vote in votes[name]),
                }
                for name, called in self.raters.items()
            ],
            "cases": len(self.cases),
            "read": len(self.read),
            "agreed": how["agreement"],
            "by_one": how["reader"],
            "settled": how["settler"] + how["majority"],
            "settled_by": {name: how[name] for name in ("settler", "majority")},
            "medians": how["median"],
            "open": len(self.open),
            "not_judged": len(self.not_judged),
            "agreement": [each.record for each in self.agreement],
            "confusion": self.confusion,
            "labels": in_short,
            "labels_in_detail": [row for row in self.labels if row not in in_short],
            "profile": axes_of(self._rated) if rated else [],
            "landscape": landscape_of(self._rated) if rated else [],
            "ratings": ratings_of(self._rated) if rated else [],
            "judges": [],
        }  # fmt: skip

    @cached_property
    def _rated(self) -> list[tuple[Subject, dict[str, Value]]]:
        """The votes on each case, by what the raters are called."""
        return [
            (case.subject, {self.raters[name]: value for name, value in said.items()})
            for case in self.cases
            if (said := readings(case))
        ]

    @property
    def sentences(self) -> list[str]:
        """Agreement first, then what the cases came to, for the terminal; parentheses are 95% intervals."""
        counts = self.record
        many = f"{counts['cases']:,} case{'s' * (counts['cases'] != 1)}"
        alone = f", by one reader alone {counts['by_one']:,}" if counts["by_one"] else ""
        came_to = (
            f"agreed {counts['agreed']:,}{alone}, settled {counts['settled']:,}, open {counts['open']:,}"
            if self.task.settles
            else f"raters agree on all axes of {counts['agreed']:,}, and of the others the median counts"
        )
        said = [] if self.agreement else ["No case has two votes yet, so that nothing can be said of agreement."]
        for part in dict.fromkeys((each.field.name, each.tag, each.asks) for each in self.agreement):
            found = [each for each in self.agreement if (each.field.name, each.tag, each.asks) == part]
            if not self.task.settles and len(found) > 1:  # ten axes: the paper's statistic here, the rest in the report
                found = [each for each in found if each.statistic.startswith("Fleiss")] or found
            found = sorted(found, key=lambda each: each.statistic == AGREEMENT)  # κ first
            said.append(f"{part[2].rstrip('?:. ')}: {'; '.join(map(_in_words, found))}.")
        return [*said, f"{self.task.title} {many}, {counts['read']:,} read by as many raters as planned: {came_to}."]


def reviewed(cases: Sequence[ReviewedCase], task: Task) -> Reviewed:
    """What clinicians said to a task: agreement, settled labels and, for profiles, what benchmarks ask for."""
    return Reviewed(task, tuple(case for case in cases if case.task == task.name))


def agreed(field: Field, tag: str, asks: str, rows: Sequence[Said]) -> list[Agreement]:
    """How far raters agree on cases that at least two of them read; nothing where there are none.

    The share of agreeing pairs of votes; Cohen's κ where the same two raters read all cases, or nearly all, on those;
    Fleiss' κ of three or more on the cases with as many votes as most have; Krippendorff's α of all, on scales also
    with how far labels lie apart.
    """
    twice = [row for row in rows if len(row.labels) > 1]
    if not twice:
        return []
    readers = sorted({rater for row in twice for rater in row.labels}, key=_number)
    clusters = [row.cluster for row in twice]
    shares = [_agreeing(list(row.labels.values())) for row in twice]
    found = [(AGREEMENT, proportion(shares, clusters), 0)]
    (pair, count), *_ = Counter(tuple(sorted(row.labels, key=_number)) for row in twice).most_common(1)
    if len(pair) == 2 and count >= NEARLY_ALL * len(twice):
        both = [row for row in twice if set(row.labels) == set(pair)]
        first, second = ([row.labels[each] for row in both] for each in pair)
        others = len({row.case for row in twice} - {row.case for row in both})
        found.append((COHEN, clustered_kappa(first, second, [row.cluster for row in both]), others))
    if len(readers) > 2:
        (usual, _), *_ = sorted(
            Counter(len(row.labels) for row in twice).items(), key=lambda each: (-each[1], -each[0])
        )
        equal = [row for row in twice if len(row.labels) == usual]
        kappa = fleiss_kappa([list(row.labels.values()) for row in equal], [row.cluster for row in equal])
        left_out = {row.case for row in rows} - {row.case for row in equal}
        found.append((FLEISS, kappa, len(left_out)))
    ratings = [[row.labels.get(rater) for rater in readers] for row in twice]
    found.append((KRIPPENDORFF, krippendorff_alpha(ratings, clusters), 0))
    if field.kind == "scale":
        found.append((ORDINAL, krippendorff_alpha(ratings, clusters, scale="ordinal"), 0))
    return [
        Agreement(field, tag, asks, statistic, estimate, 2 if statistic == COHEN else len(readers), without)
        for statistic, estimate, without in found
    ]


def _agreeing(labels: Sequence[str]) -> float:
    pairs = [one == other for one, other in combinations(labels, 2)]
    return sum(pairs) / len(pairs)


def _labels(field: Field, value: Value) -> set[str] | None:
    """The labels that a case came to; None where it says nothing to an optional field."""
    if field.kind != "marks":
        return {str(value[field.name])} if value.get(field.name) else None
    tags = {mark["tag"] for mark in value.get(field.name) or ()}
    return tags | {ANY} if tags else set()


def _table(name: str, part: Part, pairs: Sequence[tuple[str, ...]], rows: str, columns: str) -> dict[str, Any]:
    counts = Counter(pairs)
    return {
        "field": name, "asks": part.asks if name == part.tag else part.field.asks, "labels": list(part.labels),
        "counts": [[counts[row, column] for column in part.labels] for row in part.labels],
        "rows": rows, "columns": columns,
    }  # fmt: skip


def _number(rater: str) -> int:
    return int(rater.rsplit(" ", 1)[1])


def _in_words(found: Agreement) -> str:
    estimate = found.estimate
    if not isfinite(estimate.value):
        return f"{found.statistic} is not defined ({estimate.method.removeprefix('undefined: ')}, n {estimate.n})"
    why = "by other raters" if found.statistic == COHEN else "with another number of votes"
    left_out = f", {counted(found.left_out, 'case')} {why} left out" if found.left_out else ""
    return (
        f"{found.statistic} {estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f}), n {estimate.n}, "
        f"{estimate.method}{left_out}"
    )
