"""The Mirage paper: scores recomputed from printed counts, and its statements checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil, exp, floor, sqrt
from operator import attrgetter
from statistics import NormalDist, fmean
from typing import Any, NamedTuple

from snellen.papers.paper import PaperTable, Row, describe_methods, figures, format_row, percent, select_own
from snellen.scoring.results import Results
from snellen.stats import Estimate, group_difference, wilson


class Cleaned(NamedTuple):
    """A benchmark before and after B-Clean.

    B-Clean removes every question that any model answered correctly without the image. `full` and `clean` are
    accuracies in percent, of all questions and of those kept. `sets` counts each model's correct answers without the
    image.
    """

    benchmark: str
    n: int
    kept: int
    sets: Mapping[str, int]
    full: Mapping[str, float]
    clean: Mapping[str, float]

    @property
    def removed(self) -> int:
        """Number of questions removed."""
        return self.n - self.kept

    @property
    def possible(self) -> bool:
        """Whether the number removed fits the models' own counts.

        >>> Cleaned("benchmark", n=10, kept=4, sets={"a": 3, "b": 2}, full={}, clean={}).possible
        False
        """
        return max(self.sets.values()) <= self.removed <= sum(self.sets.values())

    @property
    def swapped(self) -> list[tuple[str, str]]:
        """Pairs of models whose order changes on the kept questions."""
        return [
            (one, other)
            for one, other in combinations(self.full, 2)
            if (self.full[one] - self.full[other]) * (self.clean[one] - self.clean[other]) < 0
        ]


def list_cleaned(record: Mapping[str, Any]) -> list[Cleaned]:
    """Return every cleaned benchmark, in the order of the paper."""
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


def is_whole_count(accuracy: float, n: int) -> bool:
    """Return True if an accuracy printed in percent can be a count out of n.

    >>> is_whole_count(33.3, 3), is_whole_count(33.4, 3)
    (True, False)
    """
    least, most = ((accuracy + off) / 100 * n for off in (-0.05, 0.05))
    return ceil(least - 1e-9) <= floor(most + 1e-9)


def bclean_sheets(record: Mapping[str, Any]) -> Iterator[PaperTable]:
    """Tables of the questions kept per benchmark, and of accuracies and ranks before and after."""
    found = list_cleaned(record)
    yield PaperTable(
        title="B-Clean: questions kept",
        columns=("benchmark", "sets", "removed", "%", "text", "kept", "%", "text", ""),
        rows=tuple(_kept_row(record["said"], each) for each in found),
        notes=tuple(_kept_notes(record["said"], found)),
    )
    yield PaperTable(
        title="B-Clean: accuracies and ranks",
        columns=("model", "benchmark", "all questions", "rank", "kept questions", "rank", "change"),
        rows=tuple(row for each in found for row in _rank_rows(each)),
        notes=tuple(_rank_notes(record["said"], found)),
        words=2,
    )


def _kept_row(said: Mapping[str, Any], each: Cleaned) -> tuple[str, ...]:
    kept, removed = (said[what]["percent"][each.benchmark] for what in ("kept", "removed"))
    of_kept, of_removed = 100 * each.kept / each.n, 100 * each.removed / each.n
    return (
        each.benchmark,
        f"{max(each.sets.values()):,}–{sum(each.sets.values()):,}",
        *(f"{each.removed:,} of {each.n:,}", f"{of_removed:.1f}", f"{removed:.1f}"),
        *(f"{each.kept:,}", f"{of_kept:.1f}", f"{kept}"),
        "equal" if abs(of_kept - kept) <= 0.5 and abs(of_removed - removed) <= 0.05 else "DIFFERENT",
    )


def _kept_notes(said: Mapping[str, Any], found: Sequence[Cleaned]) -> Iterator[str]:
    yield (
        "Removed: what at least one model had right without the image; text: what the text gives. Sets: the largest "
        "and the sum of the models' own, between which that must lie. Counted, not estimated: no interval."
    )
    impossible = ", ".join(each.benchmark for each in found if not each.possible)
    yield f"Not possible by its sets: {impossible}." if impossible else "All that is removed is possible by its sets."
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
            _format_estimate(_share(each.full[model], each.n)),
            _rank(each.full, model),
            _format_estimate(_share(each.clean[model], each.kept)),
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
    risen = [
        f"{model} on {each.benchmark}"
        for each in found
        for model, accuracy in each.full.items()
        if each.clean[model] >= accuracy
    ]
    if risen:
        yield f"The caption of Fig. 5 has accuracies fall; not so {', '.join(risen)}."
    yield from (_gaps(each) for each in found if not each.swapped)
    yield from _fractions(found)


def _swap(each: Cleaned, one: str, other: str) -> str:
    parts = []
    for accuracies, n, of in ((each.full, each.n, "all"), (each.clean, each.kept, "kept")):
        found = group_difference(_share(accuracies[one], n), _share(accuracies[other], n))
        parts.append(f"{100 * found.value:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}] on {of} {n:,}")
    unsure = " The interval on those kept includes 0." if found.low <= 0 <= found.high else ""
    return f"{each.benchmark}: {one} less {other} {', '.join(parts)}.{unsure}"


def _gaps(each: Cleaned) -> str:
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
    """Name the accuracies that no whole number of correct answers gives."""
    odd = [
        f"{model} on {each.benchmark}, {accuracy}% of {n:,}"
        for each in found
        for accuracies, n in ((each.full, each.n), (each.clean, each.kept))
        for model, accuracy in accuracies.items()
        if not is_whole_count(accuracy, n)
    ]
    if odd:
        yield f"No whole number of right answers gives {'; '.join(odd)}: some other number of questions was counted."


def _rank(accuracies: Mapping[str, float], model: str) -> str:
    return str(1 + sum(other > accuracies[model] for other in accuracies.values()))


def _share(accuracy: float, n: int) -> Estimate:
    return wilson(accuracy / 100 * n, n)


Z = NormalDist().inv_cdf(0.975)
ROUNDED = 0.0005
"""Largest rounding error of an accuracy printed in percent with one decimal."""


@dataclass(frozen=True)
class BenchmarkResult:
    """A model's correct answers on a benchmark without the image, and its accuracy with it."""

    model: str
    benchmark: str
    n: int
    right: int
    accuracy: float

    @property
    def without(self) -> Estimate:
        """Accuracy without the image."""
        return wilson(self.right, self.n)

    @property
    def with_image(self) -> Estimate:
        """Accuracy with the image as printed, over the same n questions."""
        return wilson(self.accuracy * self.n, self.n)

    @property
    def score(self) -> Estimate:
        """Mirage score: accuracy without the image divided by accuracy with it.

        >>> print(BenchmarkResult("model", "benchmark", n=1000, right=400, accuracy=0.8).score)
        0.50 [0.46, 0.54] (n=1000, log-ratio of two samples)
        """
        value, margin = self.right / self.n / self.accuracy, exp(Z * self.error)
        return Estimate(value, value / margin, value * margin, self.n, "log-ratio of two samples")

    @property
    def error(self) -> float:
        """Standard error of the score's logarithm, as for independent samples."""
        shares = (self.right / self.n, self.accuracy)
        return sqrt(sum((1 - share) / (share * self.n) for share in shares))

    @property
    def adds(self) -> float:
        """Accuracy with the image minus accuracy without it."""
        return self.accuracy - self.right / self.n

    @property
    def mostly_without(self) -> bool:
        """Whether the mirage score exceeds one half."""
        return self.right / self.n > self.adds

    @property
    def certain(self) -> bool:
        """Whether rounding of the printed accuracy cannot change `mostly_without`."""
        return abs(self.right / self.n - self.adds) > ROUNDED


