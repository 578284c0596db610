"""The Mirage paper's B-Clean: how many questions are kept, and which ranks change, by the printed figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import ceil, floor, hypot
from typing import Any, NamedTuple

from snellen.papers.paper import Sheet, percent
from snellen.stats import Estimate, wilson

VERDICTS = {True: "equal", False: "DIFFERENT"}


class Cleaned(NamedTuple):
    """A benchmark before and after B-Clean removed what any model had right without the image.

    `full` and `clean` are the accuracies in percent, of all questions and of those kept.
    """

    benchmark: str
    n: int
    kept: int
    sets: Mapping[str, int]
    full: Mapping[str, float]
    clean: Mapping[str, float]

    @property
    def removed(self) -> int:
        """How many questions went: the union of the models' sets."""
        return self.n - self.kept

    @property
    def possible(self) -> bool:
        """Whether a union of these sets can be so large: at least the largest of them, at most all together.

        >>> Cleaned("benchmark", n=10, kept=4, sets={"a": 3, "b": 2}, full={}, clean={}).possible
        False
        """
        return max(self.sets.values()) <= self.removed <= sum(self.sets.values())

    @property
    def swapped(self) -> list[tuple[str, str]]:
        """The pairs of models of which the one is ahead on all questions and the other on those kept."""
        return [
            (one, other)
            for one, other in combinations(self.full, 2)
            if (self.full[one] - self.full[other]) * (self.clean[one] - self.clean[other]) < 0
        ]


def cleaned(record: Mapping[str, Any]) -> list[Cleaned]:
    """Every benchmark that was cleaned, in the order of the paper."""
    return [
        Cleaned(
            name,
            given["n"],
            given["kept"],
            given["right_without_image"],
            full={model: accuracies[0] for model, accuracies in given["accuracy"].items()},
            clean={model: accuracies[1] for model, accuracies in given["accuracy"].items()},
        )
        for name, given in record["counts"]["benchmarks"].items()
    ]


def whole(accuracy: float, n: int) -> bool:
    """Whether an accuracy in percent, printed with one decimal, can be a number of right answers out of n.

    >>> whole(33.3, 3), whole(33.4, 3)
    (True, False)
    """
    least, most = ((accuracy + off) / 100 * n for off in (-0.05, 0.05))
    return ceil(least - 1e-9) <= floor(most + 1e-9)


def difference(one: Estimate, other: Estimate) -> Estimate:
    """One share less another with Newcombe's interval, as of two independent samples.

    >>> print(difference(wilson(6, 10), wilson(4, 10)))
    0.20 [-0.21, 0.53] (n=10, newcombe)
    """
    value = one.value - other.value
    low = value - hypot(one.value - one.low, other.high - other.value)
    high = value + hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, low, high, min(one.n, other.n), "newcombe")


def bclean_sheets(record: Mapping[str, Any]) -> Iterator[Sheet]:
    """What is kept of each benchmark, and the accuracies and ranks before and after."""
    found = cleaned(record)
    yield Sheet(
        title="B-Clean: questions kept",
        columns=("benchmark", "sets", "removed", "%", "text", "kept", "%", "text", ""),
        rows=tuple(_kept_row(record["said"], each) for each in found),
        notes=tuple(_kept_notes(record["said"], found)),
    )
    yield Sheet(
        title="B-Clean: accuracies and ranks",
        columns=("model", "benchmark", "all questions", "rank", "kept questions", "rank", "change"),
        rows=tuple(row for each in found for row in _rank_rows(each)),
        notes=tuple(_rank_notes(record["said"], found)),
        words=2,
    )


def _kept_row(said: Mapping[str, Any], each: Cleaned) -> tuple[str, ...]:
    kept, removed = (said[what]["percent"][each.benchmark] for what in ("kept", "removed"))
    shares = (100 * each.kept / each.n, 100 * each.removed / each.n)
    equal = abs(shares[0] - kept) <= 0.5 and abs(shares[1] - removed) <= 0.05
    return (
        each.benchmark,
        f"{max(each.sets.values()):,}–{sum(each.sets.values()):,}",
        *(f"{each.removed:,} of {each.n:,}", f"{shares[1]:.1f}", f"{removed:.1f}"),
        *(f"{each.kept:,}", f"{shares[0]:.1f}", f"{kept}"),
        VERDICTS[equal],
    )


