"""Examples: solved questions that are sent before every question and never asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.questions import item_from
from snellen.errors import DataError, ImageError, StudyError
from snellen.images import EncodedImage, Image
from snellen.items import Benchmark, Item
from snellen.plugins import did_you_mean
from snellen.prompts import Example, Prompt

Given = str | Path | Mapping[str, Any] | Item
"""An example, or a source of examples: a file, a benchmark, a row, or a table that names a benchmark."""
MOST = 64
"""The most examples, because each one is sent with every request."""
_CHOSEN = ("benchmark", "ids", "number")
_NUMBERED = re.compile(r"row-\d+")
"""Pattern of the ids that rows without an id get."""


class Solved(NamedTuple):
    """An example in the wording of a prompt: question, correct response and images."""

    text: str
    reply: str
    images: tuple[Image, ...]

    @property
    def record(self) -> dict[str, object]:
        """Everything that decides what is sent for this example."""
        return {"text": self.text, "reply": self.reply, "images": [image.fingerprint for image in self.images]}

    def encode_example(self, encode: Callable[[Image], EncodedImage]) -> Example:
        """Return the example with its images encoded by `encode`, ready to be sent. StudyError if that fails."""
        try:
            return Example(self.text, tuple(map(encode, self.images)), self.reply)
        except ImageError as error:
            raise StudyError(f"The image of the example {self.text[:60]!r} cannot be sent: {error}") from error


def solve_item(item: Item, prompt: Prompt) -> Solved:
    """Return an item as an example, with the correct answer in the prompt's format."""
    return Solved(prompt.render(item).text, prompt.reply_to(item), item.images)


class OverlapIndex:
    """Items that a study asks, indexed to find examples that overlap with them."""

    def __init__(self, benchmarks: Iterable[Benchmark]) -> None:
        # the plan reports items with problems
        self._items = [item for each in benchmarks for item in each if isinstance(item, Item) and not item.problem()]
        self._ids = {item.id for item in self._items if not _NUMBERED.fullmatch(item.id)}
        self._clusters = {item.cluster: item.id for item in self._items if item.cluster}
        self._words = {_words(item): item.id for item in self._items if not item.images}

    def why_not(self, example: Item) -> str:
        """Return the reason why an item cannot be an example; empty if it can."""
        if example.id in self._ids:
            return f"the study asks an item with the id {example.id!r}"
        for image in example.images:
            if (other := self._shown_by(image)) is not None:
                return f"the study asks the item {other!r} with the same image"
        if example.cluster and (other := self._clusters.get(example.cluster)) is not None:
            return f"the study asks the item {other!r} of the same patient or imaging study, {example.cluster!r}"
        if not example.images and (other := self._words.get(_words(example))) is not None:
            return f"the study asks the same question in the item {other!r}"
        return ""

    def _shown_by(self, image: Image) -> str | None:
        """Return the id of an item that has this image or its substitute, or None."""
        if not isinstance(image.source, bytes):
            return self._drawn.get(image.fingerprint)
        for path, item in self._files.get(len(image.source), ()):
            if Image(path).read() == image.source:
                return item
        return self._drawn.get(image.fingerprint)

    @cached_property
    def _drawn(self) -> dict[str, str]:
        return {image.fingerprint: item.id for item in self._items for image in _images(item) if image.path is None}

    @cached_property
    def _files(self) -> dict[int, list[tuple[Path, str]]]:
        found: dict[int, dict[Path, str]] = {}
        for item in self._items:
            for image in _images(item):
                if image.path is not None:
                    found.setdefault(image.path.stat().st_size, {})[image.path] = item.id
        return {size: list(files.items()) for size, files in found.items()}


