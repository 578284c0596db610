"""The families' contracts as code: run over all our members, and by the authors of plug-ins over theirs."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable
from dataclasses import replace

import orjson

from snellen.conditions import Condition, Pool, vary
from snellen.datasets import load
from snellen.errors import Inapplicable
from snellen.images import EncodedImage, Encoder
from snellen.items import Benchmark, Item
from snellen.models.base import Model, Response, check_sent
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, Arm, Request, ask
from snellen.stress.base import StressTest


def check_dataset(benchmark: Benchmark, again: Benchmark) -> None:
    """A dataset is usable, has unique ids and whole images, and loads twice as the same; `again` is the second load."""
    assert benchmark.items, f"{benchmark.name} has no items."
    ids = [item.id for item in benchmark]
    assert len(set(ids)) == len(ids), f"{benchmark.name} has items of one id."
    for item in benchmark:
        problem = item.problem()
        assert problem is None, f"Item {item.id!r} cannot be used: {problem}."
    for item in benchmark.items[:20]:
        for image in item.images:
            encoded = image.encoded()
            assert encoded.width > 0, f"Item {item.id!r} has an empty image."
            assert encoded.height > 0, f"Item {item.id!r} has an empty image."
    assert benchmark.digest == again.digest, f"{benchmark.name} loads differently twice."


def check_condition(condition: Condition, items: Iterable[Item], *, seed: int = 0) -> int:
    """A condition leaves its input alone, keeps the id, repeats under one seed and replays from what it drew.

    Returns to how many items it applied.
    """
    items = tuple(items)
    pool, reversed_pool = Pool(items), Pool(items[::-1])
    assert condition.name and condition.name == condition.name.lower(), "A condition's name is in lower case."
    applied = 0
    for item in items:
        before = copy.copy(vars(item))
        try:
            variant = vary(item, condition, seed=seed, pool=pool)
        except Inapplicable as reason:
            assert str(reason), f"{condition.name} gives no reason for leaving out {item.id!r}."
            continue
        applied += 1
        assert before == vars(item), f"{condition.name} changed its input {item.id!r}."
        assert variant.item.id == item.id, f"{condition.name} changed the id of {item.id!r}."
        assert variant.original == item, f"{condition.name} lost the original of {item.id!r}."
        problem = variant.item.problem()
        assert problem is None, f"{condition.name} made {item.id!r} unusable: {problem}."
        again = vary(item, condition, seed=seed, pool=reversed_pool)
        assert again == variant, f"{condition.name} draws {item.id!r} differently the second time."
        stored = orjson.loads(orjson.dumps(variant.drawn))
        replayed = condition.apply(condition.equip(item, pool), stored)
        assert replayed == variant.item, f"{condition.name} cannot be replayed for {item.id!r}."
    return applied


def check_model(model: Model, images: Iterable[EncodedImage] = ()) -> list[Response]:
    """A model is named provider/model, answers with and without images, and gives a receipt for each of them."""
    assert "/" in model.name, f"A model is named provider/model, got {model.name!r}."
    images = tuple(images)
    text = "Is there an effusion?\n\nA. Yes\nB. No\n\nEnd your reply with a line of the form 'Answer: X'."
    requests = [Request(model.name, text), Request(model.name, text, images=images)]

    async def converse() -> list[Response]:
        try:
            return [await model.answer(request) for request in requests]
        finally:
            await model.close()

    responses = asyncio.run(converse())
    for request, response in zip(requests, responses, strict=True):
        assert isinstance(response.text, str), f"{model.name} answered with {type(response.text).__name__}, not text."
        check_sent(request, response)
    return responses


def check_stress_test(test: StressTest, items: Iterable[Item]) -> None:
    """A stress test asks a question, its conditions keep their contract, and no request holds the answer key.

    One that brings questions of its own is checked on those.
    """
    items = load(test.questions).items if test.questions else tuple(items)
    assert test.name == test.name.lower(), f"A test's name is in lower case, got {test.name!r}."
    assert test.asks.endswith("?"), f"The test {test.name!r} asks no question: {test.asks!r}."
    for arm in test.all_arms:
        applied = check_condition(arm.condition, items)
        assert applied, f"The arm {arm.name!r} of {test.name!r} applies to none of {len(items)} items."
        check_no_key(arm, items)


def check_no_key(arm: Arm, items: Iterable[Item]) -> None:
    """The answer key never reaches a request: an item with another right answer is asked in the same words."""
    items = tuple(items)
    prompt, encode, pool = arm.asked_by(PROMPTS["letter"]), Encoder(), Pool(items)
    condition = arm.condition
    for item in items:
        answers: Iterable[int | str] = range(len(item.options)) if item.kind == "choice" else ("one", "another")
        drawn = None
        asked = set()
        for answer in answers:
            keyed = Item(**{**vars(item), "answer": answer})
            try:
                equipped = condition.equip(item, pool)
                drawn = drawn or condition.choose(equipped, seed=0, pool=pool)
                varied = condition.apply(replace(keyed, substitutes=equipped.substitutes), drawn)
            except Inapplicable:
                break
            asked.add(ask(varied, prompt=prompt, settings=arm.settings or PROVIDER_DEFAULTS, encode=encode).key)
        assert len(asked) <= 1, f"The request for {item.id!r} under {arm.name!r} depends on the right answer."
