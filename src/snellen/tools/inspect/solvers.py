"""Inspect solvers: Snellen's image conditions for any Inspect task.

Each changes the images in all messages of a sample (system, user, assistant or tool), and then lets another solver
answer. Name that solver as `then`: on the command line by name (`-S then=multiple_choice`), in Python as the solver
itself, or `None` if a later solver answers. A sample without a readable image is an error and is not asked.
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
from snellen.models.client.provider import data_uri
from snellen.tools.inspect.refusing import refused_in_a_sentence

Then = Solver | Sequence[Solver] | str | None
"""The solver that answers after the change: one or several, a name, or None if one follows."""
Drawn = dict[str, Any]
"""Values drawn at random for a sample, stored in its metadata."""
Change = Callable[[TaskState, Sequence[ContentImage]], tuple[list[ContentImage | None], Drawn]]
"""Function that changes a sample's images (None: removed) and returns the drawn values."""
UNSAID = "?"
DRAWN = "snellen_drawn"
"""Key in a sample's metadata for the drawn values."""
_OF_OTHERS = (Original, ImageRemoved, ImageBlank, ImageDegraded)
"""Conditions for any Inspect task: they need only a question's text and images."""


@solver
@refused_in_a_sentence
def removed(then: Then = UNSAID, which: str = "all") -> Solver:
    """Remove the images: the condition `image-removed`. `which` may be `all`, `first` or `last`."""
    return _apply_condition(ImageRemoved(which), then, seed=0)


@solver
@refused_in_a_sentence
def blank(
    then: Then = UNSAID, fill: Any = IMAGE_BLANK.fill, size: Any = IMAGE_BLANK.size, which: str = "all", seed: int = 0
) -> Solver:
    """Replace each image by a blank one: the condition `image-blank`, white by default."""
    return _apply_condition(ImageBlank(fill, size, which), then, seed=seed)


@solver
@refused_in_a_sentence
def degraded(
    then: Then = UNSAID, artefact: str = "noise", strength: str | float = "weak", which: str = "all", seed: int = 0
) -> Solver:
    """Degrade each image by an artefact; `strength` is `weak`, `strong` or a number."""
    return _apply_condition(ImageDegraded(artefact, strength, which=which), then, seed=seed)


@solver
@refused_in_a_sentence
def shuffled(then: Then = UNSAID, dataset: Dataset | None = None, seed: int = 0) -> Solver:
    """Show each sample the images of another one, drawn by `seed`.

    A solver does not see the task's other samples: pass the task's dataset, or use `snellen/under`, which does.
    """
    if dataset is None:
        raise StudyError(
            "snellen/shuffled needs all samples of the task to exchange their images. Pass `dataset` in Python, or "
            "run `inspect eval snellen/under -T task=NAME -T condition=image-shuffled`."
        )
    return _make_solver(OtherImages(dataset, seed), SHUFFLED, then, seed)


@solver
@refused_in_a_sentence
def asked_under(condition: str, then: Then = UNSAID, dataset: Dataset | None = None, seed: int = 0) -> Solver:
    """Apply a condition by its name, such as `degraded:noise,strong` or `original`."""
    if condition == SHUFFLED:
        return shuffled(then=then, dataset=dataset, seed=seed)
    known = condition_named(condition)
    if not isinstance(known, _OF_OTHERS):
        listed = ", ".join(each.name for each in _OF_OTHERS)
        raise StudyError(
            f"The condition {condition!r} cannot be applied to the samples of another task, only {listed}, {SHUFFLED}. "
            "For all others use the tasks of Snellen's own benchmarks."
        )
    return _apply_condition(known, then, seed=seed)


def _apply_condition(condition: Condition, then: Then, *, seed: int) -> Solver:
    def change(state: TaskState, images: Sequence[ContentImage]) -> tuple[list[ContentImage | None], Drawn]:
        item = _make_item(state, images)
        variant = vary(item, condition, seed=seed, pool=Pool([item]))
        return _list_changed_images(images, item.images, variant.item.images), dict(variant.drawn)

    return _make_solver(change, condition.label, then, seed)