def _kept_notes(said: Mapping[str, Any], found: Sequence[Cleaned]) -> Iterator[str]:
    yield (
        "Removed: what at least one model had right without the image; text: what the text gives. Sets: the largest "
        "and the sum of the models' own, between which that must lie. Counted, not estimated: no interval."
    )
    impossible = [each.benchmark for each in found if not each.possible]
    yield (
        f"Not possible by its sets: {', '.join(impossible)}."
        if impossible
        else "All that is removed is possible by its sets."
    )
    least, most = said["removed_between"]["percent"]
    shares = {each.benchmark: 100 * each.removed / each.n for each in found}
    outside = [name for name, share in shares.items() if not least <= share <= most]
    yield (
        f"The caption of Fig. {said['removed_between']['figure']} has {least} to {most}% removed; by the counts it is "
        f"{min(shares.values()):.1f} to {max(shares.values()):.1f}%, outside that: {', '.join(outside) or 'none'}."
    )


def _rank_rows(each: Cleaned) -> Iterator[tuple[str, ...]]:
    for model in sorted(each.full, key=lambda name: -each.full[name]):
        yield (
            model,
            each.benchmark,
            _shown(_share(each.full[model], each.n)),
            _rank(each.full, model),
            _shown(_share(each.clean[model], each.kept)),
            _rank(each.clean, model),
            f"{each.clean[model] - each.full[model]:+.1f}",
        )


def _rank_notes(said: Mapping[str, Any], found: Sequence[Cleaned]) -> Iterator[str]:
    yield "Accuracies as printed, in percent, with Wilson's 95% CI."
    changed = [each for each in found if each.swapped]
    claimed = said["rankings_changed"]
    fits = "as" if claimed["benchmarks"] == len(changed) else "not as"
    yield (
        f"Ranks change on {len(changed)} of {len(found)} benchmarks, {fits} Section {claimed['section']} says. "
        "Differences as of two independent samples (Newcombe), since no response is printed:"
    )
    yield from (f"– {_swap(each, *pair)}" for each in changed for pair in each.swapped)
    risen = [f"{model} on {each.benchmark}" for each in found for model in each.full if _rose(each, model)]
    if risen:
        yield f"The caption of Fig. 5 has accuracies fall; not so {', '.join(risen)}."
    yield from (_gaps(each) for each in found if not each.swapped)
    yield from _fractions(found)


def _swap(each: Cleaned, one: str, other: str) -> str:
    """How far apart two models are that change places."""
    parts = []
    for accuracies, n, of in ((each.full, each.n, "all"), (each.clean, each.kept, "kept")):
        found = difference(_share(accuracies[one], n), _share(accuracies[other], n))
        parts.append(f"{100 * found.value:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}] on {of} {n:,}")
    unsure = " The interval on those kept includes 0." if found.low <= 0 <= found.high else ""
    return f"{each.benchmark}: {one} less {other} {', '.join(parts)}.{unsure}"


def _rose(each: Cleaned, model: str) -> bool:
    return each.clean[model] >= each.full[model]


def _gaps(each: Cleaned) -> str:
    """Where the ranks stay: the gaps between neighbours and from first to last, before and after."""
    ranked = sorted(each.full, key=lambda name: -each.full[name])
    steps = [*pairwise(ranked), (ranked[0], ranked[-1])]
    before, after = ([by[one] - by[other] for one, other in steps] for by in (each.full, each.clean))
    wider = sum(new > old for new, old in zip(after, before, strict=True))
    told = "; ".join(
        f"{one} to {other} {old:.1f} before, {new:.1f} after"
        for (one, other), old, new in zip(steps, before, after, strict=True)
    )
    fits = f"{wider} of {len(steps)} grow" if wider else "all shrink"
    return f"Where ranks stay, the caption of Fig. 5 has gaps shrink. {each.benchmark}: {told}; {fits}."


def _fractions(found: Sequence[Cleaned]) -> Iterator[str]:
    """The accuracies that are not a number of questions."""
    odd = [
        f"{model} on {each.benchmark}, {accuracy}% of {n:,}"
        for each in found
        for accuracies, n in ((each.full, each.n), (each.clean, each.kept))
        for model, accuracy in accuracies.items()
        if not whole(accuracy, n)
    ]
    if odd:
        yield f"No whole number of right answers gives {'; '.join(odd)}: some other number of questions was counted."


def _rank(accuracies: Mapping[str, float], model: str) -> str:
    return str(1 + sum(other > accuracies[model] for other in accuracies.values()))


def _share(accuracy: float, n: int) -> Estimate:
    return wilson(accuracy / 100 * n, n)


def _shown(estimate: Estimate) -> str:
    return percent(estimate.value, estimate.low, estimate.high)