def pairs(record: Mapping[str, Any] | None = None) -> list[BenchmarkResult]:
    """Return every pair of model and benchmark with counts printed in the paper.

    >>> {pair.model: round(pair.score.value, 3) for pair in pairs() if pair.benchmark == "MicroVQA"}
    {'GPT-5.1': 0.712, 'Gemini-2.5-Pro': 0.707, 'Gemini-3-Pro': 0.467}
    """
    benchmarks = (record or figures("mirage"))["counts"]["benchmarks"]
    return [
        BenchmarkResult(model, benchmark, given["n"], right, given["accuracy"][model][0] / 100)
        for benchmark, given in benchmarks.items()
        for model, right in given["right_without_image"].items()
    ]


def mean_per_model(found: Sequence[BenchmarkResult]) -> dict[str, Estimate]:
    """Mean score per model over the benchmarks, which are independent samples."""
    means = {}
    for model, own in group_pairs(found, attrgetter("model")).items():
        error = sqrt(sum((pair.score.value * pair.error) ** 2 for pair in own)) / len(own)
        means[model] = _average(own, error, sum(pair.n for pair in own), "delta")
    return means


def mean_per_benchmark(found: Sequence[BenchmarkResult]) -> dict[str, Estimate]:
    """Mean score per benchmark over the models, with the widest interval that correlated models allow."""
    return {
        benchmark: _average(own, fmean(pair.score.value * pair.error for pair in own), own[0].n, "delta, widest")
        for benchmark, own in group_pairs(found, attrgetter("benchmark")).items()
    }


