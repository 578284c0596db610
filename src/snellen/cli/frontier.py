"""`snellen plan --frontier`: what a large study costs, and what to drop first with no verdict losing its power."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Any

from snellen.cli.options import tell
from snellen.cli.terminal import out, print_table
from snellen.errors import StudyError
from snellen.models.prices import Price, dollars, price_of, short
from snellen.models.request_tokens import Range
from snellen.papers import suite_named
from snellen.plugins import did_you_mean
from snellen.runtime import visible
from snellen.stress import stress_test
from snellen.stress.base import StressTest
from snellen.stress.conclusions import percent
from snellen.study import Study
from snellen.tools.planner.claims import (
    Assumptions,
    as_of,
    constant,
    given_assumptions,
    gpu_named,
    source,
    usual_assumptions,
)
from snellen.tools.planner.frontier import Cost, Frontier, Wanted, times
from snellen.tools.planner.pilot import read_assumptions
from snellen.tools.planner.planned import MOST, PaperStudy, find_frontier, in_order

USUAL_TESTS = (
    "standard", "readiness", "weak-artefacts", "strong-artefacts", "dose-response", "guess-mode", "dataset-name",
    "grounding-signal",
)  # fmt: skip
"""Tests of a study on paper that names none, as far as their conditions fit into its number of conditions."""
WHOLE = (*MOST, "family")
SHARES = ("power", "change", *Assumptions._fields)
OF_PAPER = (*MOST, "chance", "price", "tests")
EVERY = (*MOST, "chance", "tests", "price", "gpu", "power", "change", "by", "family", *Assumptions._fields)
FIRST = 10
"""So many steps are printed."""
WIDEST_NAME, WIDE = 26, 110
"""Letters of a test's name that a line has room for, and those of a line that has room for everything."""


def frontier_of(given: str, study: Study | None) -> Frontier:
    """The frontier that `--frontier` asks for: of a study, or of one on paper."""
    settings = dict(_settings(given))
    assumed = {name: settings.pop(name) for name in Assumptions._fields if name in settings}
    gpu = settings.pop("gpu", "")
    if study is not None:
        if on_paper := [name for name in settings if name in OF_PAPER]:
            raise StudyError(f"A study file says itself what {on_paper[0]} is. Leave out {on_paper[0]}=, or the file.")
        own = [test for test in study.tests if isinstance(test, StressTest)]
        plan, about = study.plan(), read_assumptions(study.out, own)
        return find_frontier(plan, own, gpu=gpu, about=about, assumed=assumed, **settings)
    if not settings.keys() & MOST.keys():
        raise StudyError(
            "Which study? snellen plan STUDY.toml --frontier, or on paper: snellen plan --frontier "
            "models=100,benchmarks=20,conditions=30,items=1000,epochs=3."
        )
    size = {name: settings.pop(name) for name in (*MOST, "chance") if name in settings}
    named = settings.pop("tests", "")
    tests = tuple(in_order(list(_tests(named.split("+") if named else USUAL_TESTS))))
    if not tests:
        raise StudyError(f"None of the tests {named} asks questions with options of a benchmark.")
    if not named and "conditions" not in size:
        tests = tuple(in_order(list(_tests(("standard",)))))
    size.setdefault("chance", constant("assumptions", "chance").value)
    price = _price(settings.pop("price")) if "price" in settings else None
    paper = PaperStudy(**size, price=price, gpu=gpu_named(gpu) if gpu else None, tests=tests)
    return Frontier(paper, Wanted(given_assumptions(usual_assumptions(), assumed), **settings))


def _settings(given: str) -> Iterator[tuple[str, Any]]:
    seen: set[str] = set()
    for part in filter(None, (each.strip() for each in given.split(","))):
        name, sign, value = (each.strip() for each in part.partition("="))
        if not sign or not value:
            raise StudyError(f"Expected --frontier NAME=NUMBER,NAME=NUMBER, got {part!r}.")
        if name not in EVERY:
            raise StudyError(f"--frontier has no {name!r}.{did_you_mean(name, EVERY)} It has: {', '.join(EVERY)}.")
        if name in seen:
            raise StudyError(f"--frontier names {name} twice.")
        seen.add(name)
        yield name, _number(name, value) if name in (*WHOLE, *SHARES, "chance") else value


def _number(name: str, value: str) -> float:
    kind, words = (int, "a whole number") if name in WHOLE else (float, "a number")
    try:
        number = kind(value.replace("_", ""))
    except ValueError:
        raise StudyError(f"Expected {name} to be {words}, got {value!r}.") from None
    if not isfinite(number):
        raise StudyError(f"Expected {name} to be {words}, got {value!r}.")
    return number


