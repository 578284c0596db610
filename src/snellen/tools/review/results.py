"""Results of a review: agreement with intervals, settled labels, and profiles; raters are anonymous."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isfinite
from statistics import fmean, median
from typing import Any, Literal, NamedTuple

from snellen.runtime import counted
from snellen.stats import Estimate, clustered_kappa, fleiss_kappa, krippendorff_alpha, proportion
from snellen.store.labels import REVIEW_SCHEMA
from snellen.tools.review.ballots import ReviewedCase
from snellen.tools.review.case import Subject, cluster
from snellen.tools.review.profiles import axes_of, estimate_record, landscape_of, ratings_of
from snellen.tools.review.task import Field, ReviewTask, Value

AGREEMENT, COHEN, FLEISS, KRIPPENDORFF = "agreement", "Cohen's κ", "Fleiss' κ", "Krippendorff's α"
ORDINAL = f"{KRIPPENDORFF} (ordinal)"
ABSENT, PRESENT = "absent", "present"
SETTLED = "settled label"
ANY = "any of them"
ALL_AXES = "all axes"
NEARLY_ALL = 0.8
"""Minimum share of cases read by the same two raters, for Cohen's κ of these two."""


class Settled(NamedTuple):
    """The outcome of a case, and how it was reached.

    `reader` means the vote of one rater, on a case planned for only one.
    """

    by: Literal["agreement", "settler", "majority", "median", "reader"]
    value: Value


def readings(case: ReviewedCase) -> dict[str, Value]:
    """Return the independent votes on a case, by rater: no settlers, no skips, at most the planned number."""
    votes = [vote for vote in case.votes if not vote.settles and vote.value is not None]
    return {vote.rater: vote.value for vote in votes[: case.wanted] if vote.value is not None}


def is_read(case: ReviewedCase) -> bool:
    """Return whether a case has the planned number of votes, or a settler's vote."""
    return len(readings(case)) >= case.wanted or any(vote.settles and vote.value is not None for vote in case.votes)


def settle(case: ReviewedCase, task: ReviewTask) -> Settled | None:
    """Decide the outcome of a case; None if it lacks votes or is not settled.

    A settler's vote decides. Otherwise all must agree, or more than half. Tasks that are never settled (scales)
    use the median.
    """
    votes = [vote.value for vote in case.votes if not vote.settles and vote.value is not None]
    settlers = [vote.value for vote in case.votes if vote.settles and vote.value is not None]
    if settlers:
        return Settled("settler", settlers[-1])
    if len(votes) < case.wanted or not votes:
        return None
    if not task.differ(votes):
        return Settled("agreement" if len(votes) > 1 else "reader", votes[0])
    if not task.settles:
        levels = {field.name: [float(value[field.name]) for value in votes if field.name in value]
                  for field in task.compared}  # fmt: skip
        return Settled("median", {name: f"{median(each):g}" for name, each in levels.items()})
    most = task.most_say(votes)
    return None if most is None else Settled("majority", most)


class AgreementPart(NamedTuple):
    """A field, or one of its patterns, on which raters' agreement is measured."""

    field: Field
    asks: str
    labels: tuple[str, ...]
    tag: str = ""

    def read_label(self, task: ReviewTask, value: Value) -> str | None:
        """Return a vote's label for this part; None if the vote has none."""
        if self.tag:
            return PRESENT if any(mark["tag"] == self.tag for mark in value.get(self.field.name) or ()) else ABSENT
        label = task.says(self.field, value)
        return None if label in (None, "") else str(label)


def parts(field: Field) -> tuple[AgreementPart, ...]:
    """Return the field as one part, or one part for each of its patterns."""
    if field.kind != "marks":
        return (AgreementPart(field, field.asks, field.values),)
    return tuple(AgreementPart(field, choice.label, (ABSENT, PRESENT), choice.value) for choice in field.choices)


class CaseLabels(NamedTuple):
    """The raters' labels of one part of one case, with the case's cluster."""

    case: int
    cluster: str
    labels: Mapping[str, str]