def group_pairs(
    found: Sequence[BenchmarkResult], by: Callable[[BenchmarkResult], str]
) -> dict[str, list[BenchmarkResult]]:
    """Group the pairs by a property, in the order of the paper."""
    groups: dict[str, list[BenchmarkResult]] = {}
    for pair in found:
        groups.setdefault(by(pair), []).append(pair)
    return groups


def _average(found: Sequence[BenchmarkResult], error: float, n: int, method: str) -> Estimate:
    value = fmean(pair.score.value for pair in found)
    return Estimate(value, value - Z * error, value + Z * error, n, method)


SCORES = ("mirage_score", "mean_mirage_score")
RATES = ("mirage_rate", "mirage_rate_as_published")


def tabulate_results(rows: Sequence[Row]) -> Iterator[PaperTable]:
    """Return two tables of a study's results: mirage scores with means, and mirage rates by arm."""
    scores = [row for row in rows if row["test"] == "mirage-score" and row["measure"] in SCORES]
    yield _scores(select_own(scores))
    rates = [row for row in rows if row["test"].startswith("mirage-rate") and row["measure"] in RATES]
    yield _measured_rates(select_own(rates))


def _scores(rows: Sequence[Row]) -> PaperTable:
    lines = {(row["model"], row["benchmark"]): _cells(row) for row in rows}
    notes = (
        f"In percent, 95% CI. Method: {describe_methods(rows)}.",
        "`all benchmarks` and `all models` are means of scores, as published.",
        "Paired by item, unlike those from printed counts. A score is as much of the benchmark as of the model.",
    )
    return PaperTable(
        title="Mirage scores measured in OUT",
        columns=("model", "benchmark", "mirage score", "n"),
        rows=tuple((*about, *cells) for about, cells in lines.items()),
        notes=notes if lines else ("OUT has no results of the test `mirage-score`: its study did not ask for it.",),
        words=2,
    )


def _measured_rates(rows: Sequence[Row]) -> PaperTable:
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        lines.setdefault((row["model"], row["benchmark"], row["arm"]), {})[row["measure"]] = row
    notes = (
        f"In percent, 95% CI. Method: {describe_methods(rows)}.",
        "Mirage rate: of the responses that are not empty, those that describe an image. As published: all "
        "but those that say that it is missing or that hedge.",
    )
    return PaperTable(
        title="Mirage rates measured in OUT",
        columns=("model", "questions", "arm", "mirage rate", "n", "as published", "n"),
        rows=tuple(
            (*about, *(cell for measure in RATES for cell in _cells(found.get(measure))))
            for about, found in lines.items()
        ),
        notes=notes if lines else ("OUT has no results of the test `mirage-rate`: its study did not ask for it.",),
        words=3,
    )


