"""Solvers: Snellen's conditions on the image, for anybody's Inspect task.

Each changes the images in a sample's messages, whoever speaks in them (system, user, assistant or a tool), and then
lets another solver answer. It is told which: on the command
line by name (`-S then=multiple_choice`), in Python as the solver itself, or `None` where a later solver answers.
A sample without an image, or with one that cannot be read, is an error: nothing is asked as if it had been changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import anyio.to_thread
from inspect_ai.dataset import Dataset
from inspect_ai.model import ChatMessage, ContentDocument, ContentImage, ContentVideo
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import registry_create
from pybase64 import b64decode

from snellen.conditions import (
    IMAGE_BLANK,
    ORIGINAL,
    Condition,
    ImageBlank,
    ImageDegraded,
    ImageRemoved,
    Original,
    Pool,
    condition_named,
    generator,
    vary,
)
from snellen.errors import DataError, ImageError, Inapplicable, StudyError
from snellen.images import EncodedImage, Image, Unreadable, check
from snellen.imports.inspect_sample import SHUFFLED
from snellen.items import Item, Option
from snellen.models.inspect_ai import data_uri
from snellen.tools.inspect.refusing import refused_in_a_sentence

Then = Solver | Sequence[Solver] | str | None
"""What answers once the images are changed: a solver, several, one by its name, or None where one follows."""
Drawn = dict[str, Any]
"""What was drawn for a sample, for its metadata."""
Change = Callable[[TaskState, Sequence[ContentImage]], tuple[list[ContentImage | None], Drawn]]
"""What becomes of the images of a sample, each in its place (None where it is gone), and what was drawn for that."""
UNSAID = "?"
DRAWN = "snellen_drawn"
"""The field of a sample's metadata that holds what was drawn for it."""
_OF_OTHERS = (Original, ImageRemoved, ImageBlank, ImageDegraded)
"""The conditions that can be done to a question of which nothing is known but its words and images."""


@solver
@refused_in_a_sentence
def removed(then: Then = UNSAID, which: str = "all") -> Solver:
    """Take the images out of the messages: the condition `image-removed`. `which` may be `first` or `last`."""
    return _under(ImageRemoved(which), then, seed=0)


@solver
@refused_in_a_sentence
def blank(
    then: Then = UNSAID, fill: Any = IMAGE_BLANK.fill, size: Any = IMAGE_BLANK.size, which: str = "all", seed: int = 0
) -> Solver:
    """Put a blank image in the place of each: `image-blank`, in white unless `fill` is black, grey or noise."""
    return _under(ImageBlank(fill, size, which), then, seed=seed)


@solver
@refused_in_a_sentence
def degraded(
    then: Then = UNSAID, artefact: str = "noise", strength: str | float = "weak", which: str = "all", seed: int = 0
) -> Solver:
    """Degrade each image by an artefact (`snellen list artefacts`), `weak`, `strong` or by a severity from 0 to 1."""
    return _under(ImageDegraded(artefact, strength, which=which), then, seed=seed)


@solver
@refused_in_a_sentence
def shuffled(then: Then = UNSAID, dataset: Dataset | None = None, seed: int = 0) -> Solver:
    """Show each sample the images of another one of the task, drawn by `seed`; the question and the options stay.

    A solver does not see the other samples of its task: give it the task's dataset, or let `snellen/under` do so.
    """
    if dataset is None:
        raise StudyError(
            "snellen/shuffled needs the task's samples, to show one the images of another: give it `dataset` in "
            "Python, or write `inspect eval snellen/under -T task=NAME -T condition=image-shuffled`."
        )
    return _changing(Others(dataset, seed), SHUFFLED, then, seed)


@solver
@refused_in_a_sentence
def asked_under(condition: str, then: Then = UNSAID, dataset: Dataset | None = None, seed: int = 0) -> Solver:
    """Put samples under one of these conditions by its name, such as `degraded:noise,strong` or `original`."""
    if condition == SHUFFLED:
        return shuffled(then=then, dataset=dataset, seed=seed)
    known = condition_named(condition)
    if not isinstance(known, _OF_OTHERS):
        listed = ", ".join(each.name for each in _OF_OTHERS)
        raise StudyError(
            f"The condition {condition!r} cannot be put on another task's samples. There are: {listed}, {SHUFFLED}. "
            "The others need to know more of a question; the tasks of Snellen's own benchmarks have them."
        )
    return _under(known, then, seed=seed)


