"""LocalModel: a model on this machine that answers waiting requests in batches."""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from snellen.errors import ModelError, RejectedError, SnellenError, StudyError, UnusableModelError
from snellen.models.base import Model, Response, receipt
from snellen.plugins import did_you_mean, parse_settings
from snellen.prompts import Request, Settings

NEW_TOKENS = 1024
"""Limit on a response's tokens if neither the study nor the model sets one."""
_THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<unused94>", "<unused95>"))
"""Marks that models write before and after their thinking; the last pair is MedGemma's."""
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")

OUT_OF_MEMORY = "OutOfMemoryError"
"""Name of torch's error."""


class PendingRequest(NamedTuple):
    """A request, and the future of its response."""

    request: Request
    asked: Future[Response]


class WaitingLine(NamedTuple):
    """The requests that wait for a model, and the threads that prepare and compute them."""

    waiting: deque[PendingRequest]
    preparing: ThreadPoolExecutor
    computing: ThreadPoolExecutor


Computed = TypeVar("Computed")
Prepared = TypeVar("Prepared")
AHEAD = 2
"""Batches that were taken from the queue: one is computed while the next is prepared."""


class ThreadedModel(Model):
    """A model in this process that answers one request after another, in a thread.

    It supports no settings.
    """

    _thread: ThreadPoolExecutor | None = None

    async def _compute(self, work: Callable[..., Computed], *values: Any) -> Computed:
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="snellen-computing")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *values)

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return all requested settings, because the model supports none."""
        return tuple(settings.chosen)

    async def close(self) -> None:
        """End the thread; a later question starts another one."""
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None


class LocalModel(Model, Generic[Prepared]):
    """A model in this process. A subclass defines what fits in one batch, how to prepare it and how to answer it.

    Up to `batch` waiting requests are answered together. One thread prepares a batch while another computes the
    previous one. If a batch fails, its halves are computed, so that the error is attributed to the right request.
    """

    def __init__(self, *, batch: int) -> None:
        if not isinstance(batch, int) or isinstance(batch, bool) or batch < 1:
            raise StudyError(f"{self.name}: expected a batch of 1 request or more, got {batch!r}.")
        self._batch = batch
        self._line: WaitingLine | None = None
        self._room = threading.BoundedSemaphore(AHEAD)
        self._computing = threading.Lock()

    async def answer(self, request: Request) -> Response:
        """Return the response, computed with other waiting requests; raise ModelError on failure."""
        started = time.perf_counter()
        self._check(request)
        asked: Future[Response] = Future()
        line = self._line = self._line or WaitingLine(
            deque(),
            ThreadPoolExecutor(1, thread_name_prefix="snellen-preparing"),
            ThreadPoolExecutor(1, thread_name_prefix="snellen-computing"),
        )
        line.waiting.append(PendingRequest(request, asked))
        await asyncio.sleep(0)  # lets requests made at the same moment join the batch
        try:
            line.preparing.submit(self._prepare, line)
        except RuntimeError:
            raise self._closed_error() from None
        response = await asyncio.wrap_future(asked)
        sent = tuple(receipt(image) for image in request.every_image)
        return replace(response, latency=time.perf_counter() - started, sent=sent)

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return seed and top_p for greedy decoding, which ignores them."""
        return tuple(name for name in ("seed", "top_p") if name in settings.chosen) if settings.temperature == 0 else ()

    async def close(self) -> None:
        """End the threads; a later question starts new ones."""
        line, self._line = self._line, None
        if line is not None:
            line.preparing.shutdown(wait=False)
            line.computing.shutdown(wait=False)

    def _closed_error(self) -> ModelError:
        return UnusableModelError(f"{self.name} was closed before it answered.")

    def _check(self, request: Request) -> None:
        """Raise an error if the model cannot answer this request."""

    @abstractmethod
    def _batch_key(self, request: Request) -> Hashable:
        """Return a key that must be equal for all requests of a batch."""

    def _choose_batch(self, requests: Sequence[Request]) -> Sequence[int]:
        """Return the numbers of the requests for the next batch, always with the first."""
        return range(min(self._batch, len(requests)))

    @abstractmethod
    def _prepare_batch(self, requests: Sequence[Request]) -> Prepared:
        """Prepare a batch while another is computed; may raise any error."""

    @abstractmethod
    def _compute_batch(self, prepared: Prepared) -> Sequence[Response]:
        """Compute the responses to a batch in one thread; may raise any error."""

    def _prepare(self, line: WaitingLine) -> None:
        """Take the next batch as late as possible, and hand it to the computing thread."""
        self._room.acquire()
        batch = self._next(line.waiting)
        if not batch:
            self._room.release()
            return
        prepared: Prepared | Exception
        try:
            prepared = self._prepare_batch([each.request for each in batch])
        except Exception as error:
            prepared = error
        try:
            line.computing.submit(self._work, batch, prepared)
        except RuntimeError:
            self._room.release()
            for each in batch:
                each.asked.set_exception(self._closed_error())

    def _work(self, batch: Sequence[PendingRequest], prepared: Prepared | Exception) -> None:
        try:
            with self._computing:  # a batch from before closing may still be computed
                answers = self._answers([each.request for each in batch], prepared)
        except Exception as error:
            answers = [error] * len(batch)
        finally:
            self._room.release()
        for each, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Response):
                each.asked.set_result(answer)
            else:
                each.asked.set_exception(answer)

    def _answers(
        self, requests: Sequence[Request], prepared: Prepared | Exception | None = None
    ) -> Sequence[Response | Exception]:
        try:
            if isinstance(prepared, Exception):
                raise prepared
            return self._compute_batch(self._prepare_batch(requests) if prepared is None else prepared)
        except UnusableModelError:
            raise
        except Exception as error:
            if len(requests) == 1:
                return [self._explain_error(error)]
            half = len(requests) // 2
            if type(error).__name__ == OUT_OF_MEMORY:
                self._batch = min(self._batch, half)
        return [*self._answers(requests[:half]), *self._answers(requests[half:])]

    def _explain_error(self, error: Exception) -> ModelError:
        kind = type(error).__name__
        if kind == "EngineDeadError":  # of vLLM, after which it answers no request
            return UnusableModelError(f"{self.name}: its engine stopped. The log of the engine says why.")
        if kind == OUT_OF_MEMORY:
            return RejectedError(f"{self.name}: one request does not fit into the memory of the device.")
        said = str(error) if isinstance(error, SnellenError) else f"{kind}: {error}"
        return RejectedError(f"{self.name} cannot answer this request: {' '.join(said.split())[:300]}")

    def _next(self, line: deque[PendingRequest]) -> list[PendingRequest]:
        waiting = [line.popleft() for _ in range(len(line))]
        waiting = [each for each in waiting if not each.asked.cancelled()]
        if not waiting:
            return []
        wanted = self._batch_key(waiting[0].request)
        alike = [at for at, each in enumerate(waiting) if self._batch_key(each.request) == wanted]
        chosen = {alike[number] for number in self._choose_batch([waiting[at].request for at in alike])}
        line.extendleft(each for at, each in reversed([*enumerate(waiting)]) if at not in chosen)
        return [waiting[at] for at in sorted(chosen) if waiting[at].asked.set_running_or_notify_cancel()]


