"""The option `snellen plan --frontier`: the cost of a large study, and what to drop first."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Any

from snellen.cli.asking import format_span
from snellen.cli.options import tell
from snellen.cli.terminal import out, print_table
from snellen.errors import StudyError
from snellen.models.prices import Price, dollars, price_of, short
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
from snellen.tools.planner.frontier import Cost, Frontier, PlanGoal, times
from snellen.tools.planner.pilot import read_assumptions
from snellen.tools.planner.planned import MOST, PaperStudy, find_frontier, in_order

USUAL_TESTS = (
    "standard", "readiness", "weak-artefacts", "strong-artefacts", "dose-response", "guess-mode", "dataset-name",
    "grounding-signal",
)  # fmt: skip
"""Default tests of a planned study, limited to those that its number of conditions allows."""
WHOLE = (*MOST, "family")
SHARES = ("power", "change", *Assumptions._fields)
OF_PAPER = (*MOST, "chance", "price", "tests")
EVERY = (*MOST, "chance", "tests", "price", "gpu", "power", "change", "by", "family", *Assumptions._fields)
FIRST = 10
"""Number of printed steps of what to drop first."""
WIDEST_NAME, WIDE = 26, 110
"""Most characters of a test's name in a narrow terminal; a terminal with WIDE characters has room for all."""


def frontier_of(given: str, study: Study | None) -> Frontier:
    """Return the frontier of a study, or of one whose size `--frontier` gives."""
    settings = dict(_settings(given))
    assumed = {name: settings.pop(name) for name in Assumptions._fields if name in settings}
    gpu = settings.pop("gpu", "")
    if study is not None:
        if on_paper := [name for name in settings if name in OF_PAPER]:
            raise StudyError(f"The study file already sets {on_paper[0]}. Leave out {on_paper[0]}= or the file.")
        own = [test for test in study.tests if isinstance(test, StressTest)]
        plan, about = study.plan(), read_assumptions(study.out, own)
        return find_frontier(plan, own, gpu=gpu, about=about, assumed=assumed, **settings)
    if not settings.keys() & MOST.keys():
        raise StudyError(
            "Which study? snellen plan STUDY.toml --frontier, or without a file: snellen plan --frontier "
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
    return Frontier(paper, PlanGoal(given_assumptions(usual_assumptions(), assumed), **settings))


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
    """Read a price: dollars per million tokens read and written, or a model's name."""
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
    """Print a study's cost, the needs of each verdict, and what to drop first."""
    whole, least = frontier.total(frontier.whole), frontier.total(frontier.least)
    rows = [("as planned", *cost_cells(whole)), ("at the same power, at least", *cost_cells(least))]
    columns = ("", "requests", "tokens read", "tokens written", "GPU hours", "money", "storage")
    print_table(columns, rows, title="What it costs", numbers=True)
    tell(*_assumptions(frontier))
    _verdicts(frontier)
    tell(*_kept_whole(frontier))
    _steps(frontier, whole)
    _levels(frontier, whole)
    tell(*frontier.source.words(), *_describe_methods(frontier))


def cost_cells(cost: Cost) -> tuple[str, ...]:
    """Format requests, tokens read and written, GPU hours, money and storage for a table."""
    hours = cost.gpu_seconds.times(1 / 3600)
    return (
        _count(cost.requests),
        format_span(cost.read, short),
        format_span(cost.written, short),
        format_span(hours, lambda each: f"{each:,.1f}" if each < 10 else f"{each:,.0f}") if hours.high else "–",
        format_span(cost.dollars, _dollars) if cost.dollars.high else "–",
        format_span(cost.stored, _bytes),
    )


def _count(number: float) -> str:
    """Format a number for a column; in millions if it is that large."""
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
        "accuracy": "share correct under the baseline",
        "within": "variance within an item, between repeats",
        "rerun": "share of answers that differ between two repeats",
        "moved": "share of answers that a harmless condition turns right or wrong, beyond those that repeats turn",
    }
    yield "Assumptions about how models answer:"
    for name, each in zip(Assumptions._fields, frontier.wanted.about, strict=True):
        value = f"{each.value:.3f}" if name == "within" else percent(each.value)
        if each.low is not None and each.high is not None:
            ends = (f"{end:.3f}" if name == "within" else percent(end) for end in (each.low, each.high))
            value += f" (95% CI {' to '.join(ends)}, n {each.n})"
        yield visible(f"  {name} {value}: {words[name]} – {each.source}")
    if costs := frontier.at_the_ends():
        low, high = sorted(each.requests for each in costs)
        yield f"Across these intervals, the minimum is {low:,.0f} to {high:,.0f} requests."