def _under(condition: Condition, then: Then, *, seed: int) -> Solver:
    def change(state: TaskState, images: Sequence[ContentImage]) -> tuple[list[ContentImage | None], Drawn]:
        item = _item(state, images)
        variant = vary(item, condition, seed=seed, pool=Pool([item]))
        return _as_left(images, item.images, variant.item.images), dict(variant.drawn)

    return _changing(change, condition.label, then, seed)


def _changing(change: Change, label: str, then: Then, seed: int) -> Solver:
    answering = _answering(then)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        before = state.metadata.get("arm") or ORIGINAL.name
        if before != ORIGINAL.name and not _is_another_attempt(state, label):
            raise DataError(f"Sample {state.sample_id!r} is asked under {before!r} already; {label!r} is one too many.")
        # before anything can fail: a sample that does is logged under its condition
        state.metadata = {**state.metadata, "arm": label}
        if label != ORIGINAL.name:
            state.metadata = {**state.metadata, DRAWN: {"seed": seed}}
            drawn = await anyio.to_thread.run_sync(_changed, state, change)
            state.metadata = {**state.metadata, DRAWN: {"seed": seed, **drawn}}
        return state if answering is None else await answering(state, generate)

    return solve


def _is_another_attempt(state: TaskState, label: str) -> bool:
    """Whether this condition was put on the sample by an attempt that failed: its images are its own again."""
    put = DRAWN in state.metadata and state.metadata["arm"] == label
    return put and not isinstance(state.input, str) and _references(state.messages) == _references(state.input)


def _answering(then: Then) -> Solver | None:
    if then == UNSAID:
        raise StudyError(
            "Say which solver answers once the images are changed: -S then=generate or -S then=multiple_choice, in "
            "Python then=multiple_choice(), and then=None where a later solver of the task answers."
        )
    if isinstance(then, str):
        try:
            return registry_create("solver", then)
        except Exception as error:
            raise StudyError(f"There is no solver {then!r} in Inspect: {error}") from error
    return chain(*then) if isinstance(then, Sequence) else then


class Place(NamedTuple):
    """Where an image stands: in which message, as which part of it."""

    message: int
    part: int
    image: ContentImage


def _changed(state: TaskState, change: Change) -> Drawn:
    """Change the images of a state's messages; what was drawn. DataError, naming the sample, where that cannot be."""
    places = list(_places(state.messages))
    try:
        if not places:
            raise Inapplicable("it has no image")
        if other := next(_pictures_elsewhere(state.messages), None):
            raise Inapplicable(f"it also shows {other}, which would be sent as it is")
        images, drawn = change(state, [place.image for place in places])
        state.messages = _with(state.messages, places, images)
    except (Inapplicable, ImageError) as reason:
        raise DataError(
            f"Sample {state.sample_id!r} cannot be asked under this condition: {str(reason).rstrip('.')}. With "
            "--no-fail-on-error Inspect leaves it out and goes on."
        ) from reason
    return drawn


def _places(messages: Sequence[ChatMessage]) -> Iterator[Place]:
    for at, message in enumerate(messages):
        parts = [] if isinstance(message.content, str) else message.content
        yield from (Place(at, place, part) for place, part in enumerate(parts) if isinstance(part, ContentImage))


def _pictures_elsewhere(messages: Sequence[ChatMessage]) -> Iterator[str]:
    """What may show the image beside the images of the messages, in words."""
    for message in messages:
        for part in [] if isinstance(message.content, str) else message.content:
            if isinstance(part, ContentVideo):
                yield "a video"
            elif isinstance(part, ContentDocument) and not part.mime_type.startswith("text/"):
                yield f"a document ({part.mime_type})"
        if "data:image/" in _said(message):
            yield "an image written into its words"


def _said(message: ChatMessage) -> str:
    """All that a message holds beside its images: words, thoughts, calls of tools and what came of them."""
    parts = [] if isinstance(message.content, str) else message.content
    others = [part.model_dump_json() for part in parts if not isinstance(part, ContentImage)]
    calls = getattr(message, "tool_calls", None) or []
    return "".join((message.text, *others, *(str(call.arguments) for call in calls)))


def _with(
    messages: Sequence[ChatMessage], places: Sequence[Place], images: Sequence[ContentImage | None]
) -> list[ChatMessage]:
    """The messages with other images in these places; those given stay as they are."""
    put = {(place.message, place.part): image for place, image in zip(places, images, strict=True)}
    changed: list[ChatMessage] = []
    for at, message in enumerate(messages):
        if isinstance(message.content, str):
            changed.append(message)
            continue
        parts = [put.get((at, place), part) for place, part in enumerate(message.content)]
        left = [part for part in parts if part is not None]
        if message.content and not left:
            raise Inapplicable("a message of it is nothing but its image")
        changed.append(message.model_copy(update={"content": left}))
    return changed


