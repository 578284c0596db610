"""Functions behind `snellen exam`, `plan` and `run`: plan, ask and publish a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from snellen.asking.bill import BILLED_ON, ModelBill, bill_plan, is_billed, list_served_locally
from snellen.asking.plan import Plan, TestCount, total
from snellen.asking.requests import count_answered
from snellen.cli.options import complain, tell
from snellen.cli.terminal import leave, print_table, say_failures, show_all, show_how_read, show_left_out, working
from snellen.images import USUAL_SIDE
from snellen.models.prices import UNBILLED, dollars, short, unknown_price
from snellen.models.request_tokens import CHARACTERS, FEW, MANY, TokenRange
from snellen.papers import suites
from snellen.plugins import names
from snellen.prompts import Settings
from snellen.runtime import counted, visible
from snellen.scoring.human_reference import human_reference
from snellen.stats.label_planning import (
    LEAST_MARGIN,
    labels_for_accuracy,
    labels_for_kappa_above,
    labels_for_kappa_width,
)
from snellen.stress import MEMBERS
from snellen.stress.conclusions import percent, points
from snellen.stress.verdicts.marks import RULES
from snellen.study import Study
from snellen.tools.planner.power import power_of, power_table


def conduct(study: Study, *, dry_run: bool) -> None:
    """Ask a study, score it and print its results; with `dry_run` only print the plan."""
    if dry_run:
        plan = study.plan()
        show_plan(plan, out_folder=Path(study.out), answered=count_answered(plan))
        show_bill(bill_plan(plan) if is_billed(plan) else [], served=list_served_locally(plan), budget=study.budget)
        return
    show_how_read(study.plan().benchmarks)
    show_left_out({benchmark.name: benchmark.broken for benchmark in study.plan().benchmarks})
    complain(*not_sent(study.plan()))
    progress = study.ask()
    say_failures(progress)
    with working():
        results = study.score()
    show_all(results)
    leave(progress, results)


def split_tests(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split test names at commas; a part that names no test is a setting."""
    known = {*suites(), *names("stress", MEMBERS)}
    tests: list[str] = []
    for value in values:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        for place, part in enumerate(parts):
            if place and part.partition(":")[0] not in known and (":" in tests[-1] or "=" in part):
                tests[-1] += f",{part}"
            else:
                tests.append(part)
    return tuple(tests)


def study_fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were set, as fields of a study."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "shots" in given:
        if "examples" not in given:
            raise click.UsageError("--shots draws from --examples: name a file or a benchmark with --examples.")
        number = given.pop("shots")
        given["examples"] = [{"benchmark": each, "number": number} for each in given["examples"]]
    if "groups" in given:
        given["groups"] = dict(map(_group, given["groups"]))
    if "human" in given:
        given["human"] = human_reference(given["human"])
    settings = {name: given.pop(name) for name in ("temperature", "max_tokens", "reasoning_effort") if name in given}
    return {**given, "settings": Settings(**settings)} if settings else given


def _group(given: str) -> tuple[str, list[str]]:
    name, _, members = given.partition("=")
    if not name.strip() or not members.strip(" ,"):
        raise click.BadParameter(f"expected NAME=MODEL,MODEL, got {given!r}.", param_hint="--group")
    return name.strip(), [each.strip() for each in members.split(",") if each.strip()]


def count_graded(study: Study | None, responses: int | None) -> dict[str, int]:
    """Count the responses per model and condition that a judge would grade, by benchmark."""
    if responses is not None or study is None:
        return {"": 1000 if responses is None else responses}
    plan = study.plan()
    return {each.name: len(each.items[: plan.limit_of(each)]) * plan.epochs_of(each) for each in plan.benchmarks}


# The plan ------------------------------------------------------------------------------------------------------------


