"""Asking until settled: how many requests it saves, how often its verdicts are wrong, and whether its intervals hold.

    python research/settled/settled.py --repeats 1000 --sequences 2000

Tables of grades are drawn by chance, without models or texts, and concluded as in a study: once with all questions, and
round by round with the rule of `--until-settled`. The script writes `research/settled/results.md`. It takes about
ten minutes on one core.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.asking.asked import Rounds
from snellen.conditions import IMAGE_REMOVED, ORIGINAL, OptionsShuffled
from snellen.items import Item, Option
from snellen.reading.outcomes import Outcome
from snellen.scoring.findings import findings
from snellen.stats import (
    Estimate,
    at_any_time,
    bonett_price,
    confidence_sequence,
    paired_difference,
    positive_mean_p,
    proportion,
    ratio_above_chance,
    wilson,
)
from snellen.stats.sequential import BETS, WEIGHTS
from snellen.stress import stress_test
from snellen.stress.base import Expectation, Measure, Status, StressTest
from snellen.stress.conclusions import SIGNIFICANT, SURELY, conclude
from snellen.stress.measures import KEPT, KEPT_ANSWERED, KINDS
from snellen.stress.table import Grades, Looked, Table, code

HERE = Path(__file__).parent
QUESTIONS, CHOICES = 2000, 4
ARMS = (ORIGINAL.name, IMAGE_REMOVED.name, OptionsShuffled().name)
TESTS = (stress_test("image-needed"), stress_test("option-order"))
SEED = 20_261_117


@dataclass(frozen=True)
class Case:
    """What is true of a model: accuracy with and without the image, and the shares of answers that order moves."""

    words: str
    seen: float
    unseen: float
    lost: float = 0.01
    """The share of all questions that are right as asked and wrong reordered."""
    gained: float = 0.01
    """The share the other way round."""

    @property
    def right(self) -> Mapping[str, tuple[Status, ...]]:
        """The verdicts that are not wrong; at a threshold, neither pass nor fail is right."""
        kept = (self.unseen - 1 / CHOICES) / (self.seen - 1 / CHOICES)
        needed = Status.PASS if kept < 0.5 - 1e-9 else Status.FAIL if kept > 0.5 + 1e-9 else None
        moved, change = self.lost + self.gained, self.gained - self.lost
        steady = Status.PASS if moved < 0.1 - 1e-9 and abs(change) < 0.05 - 1e-9 else None
        if moved > 0.1 + 1e-9 or (steady is None and abs(change) > 0):
            steady = Status.FAIL
        found = {"image-needed": needed, "option-order": steady}
        return {test: (Status.INCONCLUSIVE, *filter(None, [status])) for test, status in found.items()}


CASES = (
    Case("needs the image: 90% right with it, 25% without", 0.9, 0.25),
    Case("reads the text: 60% right with the image and without", 0.6, 0.6),
    Case("keeps 20% above chance: 75% with the image, 35% without", 0.75, 0.35),
    Case("keeps 40%: 75% with the image, 45% without", 0.75, 0.45),
    Case("keeps 50%, the limit: 75% with the image, 50% without", 0.75, 0.5),
    Case("order moves 30% of the answers", 0.9, 0.25, 0.2, 0.1),
    Case("order moves 10% of the answers, the limit", 0.9, 0.25, 0.05, 0.05),
)


Right = Mapping[str, NDArray[np.bool_]]
"""Which questions are right, by condition."""


@cache
def items(questions: int) -> tuple[Item, ...]:
    """Questions with four options."""
    options = tuple(Option(str(each)) for each in range(CHOICES))
    return tuple(Item(f"q{at}", "?", options=options, answer=0) for at in range(questions))


def grades(right: NDArray[np.bool_]) -> Grades:
    """Responses that choose the first option, which is right, or the second."""
    n = len(right)
    outcome = np.where(right, code(Outcome.CORRECT), code(Outcome.WRONG)).astype(np.uint8)
    zeros = np.zeros(n, dtype=np.int64)
    return Grades(
        np.arange(n),
        zeros,
        outcome,
        (~right).astype(np.int64),
        zeros,
        zeros.astype(np.uint16),
        ("x",),
        due=np.ones_like(zeros),
    )


def drawn(case: Case, rng: np.random.Generator, questions: int) -> dict[str, NDArray[np.bool_]]:
    """Which questions are right under each condition."""
    seen = rng.random(questions) < case.seen
    turned = rng.random(questions) < np.where(seen, case.lost / case.seen, case.gained / (1 - case.seen))
    return dict(zip(ARMS, (seen, rng.random(questions) < case.unseen, seen ^ turned), strict=True))


def table(right: Right, n: int | None = None, place: NDArray[np.int64] | None = None) -> Table:
    """All responses, or those to the first n questions of an order, to be concluded at any time."""
    whole = len(right[ARMS[0]])
    if place is None or n is None:
        return Table("m", "b", items(whole), {arm: grades(each) for arm, each in right.items()})
    some = {arm: grades(each).select_responses(place < n) for arm, each in right.items()}
    return Table("m", "b", items(whole), some, looked=Looked(place, dict.fromkeys(right, n)))


class Course(NamedTuple):
    """One simulated study: the verdicts with all questions and when settled, after how many, and what was asked."""

    full: Mapping[str, Status]
    settled: Mapping[str, Status]
    after: Mapping[str, int]
    requests: int


def measured(test: StressTest, right: Right, *, at_once: bool) -> dict[tuple[str, str], Measure]:
    """The numbers that a test's rule reads, over all questions at once or as they hold at every look."""
    before, after = (right[arm.name].astype(float) for arm in test.all_arms)
    chance = np.full(len(before), 1 / CHOICES)
    arm = test.compared[0].name
    above = bonett_price(before - chance)
    made = {
        (arm, "difference"): paired_difference(before, after),
        (arm, "baseline_accuracy"): proportion(before),
        (test.baseline.name, "above_chance"): replace(above, p=positive_mean_p(before - chance)),
    }
    if test.expects is Expectation.WORSE:
        made |= {(arm, KEPT): (ratio := ratio_above_chance(after, before, chance)), (arm, KEPT_ANSWERED): ratio}
    else:
        made[arm, "changed_rate"] = proportion((before != after).astype(float))
    held = made if at_once else {at: at_any_time(each) or each for at, each in made.items()}
    found = {at: Measure(at[0], KINDS[at[1]], each) for at, each in held.items()}
    p = held[arm, "difference"].p
    found[arm, "difference"] = replace(
        found[arm, "difference"], p_adjusted=min(1.0, len(TESTS) * (1.0 if p is None else p))
    )
    return found


