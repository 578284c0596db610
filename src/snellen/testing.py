"""The families' contracts as code: run over all our members, and by the authors of plug-ins over theirs."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from snellen.conditions import Condition, Pool, generator, vary
from snellen.datasets import load
from snellen.errors import Inapplicable
from snellen.files import create_folder, write_whole
from snellen.grading.grades import grade_reply
from snellen.grading.outcomes import OpenReading, Outcome, Reading
from snellen.grading.parsers import CHOICE, OPEN, REPORT, Parser, complete_parser
from snellen.images import EncodedImage, Encoder, encode
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

    It sends an image, or the item's own, as its effects say. Returns to how many items it applied.
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
        sent, image = variant.item.images, condition.effects.image
        assert condition.effects.sends_image or not sent, f"{condition.name} sends an image of {item.id!r}: {image}."
        assert image != "own" or sent == item.images, f"{condition.name} changes the image of {item.id!r}: {image}."
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


HOSTILE = (
    "", " \n", "\x00\ufeff\u202e", "[[" * 500, "<answer>" * 200, "&lt;think&gt;" * 100, "\\boxed{", "(A) or (B)?",
    "答案是B。图像显示左侧胸腔积液。", "La risposta è la B.", "Ответ: А", "الجواب ب", "🅱️ 👍", "the image " * 500,
)  # fmt: skip
"""Texts that no parser may stumble over."""


def check_parser(parser: Parser, replies: Iterable[str], items: Iterable[Item]) -> None:
    """A parser reads any text, twice the same, by rules that have words, and never looks at the answer.

    The texts are read in answer to each item, and hostile ones too. A parser of the kind `choice` wants items with
    options, one of the kind `missing-image` open questions, and one of the kind `open` such with references: it alone
    may look at the answer, and has to read any text there too.
    """
    parser = complete_parser(parser)
    assert parser.name == parser.name.lower(), f"A parser's name is in lower case, got {parser.name!r}."
    assert parser.source and parser.about, f"{parser.name} does not say whose form it takes, or what for an answer."
    assert all(parser.rules.values()), f"{parser.name} has a rule without words."
    unknown = (parser.weighs | parser.lasts | parser.formal | parser.counted.keys()) - parser.rules.keys()
    assert not unknown, f"{parser.name} names rules that have no words: {', '.join(sorted(unknown))}."
    counted = all(0 <= right <= n for right, n in parser.counted.values())
    assert counted, f"{parser.name} counts more responses as right than it read."
    texts = tuple(dict.fromkeys((*HOSTILE, *replies)))
    for item in map(_as_report, items) if parser.kind == REPORT else items:
        before = copy.copy(vars(item))
        read = [_check_read(parser, text, item) for text in texts]
        assert before == vars(item), f"{parser.name} changed the item {item.id!r}."
        if parser.columns is not None:
            columns = parser.columns({(0, run): each for run, each in enumerate(read)}, {})
            if columns is not None:
                columns.only(np.zeros(len(read), dtype=np.bool_))


def _as_report(item: Item) -> Item:
    """The item, asking for a report."""
    reference = "FINDINGS: Small left pleural effusion. No pneumothorax.\n\nIMPRESSION: Left pleural effusion."
    return item if item.kind == "report" else replace(item, kind="report", options=(), answer=reference)


def _check_read(parser: Parser, text: str, item: Item) -> Any:
    response = Response(text)
    read, told = parser.read(response, item), f"what {parser.name} reads in {text[:60]!r}"
    assert read == parser.read(response, item), f"Twice is not the same: {told}."
    answers = range(len(item.options)) if item.kind == "choice" else ("one", "another")
    for answer in () if parser.kind in (OPEN, REPORT) else answers:
        assert read == parser.read(response, replace(item, answer=answer)), f"The answer key decides {told}."
    if parser.kind == CHOICE:
        assert isinstance(read, Reading), f"Expected a Reading, got {type(read).__name__}: {told}."
        assert (read.choice is None) != (read.silence is None), f"Either a choice or a silence is {told}."
        assert read.choice is None or 0 <= read.choice < len(item.options), f"There is no such option: {told}."
    elif parser.kind == OPEN:
        assert isinstance(read, OpenReading), f"Expected an OpenReading, got {type(read).__name__}: {told}."
        assert (read.grade is None) != (read.silence is None), f"Either a grade or a silence is {told}."
    if parser.kind in (OPEN, REPORT):
        for reference in HOSTILE:
            parser.read(response, replace(item, answer=reference, metadata={}))
    if (rule := getattr(read, "rule", None)) is not None:
        assert parser.rule_words(rule) != rule, f"There are no words for the rule {rule!r}: {told}."
        known = text.strip() or parser.kind not in (CHOICE, OPEN) or rule in parser.weighs
        assert known, f"Name rules that weigh a whole response in `weighs`: {told}."
    if parser.outcome is not None:
        _check_graded(parser, text, item)
    return read


def _check_graded(parser: Parser, text: str, item: Item) -> None:
    """The grade has words for its rule, whatever ended the response; one cut off is not wrong for what it lacks."""
    for finish in ("stop", "", "length", "content_filter"):
        grade, _ = grade_reply(Response(text, finish), item, parser)
        assert parser.rule_words(grade.rule) != grade.rule, f"{parser.name} has no words for the rule {grade.rule!r}."
        assert finish != "content_filter" or grade.outcome is Outcome.REFUSED, (
            f"{parser.name} reads what was held back."
        )
        assert grade.outcome is not Outcome.TRUNCATED or grade.choice is None, (
            f"{parser.name} chooses for {text[:60]!r}."
        )
        if finish == "length" and (not text.strip() or grade.rule in parser.weighs):
            assert grade.outcome is Outcome.TRUNCATED, (
                f"{parser.name} takes {text[:60]!r}, which was cut off, for {grade.outcome.value} by {grade.rule!r}."
            )


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
            keyed = replace(item, answer=answer)
            try:
                equipped = condition.equip(item, pool)
                drawn = drawn or condition.choose(equipped, seed=0, pool=pool)
                varied = condition.apply(replace(keyed, substitutes=equipped.substitutes), drawn)
            except Inapplicable:
                break
            asked.add(ask(varied, prompt=prompt, settings=arm.settings or PROVIDER_DEFAULTS, encode=encode).key)
        assert len(asked) <= 1, f"The request for {item.id!r} under {arm.name!r} depends on the right answer."


def own_benchmark(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Make a benchmark for a test: rows in a folder's items.jsonl, and an image for each name that has no file there.

    Returns the folder, which `load`, `Study` and `--benchmark` take.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     row = {"question": "Effusion?", "options": ["Yes", "No"], "answer": "No", "image": "1.png"}
    ...     [item] = load(own_benchmark(Path(home), [row]))
    >>> item.letter
    'B'
    """
    create_folder(folder)
    rows = tuple(rows)
    write_whole(folder / "items.jsonl", b"".join(orjson.dumps(row) + b"\n" for row in rows))
    for name in (name for row in rows for name in (*row.get("images", ()), row.get("image")) if name):
        if not (path := folder / name).exists():
            create_folder(path.parent)
            write_whole(path, encode(generator(0, name).integers(0, 256, (32, 32), dtype=np.uint8)).data)
    return folder
