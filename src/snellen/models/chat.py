"""ChatModel: a model behind a server with OpenAI's chat completions API; and OpenAI's batches of requests."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import orjson

from snellen.errors import ModelError, RejectedError, TransientError
from snellen.models.base import FINISHED, Response, remove_guard_words
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, as_row, require
from snellen.models.client.provider import MARK, Provider, turns
from snellen.models.client.replies import (
    TEXT,
    Fields,
    as_object,
    check_words,
    count_tokens,
    join_parts,
    read_object,
    read_reply,
    read_texts,
)
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.openai.com/v1"
COMPLETION = "a chat completion"
FIELDS: Fields = {
    **{"choices": list, "choices.0": dict, "choices.0.message": dict, "choices.0.message.content": (*TEXT, list)},
    **dict.fromkeys(("choices.0.message.refusal", "choices.0.finish_reason", "model"), TEXT),
    **dict.fromkeys(("choices.0.message.reasoning_content", "choices.0.message.reasoning"), (*TEXT, list)),
}
_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|codex|computer-use")
"""Names of models that reason and accept an effort."""
_HELD_BACK = frozenset(("content_filter", "content_policy_violation", "image_content_policy_violation", "bio_policy"))


def find_fixed_settings(model: str, settings: Settings) -> tuple[str, ...]:
    """Return the settings that a model refuses: a reasoning model accepts only temperature and top_p of 1."""
    if not _REASONS.match(model):
        return ()
    own = tuple(name for name in ("temperature", "top_p") if settings.chosen.get(name, 1.0) != 1.0)
    return (*own, *(name for name in ("logprobs", "stop") if name in settings.chosen))


def check_effort(name: str, model: str, settings: Settings) -> None:
    """Raise RejectedError before sending an effort to a model that does not reason."""
    if settings.reasoning_effort and not _REASONS.match(model):
        raise RejectedError(f"{name} has no reasoning effort to set; it was not asked.")


def is_held_back(code: str, message: str) -> bool:
    """Return whether an error means that a filter blocked the prompt or the response.

    >>> is_held_back("invalid_prompt", "Your prompt was flagged as potentially violating our usage policy.")
    True
    """
    return code in _HELD_BACK or (code == "invalid_prompt" and "usage policy" in message)


class ChatModel(Provider):
    """A model that is asked by POST /chat/completions; images are sent as data URIs.

    `lacks` are settings that the server does not support, and `efforts` the efforts that it distinguishes, according to
    its documentation.
    """

    expects, fields = COMPLETION, FIELDS
    longest_setting: str = "max_tokens"
    """The server's name for the limit on a response's tokens."""
    renamed: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The server's own names for other fields of a request."""
    lacks: ClassVar[tuple[str, ...]] = ()
    efforts: ClassVar[tuple[str, ...]] = ()

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the requested settings that the server does not support."""
        return tuple([name for name in self.lacks if name in settings.chosen]) if self.lacks else ()

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending an effort that the server would replace by another one."""
        effort = request.settings.reasoning_effort
        if effort and self.efforts and effort not in self.efforts:
            known = " and ".join(self.efforts)
            raise RejectedError(f"{self.name} has no effort {effort}, only {known}; it was not asked.")

    def path(self, request: Request) -> str:
        """Return the path of chat completions."""
        return "/chat/completions"

    def body(self, request: Request) -> dict[str, Any]:
        """Return the messages, and the settings with the server's names."""
        messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
        for text, images, reply in turns(request):
            content: str | list[dict[str, Any]] = text
            if images:
                content = []
                for image in images:
                    url = f"data:{image.media_type};base64,{MARK}"
                    content.append({"type": "image_url", "image_url": {"url": url}})
                content.append({"type": "text", "text": text})
            messages.append({"role": "user", "content": content})
            if reply:
                messages.append({"role": "assistant", "content": reply})
        body = {"model": self._model, "messages": messages}
        if request.settings.chosen:
            body |= self._settings(request)
        return body

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        chosen = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        if "seed" in chosen:
            # with one seed, a server would give the same response for every repeat
            chosen["seed"] += request.replicate
        if "logprobs" in chosen:
            chosen |= {"logprobs": True, "top_logprobs": chosen["logprobs"]}
        names = {"max_tokens": self.longest_setting, **self.renamed}
        return {names.get(name, name): value for name, value in chosen.items()}

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the first choice."""
        return _read_choice(reply)


def read_completion(content: bytes) -> Response:
    """Return the response in a chat completion; ValueError if it is malformed.

    >>> read_completion(b'{"choices": [{"message": {"content": "Answer: B"}}]}').text
    'Answer: B'
    """
    return read_reply(content, COMPLETION, FIELDS, _read_choice)


def _read_choice(reply: dict[str, Any]) -> Response:
    choice = reply["choices"][0]
    message = choice["message"]
    content, reasoning = message.get("content"), message.get("reasoning_content")
    thoughts = join_parts(message.get("reasoning") if reasoning is None else reasoning)
    refusal, finish, served_by = read_texts(message.get("refusal"), choice.get("finish_reason"), reply.get("model"))
    if type(content) is list:
        thinking = [part.get("thinking") for part in content if part and part.get("type") == "thinking"]
        thoughts = thoughts or "".join(map(join_parts, thinking))
    text = remove_guard_words(join_parts(content) or refusal)
    if finish == "error":
        raise ValueError("its finish_reason is 'error': the server says that it failed to answer")
    if not refusal and "content" not in message and finish.lower() in FINISHED:
        raise ValueError("its message has no content")
    if not text.strip():
        check_words(text, finish, tool_called=bool(message.get("tool_calls")))
    usage = as_object(reply.get("usage"))
    likely = read_object(choice.get("logprobs")).get("content")
    return Response.of_fields(
        text=text,
        finish="refusal" if refusal else finish,
        reasoning=thoughts,
        usage=count_tokens(
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
            as_object(usage.get("prompt_tokens_details")).get("image_tokens"),
            as_object(usage.get("completion_tokens_details")).get("reasoning_tokens"),
        ),
        served_by=served_by,
        logprobs=orjson.dumps(likely).decode() if isinstance(likely, list) and likely else "",
    )


WAYS_TO_END = ("completed", "failed", "expired", "cancelled")
BOUNDARY = "snellen-file-of-requests"
PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""


class OpenAIBatches(Batching):
    """Batches of one OpenAI model."""

    most_requests = 50_000
    most_bytes = 190_000_000

    def __init__(self, model: Provider, endpoint: str) -> None:
        self._model, self._endpoint = model, endpoint

    def size(self, request: Request) -> int:
        """Return the bytes of a request in the upload, with its JSON frame."""
        return sum(map(len, self._model.parts(request))) + 200

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Upload the requests, then create a batch of them."""
        file = await self._model.request_json(
            self._file(tag, lines), below="/files", content_type=f"multipart/form-data; boundary={BOUNDARY}"
        )
        wanted = {
            "input_file_id": require(str, "id", file.get("id")),
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {"snellen": tag},
        }
        made = await self._model.request_json([orjson.dumps(wanted)], below="/batches")
        return str(require(str, "id", made.get("id")))

    def _file(self, tag: str, lines: Sequence[BatchLine]) -> list[bytes]:
        """Return the upload: the purpose, then a line of JSON for each request."""
        start = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        parts = [start.encode()]
        for custom_id, request in lines:
            head = {"custom_id": custom_id, "method": "POST", "url": self._endpoint}
            parts += [orjson.dumps(head)[:-1] + b',"body":', *self._model.parts(request), b"}\n"]
        return [*parts, f"\r\n--{BOUNDARY}--\r\n".encode()]

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the batch with the tag in its metadata; empty if there is none."""
        after = ""
        for _ in range(PAGES):
            page = await self._model.request_json([], below=f"/batches?limit=100{after}", method="GET")
            batches: list[dict[str, Any]] = require(list, "data", page.get("data"))
            for each in batches:
                if as_object(each.get("metadata")).get("snellen") == tag:
                    return str(each["id"])
            if not page.get("has_more") or not batches or (batches[-1].get("created_at") or 0) < since - 3600:
                return ""
            after = f"&after={batches[-1]['id']}"
        return ""

    async def state(self, batch: str) -> BatchState:
        """Return whether the batch has ended, its counts of requests, and its failure if any."""
        now = await self._model.request_json([], below=f"/batches/{batch}", method="GET")
        status = require(str, "status", now.get("status"))
        counts = as_object(now.get("request_counts"))
        failure = ""
        if status in WAYS_TO_END and not (now.get("output_file_id") or now.get("error_file_id")):
            errors = as_object(now.get("errors")).get("data")
            first = as_object(errors[0]) if isinstance(errors, list) and errors else {}
            why = self._model.mask_briefly(str(first.get("message") or "the provider does not say why"))
            failure = f"the batch is {status}: {why}"
        done = as_number(counts.get("completed")) + as_number(counts.get("failed"))
        return BatchState(status in WAYS_TO_END, done, as_number(counts.get("total")), failure)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch, from its files of responses and errors."""
        now = await self._model.request_json([], below=f"/batches/{batch}", method="GET")
        for name in ("output_file_id", "error_file_id"):
            if file := now.get(name):
                async for line in self._model.iter_lines(f"/files/{file}/content"):
                    yield self._result(line)

    def _result(self, line: bytes) -> BatchResult:
        row = as_row(line)
        reply = as_object(row.get("response"))
        came: Response | ModelError
        if isinstance(reply.get("body"), dict):
            came = self._model.read_batched(as_number(reply.get("status_code")) or 200, reply["body"])
        else:
            why = self._model.mask_briefly(
                str(as_object(row.get("error")).get("message") or "the provider does not say why")
            )
            came = TransientError(f"{self._model.name}: not answered in its batch: {why}")
        return BatchResult(str(row.get("custom_id")), came)