def status(test: StressTest, right: Right, *, at_once: bool = False) -> Status:
    """The verdict by the test's own rule."""
    return conclude(test, measured(test, right, at_once=at_once)).status


def capital(outcomes: NDArray[np.float64], worst: float) -> NDArray[np.float64]:
    """The logarithm of what bets that outcomes are above 0 have won, after each item."""
    growth = np.cumsum(np.log1p(np.outer(outcomes / worst, BETS)), axis=0) + WEIGHTS
    top = growth.max(axis=1)
    return np.asarray(top + np.log(np.exp(growth - top[:, None]).sum(axis=1)))


def courses_of(test: StressTest, right: Right) -> NDArray[np.int8]:
    """The verdict after each item: 1 for a pass, −1 for a fail, 0 for none.

    The rule asks only on which side of a limit an interval lies, so that only bets against the limits are placed.
    """
    before, after = (right[arm.name].astype(float) for arm in test.all_arms)
    chance, change = 1 / CHOICES, after - before
    enough = np.log(40)
    above = capital(before - chance, 1.0)
    if test.expects is Expectation.WORSE:
        limit = test.thresholds.image_dependence
        rest = after - chance - limit * (before - chance)
        fails, passes = capital(rest, 1.0) >= enough, capital(-rest, 1.0) >= enough
        return np.where(above < enough, 0, passes.astype(np.int8) - fails.astype(np.int8)).astype(np.int8)
    _, margin, few = test.thresholds
    moved = (before != after).astype(float)
    either = np.logaddexp(capital(change, 1.0), capital(-change, 1.0)) - np.log(2)
    more, fewer = capital(moved - few, few) >= enough, capital(few - moved, 1 - few) >= enough
    inside = (capital(change + margin, 1 - margin) >= enough) & (capital(margin - change, 1 - margin) >= enough)
    sure = np.logaddexp(above, capital(chance - before, 1.0)) - np.log(2) > np.log(1 / SURELY)
    fails = (either > np.log(len(TESTS) / SIGNIFICANT)) | (more & sure & (above >= enough))
    return np.where(fails, -1, (inside & fewer & ~more).astype(np.int8)).astype(np.int8)