def _make_solver(change: Change, label: str, then: Then, seed: int) -> Solver:
    answering = _open_solver(then)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        before = state.metadata.get("arm") or ORIGINAL.name
        if before != ORIGINAL.name and not _is_another_attempt(state, label):
            raise DataError(
                f"Sample {state.sample_id!r} already has the condition {before!r}. Remove the second, {label!r}."
            )
        # Set before anything can fail, so that a failed sample is logged under its condition.
        state.metadata = {**state.metadata, "arm": label}
        if label != ORIGINAL.name:
            state.metadata = {**state.metadata, DRAWN: {"seed": seed}}
            drawn = await anyio.to_thread.run_sync(_change_images, state, change)
            state.metadata = {**state.metadata, DRAWN: {"seed": seed, **drawn}}
        return state if answering is None else await answering(state, generate)

    return solve


def _is_another_attempt(state: TaskState, label: str) -> bool:
    """Return whether this sample was changed before, in an earlier attempt that failed."""
    if DRAWN not in state.metadata or state.metadata["arm"] != label or isinstance(state.input, str):
        return False
    return _list_references(state.messages) == _list_references(state.input)


def _open_solver(then: Then) -> Solver | None:
    if then == UNSAID:
        raise StudyError(
            "Name the solver that answers after the images are changed: -S then=generate or -S then=multiple_choice. "
            "In Python: then=multiple_choice(), or then=None if a later solver answers."
        )
    if isinstance(then, str):
        try:
            return registry_create("solver", then)
        except Exception as error:
            raise StudyError(f"There is no solver {then!r} in Inspect: {error}") from error
    return chain(*then) if isinstance(then, Sequence) else then


class ImagePlace(NamedTuple):
    """Position of an image: the message, and the part of the message."""

    message: int
    part: int
    image: ContentImage


def _change_images(state: TaskState, change: Change) -> Drawn:
    """Change the images of a sample; raise DataError with its id if that is impossible."""
    places = list(_list_places(state.messages))
    try:
        if not places:
            raise Inapplicable("it has no image")
        if other := next(_list_other_images(state.messages), None):
            raise Inapplicable(f"it also shows {other}, which would be sent unchanged")
        images, drawn = change(state, [place.image for place in places])
        state.messages = _replace_images(state.messages, places, images)
    except (Inapplicable, ImageError) as reason:
        raise DataError(
            f"Sample {state.sample_id!r} cannot be asked under this condition: {str(reason).rstrip('.')}. With "
            "--no-fail-on-error, Inspect skips it."
        ) from reason
    return drawn


def _list_places(messages: Sequence[ChatMessage]) -> Iterator[ImagePlace]:
    for at, message in enumerate(messages):
        parts = [] if isinstance(message.content, str) else message.content
        yield from (ImagePlace(at, place, part) for place, part in enumerate(parts) if isinstance(part, ContentImage))


def _list_other_images(messages: Sequence[ChatMessage]) -> Iterator[str]:
    """Describe parts of messages, other than images, that may show an image."""
    for message in messages:
        for part in [] if isinstance(message.content, str) else message.content:
            if isinstance(part, ContentVideo):
                yield "a video"
            elif isinstance(part, ContentDocument) and not part.mime_type.startswith("text/"):
                yield f"a document ({part.mime_type})"
        if "data:image/" in _read_other_content(message):
            yield "an image inside its text"


def _read_other_content(message: ChatMessage) -> str:
    """Return all content of a message except its images, as text."""
    parts = [] if isinstance(message.content, str) else message.content
    others = [part.model_dump_json() for part in parts if not isinstance(part, ContentImage)]
    calls = getattr(message, "tool_calls", None) or []
    return "".join((message.text, *others, *(str(call.arguments) for call in calls)))


def _replace_images(
    messages: Sequence[ChatMessage], places: Sequence[ImagePlace], images: Sequence[ContentImage | None]
) -> list[ChatMessage]:
    """Return copies of the messages with other images at these positions."""
    put = {(place.message, place.part): image for place, image in zip(places, images, strict=True)}
    changed: list[ChatMessage] = []
    for at, message in enumerate(messages):
        if isinstance(message.content, str):
            changed.append(message)
            continue
        parts = [put.get((at, place), part) for place, part in enumerate(message.content)]
        left = [part for part in parts if part is not None]
        if message.content and not left:
            raise Inapplicable("one of its messages has no content but the image")
        changed.append(message.model_copy(update={"content": left}))
    return changed


