"""Bill: what a plan will cost before anything is asked, and what stored responses have cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import orjson
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
from snellen.models.request_tokens import NOTHING, Range, input_tokens, output_tokens, text_tokens, words_tokens
from snellen.prompts import STEPS, ask
from snellen.store import Store
from snellen.store.viewing import served_as, written_by

ENOUGH = 20
"""Stored responses of a model from which the length of its next ones is told."""
SPREAD = 0.8, 1.25
"""The mean length of the next responses may be so many times that of the stored ones."""


@dataclass(frozen=True)
class ModelBill:
    """What is asked of a model, what of it is answered, and what the rest will cost."""

    model: str
    price: Price | None
    requests: int
    answered: int
    text: Range
    """Tokens that the words of the requests which are still to be asked are read as."""
    images: Range
    """The same of their images."""
    written: Range
    """Tokens of the responses."""
    length_from: str
    """Where the length of the responses is from, in words."""
    rule: Rule | None
    """How the vendor counts an image."""
    with_images: int
    """How many of the requests that are still to be asked have an image."""
    sampled: bool
    """Whether of some benchmark a part was looked at, and the rest taken to be like it."""

    @property
    def to_ask(self) -> int:
        """How many requests are still to be asked, at most."""
        return max(0, self.requests - self.answered)

    @property
    def read(self) -> Range:
        """Tokens that the requests are read as."""
        return self.text.plus(self.images)

    @property
    def cost(self) -> Range | None:
        """What the requests that are still to be asked cost, in dollars; None where the price is not known."""
        if self.price is None:
            return None
        asked = max(1, self.to_ask)
        each = (self.price.of(self.read[end] / asked, self.written[end] / asked) for end in (0, 1))
        return Range(*(asked * cost for cost in each))


BILLED_ON = 1_000
"""Of a benchmark with more than twice as many items, so many are looked at."""


def bill(plan: Plan, prices: Mapping[str, Price | None], store: Store | None = None) -> list[ModelBill]:
    """What each model of a plan will cost; sends nothing. `prices` are by the models' names."""
    told = [model for model in plan.models if prices[model.name] not in UNBILLED]
    sizes = SentSizes(plan.image_side)
    sheets = [
        sheet
        for benchmark in plan.benchmarks
        for sheet in sheets_of(plan, benchmark, sizes, {rule_of(model.spec or model.name) for model in told}, store)
    ]
    return [_of_model(plan, model, prices[model.name], sheets, store) for model in plan.models]


def bill_plan(plan: Plan) -> list[ModelBill]:
    """What each model will cost, of what is not answered in the plan's folder yet; sends and writes nothing."""
    with stored_in(plan.out) as store:
        return bill(plan, price_models(plan, batch=plan.batch), store)


def price_models(plan: Plan, *, batch: bool = False) -> dict[str, Price | None]:
    """What each model costs: as the plan says, or else by the table; None if neither knows."""
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
    """Whether any model of a plan costs something, or may."""
    return any(price not in UNBILLED for price in price_models(plan).values())


def list_served_locally(plan: Plan) -> list[str]:
    """The models that a server on this machine answers for, which may be a gateway that bills."""
    return [name for name, price in price_models(plan).items() if price == LOCAL_SERVER]


def check_budget(limit: float | None, prices: Mapping[str, Price | None]) -> None:
    """Refuse a budget that nobody could keep to."""
    unknown = [name for name, price in prices.items() if price is None]
    if limit is not None and unknown:
        raise StudyError(f"A budget cannot be kept to. {' '.join(map(unknown_price, unknown))}")


def spent_before(plan: Plan, prices: Mapping[str, Price | None], stored: Sequence[Spent], limit: float | None) -> float:
    """What the stored responses have cost; under a budget, one whose tokens nobody counted cost what it may."""
    known = sum(each.cost or 0.0 for each in stored)
    uncounted = {each.model: each.uncounted for each in stored if each.uncounted and each.price}
    if limit is None or not uncounted:
        return known
    most = {each.model: each.cost.high / max(1, each.requests) for each in bill(plan, prices) if each.cost}
    return known + sum(count * most.get(model, 0.0) for model, count in uncounted.items())


@dataclass(frozen=True)
class Sheet:
    """One way of asking a benchmark: which items it asks, and the tokens of each; arms that ask the same are one."""

    arm: ResolvedArm
    digests: tuple[str, ...]
    runs: Runs
    """How often each item is asked."""
    asked: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    """The items that come with an image."""
    text: NDArray[np.float64]
    """Least and most tokens of each item's words."""
    images: Mapping[Rule | None, NDArray[np.float64]]
    """The same of its images, by each rule."""