def show_plan(plan: Plan, *, out_folder: Path, answered: int) -> None:
    """Print what a plan asks, and how many responses are stored already."""
    counts = list(plan.counts())
    asked = f"{counted(len(plan.models), 'model')} · {counted(plan.epochs, 'epoch')}"
    examples = f" · {counted(len(plan.examples), 'example')} before each question" if plan.examples else ""
    tell(f"{asked} · seed {plan.seed} · prompt {plan.prompt.name}{_asked_with(plan)}{examples}")
    tell(*not_sent(plan))
    if plan.image_side != USUAL_SIDE:
        side = f"scaled down to at most {plan.image_side:,} pixels a side" if plan.image_side else "in their own size"
        tell(f"Images are sent {side}.")
    for benchmark, of_benchmark in groupby(counts, key=lambda count: count.benchmark):
        rows = []
        for count in of_benchmark:
            power = "\n".join(power_of(count.simulated, count.observed, count.chance))
            rows.append((count.test, str(count.asked), str(count.requests), str(count.shared), power))
        print_table(("test", "items", "requests", "shared", "power"), rows, title=benchmark)
    tell(*_not_applicable(counts), *_related_by_text(counts))
    show_how_read(plan.benchmarks)
    show_left_out({benchmark.name: benchmark.broken for benchmark in plan.benchmarks})
    requests = total(counts)
    sampled = sorted({(each.benchmark, each.counted_on, each.items) for each in counts if each.counted_on})
    for name, on, items in sampled:
        tell(f"{name}: counted on {on:,} of {items:,} items, drawn at random, and scaled up.")
    tell(f"{'About ' if sampled else ''}{requests:,} requests in all.")
    if repeated := sum(each.repeated for each in counts):
        items = sum(len(plan.repeats_of(each).items) for each in plan.benchmarks)
        said = f"{repeated:,} of them repeat both orders of the options, for {counted(items, 'question')}."
        tell(f"{said} --no-repeat leaves them out.")
    if plan.until_settled:
        tell("This is the maximum: asking stops once every verdict on a model and benchmark is settled.")
    _show_power(counts)
    if answered:
        left = f"at most {requests - answered:,} to send" if answered < requests else "nothing is left to send"
        tell(f"{answered:,} are answered in {out_folder} already; {left}.")


def _show_power(counts: Sequence[TestCount]) -> None:
    marked = [count.test.partition(":")[0] in RULES for count in counts]
    names = f"Power of {', '.join([*RULES][:-1])} and {[*RULES][-1]}"
    for table, said, asked in (
        (power_table(), "Power", not all(marked)),
        (power_table("marks"), names, any(marked)),
    ):
        if asked:
            sizes = f"{', '.join(f'{size:,}' for size in table.items[:-1])} or {table.items[-1]:,}"
            share = f"{said}: the share of {table.repeats} simulated studies that reach that verdict"
            tell(f"{share}. Simulated with {sizes} questions; the next smaller number is used ({table.study}).")
    if any(marked):
        tell("Simulated models are asked 2 questions of each patient and are right in 63% to 88%.")


def _asked_with(plan: Plan) -> str:
    """Describe a plan's settings, and which of them are from a suite's paper."""
    own = plan.settings.chosen
    of_paper = {name: value for name, value in plan.protocol.chosen.items() if name not in own}
    said = [f" · {_setting(name, value)}" for name, value in own.items()]
    said += [f" · {_setting(name, value)} as in the paper" for name, value in of_paper.items()]
    return "".join(said)


def _setting(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value if isinstance(value, str) else f'{value:g}'}"


def not_sent(plan: Plan) -> Iterator[str]:
    """Name the settings that are not sent to a model because it would refuse them."""
    for model, settings in plan.not_sent().items():
        named = " and ".join(_setting(name, value) for name, value in settings.items())
        yield f"{visible(model)} does not accept {named}. It is not sent; the model uses its own default."


def _not_applicable(counts: Sequence[TestCount]) -> Iterator[str]:
    """Describe the items that are not asked: number, condition, tests and reason."""
    found: dict[tuple[str, str, str], list[TestCount]] = {}
    for count in counts:
        for reason in count.inapplicable:
            found.setdefault((count.benchmark, count.under.get(reason, ""), reason), []).append(count)
    for (benchmark, under, reason), of in found.items():
        most = max(count.inapplicable[reason] for count in of)
        tests = ", ".join(count.test for count in of)
        asked = f"not asked {under}".strip()
        yield visible(f"{benchmark}: {most} of {of[0].items} items are {asked} ({tests}): {reason}.")


def _related_by_text(counts: Sequence[TestCount]) -> Iterator[str]:
    """Describe items matched only by text and images, and the columns for an exact match."""
    found: dict[tuple[str, str], list[TestCount]] = {}
    for count in counts:
        for columns in count.by_text:
            found.setdefault((count.benchmark, columns), []).append(count)
    for (benchmark, columns), of in found.items():
        most, tests = max(count.by_text[columns] for count in of), ", ".join(count.test for count in of)
        related = f"{most} of {of[0].items} items are matched with others by text and images only ({tests})"
        yield visible(f"{benchmark}: {related}. To match them exactly, add the columns {columns}.")


# What it costs -------------------------------------------------------------------------------------------------------


