"""A benchmark with its training items and the models' answers, as the checks see it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from snellen.errors import BrokenRow, ImageError
from snellen.images import Image
from snellen.items import LETTERS, Benchmark, Item
from snellen.reading.language.sentences import sentences_of
from snellen.stress.folds import group_linked
from snellen.tools.audit.looks import Look, Unseen, looks_of

if TYPE_CHECKING:
    from snellen.tools.audit.answers import ChosenOptions
    from snellen.tools.audit.judged import JudgedItems

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Marks = NDArray[np.bool_]

Progress = Callable[[str, int, int], None]
"""Called with the name of a long task, the number of steps that are done, and the number of all steps."""

TRAINING = frozenset({"train", "training", "trainset", "train_set", "dev", "val", "valid", "validation"})
"""Values of the field `split` for items that models may be trained or tuned on."""

_ODD_TEXT = re.compile(r"\b(?:tabs|letters?)\b")
"""Words that identify a loader's remark about repaired text."""

_DOUBT = re.compile(
    r"\?|\b(?:not sure|unsure|uncertain|unknown|maybe|perhaps|don'?t know|do not know|can'?t (?:tell|say)"
    r"|cannot (?:tell|say|be determined)"
    r"|tbd|to be determined|see (?:above|below|report))\b|^(?:n/?a|null|nan|none given|-+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Audited:
    """An audited benchmark. Models are scored on `items` and may learn from `training`."""

    name: str
    items: tuple[Item, ...]
    training: tuple[Item, ...] = ()
    broken: tuple[BrokenRow, ...] = ()
    answers: ChosenOptions | None = None
    seed: int = 0
    progress: Progress | None = field(default=None, repr=False, compare=False)
    beside: str = ""
    """A sentence about the training split next to the benchmark, if the user named none."""
    guesses: tuple[str, ...] = ()
    """Assumptions about its columns that the loader made."""
    marked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The loader's remarks on odd text, by item."""
    left_out: frozenset[str] = frozenset()
    """The items that the benchmark's authors mark as not evaluated."""
    judged: JudgedItems | None = None
    """A judge's statements about the items, if one was asked."""
    key_review: Mapping[str, bool | None] = field(default_factory=dict)
    """By item, whether raters found its key wrong; None if they disagree."""

    @cached_property
    def looks(self) -> Mapping[str, Look | Unseen]:
        """Features and hashes of each distinct image by fingerprint, or why it cannot be read. Each is decoded once."""
        images = [image for item in (*self.items, *self.training) for image in item.images]
        return looks_of(images, lambda done, of: self.tell("images", done, of))

    def look_of(self, image: Image) -> Look | Unseen:
        """Return the features and hashes of an image, or why it cannot be read."""
        try:
            return self.looks[image.fingerprint]
        except ImageError as error:
            return Unseen(str(error))

    def tell(self, what: str, done: int, of: int) -> None:
        """Report how many of the steps of a long task are done."""
        if self.progress:
            self.progress(what, done, of)

    @cached_property
    def choices(self) -> tuple[Item, ...]:
        """The items that offer two or more answers, one of them right."""
        return tuple(item for item in self.items if item.has_choice)

    @cached_property
    def training_choices(self) -> tuple[Item, ...]:
        """The training items that offer two or more answers, one of them right."""
        return tuple(item for item in self.training if item.has_choice)


def right_place(item: Item) -> int:
    """The place of a choice's right answer."""
    if not isinstance(item.answer, int):
        raise ValueError(f"Item {item.id!r} is not a multiple-choice question.")
    return item.answer


def key_of(item: Item) -> str:
    """Return the right answer's text; for an open question, the first reference answer."""
    return item.options[right_place(item)].text if item.has_choice else next(iter(item.references), "")


def doubts_itself(key: str) -> bool:
    """Return whether an answer key expresses doubt."""
    return bool(_DOUBT.search(key))


def name_key(item: Item) -> str:
    """Name the right answer by its text, with its letter if it has one."""
    if item.has_choice and isinstance(item.answer, int) and item.answer < len(LETTERS):
        return f"{item.letter}: {item.options[item.answer].text}"
    return " | ".join(item.references)


def name_options(item: Item) -> str:
    """List the options with their letters, in one line."""
    return " | ".join(f"{letter}: {option.text}" for letter, option in zip(LETTERS, item.options, strict=False))


def texts_of(item: Item) -> tuple[str, ...]:
    """Return all texts of an item: context, question, and options or key."""
    key = () if item.kind == "choice" else item.references
    return (item.context, item.question, *(option.text for option in item.options), *key)


def narrative_of(item: Item) -> str:
    """Extract an item's text about the patient: context, history, text before the question.

    >>> narrative_of(Item("1", "She fell on her hand. What is the diagnosis?", kind="open", answer="Colles fracture"))
    'She fell on her hand.'
    """
    told = [item.context] if item.context.strip() else [item.metadata.get(name) for name in ("history", "examination")]
    before = " ".join(sentences_of(item.question)[:-1])
    return "\n".join(text.strip() for text in (*told, before) if isinstance(text, str) and text.strip())


def split_of(item: Item) -> str:
    """The split that an item names, in lower case; "" if none."""
    return str(item.metadata.get("split") or "").strip().casefold()


def prepare_benchmark(
    benchmark: Benchmark, training: Benchmark | None = None, answers: ChosenOptions | None = None, *, seed: int = 0
) -> Audited:
    """Prepare a benchmark for an audit. Items of training splits become its training items."""
    own = tuple(item for item in benchmark if split_of(item) in TRAINING)
    rest = tuple(item for item in benchmark if split_of(item) not in TRAINING)
    if not rest:
        own, rest = (), benchmark.items
    given = training.items if training else ()
    broken = (*benchmark.broken, *(training.broken if training else ()))
    guesses = tuple(benchmark.about.get("guesses", ()))
    marked: dict[str, tuple[str, ...]] = {}
    for item_id, words in benchmark.about.get("odd", ()):
        if _ODD_TEXT.search(words):
            marked[item_id] = (*marked.get(item_id, ()), words)
    left_out = frozenset(benchmark.about.get("not_evaluated", ()))
    return Audited(
        benchmark.name, rest, (*own, *given), broken, answers, seed, guesses=guesses, marked=marked, left_out=left_out
    )


def groups_of(items: Sequence[Item]) -> Ints:
    """Number the group of each item: items that share a patient or an image.

    Images are compared by their bytes, so a copy in the folder of another split is the same image. An unreadable image
    links an item to no other.

    >>> from snellen.items import Option
    >>> sides = (Option("Left"), Option("Right"))
    >>> asked = [Item(str(n), "Which side?", sides, 0, cluster=patient) for n, patient in enumerate("aba")]
    >>> groups_of(asked).tolist()
    [0, 1, 0]
    """
    names: list[list[tuple[str, str]]] = []
    for item in items:
        images = [("image", same) for image in item.images if (same := _content(image))]
        names.append([("patient", item.cluster), *images] if item.cluster else images)
    return group_linked(names)


def _content(image: Image) -> str:
    """Key that is equal for identical images; empty if the image cannot be read."""
    try:
        return image.fingerprint if image.path is None else _of_file(image)
    except ImageError:
        return ""


@lru_cache(maxsize=1_000_000)
def _of_file(image: Image) -> str:
    return f"sha256:{hashlib.sha256(image.read()).hexdigest()}"