def sheets_of(
    plan: Plan, benchmark: Benchmark, sizes: SentSizes, rules: set[Rule | None], store: Store | None
) -> Iterator[Sheet]:
    """What each way of asking a benchmark asks, and the tokens of it by each of the rules."""
    alike: dict[bytes, list[ResolvedArm]] = {}
    for arm in plan.arms_of(benchmark):
        alike.setdefault(orjson.dumps(arm.record(plan.seed)), []).append(arm)
    for arms in alike.values():
        # Without stored responses nobody asks for them, and they need a look at every file.
        digests = () if store is None else tuple(arm.digest(benchmark.digest, plan.seed) for arm in arms)
        yield _sheet(plan, benchmark, arms, digests, sizes.under_a_condition(), rules)


def _sheet(
    plan: Plan,
    benchmark: Benchmark,
    arms: Sequence[ResolvedArm],
    digests: tuple[str, ...],
    sizes: SentSizes,
    rules: set[Rule | None],
) -> Sheet:
    arm, count, pool = arms[0], plan.wanted(benchmark), plan.pool_of(benchmark)
    asked, shown = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    text = np.zeros((count, 2))
    images = {rule: np.zeros((count, 2)) for rule in rules}
    examples = tuple(each.sent(sizes) for each in arm.examples) if rules else ()
    looked_at = looked_at_of(count, BILLED_ON, whole=2 * BILLED_ON)
    for place in looked_at:
        item = benchmark.items[place]
        try:
            varied = arm.vary(item, seed=plan.seed, pool=pool).item
        except Inapplicable:
            continue
        asked[place], shown[place] = True, bool(varied.images)
        if not rules:  # nothing is billed
            continue
        try:
            request = ask(varied, prompt=arm.prompt, settings=arm.settings, encode=sizes)
            request = replace(request, examples=examples)
        except ImageError:  # an image that cannot be used is told of by the run, which does not ask the item
            asked[place] = shown[place] = False
            continue
        words = text[place] = words_tokens(request)
        for rule, tokens in images.items():
            tokens[place] = np.subtract(input_tokens(request, rule), words)
    if len(looked_at) < count:  # each of the others is taken to be like one that was looked at
        like = np.random.default_rng(0).choice(looked_at, count)
        like[looked_at] = looked_at
        asked, shown, text = asked[like], shown[like], text[like]
        images = {rule: tokens[like] for rule, tokens in images.items()}
    return Sheet(arm, digests, plan.count_runs(benchmark, arms), asked, shown, text, images)


def _of_model(plan: Plan, model: Model, price: Price | None, sheets: Sequence[Sheet], store: Store | None) -> ModelBill:
    spec = model.spec or model.name
    rule, told_first = rule_of(spec), text_tokens(str(model.about.get("system", "")))
    requests = answered = shown = 0
    text = images = written = NOTHING
    length, length_from = _length(model, store)
    for sheet in sheets:
        asked = sheet.asked & ~sheet.shown if model.text_only else sheet.asked
        done = _done(sheet, model, store)
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


def _total(tokens: NDArray[np.float64], times: NDArray[np.int64]) -> Range:
    low, high = (float(end) for end in times @ tokens)
    return Range(low, high)


def _done(sheet: Sheet, model: Model, store: Store | None) -> NDArray[np.int64]:
    """How many of an item's repetitions are answered, by item."""
    count = len(sheet.asked)
    if store is None:
        return np.zeros(count, dtype=np.int64)
    cells = np.concatenate([store.responses.answered_under(each, model.name, model.revision) for each in sheet.digests])
    cells = np.unique(select_wanted(cells, sheet.runs), axis=0)
    return np.bincount(cells[:, 0], minlength=count)


def _length(model: Model, store: Store | None) -> tuple[Range | None, str]:
    """How long a model's responses are, told from those that are stored; None where there are too few."""
    found = written_by(store, model.name, model.revision) if store else None
    if found is None or found.responses < ENOUGH:
        return None, ""
    mean = (found.written or 0) / found.responses
    return Range(*(mean * each for each in SPREAD)), f"{mean:,.0f} on average in {found.responses:,} stored responses"


def total_cost(bills: Sequence[ModelBill]) -> Range | None:
    """What all models cost together; None where the price of one is not known."""
    costs = [each.cost for each in bills]
    if any(cost is None for cost in costs):
        return None
    return Range(sum(cost.low for cost in costs if cost), sum(cost.high for cost in costs if cost))