def _verdicts(frontier: Frontier) -> None:
    """Print a line for each test; for several benchmarks, the lowest power counts."""
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
    columns = ("verdict", "items × repeats", "power now", "then", "smallest effect now", "then")
    print_table(columns, rows, title=title, numbers=True, first=_room_for_names())


def power_in_words(value: float) -> str:
    """Format a power; below 1% and above 99%, only as a limit."""
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
            f"{test}: power is only {power_in_words(power)} {where}, even with every item, so all are kept; {more}."
        )
    if whole := frontier.without_formula():
        yield visible(f"All items are kept for tests without a formula for their power: {', '.join(whole)}.")


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
    title = "What to drop first: number of benchmarks, requests saved and requests left"
    print_table(columns, rows, title=title, numbers=True, first=_room_for_names())
    if (more := len(steps) - FIRST) > 0:
        tell(f"{more} more steps are not shown. After them, nothing can be dropped at this power.")


def _levels(frontier: Frontier, whole: Cost) -> None:
    rows = []
    for level in frontier.levels():
        requests, _, _, hours, money, _ = cost_cells(level.cost)
        share = percent(level.cost.requests / whole.requests)
        rows.append((level.words, requests, share, hours, money, f"{level.reached:,} of {level.of:,}"))
    columns = ("to find", "requests", "of now", "GPU hours", "money", "verdicts with that power")
    title = "The frontier: minimum cost (tests that cannot reach the power keep all items)"
    print_table(columns, rows, title=title, numbers=True)


def _room_for_names() -> int | None:
    """Return the width for test names in a narrow terminal; None in a wide one."""
    return WIDEST_NAME if out.width < WIDE else None


def _describe_methods(frontier: Frontier) -> Iterator[str]:
    rate = constant("client", "rate")
    seconds = frontier.total(frontier.whole).requests / rate.value
    yield f"One machine sends {rate.value:,.0f} requests a second: {_days(seconds)} as planned ({rate.source})."
    yield f"Storage per response, item, condition and changed image: {source('storage', 'response')}."
    yield (
        "Power: two-sided 5%, items paired. A change of accuracy is tested by McNemar's test, at 5% divided by the "
        "number of comparisons of a model and benchmark (the hardest case of Holm's correction; family=1 omits it). "
        "The variance of an item is between + within / repeats. Formulas: docs/how-to/plan-a-large-study.md."
    )
    yield (
        "This power counts items as independent. If several items are about one patient or image, divide their number "
        "by 1 + (items per patient - 1) × the correlation between them. The verdicts account for it."
    )
    yield (
        "Each verdict keeps the power asked for, or its power as planned if lower. To ask tests with different numbers "
        "of items, run one study per test with --limit, --epochs and the same --out: shared requests are sent once."
    )
    yield f"These numbers are computed from assumed constants ({as_of()}), not measured in the study."


def _days(seconds: float) -> str:
    if seconds < 3600:
        return f"{ceil(seconds / 60)} min"
    return f"{seconds / 3600:,.0f} hours" if seconds < 3 * 86_400 else f"{seconds / 86_400:,.1f} days"