def chosen_examples(
    given: Sequence[Given], asked: OverlapIndex, *, load: Callable[[str | Path], Benchmark], seed: int, folder: Path
) -> tuple[Item, ...]:
    """Return the examples that a study names, in their order, with their images in memory.

    Examples drawn from a benchmark depend on the seed, and never overlap with the items that are asked. StudyError if a
    named example overlaps with them.
    """
    found: list[Item] = []
    for number, entry in enumerate(given, start=1):
        if isinstance(entry, Item):
            found.append(entry)
        elif isinstance(entry, Mapping) and "benchmark" not in entry:
            found.append(_of_row(entry, number, folder))
        else:
            table = dict(entry) if isinstance(entry, Mapping) else {"benchmark": entry}
            if (folder / table["benchmark"]).is_file():
                table["benchmark"] = folder / table["benchmark"]
            found += _of_benchmark(table, asked, load, seed)
    if len(found) > MOST:
        raise StudyError(f"Expected at most {MOST} examples, got {len(found):,}: every request contains all of them.")
    if len({item.id for item in found}) < len(found):
        twice = next(item.id for at, item in enumerate(found) if item.id in {each.id for each in found[:at]})
        raise StudyError(f"Two examples have the id {twice!r}.")
    kept = tuple(map(_in_memory, found))
    for item in kept:
        if why := asked.why_not(item):
            raise StudyError(
                f"The example {item.id!r} cannot be shown: {why}. Choose an example that the study does not ask."
            )
    return kept


def _of_row(row: Mapping[str, Any], number: int, folder: Path) -> Item:
    try:
        item = item_from({"id": f"example-{number}", **row}, number=number, gallery=Gallery(folder))
    except DataError as error:
        raise StudyError(f"The example {number} cannot be used: {error}.") from error
    if (problem := item.problem()) is not None:
        raise StudyError(f"The example {number} cannot be used: {problem}.")
    return item


def _of_benchmark(
    table: Mapping[str, Any], asked: OverlapIndex, load: Callable[[str | Path], Benchmark], seed: int
) -> list[Item]:
    """Return items of a benchmark as examples: by id, drawn by the seed, or all of them."""
    if strangers := [name for name in table if name not in _CHOSEN]:
        hint = did_you_mean(strangers[0], _CHOSEN) or f" There are: {', '.join(_CHOSEN)}."
        raise StudyError(f"Examples of a benchmark have no setting {strangers[0]!r}.{hint}")
    if "ids" in table and "number" in table:
        raise StudyError("Examples of a benchmark are chosen by `ids` or drawn by `number`, not both.")
    benchmark = load(table["benchmark"])
    if "ids" in table:
        return [_find_item(benchmark, each) for each in table["ids"]]
    if "number" in table:
        return _draw_examples(benchmark, table["number"], asked, seed)
    if len(benchmark) > MOST:
        raise StudyError(
            f"{benchmark.name!r} has {len(benchmark):,} items, too many to show as examples. Choose them by `ids`, "
            "or draw a `number` of them (--shots)."
        )
    return list(benchmark)


def _find_item(benchmark: Benchmark, item_id: object) -> Item:
    found = benchmark.by_id.get(str(item_id))
    if found is None:
        hint = did_you_mean(str(item_id), benchmark.by_id)
        raise StudyError(f"{benchmark.name!r} has no item {item_id!r} to show as an example.{hint}")
    return found


def _draw_examples(benchmark: Benchmark, number: object, asked: OverlapIndex, seed: int) -> list[Item]:
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST:
        raise StudyError(f"Expected 1 to {MOST} examples to be drawn from {benchmark.name!r}, got {number!r}.")
    ordered = sorted(benchmark, key=lambda item: item.id)
    salt = hashlib.sha256(f"{seed}/examples/{benchmark.name}".encode()).digest()
    places = np.random.default_rng(int.from_bytes(salt)).permutation(len(ordered)).tolist()
    found: list[Item] = []
    for place in places:
        if len(found) == number:
            break
        if not asked.why_not(_in_memory(ordered[place])):
            found.append(ordered[place])
    if len(found) < number:
        raise StudyError(
            f"Expected {number} examples from {benchmark.name!r}, got {len(found)} of its {len(ordered):,} items: the "
            "others share an id, image, patient or imaging study with a question asked. Choose fewer, or another split."
        )
    return found


def _in_memory(item: Item) -> Item:
    try:
        images = tuple(Image(image.read()) if image.path else image for image in item.images)
    except ImageError as error:
        raise StudyError(f"The example {item.id!r} cannot be used: {error}") from error
    return replace(item, images=images)


def _images(item: Item) -> Iterable[Image]:
    yield from item.images
    for substitute in item.substitutes:
        yield from substitute.images


def _words(item: Item) -> tuple[str, str, frozenset[str]]:
    options = frozenset(option.text.strip().casefold() for option in item.options)
    return item.context.strip().casefold(), item.question.strip().casefold(), options
