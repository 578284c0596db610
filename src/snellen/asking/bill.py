"""Bill: the cost of a plan before it runs, and the cost of stored responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from snellen.asking.plan import Plan, ResolvedArm, looked_at_of, stored_in
from snellen.asking.repeats import Runs, select_wanted
from snellen.asking.spent import Spent
from snellen.errors import ImageError, Inapplicable, StudyError
from snellen.images.sent_size import SentSizes
from snellen.items import Benchmark
from snellen.models.base import Model
from snellen.models.image_tokens import Rule, rule_of
from snellen.models.prices import LOCAL_SERVER, UNBILLED, Price, price_of, unknown_price
from snellen.models.request_tokens import NOTHING, TokenRange, input_tokens, output_tokens, text_tokens, words_tokens
from snellen.prompts import STEPS, ask
from snellen.store import Store
from snellen.store.viewing import served_as, written_by

ENOUGH = 20
"""Stored responses that are needed to predict the length of a model's next ones."""
SPREAD = 0.8, 1.25
"""Range of the predicted mean length, as a factor of the stored mean length."""


@dataclass(frozen=True)
class ModelBill:
    """Requests of a plan to one model, how many are answered, and the remaining cost."""

    model: str
    price: Price | None
    requests: int
    answered: int
    text: TokenRange
    """Tokens in the text of the remaining requests."""
    images: TokenRange
    """Tokens in the images of the remaining requests."""
    written: TokenRange
    """Output tokens of the remaining responses."""
    length_from: str
    """Source of the predicted length of responses, in words; empty for the default."""
    rule: Rule | None
    """The vendor's rule for counting the tokens of an image."""
    with_images: int
    """Number of remaining requests with an image."""
    sampled: bool
    """True if only a sample of some benchmark was measured and the rest was extrapolated."""

    @property
    def to_ask(self) -> int:
        """The largest number of requests that may still be sent."""
        return max(0, self.requests - self.answered)

    @property
    def read(self) -> TokenRange:
        """Input tokens of the remaining requests: text and images."""
        return self.text.plus(self.images)

    @property
    def cost(self) -> TokenRange | None:
        """Cost of the remaining requests in dollars; None if the price is unknown."""
        if self.price is None:
            return None
        asked = max(1, self.to_ask)
        each = (self.price.cost_of_tokens(self.read[end] / asked, self.written[end] / asked) for end in (0, 1))
        return TokenRange(*(asked * cost for cost in each))


BILLED_ON = 1_000
"""Number of items measured in a benchmark with more than twice as many."""


def bill(plan: Plan, prices: Mapping[str, Price | None], store: Store | None = None) -> list[ModelBill]:
    """Estimate what each model of a plan will cost, without sending anything. `prices` are by model name."""
    told = [model for model in plan.models if prices[model.name] not in UNBILLED]
    sizes = SentSizes(plan.image_side)
    sheets = [
        sheet
        for benchmark in plan.benchmarks
        for sheet in sheets_of(plan, benchmark, sizes, {rule_of(model.spec or model.name) for model in told}, store)
    ]
    return [_bill_model(plan, model, prices[model.name], sheets, store) for model in plan.models]


def bill_plan(plan: Plan) -> list[ModelBill]:
    """Estimate the remaining cost per model, without sending or writing anything."""
    with stored_in(plan.out) as store:
        return bill(plan, price_models(plan, batch=plan.batch), store)


def price_models(plan: Plan, *, batch: bool = False) -> dict[str, Price | None]:
    """Return the price of each model, from the plan or the table; None if unknown."""
    found: dict[str, Price | None] = {}
    for model in plan.models:
        spec = model.spec or model.name
        look_up = partial(price_of, spec, model.host, at=model.at, batch=batch)
        price = plan.prices.get(model.name) or plan.prices.get(spec) or look_up()
        if price is None:
            with stored_in(plan.out) as store:
                price = look_up(served_by=served_as(store, model.name, model.revision)) if store else None
        found[model.name] = price
    return found


def is_billed(plan: Plan) -> bool:
    """Return whether a model of a plan costs money, or may."""
    return any(price not in UNBILLED for price in price_models(plan).values())


def list_served_locally(plan: Plan) -> list[str]:
    """Return the models served on this machine. Such a server may be a gateway that bills."""
    return [name for name, price in price_models(plan).items() if price == LOCAL_SERVER]


def check_budget(limit: float | None, prices: Mapping[str, Price | None]) -> None:
    """Raise StudyError if there is a budget but the price of a model is unknown."""
    unknown = [name for name, price in prices.items() if price is None]
    if limit is not None and unknown:
        raise StudyError(f"A budget needs the price of every model. {' '.join(map(unknown_price, unknown))}")


def spent_before(plan: Plan, prices: Mapping[str, Price | None], stored: Sequence[Spent], limit: float | None) -> float:
    """Return the cost of the stored responses.

    With a budget, a response without token counts is charged the maximum.
    """
    known = sum(each.cost or 0.0 for each in stored)
    uncounted = {each.model: each.uncounted for each in stored if each.uncounted and each.price}
    if limit is None or not uncounted:
        return known
    most = {each.model: each.cost.high / max(1, each.requests) for each in bill(plan, prices) if each.cost}
    return known + sum(count * most.get(model, 0.0) for model, count in uncounted.items())