def read_line(
    line: str, settings: Sequence[str], given: Mapping[str, Any], *, example: str
) -> tuple[str, dict[str, Any]]:
    """Read model and settings from text such as `models/my-model,batch=4`; settings in `given` override them."""
    bare, named = parse_settings(line)
    named |= given
    unknown = next((name for name in named if name not in settings), None)
    if unknown is not None:
        hint = did_you_mean(unknown, settings) or f" There are: {', '.join(settings)}."
        raise StudyError(f"{example.partition('/')[0]}/{line} has no setting {unknown!r}.{hint}")
    if len(bare) != 1:
        raise StudyError(f"Expected one model with its settings, as in {example}, got {line!r}.")
    return bare[0], named


def folder_of(name: str, model: str) -> Path | None:
    """Return the folder of a saved model. None for a name on the Hugging Face hub."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if _HUB_NAME.fullmatch(model) and not folder.exists():
        return None
    raise UnusableModelError(
        f"{name}: expected a folder that holds a model, or a model of the Hugging Face hub as organisation/model. "
        f"There is no folder {str(folder)!r}."
    )


def folder_digest(folder: Path) -> str:
    """Return a digest of a saved model's files, without notes, images and licence."""
    apart = (".md", ".png", ".jpg")
    named = (path for path in folder.iterdir() if not path.name.startswith(".") and path.name != "LICENSE")
    files = sorted(path for path in named if path.is_file() and path.suffix not in apart)
    if not files:
        raise UnusableModelError(f"The folder {str(folder)!r} holds no model: expected config.json and weights in it.")
    with ThreadPoolExecutor(4) as threads:
        digests = list(threads.map(_file_digest, files))
    by_name = [[path.name, digest] for path, digest in zip(files, digests, strict=True)]
    return hashlib.sha256(orjson.dumps(by_name)).hexdigest()[:16]


def revision_of(version: str, known: str, dtype: str, extra: Mapping[str, Any]) -> str:
    """Return the revision of a local model: our version, its files' digest, its precision and extra settings."""
    more = hashlib.sha256(orjson.dumps(extra, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
    return "+".join((version, known, dtype, *([f"extra body {more}"] if extra else [])))


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def draw_seed(request: Request) -> int:
    """Return the seed of a request: the study's seed plus the repeat, or a part of the request's key.

    Equal requests draw alike, in whatever batch they are computed.
    """
    if request.settings.seed is not None:
        return (request.settings.seed + request.replicate) % 2**63
    return int.from_bytes(request.key[:7])


def thoughts_apart(written: str) -> tuple[str, str]:
    """Split a text into thinking and answer, by the marks that models use.

    >>> thoughts_apart("<think>A is wrong.</think> Answer: B")
    ('A is wrong.', 'Answer: B')
    >>> thoughts_apart("Answer: B"), thoughts_apart("<think>It was cut")
    (('', 'Answer: B'), ('It was cut', ''))
    """
    for begins, ends in _THOUGHTS:
        if ends in written:  # the chat template may have written the first mark
            thought, _, answer = written.partition(ends)
            return thought.partition(begins)[2].strip() or thought.removeprefix(begins).strip(), answer.strip()
        if written.lstrip().startswith(begins):
            return written.lstrip().removeprefix(begins).strip(), ""
    return "", written


def effort_words(name: str, template: str, settings: Settings) -> dict[str, Any]:
    """Return the template's arguments for a reasoning effort; RejectedError if it has none."""
    effort = settings.reasoning_effort
    if effort is None:
        return {}
    if "reasoning_effort" in template:
        return {"reasoning_effort": effort}
    if "enable_thinking" not in template:
        raise RejectedError(f"{name}: its chat template has no reasoning effort to set; it was not asked.")
    if effort != "none":
        raise RejectedError(
            f"{name}: its chat template accepts only the effort none, not {effort!r}; it was not asked. Remove the "
            "effort to use the model's default."
        )
    return {"enable_thinking": False}