BY_SIGN = {1: Status.PASS, -1: Status.FAIL, 0: Status.INCONCLUSIVE}


def course(case: Case, seed: int, questions: int) -> Course:
    """Ask everything, and beside it round by round; arms that no open verdict needs are not asked on."""
    right = drawn(case, np.random.default_rng(seed), questions)
    full = {test.name: status(test, right, at_once=True) for test in TESTS}
    rounds = Rounds.from_items(items(questions), 0)  # the questions are drawn independently: any order is a random one
    ends = np.array(rounds.ends)
    found, after, asked = {}, {}, dict.fromkeys(ARMS, 0)
    for test in TESTS:
        at_looks = courses_of(test, {arm: each[rounds.order] for arm, each in right.items()})[ends - 1]
        settled = np.flatnonzero(at_looks)
        look = int(settled[0]) if len(settled) else len(ends) - 1
        found[test.name], after[test.name] = BY_SIGN[int(at_looks[look])], int(ends[look])
        asked |= {arm.name: max(asked[arm.name], int(ends[look])) for arm in test.all_arms}
    return Course(full, found, after, sum(asked.values()))


def check(case: Case, seed: int, questions: int) -> None:
    """The short ways to a verdict, which are quick, come to the same as that of a study."""
    right = drawn(case, np.random.default_rng(seed), questions)
    rounds = Rounds.from_items(items(questions), 0)
    quick = [courses_of(test, {arm: each[rounds.order] for arm, each in right.items()}) for test in TESTS]
    for n in rounds.ends:
        some = {arm: each[rounds.place < n] for arm, each in right.items()}
        asked = [status(test, some) for test in TESTS]
        assert asked == [BY_SIGN[int(each[n - 1])] for each in quick], (case, n)
        if n in (32, 104, questions):
            assert asked == [each.verdict.status for each in findings(TESTS, table(right, n, rounds.place))], (case, n)


def share(count: int, n: int) -> str:
    """A share with its interval."""
    found = wilson(count, n)
    return f"{100 * found.value:.1f}% ({100 * found.low:.1f} to {100 * found.high:.1f})"


def verdicts(counts: Counter[Status], n: int) -> str:
    """How often each verdict came."""
    return ", ".join(f"{status.value} {100 * count / n:.0f}%" for status, count in counts.most_common())


def savings(number: int, repeats: int, questions: int) -> list[str]:
    """The rows of one case, for each test."""
    return list(_savings(number, repeats, questions))


def _savings(number: int, repeats: int, questions: int) -> Iterator[str]:
    for case in (CASES[number],):
        check(case, SEED + number, 300)
        courses = [course(case, SEED + 10_000 * number + at, questions) for at in range(repeats)]
        saved = np.array([1 - each.requests / (len(ARMS) * questions) for each in courses])
        half = 1.96 * saved.std(ddof=1) / np.sqrt(repeats)
        for test in TESTS:
            right = case.right[test.name]
            wrong = [sum(getattr(each, way)[test.name] not in right for each in courses) for way in ("full", "settled")]
            full, early = (Counter(getattr(each, way)[test.name] for each in courses) for way in ("full", "settled"))
            when = np.array([each.after[test.name] for each in courses])
            yield (
                f"| {case.words} | {test.name} | {verdicts(full, repeats)} | {verdicts(early, repeats)} | "
                f"{share(wrong[0], repeats)} | {share(wrong[1], repeats)} | {int(np.median(when)):,} | "
                f"{100 * saved.mean():.0f}% (± {100 * half:.1f}) |"
            )


