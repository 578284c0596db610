"""LocalModel: a model that computes on this machine, off the event loop; requests that wait are answered together."""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
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
"""The longest reply where neither the study nor the model sets one."""
_THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<unused94>", "<unused95>"))
"""Signs that models write before and after what they think; the last are MedGemma's."""
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")

OUT_OF_MEMORY = "OutOfMemoryError"
"""What torch calls it."""


class Waiting(NamedTuple):
    """A request, and where its response is awaited."""

    request: Request
    asked: Future[Response]


class Line(NamedTuple):
    """Those who wait for a model until it is closed, and the threads that prepare and compute."""

    waiting: deque[Waiting]
    preparing: ThreadPoolExecutor
    computing: ThreadPoolExecutor


Prepared = TypeVar("Prepared")
"""What a batch of requests becomes before it is computed."""
AHEAD = 2
"""Batches between those that wait and those that are answered: one is computed while the next is prepared."""


class LocalModel(Model, Generic[Prepared]):
    """A model in this process. A subclass says what makes one batch, prepares it, and computes its responses.

    Up to `batch` requests that wait are answered together. One thread prepares them while another computes those
    before. Where that fails, they are computed in halves, so that an error is said of the request that it belongs to.
    """

    def __init__(self, *, batch: int) -> None:
        if not isinstance(batch, int) or isinstance(batch, bool) or batch < 1:
            raise StudyError(f"{self.name}: expected a batch of 1 request or more, got {batch!r}.")
        self._batch = batch
        self._line: Line | None = None
        self._room = threading.BoundedSemaphore(AHEAD)
        self._computing = threading.Lock()

    async def answer(self, request: Request) -> Response:
        """The response, computed with those of other requests that wait; raises ModelError where there is none."""
        started = time.perf_counter()
        self._check(request)
        asked: Future[Response] = Future()
        line = self._line = self._line or Line(
            deque(),
            ThreadPoolExecutor(1, thread_name_prefix="snellen-preparing"),
            ThreadPoolExecutor(1, thread_name_prefix="snellen-computing"),
        )
        line.waiting.append(Waiting(request, asked))
        await asyncio.sleep(0)  # whoever asks in the same moment comes along
        try:
            line.preparing.submit(self._prepare, line)
        except RuntimeError:
            raise self._closed() from None
        response = await asyncio.wrap_future(asked)
        sent = tuple(receipt(image) for image in request.every_image)
        return replace(response, latency=time.perf_counter() - started, sent=sent)

    async def close(self) -> None:
        """Let go of the threads; a later question starts others."""
        line, self._line = self._line, None
        if line is not None:
            line.preparing.shutdown(wait=False)
            line.computing.shutdown(wait=False)

    def _closed(self) -> ModelError:
        return UnusableModelError(f"{self.name} was closed before it answered.")

    def _check(self, request: Request) -> None:
        """Refuse what the model cannot be asked."""

    @abstractmethod
    def _together(self, request: Request) -> Hashable:
        """What must be alike in all requests of a batch."""

    def _chosen(self, requests: Sequence[Request]) -> Sequence[int]:
        """Which of the requests that can be one batch are the next one, the first among them, by their numbers."""
        return range(min(self._batch, len(requests)))

    @abstractmethod
    def _prepared(self, requests: Sequence[Request]) -> Prepared:
        """A batch as it is computed; runs beside the computing of another, and may raise like it."""

    @abstractmethod
    def _computed(self, prepared: Prepared) -> Sequence[Response]:
        """The responses to a batch; runs in one thread, and may raise whatever the model's own code does."""

    def _prepare(self, line: Line) -> None:
        """Take the next batch as late as can be, and hand it over to be computed."""
        self._room.acquire()
        batch = self._next(line.waiting)
        if not batch:
            self._room.release()
            return
        prepared: Prepared | Exception
        try:
            prepared = self._prepared([each.request for each in batch])
        except Exception as error:
            prepared = error
        try:
            line.computing.submit(self._work, batch, prepared)
        except RuntimeError:
            self._room.release()
            for each in batch:
                each.asked.set_exception(self._closed())

    def _work(self, batch: Sequence[Waiting], prepared: Prepared | Exception) -> None:
        try:
            with self._computing:  # a batch from before the model was closed may still be computed
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
            return self._computed(self._prepared(requests) if prepared is None else prepared)
        except UnusableModelError:
            raise
        except Exception as error:
            if len(requests) == 1:
                return [self._rejected(error)]
            half = len(requests) // 2
            if type(error).__name__ == OUT_OF_MEMORY:
                self._batch = min(self._batch, half)
        return [*self._answers(requests[:half]), *self._answers(requests[half:])]

    def _rejected(self, error: Exception) -> ModelError:
        kind = type(error).__name__
        if kind == "EngineDeadError":  # vLLM's, after which it answers nobody
            return UnusableModelError(f"{self.name}: its engine died. Its own log says why.")
        if kind == OUT_OF_MEMORY:
            return RejectedError(f"{self.name}: one request does not fit into the memory of the device.")
        said = str(error) if isinstance(error, SnellenError) else f"{kind}: {error}"
        return RejectedError(f"{self.name} cannot answer this request: {' '.join(said.split())[:300]}")

    def _next(self, line: deque[Waiting]) -> list[Waiting]:
        """The next batch: the first that waits, and those that go with it; the others wait on in their order."""
        waiting = [line.popleft() for _ in range(len(line))]
        waiting = [each for each in waiting if not each.asked.cancelled()]
        if not waiting:
            return []
        wanted = self._together(waiting[0].request)
        alike = [at for at, each in enumerate(waiting) if self._together(each.request) == wanted]
        chosen = {alike[number] for number in self._chosen([waiting[at].request for at in alike])}
        line.extendleft(each for at, each in reversed([*enumerate(waiting)]) if at not in chosen)
        return [waiting[at] for at in sorted(chosen) if waiting[at].asked.set_running_or_notify_cancel()]