class RaterAgreement(NamedTuple):
    """Agreement of raters on one pattern (`tag`), or on a field without `tag`."""

    field: Field
    tag: str
    asks: str
    statistic: str
    estimate: Estimate
    raters: int
    left_out: int = 0
    """Cases outside the statistic: read by other raters, or with an unusual number of votes."""

    @property
    def record(self) -> dict[str, Any]:
        """The agreement as JSON."""
        named = {"field": self.field.name, "label": self.tag, "asks": self.asks, "statistic": self.statistic}
        return {**named, **estimate_record(self.estimate), "raters": self.raters, "left_out": self.left_out}


@dataclass(frozen=True)
class Reviewed:
    """The cases of one task with their votes, and all results computed from them."""

    task: ReviewTask
    cases: tuple[ReviewedCase, ...]

    @cached_property
    def raters(self) -> dict[str, str]:
        """The raters' anonymous names ("Rater 1") by name, in order of first vote.

        Settlers come last.
        """
        first: dict[tuple[bool, str], float] = {}
        for vote in (vote for case in self.cases for vote in case.votes):
            key = (vote.settles, vote.rater)
            first[key] = min(vote.cast_at, first.get(key, vote.cast_at))
        order = sorted(first, key=lambda key: (key[0], first[key], key[1]))
        return {name: f"Rater {place}" for place, name in enumerate(dict.fromkeys(name for _, name in order), start=1)}

    @cached_property
    def settled(self) -> dict[int, Settled]:
        """The outcomes of settled cases, by case number."""
        return {case.number: each for case in self.cases if (each := settle(case, self.task)) is not None}

    @cached_property
    def read(self) -> tuple[ReviewedCase, ...]:
        """The cases with the planned number of votes, or a settler's vote."""
        return tuple(case for case in self.cases if is_read(case))

    @cached_property
    def open(self) -> tuple[ReviewedCase, ...]:
        """The cases on which raters differ, not settled yet."""
        return tuple(case for case in self.read if case.number not in self.settled)

    @cached_property
    def not_judged(self) -> tuple[ReviewedCase, ...]:
        """The cases without enough votes because a rater could not judge them."""
        skipped = (case for case in self.cases if any(vote.value is None for vote in case.votes))
        return tuple(case for case in skipped if not is_read(case))

    def collect_labels(self, part: AgreementPart) -> list[CaseLabels]:
        """Collect the raters' labels of a part for each case."""
        rows = []
        for case in self.cases:
            votes = {self.raters[name]: part.read_label(self.task, value) for name, value in readings(case).items()}
            labels = {rater: label for rater, label in votes.items() if label is not None}
            if labels:
                rows.append(CaseLabels(case.number, cluster(case.subject), labels))
        return rows

    @cached_property
    def agreement(self) -> tuple[RaterAgreement, ...]:
        """Agreement of raters on each field and each pattern."""
        found: list[RaterAgreement] = []
        for field in self.task.compared:
            each = {part: self.collect_labels(part) for part in parts(field)}
            whole = [row for rows in each.values() for row in rows]
            found += measure_agreement(field, "", field.asks, whole)
            for part, rows in each.items():
                found += measure_agreement(field, part.tag, part.asks, rows) if part.tag else []
        return tuple(found)

    @cached_property
    def confusion(self) -> list[dict[str, Any]]:
        """Cross-tables of two raters' labels; with more raters, of each rater and the outcome.

        Scales with the same levels share one table. So do all patterns of a field, which also have a table each.
        """
        tables = []
        for name, together in self._compared_together().items():
            rows = [row for part in together for row in self.collect_labels(part)]
            readers = sorted({rater for row in rows for rater in row.labels}, key=_number)
            if len(readers) == 2:
                pairs = [tuple(row.labels[each] for each in readers) for row in rows if len(row.labels) == 2]
                tables.append(_table(name, together[0], pairs, readers[0], readers[1]))
            elif len(readers) > 2:
                for rater in readers:
                    against = [pair for part in together for pair in self._pair_with_outcome(part, rater)]
                    tables.append(_table(name, together[0], against, rater, SETTLED))
        return tables

    def _compared_together(self) -> dict[str, list[AgreementPart]]:
        together: dict[str, list[AgreementPart]] = {}
        for field in self.task.compared:
            name = field.name if field.kind != "scale" else f"{ALL_AXES} ({', '.join(field.values)})"
            if field.kind != "words":
                together.setdefault(name, []).extend(parts(field))
            together.update({part.tag: [part] for part in parts(field) if part.tag})
        return together

    def _pair_with_outcome(self, part: AgreementPart, rater: str) -> list[tuple[str, str]]:
        """Pair a rater's label with the outcome, for each settled case that the rater read."""
        pairs = []
        for row in self.collect_labels(part):
            outcome = self.settled.get(row.case)
            label = None if outcome is None else part.read_label(self.task, outcome.value)
            if rater in row.labels and label is not None:
                pairs.append((row.labels[rater], label))
        return pairs

    @cached_property
    def labels(self) -> list[dict[str, Any]]:
        """Counts of labels for each field, by model and condition, by stratum, and by both."""
        return [
            self._count_labels(field, by, subject, cases)
            for field in self.task.compared
            if field.kind in ("choice", "marks")
            for by, grouped in self._groups().items()
            for subject, cases in grouped.items()
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

    def _count_labels(self, field: Field, by: str, subject: Subject, cases: Sequence[ReviewedCase]) -> dict[str, Any]:
        """Count a group's labels and estimate shares; open cases are only counted."""
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
        return {
            "by": by, "field": field.name, "benchmark": subject.benchmark, "model": subject.model, "arm": subject.arm,
            "stratum": subject.stratum, "counts": {label: counts[label] for label in shown}, "n": len(known),
            "open": len(cases) - len(came_to), "share": (shares[-1] if field.kind == "marks" else shares[0]) if shares
            else None, "shares": shares,
        }  # fmt: skip

    @cached_property
    def record(self) -> dict[str, Any]:
        """All results as JSON; an unknown number is null. `give_back` adds study, plan and judges."""
        how = Counter(each.by for each in self.settled.values())
        first = self.task.compared[0].name
        in_short = [row for row in self.labels if (row["by"], row["field"]) == ("model", first)]
        votes = {name: [vote for case in self.cases for vote in case.votes if vote.rater == name]
                 for name in self.raters}  # fmt: skip
        rated = [
            (case.subject, {self.raters[name]: value for name, value in said.items()})
            for case in self.cases
            if self.task.name == "profile" and (said := readings(case))
        ]
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
            "profile": axes_of(rated),
            "landscape": landscape_of(rated),
            "ratings": ratings_of(rated),
            "judges": [],
        }  # fmt: skip

    @property
    def sentences(self) -> list[str]:
        """Sentences for the terminal: agreement with 95% intervals first, then the outcomes."""
        counts = self.record
        many = counted(counts["cases"], "case")
        alone = f", read by one rater only {counts['by_one']:,}" if counts["by_one"] else ""
        came_to = (
            f"agreed {counts['agreed']:,}{alone}, settled {counts['settled']:,}, open {counts['open']:,}"
            if self.task.settles
            else f"raters agree on all axes of {counts['agreed']:,}; for the others the median counts"
        )
        said = [] if self.agreement else ["No case has two votes yet, so agreement is unknown."]
        for part in dict.fromkeys((each.field.name, each.tag, each.asks) for each in self.agreement):
            found = [each for each in self.agreement if (each.field.name, each.tag, each.asks) == part]
            if not self.task.settles and len(found) > 1:  # ten axes: the paper's statistic here, the rest in the report
                found = [each for each in found if each.statistic.startswith("Fleiss")] or found
            found = sorted(found, key=lambda each: each.statistic == AGREEMENT)  # κ first
            said.append(f"{part[2].rstrip('?:. ')}: {'; '.join(map(_in_words, found))}.")
        return [*said, f"{self.task.title} {many}, {counts['read']:,} read by as many raters as planned: {came_to}."]


