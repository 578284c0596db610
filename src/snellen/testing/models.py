"""Contract of models: concurrent responses with and without images, with a receipt per image.

A receipt is a record of the image bytes that a model was given.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from snellen.images import EncodedImage
from snellen.models.base import Model, Response, find_response_problem, receipt
from snellen.prompts import Request
from snellen.runtime import counted
from snellen.testing.contract import explain_errors, load_phantoms, require

QUESTION = "Is there an effusion?\n\nA. Yes\nB. No\n\nEnd your reply with a line of the form 'Answer: X'."
TOGETHER = 4
"""Number of requests sent at the same time."""
TRIES = 3
"""Times that a model must block to fail the check, since another program may use the processor once."""
WAITED, COMPUTED = 0.05, 1.0
"""Most seconds that a step of `answer` may wait, or compute, while other requests cannot run."""


def check_model(model: Model, images: Iterable[EncodedImage] = (), *, ignores_images: bool = False) -> list[Response]:
    """Check that a model answers with and without images, concurrently, with receipts.

    Without images, two phantoms are sent. A receipt records the bytes that the model was given, so the model must read
    them. It does not prove that they changed the response; the tests examine that. For a model that ignores images on
    purpose, set `ignores_images`.
    """
    require(isinstance(model, Model), f"expected a Model, got {model!r}. Hand in the model, as in Mine('small').")
    name = getattr(model, "name", None)
    provider, _, rest = name.partition("/") if isinstance(name, str) else ("", "", "")
    fits = provider.strip() and rest.strip() and str(name).isprintable() and name == str(name).strip()
    require(fits, f"A model is named provider/model in one line, as in 'mine/small'; got {name!r}. Set self.name.")
    told = f"{name}: expected `revision` to be a text, such as 'weights of May'; got {model.revision!r}."
    require(isinstance(model.revision, str), told)
    return asyncio.run(_converse(model, _watch_images(model, images), ignores_images=ignores_images))


@dataclass(frozen=True)
class WatchedImage(EncodedImage):
    """Image that records if other code than `receipt` reads its bytes."""

    @property
    def was_read(self) -> bool:
        """True if the bytes were read, in this process or another."""
        return bool(self.__dict__.get("read_by"))

    def __getattribute__(self, name: str) -> Any:
        if name in ("data", "base64") and sys._getframe(1).f_code is not receipt.__code__:
            object.__getattribute__(self, "__dict__")["read_by"] = True
        return object.__getattribute__(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncodedImage, (self.data, self.media_type, self.width, self.height)


def _watch_images(model: Model, images: Iterable[EncodedImage]) -> tuple[WatchedImage, ...]:
    if model.text_only:
        return ()
    own = (item.images[0].encoded() for item in load_phantoms(("phantoms:items=2",)))
    watched = []
    for image in tuple(images) or tuple(own):
        each = WatchedImage(image.data, image.media_type, image.width, image.height)
        each.__dict__["sha256"] = image.sha256
        watched.append(each)
    return tuple(watched)


async def _converse(model: Model, images: Sequence[WatchedImage], *, ignores_images: bool) -> list[Response]:
    requests = [Request(model.name, QUESTION), Request(model.name, QUESTION, images=tuple(images))]
    try:
        responses = [await _answer(model, request) for request in requests if request.images or request is requests[0]]
        unread = [image for image in images if not image.was_read]
        require(
            ignores_images or not unread,
            f"{model.name} gave receipts for {len(unread)} of {len(images)} images and never read their bytes. Hand "
            "`image.data` or `image.base64` to the model. If it ignores images on purpose: check_model(…, "
            "ignores_images=True).",
        )
        mixed = [
            requests[0],
            *(Request(model.name, QUESTION, images=(image,), replicate=at) for at, image in enumerate(images)),
        ]
        some = (mixed * TOGETHER)[:TOGETHER]
        beside = await asyncio.gather(*(_answer(model, request, " side by side with others") for request in some))
        return [*responses, *beside]
    finally:
        with explain_errors(f"{model.name}: close", "Release what the model holds, even if nothing was asked."):
            await model.close()


async def _answer(model: Model, request: Request, how: str = "") -> Response:
    """Return the model's response after checking that it can be stored."""
    asked = f"with {counted(len(request.images), 'image')}" if request.images else "without an image"
    called = f"{model.name}: answer, asked {asked}{how},"
    change = "Return a Response to every request; raise ModelError if there is none."
    for _ in range(TRIES):
        with explain_errors(called, change):
            coming: Any = model.answer(request)
        require(
            hasattr(coming, "__await__"),
            f"{called} returned {type(coming).__name__}. Write `async def answer(self, request)`.",
        )
        watched = _WatchedAnswer(coming)
        with explain_errors(called, change):
            response = await watched
        if not watched.blocks:
            break
    else:
        require(
            False,
            f"{called} blocks all other requests: it waits or computes without `await`. Await an asynchronous "
            "client, or put the call into `await asyncio.to_thread(…)`.",
        )
    problem = find_response_problem(response)
    require(problem is None, f"{called} returned a response that cannot be stored: {problem}.")
    wanted, sent = [image.sha256 for image in request.images], [each.sha256 for each in response.sent]
    others = ", and not those of this request" if sent else ""
    require(
        wanted == sent,
        f"{called} gave {counted(len(sent), 'receipt')} for {counted(len(wanted), 'image')}{others}. "
        "Return a receipt for every image of the request that was handed to the model: "
        "Response(…, sent=tuple(map(receipt, request.images))). Keep nothing of a request in the model.",
    )
    return response


class _StepCost(NamedTuple):
    """Cost of one step of an answer, until the step lets other requests run."""

    seconds: float
    computed: float
    waits: int

    @classmethod
    def measure(cls) -> _StepCost:
        """Return the time, processor time and waits of this thread so far."""
        return cls(time.monotonic(), time.thread_time(), _count_waits())

    def measure_to(self, end: _StepCost) -> _StepCost:
        """Return the cost between two measurements."""
        return _StepCost(end.seconds - self.seconds, end.computed - self.computed, end.waits - self.waits)

    @property
    def blocks(self) -> bool:
        """True if the step itself waited or computed too long; other programs do not count."""
        return (self.waits > 0 and self.seconds - self.computed > WAITED) or self.computed > COMPUTED


def _count_waits() -> int:
    """Return how often this thread has waited; an ever-growing number if the system cannot count."""
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    except (ImportError, AttributeError):  # not available on Windows and macOS
        return time.monotonic_ns()


class _WatchedAnswer:
    """Wrapper that awaits a model's response and records whether a step blocks."""

    def __init__(self, coming: Awaitable[Response]) -> None:
        self._coming = coming
        self.blocks = False

    def __await__(self) -> Generator[Any, Any, Response]:
        steps = self._coming.__await__()
        while True:
            began = _StepCost.measure()
            try:
                signal = next(steps)
            except StopIteration as done:
                response: Response = done.value
                return response
            finally:
                self.blocks = self.blocks or began.measure_to(_StepCost.measure()).blocks
            yield signal