def _tests(names: Any) -> Iterator[StressTest]:
    for name in names:
        suite = suite_named(name)
        for each in suite.tests if suite else (name,):
            yield stress_test(each) if isinstance(each, str) else each


def _price(given: str) -> Price:
    """Dollars for a million tokens read and written, or the price of a model by the table."""
    if "/" in given and all(part.replace(".", "", 1).isdigit() for part in given.split("/")) and given.count("/") == 1:
        read, written = map(float, given.split("/"))
        return Price(read, written, "your own")
    found = price_of(f"inspect/{given}") if "/" in given else None
    if found is None:
        raise StudyError(
            f"The table of prices has no {given!r}. Expected PROVIDER/MODEL, such as openai/gpt-5, or dollars for a "
            "million tokens read and written, such as price=1.25/10."
        )
    return found


def show_frontier(frontier: Frontier) -> None:
    """Print what a study costs, what each verdict needs, what to drop first, and the frontier."""
    whole, least = frontier.total(frontier.whole), frontier.total(frontier.least)
    rows = [("as planned", *cost_cells(whole)), ("at the same power, at least", *cost_cells(least))]
    columns = ("", "requests", "tokens read", "tokens written", "GPU hours", "money", "storage")
    print_table(columns, rows, title="What it costs", numbers=True)
    tell(*_assumptions(frontier))
    _verdicts(frontier)
    tell(*_kept_whole(frontier))
    _steps(frontier, whole)
    _levels(frontier, whole)
    tell(*frontier.source.words(), *_how(frontier))


def cost_cells(cost: Cost) -> tuple[str, ...]:
    """Requests, tokens read and written, GPU hours, money and storage, as they are printed."""
    hours = cost.gpu_seconds.times(1 / 3600)
    return (
        _count(cost.requests),
        _span(cost.read, short),
        _span(cost.written, short),
        _span(hours, lambda each: f"{each:,.1f}" if each < 10 else f"{each:,.0f}") if hours.high else "–",
        _span(cost.dollars, _dollars) if cost.dollars.high else "–",
        _span(cost.stored, _bytes),
    )


def _span(numbers: Range, words: Any) -> str:
    low, high = words(numbers.low), words(numbers.high)
    return str(low) if low == high else f"{low} to {high}"


def _count(number: float) -> str:
    """A number that fits into a column: in millions where it has that many digits."""
    return f"{number / 1e6:,.1f}M" if number >= 1e6 else f"{number:,.0f}"


def _dollars(money: float) -> str:
    return f"${money:,.0f}" if money >= 1000 else dollars(money)


def _bytes(size: float) -> str:
    for unit, letters in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {letters}"
    return f"{size / 1e3:,.0f} kB"


def _assumptions(frontier: Frontier) -> Iterator[str]:
    words = {
        "accuracy": "right under the baseline",
        "within": "variance within an item, from run to run",
        "rerun": "answers that differ between two runs",
        "moved": "turn right or wrong under a condition that does not matter, beyond run to run",
    }
    yield "How models are taken to answer:"
    for name, each in zip(Assumptions._fields, frontier.wanted.about, strict=True):
        value = f"{each.value:.3f}" if name == "within" else percent(each.value)
        if each.low is not None and each.high is not None:
            ends = (f"{end:.3f}" if name == "within" else percent(end) for end in (each.low, each.high))
            value += f" (95% CI {' to '.join(ends)}, n {each.n})"
        yield visible(f"  {name} {value}: {words[name]} – {each.source}")
    if costs := frontier.at_the_ends():
        low, high = sorted(each.requests for each in costs)
        yield f"At the ends of these intervals, the least is {low:,.0f} to {high:,.0f} requests."


def _verdicts(frontier: Frontier) -> None:
    """A line for each test; of several benchmarks, power and smallest effect are those of the worst."""
    title = f"What each verdict needs for a power of {percent(frontier.power)}"
    rows = []
    for test, asked in frontier.by_test().items():
        then = [frontier.least[block.name, test] for block, _ in asked]
        (block, worst), size = min(
            zip(asked, then, strict=True), key=lambda each: each[0][1].power(each[0][0].most) or 0.0
        )
        powers = (power_in_words(worst.power(each) or 0.0) for each in (block.most, size))
        decides = worst.hardest(frontier.power, size.repeats)
        smallest = (worst.detectable(decides, each, frontier.power) for each in (block.most, size))
        sizes = " to ".join(dict.fromkeys(f"{each.items:,} × {each.repeats}" for each in (min(then), max(then))))
        rows.append((f"{test} {decides.words}", sizes, *powers, *smallest))
    columns = ("verdict", "items × repeats", "power now", "then", "least effect now", "then")
    print_table(columns, rows, title=title, numbers=True, first=_room_for_names())