def _cells(row: Row | None) -> tuple[str, str]:
    return format_row(row), "–" if row is None else f"{row['n']:,}"


def sheets(results: Results | None = None) -> Iterator[PaperTable]:
    """Tables of scores, means and B-Clean from printed counts. A study's results follow if given."""
    record = figures("mirage")
    yield score_sheet(record)
    yield mean_sheet(record)
    yield from bclean_sheets(record)
    if results is not None:
        yield from tabulate_results(list(results.rows()))


def score_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of both accuracies and the score of each pair."""
    found = pairs(record)
    return PaperTable(
        title=record["paper"],
        columns=("model", "benchmark", "n", "without image", "with image", "mirage score"),
        rows=tuple(
            (
                each.model,
                each.benchmark,
                f"{each.n:,}",
                *map(_format_estimate, (each.without, each.with_image, each.score)),
            )
            for each in found
        ),
        notes=(
            "In percent, 95% CI. Mirage score: accuracy without the image, from the printed count, over the "
            "printed accuracy with it.",
            "Intervals: Wilson's for accuracies; for scores, of the log-ratio as of two independent samples of n. The "
            "questions are the same, but no response is printed, so nothing can be paired; where the same questions "
            "tend to be right both ways, the interval is too wide.",
            _of_every_pair(record, found),
            *(f"– {remark}" for remark in record["remarks"]),
        ),
        words=2,
    )


def _of_every_pair(record: Mapping[str, Any], found: Sequence[BenchmarkResult]) -> str:
    """Compare the paper's statement about every pair with the pairs whose counts it prints."""
    said, tested = record["said"]["every_pair_above"], record["tested"]
    claim = (
        f"Section {said['section']} says that in every pair the accuracy without the image exceeds what the image "
        f"adds: a score above {said['percent']}%. Counts are printed for {len(found)} of "
        f"{len(tested['models']) * len(tested['benchmarks'])} pairs, and "
    )
    against = [pair for pair in found if not pair.mostly_without]
    if not against:
        return f"{claim}it holds in all of them."
    rounding = ", however they were rounded" if all(pair.certain for pair in against) else ""
    open_still = sum(pair.score.high >= 0.5 for pair in against)
    named = "; ".join(
        f"{pair.model} on {pair.benchmark}, {pair.right:,} of {pair.n:,} right without the image, "
        f"{percent(pair.without.value)}%, and {100 * pair.adds:.1f} points more with it, a score of "
        f"{_format_estimate(pair.score)}"
        for pair in against
    )
    return (
        f"{claim}{len(against)} of them do not fit it{rounding}: {named}. The sentence is about what was measured; the "
        f"intervals of {open_still} of these reach 50%."
    )


def mean_sheet(record: Mapping[str, Any]) -> PaperTable:
    """Table of mean scores by model and by benchmark, compared with the paper's text."""
    found, said = pairs(record), record["said"]
    models, benchmarks = mean_per_model(found), mean_per_benchmark(found)
    rows = [_mean_row(name, mean, said["mean_per_model"], len(benchmarks)) for name, mean in models.items()]
    rows += [_mean_row(name, mean, said["mean_per_benchmark"], len(models)) for name, mean in benchmarks.items()]
    return PaperTable(
        title="Mean mirage scores, over what is printed",
        columns=("mean of", "over", "n", "mirage score", "in the text", ""),
        rows=tuple(rows),
        notes=(
            "Intervals from the errors of the scores (delta method): benchmarks are independent; models share their "
            "questions, so a benchmark's interval is that of models right on the same ones, the widest.",
            *_of_models(record, found),
            _of_medical(record, benchmarks, list(models)),
            _rates(record["settings"]),
        ),
    )