@dataclass(frozen=True)
class ArmBill:
    """Items and tokens of one arm. Arms with identical requests share one bill."""

    arm: ResolvedArm
    digests: tuple[str, ...]
    runs: Runs
    """Number of repeats of each item."""
    asked: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    """For each item, whether it has an image."""
    text: NDArray[np.float64]
    """Least and most tokens of each item's text."""
    images: Mapping[Rule | None, NDArray[np.float64]]
    """Least and most tokens of each item's images, by counting rule."""


def sheets_of(
    plan: Plan, benchmark: Benchmark, sizes: SentSizes, rules: set[Rule | None], store: Store | None
) -> Iterator[ArmBill]:
    """Yield one bill per group of arms with identical requests; images by counting rule."""
    for arms in plan.group_arms(benchmark):
        # Without a store the digests are not needed, and computing them would read every file.
        digests = () if store is None else tuple(arm.digest(benchmark.digest, plan.seed) for arm in arms)
        yield _bill_arm(plan, benchmark, arms, digests, sizes.under_a_condition(), rules)


def _bill_arm(
    plan: Plan,
    benchmark: Benchmark,
    arms: Sequence[ResolvedArm],
    digests: tuple[str, ...],
    sizes: SentSizes,
    rules: set[Rule | None],
) -> ArmBill:
    arm, count, pool = arms[0], plan.count_wanted(benchmark), plan.pool_of(benchmark)
    asked, shown = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    text = np.zeros((count, 2))
    images = {rule: np.zeros((count, 2)) for rule in rules}
    examples = tuple(each.encode_example(sizes) for each in arm.examples) if rules else ()
    looked_at = looked_at_of(count, BILLED_ON, whole=2 * BILLED_ON)
    for place in looked_at:
        item = benchmark.items[place]
        try:
            varied = arm.vary(item, seed=plan.seed, pool=pool).item
        except Inapplicable:
            continue
        asked[place], shown[place] = True, bool(varied.images)
        if not rules:  # no model of the plan is billed
            continue
        try:
            request = ask(varied, prompt=arm.prompt, settings=arm.settings, encode=sizes)
            request = replace(request, examples=examples)
        except ImageError:  # the run reports images that cannot be used, and does not ask these items
            asked[place] = shown[place] = False
            continue
        words = text[place] = words_tokens(request)
        for rule, tokens in images.items():
            tokens[place] = np.subtract(input_tokens(request, rule), words)
    if len(looked_at) < count:  # every other item counts like a random one of those that were measured
        like = np.random.default_rng(0).choice(looked_at, count)
        like[looked_at] = looked_at
        asked, shown, text = asked[like], shown[like], text[like]
        images = {rule: tokens[like] for rule, tokens in images.items()}
    return ArmBill(arm, digests, plan.count_runs(benchmark, arms), asked, shown, text, images)


def _bill_model(
    plan: Plan, model: Model, price: Price | None, sheets: Sequence[ArmBill], store: Store | None
) -> ModelBill:
    spec = model.spec or model.name
    rule, told_first = rule_of(spec), text_tokens(str(model.about.get("system", "")))
    requests = answered = shown = 0
    text = images = written = NOTHING
    length, length_from = _length(model, store)
    for sheet in sheets:
        asked = sheet.asked & ~sheet.shown if model.text_only else sheet.asked
        done = _count_answered(sheet, model, store)
        left = np.where(asked, sheet.runs - done, 0)
        requests += int(sheet.runs[asked].sum())
        answered += int(done[asked].sum())
        shown += int(left[sheet.shown].sum())
        usual = output_tokens(spec, sheet.arm.settings, in_steps=STEPS in sheet.arm.name)
        written = written.plus((length or usual).times(int(left.sum())))
        if rule in sheet.images:
            text = text.plus(_total(sheet.text, left)).plus(told_first.times(int(left.sum())))
            images = images.plus(_total(sheet.images[rule], left))
    sampled = any(len(sheet.asked) > 2 * BILLED_ON for sheet in sheets)
    return ModelBill(model.name, price, requests, answered, text, images, written, length_from, rule, shown, sampled)


def _total(tokens: NDArray[np.float64], times: NDArray[np.int64]) -> TokenRange:
    low, high = (float(end) for end in times @ tokens)
    return TokenRange(low, high)


def _count_answered(sheet: ArmBill, model: Model, store: Store | None) -> NDArray[np.int64]:
    count = len(sheet.asked)
    if store is None:
        return np.zeros(count, dtype=np.int64)
    cells = np.concatenate([store.responses.answered_under(each, model.name, model.revision) for each in sheet.digests])
    cells = np.unique(select_wanted(cells, sheet.runs), axis=0)
    return np.bincount(cells[:, 0], minlength=count)


def _length(model: Model, store: Store | None) -> tuple[TokenRange | None, str]:
    """Return the usual length of a model's stored responses and its source. None if too few are stored."""
    found = written_by(store, model.name, model.revision) if store else None
    if found is None or found.responses < ENOUGH:
        return None, ""
    mean = (found.written or 0) / found.responses
    length = TokenRange(*(mean * each for each in SPREAD))
    return length, f"{mean:,.0f} on average in {found.responses:,} stored responses"