def power_in_words(value: float) -> str:
    """A power; no number of items makes it all."""
    return ">99%" if value > 0.99 else "<1%" if value < 0.01 else percent(value)


def _kept_whole(frontier: Frontier) -> Iterator[str]:
    short_of: dict[str, list[tuple[float, float, int]]] = {}
    for block, each in frontier.too_few():
        needed = min(each.needs(frontier.power, repeats) for repeats in range(1, block.most.repeats + 1))
        short_of.setdefault(each.test, []).extend(
            [(each.power(block.most) or 0.0, needed, block.most.repeats)] * block.count
        )
    of = sum(block.count for block in frontier.blocks)
    for test, found in short_of.items():
        power, needed = min(found)[0], max(needed for _, needed, _ in found)
        if isfinite(needed):
            more = f"{ceil(needed):,} items would be enough"
        else:
            asked = min(repeats for _, items, repeats in found if not isfinite(items))
            more = f"no number of items is enough if each is asked {times(asked)}"
            more += ", but asking twice may be (epochs=2)" if asked == 1 else ""
        where = f"on {len(found):,} of {of:,} benchmarks"
        yield visible(
            f"{test}: power {power_in_words(power)} with all of it {where}, so nothing is dropped there; {more}."
        )
    if whole := frontier.without_formula():
        yield visible(f"Kept whole, since no formula for their verdict is known: {', '.join(whole)}.")


def _steps(frontier: Frontier, whole: Cost) -> None:
    steps = [step for step in frontier.steps() if step.saved.requests > 0]
    if not steps:
        tell("Nothing can be dropped at this power.")
        return
    rows = []
    for number, step in enumerate(steps[:FIRST], 1):
        powers = ("–", "–") if step.power is None else map(power_in_words, step.power)
        left = step.left.requests
        counts = (f"{step.benchmarks:,}", _count(step.saved.requests), _count(left), percent(left / whole.requests))
        rows.append((f"{number}. {step.words}", *counts, *powers))
    columns = ("", "on", "saved", "left", "of now", "power", "then")
    title = "What to drop first, on how many benchmarks, with the requests saved and left"
    print_table(columns, rows, title=title, numbers=True, first=_room_for_names())
    if (more := len(steps) - FIRST) > 0:
        tell(f"And {more} further steps; then nothing is left to drop at this power.")


def _levels(frontier: Frontier, whole: Cost) -> None:
    rows = []
    for level in frontier.levels():
        requests, _, _, hours, money, _ = cost_cells(level.cost)
        share = percent(level.cost.requests / whole.requests)
        rows.append((level.words, requests, share, hours, money, f"{level.reached:,} of {level.of:,}"))
    columns = ("to find", "requests", "of now", "GPU hours", "money", "verdicts with that power")
    title = "The frontier: what it costs at least (verdicts that cannot reach it are asked whole)"
    print_table(columns, rows, title=title, numbers=True)


def _room_for_names() -> int | None:
    """The width of a column with names of tests: they are to be read also in a narrow terminal."""
    return WIDEST_NAME if out.width < WIDE else None


def _how(frontier: Frontier) -> Iterator[str]:
    rate = constant("client", "rate")
    seconds = frontier.total(frontier.whole).requests / rate.value
    yield f"One machine sends {rate.value:,.0f} requests a second: {_days(seconds)} as planned ({rate.source})."
    yield f"Storage: {source('storage', 'response')}; likewise for items, conditions and made images."
    yield (
        "Power: two-sided 5%, items paired; a change of accuracy by McNemar's test at 5% divided by the number of "
        "comparisons of a model and benchmark (the hardest case of Holm's correction; family=1 leaves it out). The "
        "variance of an item's value is between + within / repeats. Formulas: docs/how-to/plan-a-large-study.md."
    )
    yield (
        "Items are counted as independent. Verdicts take into account that several ask about one patient or image, and "
        "this power does not: divide the items by 1 + (items of one - 1) × the correlation between them."
    )
    yield (
        "No verdict has less power than asked, or than it has as planned. Ask tests with different numbers of items "
        "as studies of their own with --limit and --epochs in one --out: what they share is asked once."
    )
    yield f"All of it is arithmetic on these constants ({as_of()}), not a measurement of the study."


def _days(seconds: float) -> str:
    if seconds < 3600:
        return f"{ceil(seconds / 60)} min"
    return f"{seconds / 3600:,.0f} hours" if seconds < 3 * 86_400 else f"{seconds / 86_400:,.1f} days"