def _mean_row(name: str, mean: Estimate, said: Mapping[str, Any], count: int) -> tuple[str, ...]:
    low, high = said["percent"]
    verdict = "within" if low <= 100 * mean.value <= high else "OUTSIDE"
    return name, str(count), f"{mean.n:,}", _format_estimate(mean), f"{low}–{high}", verdict


def _of_models(record: Mapping[str, Any], found: Sequence[BenchmarkResult]) -> Iterator[str]:
    """Describe which mean the benchmarks without printed counts would need to reach the paper's mean."""
    said, total = record["said"]["mean_per_model"], len(record["tested"]["benchmarks"])
    low, high = said["percent"]
    everything = percent(fmean(pair.score.value for pair in found))
    yield f"The text's {low}–{high}% is over {total} benchmarks. The mean of the {len(found)} scores is {everything}%."
    for model, own in group_pairs(found, attrgetter("model")).items():
        others, printed = total - len(own), sum(pair.score.value for pair in own)
        needed = (total * low / 100 - printed) / others
        if printed / len(own) < low / 100:
            yield f"For {model} to come to {low}%, the other {others} would have to average {percent(needed)}% or more."


def _of_medical(record: Mapping[str, Any], means: Mapping[str, Estimate], models: Sequence[str]) -> str:
    """Describe whether medical benchmarks score highest for any possible unprinted counts."""
    said, tested = record["said"]["mean_per_benchmark"], record["tested"]
    medical = {name: mean.value for name, mean in means.items() if name in tested["medical"]}
    general = {name: mean.value for name, mean in means.items() if name not in tested["medical"]}
    missing = [model for model in tested["models"] if model not in models]
    most = (len(models) * max(medical.values()) + len(missing)) / len(tested["models"])
    low, high = said["percent"]
    half = "upper" if 200 * most > low + high else "lower"
    higher = "higher than" if min(medical.values()) > max(general.values()) else "not higher than"
    return (
        f"Section {said['section']} puts medical benchmarks at the upper end of {low}–{high}%. By the printed counts "
        f"{_join_means(medical)} are {higher} {_join_means(general)}. "
        f"If {', '.join(missing)}, of which no counts are printed, "
        f"kept 100%, the highest would come to {percent(most)}%, in the {half} half of that range."
    )


def _rates(settings: Mapping[str, Any]) -> str:
    """Describe the mirage rates in the paper, which prints no counts for them."""
    asked, rate, bias = (settings[key] for key in ("questions_without_images", "mirage_rate_printed", "mirage_bias"))
    low, high = rate["with_scaffolds"]
    of_all, of_one = (wilson(rate["over"] / 100 * n, n) for n in (asked["questions"], asked["questions_per_category"]))
    return (
        f"Mirage rates are printed without counts: over {rate['over']}% on average, with scaffolds {low}–{high}% for "
        f"most models (Section {rate['section']}), on {asked['questions']} questions in {asked['categories']} "
        f"categories (Section {asked['section']}), judge {settings['mirage_rate']['judge']} (Section "
        f"{settings['mirage_rate']['section']}). Of {of_all.n} questions the interval of {rate['over']}% is "
        f"[{100 * of_all.low:.0f}, {100 * of_all.high:.0f}], of a category's {of_one.n} it is [{100 * of_one.low:.0f}, "
        f"{100 * of_one.high:.0f}]. Made-up diagnoses: {bias['model']}, {len(bias['modalities'])} modalities, "
        f"{bias['seeds']} seeds each (Section {bias['section']}), shown in Fig. 2 only."
    )


def _join_means(means: Mapping[str, float]) -> str:
    return " and ".join(f"{name} {percent(value)}%" for name, value in means.items())


def _format_estimate(estimate: Estimate) -> str:
    return percent(estimate.value, estimate.low, estimate.high)