def _item(state: TaskState, images: Sequence[ContentImage]) -> Item:
    """The sample as a condition sees it. Its answer plays no part."""
    options = tuple(Option(each.value) for each in state.choices)
    told = {name: str(state.metadata[name]) for name in ("modality", "body_part") if state.metadata.get(name)}
    return Item(
        id=str(state.sample_id),
        question=next((each.text for each in reversed(state.messages) if each.role == "user"), ""),
        options=options,
        kind="choice" if options else "open",
        images=tuple(_image(each.image) for each in images),
        category=str(state.metadata.get("category") or ""),
        metadata=told,
    )


def _image(reference: str) -> Image:
    """The image that a reference stands for; nothing is fetched, and what cannot be had says so when it is needed."""
    if reference[:5].lower() == "data:":
        return Image(_bytes(reference))
    if "://" in reference and not reference.startswith("file://"):
        return Image(Unreadable(reference, f"its image is at {reference}, and nothing is fetched from elsewhere"))
    return Image(reference.removeprefix("file://"))


def _bytes(uri: str) -> bytes:
    head, _, data = uri.partition(",")
    if not head.endswith(";base64"):
        raise ImageError("its image is a data URI without base64")
    try:
        return bytes(b64decode(data))
    except ValueError as error:
        raise ImageError(f"its image's base64 cannot be read: {error}") from error


def _as_left(
    given: Sequence[ContentImage], before: Sequence[Image], after: Sequence[Image]
) -> list[ContentImage | None]:
    """What a condition left of the images: those it did not touch as they were given, others as PNG."""
    if len(before) == len(after):
        pairs = zip(given, before, after, strict=True)
        return [each if old is new else _shown(each, data_uri(new.encoded())) for each, old, new in pairs]
    kept = {id(image) for image in after}
    return [each if id(old) in kept else None for each, old in zip(given, before, strict=True)]


def _shown(before: ContentImage, reference: str) -> ContentImage:
    return before.model_copy(update={"image": reference})


class Others:
    """The images of a task's other samples: each sample is shown those of the next one in an order that a seed draws.

    The next with as many images, of another patient where `cluster` says whose they are, and with none of the same.
    """

    def __init__(self, dataset: Dataset, seed: int) -> None:
        self._dataset, self._seed = dataset, seed

    def __call__(self, state: TaskState, images: Sequence[ContentImage]) -> tuple[list[ContentImage | None], Drawn]:
        """The other images, and whose they are."""
        lender = self._lender(str(state.sample_id), len(images))
        lent = self._images[lender]
        return [_shown(own, _carried(other)) for own, other in zip(images, lent, strict=True)], {"lent_by": lender}

    def _lender(self, borrower: str, count: int) -> str:
        if borrower not in self._order:
            raise Inapplicable("it is none of the samples that the solver was given")
        start, own = self._order.index(borrower), self._images[borrower]
        for other in (*self._order[start + 1 :], *self._order[:start]):
            alike = self._patients[other] == self._patients[borrower]
            if len(self._images[other]) == count and not {*self._images[other]} & {*own} and not alike:
                return other
        raise Inapplicable("no other sample, of another patient, has as many images and none of the same")

    @cached_property
    def _images(self) -> dict[str, list[str]]:
        """What refers to the images of each sample that has any."""
        asked = {str(sample.id): sample.input for sample in self._dataset}
        found = {name: _references(given) for name, given in asked.items() if not isinstance(given, str)}
        return {name: images for name, images in found.items() if images}

    @cached_property
    def _patients(self) -> dict[str, str]:
        return {str(each.id): str((each.metadata or {}).get("cluster") or f"\0{each.id}") for each in self._dataset}

    @cached_property
    def _order(self) -> list[str]:
        """The samples with images, in an order that neither the dataset's order nor a limit changes."""
        names = sorted(self._images)
        return [names[at] for at in generator(self._seed, SHUFFLED).permutation(len(names))]


def _references(messages: Sequence[ChatMessage]) -> list[str]:
    return [place.image.image for place in _places(messages)]


def _carried(reference: str) -> str:
    """A reference that Inspect sends as it is: it reads a sample's own files, and no other's."""
    image = _image(reference)
    if image.path is None:
        if isinstance(image.source, Unreadable):
            raise ImageError(image.source.reason)
        return reference
    data = image.read()
    header = check(data, name=image.name)
    return data_uri(EncodedImage(data, header.media_type, header.width, header.height))