def read_line(
    line: str, settings: Sequence[str], given: Mapping[str, Any], *, example: str
) -> tuple[str, dict[str, Any]]:
    """The model and the settings of a line such as `models/my-model,batch=4`; those given by name count first."""
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
    """The folder that a model is saved in; None for a model of the Hugging Face hub, organisation/model."""
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
    """A digest of every file of a saved model but its notes: other weights, words or settings make another model."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and _decides(path))
    if not files:
        raise UnusableModelError(f"The folder {str(folder)!r} holds no model: expected config.json and weights in it.")
    with ThreadPoolExecutor(4) as threads:
        digests = list(threads.map(_file_digest, files))
    named = [[path.name, digest] for path, digest in zip(files, digests, strict=True)]
    return hashlib.sha256(orjson.dumps(named)).hexdigest()[:16]


def revision_of(version: str, known: str, dtype: str, extra: Mapping[str, Any]) -> str:
    """The revision of a local model: ours, that of its files, how its numbers are kept, and more that it is told."""
    more = hashlib.sha256(orjson.dumps(extra, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
    return "+".join((version, known, dtype, *([f"extra body {more}"] if extra else [])))


def _decides(path: Path) -> bool:
    return not path.name.startswith(".") and path.suffix not in (".md", ".png", ".jpg") and path.name != "LICENSE"


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def draw_seed(request: Request) -> int:
    """The seed of a request's draws: the study's and the repetition, or else made from all that the request is.

    Equal requests draw alike, whatever they are computed with.
    """
    if request.settings.seed is not None:
        return (request.settings.seed + request.replicate) % 2**63
    return int.from_bytes(request.key[:7])


def thoughts_apart(written: str) -> tuple[str, str]:
    """What a model thought and what it answered, by the signs that models put around their thoughts.

    >>> thoughts_apart("<think>A is wrong.</think> Answer: B")
    ('A is wrong.', 'Answer: B')
    >>> thoughts_apart("Answer: B"), thoughts_apart("<think>It was cut")
    (('', 'Answer: B'), ('It was cut', ''))
    """
    for begins, ends in _THOUGHTS:
        if ends in written:  # the template may have written where it begins
            thought, _, answer = written.partition(ends)
            return thought.partition(begins)[2].strip() or thought.removeprefix(begins).strip(), answer.strip()
        if written.lstrip().startswith(begins):
            return written.lstrip().removeprefix(begins).strip(), ""
    return "", written


def effort_words(name: str, template: str, settings: Settings) -> dict[str, Any]:
    """What a chat template is told of the effort to reason with; refused where it has no word for it."""
    effort = settings.reasoning_effort
    if effort is None:
        return {}
    if "reasoning_effort" in template:
        return {"reasoning_effort": effort}
    if "enable_thinking" not in template:
        raise RejectedError(f"{name}: its chat template has no reasoning effort to set; it was not asked.")
    if effort != "none":
        raise RejectedError(
            f"{name}: its chat template can turn reasoning off (effort none) and knows no effort {effort!r}; it was "
            "not asked. Leave the effort out for its own."
        )
    return {"enable_thinking": False}