def _make_item(state: TaskState, images: Sequence[ContentImage]) -> Item:
    """Convert a sample to an item for a condition, without its answer."""
    options = tuple(Option(each.value) for each in state.choices)
    return Item(
        id=str(state.sample_id),
        question=next((each.text for each in reversed(state.messages) if each.role == "user"), ""),
        options=options,
        kind="choice" if options else "open",
        images=tuple(_open_image(each.image) for each in images),
        category=str(state.metadata.get("category") or ""),
        metadata={name: str(state.metadata[name]) for name in ("modality", "body_part") if state.metadata.get(name)},
    )


def _open_image(reference: str) -> Image:
    """Open a referenced image without downloads; errors are raised when it is read."""
    if reference[:5].lower() == "data:":
        return Image(_decode_data_uri(reference))
    if "://" in reference and not reference.startswith("file://"):
        return Image(Unreadable(reference, f"its image is at {reference}, and Snellen downloads nothing"))
    return Image(reference.removeprefix("file://"))


def _decode_data_uri(uri: str) -> bytes:
    head, _, data = uri.partition(",")
    if not head.endswith(";base64"):
        raise ImageError("its image is a data URI without base64")
    try:
        return bytes(b64decode(data))
    except ValueError as error:
        raise ImageError(f"its image's base64 cannot be read: {error}") from error


def _list_changed_images(
    given: Sequence[ContentImage], before: Sequence[Image], after: Sequence[Image]
) -> list[ContentImage | None]:
    """List the images after a condition: unchanged ones as they were, others as PNG."""
    if len(before) == len(after):
        pairs = zip(given, before, after, strict=True)
        return [each if old is new else _with_reference(each, data_uri(new.encoded())) for each, old, new in pairs]
    kept = {id(image) for image in after}
    return [each if id(old) in kept else None for each, old in zip(given, before, strict=True)]


def _with_reference(image: ContentImage, reference: str) -> ContentImage:
    return image.model_copy(update={"image": reference})


class OtherImages:
    """Change that gives each sample the images of another sample, in a random order.

    The other sample is the next one with as many images, all different, and another patient (`cluster`).
    """

    def __init__(self, dataset: Dataset, seed: int) -> None:
        self._dataset, self._seed = dataset, seed

    def __call__(self, state: TaskState, images: Sequence[ContentImage]) -> tuple[list[ContentImage | None], Drawn]:
        """Return the other sample's images, and its id."""
        lender = self._lender(str(state.sample_id), len(images))
        lent = self._images[lender]
        return [_with_reference(own, _embed_file(other)) for own, other in zip(images, lent, strict=True)], {
            "lent_by": lender
        }

    def _lender(self, borrower: str, count: int) -> str:
        if borrower not in self._order:
            raise Inapplicable("it is not among the samples given to the solver")
        start, own = self._order.index(borrower), self._images[borrower]
        for other in (*self._order[start + 1 :], *self._order[:start]):
            alike = self._patients[other] == self._patients[borrower]
            if len(self._images[other]) == count and not {*self._images[other]} & {*own} and not alike:
                return other
        raise Inapplicable("no sample of another patient has as many images, all different from its own")

    @cached_property
    def _images(self) -> dict[str, list[str]]:
        """Image references of each sample that has any."""
        asked = {str(sample.id): sample.input for sample in self._dataset}
        found = {name: _list_references(given) for name, given in asked.items() if not isinstance(given, str)}
        return {name: images for name, images in found.items() if images}

    @cached_property
    def _patients(self) -> dict[str, str]:
        return {str(each.id): str((each.metadata or {}).get("cluster") or f"\0{each.id}") for each in self._dataset}

    @cached_property
    def _order(self) -> list[str]:
        """Random order of the samples with images, independent of dataset order and limits."""
        names = sorted(self._images)
        return [names[at] for at in generator(self._seed, SHUFFLED).permutation(len(names))]


def _list_references(messages: Sequence[ChatMessage]) -> list[str]:
    return [place.image.image for place in _list_places(messages)]


def _embed_file(reference: str) -> str:
    """Embed a local file as a data URI; other references are returned unchanged."""
    image = _open_image(reference)
    if image.path is None:
        if isinstance(image.source, Unreadable):
            raise ImageError(image.source.reason)
        return reference
    data = image.read()
    header = check(data, name=image.name)
    return data_uri(EncodedImage(data, header.media_type, header.width, header.height))