def summarise_review(cases: Sequence[ReviewedCase], task: ReviewTask) -> Reviewed:
    """Summarise the cases of one task."""
    return Reviewed(task, tuple(case for case in cases if case.task == task.name))


def measure_agreement(field: Field, tag: str, asks: str, rows: Sequence[CaseLabels]) -> list[RaterAgreement]:
    """Measure agreement on cases with at least two votes; empty if there are none.

    Always: the share of agreeing pairs of votes, and Krippendorff's α (on scales also its ordinal form). Cohen's
    κ if the same two raters read (nearly) all cases. Fleiss' κ with three or more raters, on the
    cases with the most frequent number of votes.
    """
    twice = [row for row in rows if len(row.labels) > 1]
    if not twice:
        return []
    readers = sorted({rater for row in twice for rater in row.labels}, key=_number)
    clusters = [row.cluster for row in twice]
    shares = [fmean(one == other for one, other in combinations(row.labels.values(), 2)) for row in twice]
    measured = [(AGREEMENT, proportion(shares, clusters), 0)]
    (pair, count), *_ = Counter(tuple(sorted(row.labels, key=_number)) for row in twice).most_common(1)
    if len(pair) == 2 and count >= NEARLY_ALL * len(twice):
        both = [row for row in twice if set(row.labels) == set(pair)]
        first, second = ([row.labels[each] for row in both] for each in pair)
        others = len({row.case for row in twice} - {row.case for row in both})
        measured.append((COHEN, clustered_kappa(first, second, [row.cluster for row in both]), others))
    if len(readers) > 2:
        sizes = Counter(len(row.labels) for row in twice)
        usual = max(sizes, key=lambda size: (sizes[size], size))
        equal = [row for row in twice if len(row.labels) == usual]
        kappa = fleiss_kappa([list(row.labels.values()) for row in equal], [row.cluster for row in equal])
        left_out = {row.case for row in rows} - {row.case for row in equal}
        measured.append((FLEISS, kappa, len(left_out)))
    ratings = [[row.labels.get(rater) for rater in readers] for row in twice]
    measured.append((KRIPPENDORFF, krippendorff_alpha(ratings, clusters), 0))
    if field.kind == "scale":
        measured.append((ORDINAL, krippendorff_alpha(ratings, clusters, scale="ordinal"), 0))
    return [
        RaterAgreement(field, tag, asks, statistic, estimate, 2 if statistic == COHEN else len(readers), without)
        for statistic, estimate, without in measured
    ]