class Sequence(NamedTuple):
    """Numbers within bounds that are drawn one after the other; a cluster of items is drawn together."""

    words: str
    values: tuple[float, ...]
    shares: tuple[float, ...]
    bounds: tuple[float, float]
    cluster: int = 1

    @property
    def truth(self) -> float:
        """The true mean."""
        return float(np.dot(self.values, self.shares))


SEQUENCES = (
    Sequence("accuracy of 50%", (0, 1), (0.5, 0.5), (0, 1)),
    Sequence("accuracy of 90%", (0, 1), (0.1, 0.9), (0, 1)),
    Sequence("rate of 2%", (0, 1), (0.98, 0.02), (0, 1)),
    Sequence("change of 0, 10% of answers move", (-1, 0, 1), (0.05, 0.9, 0.05), (-1, 1)),
    Sequence("change of −40 points", (-1, 0, 1), (0.5, 0.4, 0.1), (-1, 1)),
    Sequence("means of 3 runs", (0, 1 / 3, 2 / 3, 1), (0.1, 0.2, 0.3, 0.4), (0, 1)),
    Sequence("accuracy of 50%, 4 items a patient that all agree", (0, 1), (0.5, 0.5), (0, 1), cluster=4),
)


def ever_missed(each: Sequence, n: int, rng: np.random.Generator) -> bool:
    """Whether the truth is ever excluded, looked at after every item: whether a bet against it ever won 40 times."""
    clusters = rng.choice(each.values, n // each.cluster, p=each.shares)
    least, most = each.bounds
    up = capital(clusters - each.truth, each.truth - least)
    down = capital(each.truth - clusters, most - each.truth)
    return bool(max(up.max(), down.max()) >= np.log(40))


def missed_once(each: Sequence, n: int, rng: np.random.Generator, ends: tuple[int, ...]) -> bool:
    """Whether an ordinary 95% interval misses the truth at one of the looks."""
    values = np.repeat(rng.choice(each.values, n // each.cluster, p=each.shares), each.cluster)
    patients = np.repeat(np.arange(n // each.cluster), each.cluster)
    for end in ends:
        found = _ordinary(values[:end], patients[:end], each)
        if not found.low <= each.truth <= found.high:
            return True
    return False


def _ordinary(values: NDArray[np.float64], patients: NDArray[np.int64], each: Sequence) -> Estimate:
    clusters = patients if each.cluster > 1 else None
    if each.bounds == (0, 1):
        return proportion(values, clusters)
    return paired_difference(values < 0, values > 0, clusters)


def coverage(number: int, sequences: int, questions: int) -> list[str]:
    """The row of one kind of number: how often the truth is ever excluded, and how wide the intervals are."""
    return list(_coverage(number, sequences, questions))


def _coverage(number: int, sequences: int, questions: int) -> Iterator[str]:
    ends = Rounds.from_items(items(questions), 0).ends
    few = max(1, sequences // 10)
    for each in (SEQUENCES[number],):
        rng = np.random.default_rng(SEED + number)
        missed = sum(ever_missed(each, questions, rng) for _ in range(sequences))
        once = sum(
            missed_once(each, questions, rng, tuple(end for end in ends if not end % each.cluster)) for _ in range(few)
        )
        widths = []
        for n in (100, 400, questions):
            values = np.repeat(rng.choice(each.values, n // each.cluster, p=each.shares), each.cluster)
            patients = np.repeat(np.arange(n // each.cluster), each.cluster)
            plain = _ordinary(values, patients, each)
            wide = confidence_sequence(values, patients, each.bounds)
            widths.append(f"{100 * (wide.high - wide.low):.0f} / {100 * (plain.high - plain.low):.0f}")
        yield f"| {each.words} | {share(missed, sequences)} | {share(once, few)} | {' | '.join(widths)} |"


def others(number: int, questions: int) -> list[str]:
    """Widths beside those of the sequences of the package `ville`, the mean of three draws."""
    return list(_others(number, questions))


def _others(number: int, questions: int) -> Iterator[str]:
    from ville import BernoulliCS, BettingCS, EmpiricalBernsteinCS

    for each in (SEQUENCES[number],):
        for n in (100, 400, questions):
            widths: dict[str, list[float]] = {}
            for draw in range(3):
                rng = np.random.default_rng(SEED + 100 * number + draw)
                values = rng.choice(each.values, n, p=each.shares).astype(float)
                ours = confidence_sequence(values, bounds=each.bounds)
                widths.setdefault("ours", []).append(ours.high - ours.low)
                made = {
                    "hedged": BettingCS(bounds=each.bounds, grid=1001, intersect=False),
                    "bernstein": EmpiricalBernsteinCS(bounds=each.bounds, intersect=False),
                    "mixture": BernoulliCS(intersect=False) if set(each.values) == {0, 1} else None,
                }
                for name, sequence in made.items():
                    if sequence is not None:
                        sequence.update(values)
                        widths.setdefault(name, []).append(
                            float(np.ravel(sequence.upper_)[-1] - np.ravel(sequence.lower_)[-1])
                        )
            told = (
                f"{100 * np.mean(widths[name]):.1f}" if name in widths else "–"
                for name in ("ours", "hedged", "bernstein", "mixture")
            )
            yield f"| {each.words} | {n:,} | {' | '.join(told)} |"


def page(repeats: int, sequences: int, questions: int, processes: int) -> str:
    """The page in Markdown."""
    with ProcessPoolExecutor(processes) as pool:
        of_case = [pool.submit(savings, number, repeats, questions) for number in range(len(CASES))]
        of_kind = [pool.submit(coverage, number, sequences, questions) for number in range(len(SEQUENCES))]
        wide = [pool.submit(others, number, questions) for number in range(6)]
        tables = ["\n".join(row for rows in jobs for row in rows.result()) for jobs in (of_case, of_kind, wide)]
    return f"""# Asking until settled

Written by `python research/settled/settled.py --repeats {repeats} --sequences {sequences}`. Everything is simulated: tables of grades drawn by chance, with {CHOICES} options a question and {questions:,} questions, concluded by the rules of the stress tests. No model is asked.

## Requests saved, and wrong verdicts

{repeats} studies a row. *All* asks all {questions:,} questions under three conditions (original, image removed, options reordered) and concludes with ordinary intervals; its p-values are doubled here, where a study corrects after Holm, which would let a few more wrong fails through. *Settled* is the rule of `--until-settled`: it looks after {", ".join(f"{end:,}" for end in Rounds.from_items(items(questions), 0).ends[:4])} … questions and asks no more of what is settled. A verdict is wrong if it passes or fails what is not so; at a limit, both are wrong. Shares have a 95% CI (Wilson), savings one over studies (normal).

| what is true | test | verdicts: all | verdicts: settled | wrong: all | wrong: settled | questions until settled (median) | requests saved |
|---|---|---|---|---|---|---|---|
{tables[0]}

Requests saved are those of both tests together. What stays inconclusive is asked to the end.

## Do the intervals hold at every look?

{sequences:,} sequences of {questions:,} items a row, looked at after every single item: how often the truth is excluded even once (at most 5% are allowed). Beside it, the same for ordinary 95% intervals (Wilson; Bonett and Price) at the looks of `--until-settled` alone, over {max(1, sequences // 10):,} sequences. Widths are in points: confidence sequence / ordinary interval, for 100, 400 and {questions:,} items of one draw.

| number | ever excluded | ordinary interval, ever excluded | n = 100 | n = 400 | n = {questions:,} |
|---|---|---|---|---|---|
{tables[1]}

## Which confidence sequence?

Widths in points, the mean of three draws: our mixture of fixed bets, and from the package `ville` the hedged capital and the empirical Bernstein sequence of Waudby-Smith and Ramdas, and the beta-binomial mixture (for zeros and ones only). None is narrowest everywhere. The mixture of fixed bets does not depend on the order of the items, so that it can be made again from what is stored; its bets were chosen for 50 to 4,000 items.

| number | items | fixed bets | hedged capital | empirical Bernstein | beta-binomial |
|---|---|---|---|---|---|
{tables[2]}

## What it does not show

The questions are drawn independently, from one distribution. Real benchmarks are not; the random order of the items makes what was asked a random part of the benchmark. Judges, open answers and reports are not simulated: they are asked in full.
"""  # noqa: E501 - a paragraph of Markdown is one line


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--sequences", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    text = page(options.repeats, options.sequences, options.questions, options.processes)
    (HERE / "results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