def show_bill(bills: Sequence[ModelBill], *, served: Sequence[str] = (), budget: float | None = None) -> None:
    """Print the estimated cost of each model, and whether the budget is enough.

    `served` are models on a server of this machine.
    """
    if served:
        named = visible(", ".join(served))
        tell(f"No charge is counted for {named}: the server is on this machine.")
        tell("If it is a gateway that bills, give the price of its models with --prices.")
    if all(each.price in UNBILLED for each in bills):
        if not served:
            tell("No charge: every model runs on this machine.")
        return
    columns = ("model", "requests", "answered", "to ask", "tokens read", "tokens written", "cost")
    rows = map(_describe_bill, bills)
    print_table(columns, rows, title="Cost of the requests still to be sent", numbers=True)
    tell(*_how_estimated(bills))
    known = [each.cost for each in bills if each.cost]
    low, high = (sum(cost[end] for cost in known) for end in (0, 1))
    unknown = [each.model for each in bills if each.price is None]
    if high or not unknown:
        more = f", plus the cost of {visible(', '.join(unknown))}" if unknown else ""
        tell(f"In all {_money(TokenRange(low, high))}{more}.")
    for model in unknown:
        tell(unknown_price(model))
    if budget is not None and not unknown:
        enough = "It is enough" if high <= budget else "It may not be enough" if low <= budget else "It is not enough"
        tell(f"Budget {dollars(budget)}, including what is already spent. {enough} by this estimate.")


def _describe_bill(each: ModelBill) -> tuple[str, ...]:
    counts = (f"{count:,}" for count in (each.requests, each.answered, each.to_ask))
    if each.price in UNBILLED:
        return (each.model, *counts, "–", "–", "no charge")
    return (each.model, *counts, format_span(each.read, short), format_span(each.written, short), _money(each.cost))


def _how_estimated(bills: Sequence[ModelBill]) -> Iterator[str]:
    """Describe how a cost was estimated: price, image tokens and response length."""
    for each in bills:
        if each.price in UNBILLED:
            continue
        price = each.price.words if each.price else "price not known"
        said = [f"{visible(each.model)}: {price}."]
        if each.with_images:
            rule = each.rule.words if each.rule else "no published rule for image tokens, so a wide range"
            said.append(f"{each.with_images:,} images: {rule}.")
        if each.to_ask:
            mean = each.written.times(1 / each.to_ask)
            told = each.length_from or f"assumed, {mean.low:,.0f} to {mean.high:,.0f} each"
            said.append(f"Tokens written: {told}.")
        yield " ".join(said)
    if any(each.sampled for each in bills):
        yield (
            f"Benchmarks with more than {2 * BILLED_ON:,} items are estimated from {BILLED_ON:,} random items. "
            "Their requests and cost are approximate."
        )
    yield (
        f"Tokens are estimates: {CHARACTERS} characters of text are one token, times {FEW:g} to {MANY:g}. Images are "
        "counted by the vendors' rules, at their size as sent. The test before a run that images arrive "
        "adds at most nine requests."
    )


def format_span(numbers: TokenRange, words: Callable[[float], str]) -> str:
    """Format a range with `words` for its ends; one number if both ends look alike."""
    low, high = words(numbers.low), words(numbers.high)
    return low if low == high else f"{low} to {high}"


def _money(cost: TokenRange | None) -> str:
    return "not known" if cost is None else format_span(cost, dollars)


# Labels by people ----------------------------------------------------------------------------------------------------


def show_labels(
    responses: Mapping[str, int],
    *,
    kappa: float | None,
    agreement: float | None,
    correct: float,
    threshold: float,
    width: float,
) -> None:
    """Print the number of human labels that qualify a judge; `responses` are counted by benchmark."""
    if kappa is not None and agreement is not None:
        raise click.UsageError("Choose --kappa or --agreement, not both: each follows from the other and --correct.")
    chance = correct**2 + (1 - correct) ** 2
    alike = chance + (0.8 if kappa is None else kappa) * (1 - chance) if agreement is None else agreement
    about = {"agreement": alike, "share": correct}
    try:
        precise = labels_for_kappa_width(width, **about)
        rows = [(f"κ is known to ± {width:g}", f"{precise.labels:,}")]
        if threshold <= precise.kappa - LEAST_MARGIN:
            above = f"{labels_for_kappa_above(threshold, **about).labels:,}"
        else:
            above = f"impossible: κ is expected to be {precise.kappa:.2f}"
        rows.append((f"κ is shown to exceed {threshold:g}, with a power of 80%", above))
        for name, count in responses.items():
            plan = labels_for_accuracy(width, **about, responses=count)
            of = f"{visible(name)}: " if name else ""
            said = f"{of}the same, with the judge's {count:,} grades corrected by labels"
            rows += [
                (f"{of}accuracy is known to ± {points(width)}, by labels alone", _labels(plan.labels_alone, count)),
                (said, _labels(plan.labels, count)),
            ]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    tell(
        f"Expected: judge and people agree on {percent(alike)} of the responses (κ {precise.kappa:.2f}); people call "
        f"{percent(correct)} correct."
    )
    print_table(("so that", "labels"), rows)
    tell(
        "A label is one person's grade of one response, drawn at random; responses of one item count as fewer. ± is a "
        "95% CI."
    )


def _labels(count: int | None, responses: int) -> str:
    if count is None:
        return "more responses are needed"
    return f"{count:,}" if count <= responses else f"{count:,}, more than there are responses"