def _labels(field: Field, value: Value) -> set[str] | None:
    """Return the labels of an outcome; None if an optional field has no answer."""
    if field.kind != "marks":
        return {str(value[field.name])} if value.get(field.name) else None
    tags = {mark["tag"] for mark in value.get(field.name) or ()}
    return tags | {ANY} if tags else set()


def _table(name: str, part: AgreementPart, pairs: Sequence[tuple[str, ...]], rows: str, columns: str) -> dict[str, Any]:
    counts = Counter(pairs)
    return {
        "field": name, "asks": part.asks if name == part.tag else part.field.asks, "labels": list(part.labels),
        "counts": [[counts[row, column] for column in part.labels] for row in part.labels],
        "rows": rows, "columns": columns,
    }  # fmt: skip


def _number(rater: str) -> int:
    return int(rater.rsplit(" ", 1)[1])


def _in_words(found: RaterAgreement) -> str:
    estimate = found.estimate
    if not isfinite(estimate.value):
        return f"{found.statistic} is not defined ({estimate.method.removeprefix('undefined: ')}, n {estimate.n})"
    why = "by other raters" if found.statistic == COHEN else "with another number of votes"
    left_out = f", {counted(found.left_out, 'case')} {why} left out" if found.left_out else ""
    return (
        f"{found.statistic} {estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f}), n {estimate.n}, "
        f"{estimate.method}{left_out}"
    )
