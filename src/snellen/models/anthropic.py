"""anthropic/…: Anthropic's Messages API, at its own address or at any compatible server; and its batches."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

import orjson

from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import Response
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, as_row, require
from snellen.models.claude import BUDGETS, LATEST, UNSUPPORTED, Claude
from snellen.models.client.provider import MARK, Access, Provider, turns
from snellen.models.client.replies import TEXT, add_counts, as_object, check_words, count_tokens, join_parts, read_texts
from snellen.models.client.transport import ServerResponse
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.anthropic.com"
VERSION = "2023-06-01"
"""Version of the API: the last one in which earlier models accept a temperature."""
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
LONGEST = 16_000
"""Default limit on a response's tokens, thinking included; a request must have one."""
_TOKEN = "ANTHROPIC_AUTH_TOKEN"  # noqa: S105 - the name of a variable


class Anthropic(Provider):
    """A model that is asked by POST /v1/messages.

    The server is `base_url` or ANTHROPIC_BASE_URL, the key `key` or ANTHROPIC_API_KEY, or else the token of a gateway
    in ANTHROPIC_AUTH_TOKEN.
    """

    provider = "anthropic"
    access = Access(
        OFFICIAL, "ANTHROPIC_BASE_URL", ("ANTHROPIC_API_KEY", _TOKEN), example="https://gateway.example.org"
    )
    expects = "a message"
    fields = MappingProxyType({"content": list, "content.0": dict, "stop_reason": TEXT, "model": TEXT})

    def __init__(self, model: str, **reach: Any) -> None:
        self._claude = Claude.from_name(model)
        super().__init__(model, **reach)
        self.batching = AnthropicBatches(self, self._api_path("/messages/batches"))
        self.largest_side = self._claude.largest_side if self._claude else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the requested settings that the API or this model does not support."""
        never = (name for name in UNSUPPORTED if name in settings.chosen)
        return (*never, *(self._claude.untaken(settings) if self._claude else ()))

    def login(self) -> dict[str, str]:
        """Return the headers for the key: `x-api-key` for a key, the usual header for a gateway's token."""
        version = {"anthropic-version": VERSION}
        if self._at.login or (self._key and self._key == os.environ.get(_TOKEN, "").strip()):
            return {**super().login(), **version}
        return {"x-api-key": self._key, **version} if self._key else version

    def _api_path(self, path: str) -> str:
        """Return a path below the server's address, which may or may not end in v1."""
        return path if self._at.parts.path.endswith("/v1") else f"/v1{path}"

    def path(self, request: Request) -> str:
        """Return the path of the Messages API."""
        return self._api_path("/messages")

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending if the model does not accept these settings together."""
        problem = (self._claude or LATEST).problem(request.settings)
        if problem and (self._claude or request.settings.reasoning_effort):
            raise RejectedError(f"{self.name} {problem}; it was not asked.")

    def body(self, request: Request) -> dict[str, Any]:
        """Return the messages, and the settings with the server's names."""
        messages: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            content: str | list[dict[str, Any]] = text
            if images:
                sources = ({"type": "base64", "media_type": each.media_type, "data": MARK} for each in images)
                content = [*({"type": "image", "source": source} for source in sources), {"type": "text", "text": text}]
            messages.append({"role": "user", "content": content})
            if reply:
                messages.append({"role": "assistant", "content": reply})
        system = {"system": request.system} if request.system else {}
        return {"model": self._model, "messages": messages, **system, **self._settings(request.settings)}

    def _settings(self, settings: Settings) -> dict[str, Any]:
        untaken = self.untaken(settings)
        chosen = {name: value for name, value in settings.chosen.items() if name not in untaken}
        effort, stop = chosen.pop("reasoning_effort", None), chosen.pop("stop", None)
        if stop is not None:
            chosen["stop_sequences"] = stop
        thinking = (self._claude or LATEST).thinking(effort) if effort else {}
        if "budget_tokens" in thinking.get("thinking", {}):
            chosen.setdefault("max_tokens", BUDGETS[effort] + LONGEST)
        return {"max_tokens": LONGEST, **chosen, **thinking}

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the text blocks, and the thinking blocks separately."""
        blocks = reply["content"]
        if type(blocks) is not list:
            raise TypeError("expected a list")
        finish, served_by = read_texts(reply.get("stop_reason"), reply.get("model"))
        text = join_parts([block for block in blocks if block.get("type") == "text"])
        check_words(text, finish, tool_called=any(block.get("type") == "tool_use" for block in blocks))
        usage = as_object(reply.get("usage"))
        return Response(
            text=text,
            finish=finish,
            reasoning="\n\n".join(
                filter(None, read_texts(*[each.get("thinking") for each in blocks if each.get("type") == "thinking"]))
            ),
            usage=count_tokens(
                add_counts(*map(usage.get, _READ)) if "input_tokens" in usage else None,
                usage.get("output_tokens"),
                None,
                as_object(usage.get("output_tokens_details")).get("thinking_tokens"),
            ),
            served_by=served_by,
        )

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error for a status; an account without credit is recognised."""
        code, message = self.code_and_message(reply)
        if reply.status == 402 or code == "billing_error" or "credit balance is too low" in message:
            said = f"{self._at.shown} answered {reply.status}: {self._mask(message)[:300]}"
            return UnusableModelError(f"{self.name}: the account has no credit left. {said}", status=reply.status)
        return super().error(reply)


PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""
CLOCKS_APART = 300.0
"""Seconds that the provider's clock may be behind ours."""
STATUSES = {
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
    "api_error": 500,
    "timeout_error": 504,
}
"""The HTTP status that an error in a batch would have outside a batch. All others count as 400."""


class AnthropicBatches(Batching):
    """Batches of one Anthropic model."""

    most_requests = 100_000
    most_bytes = 240_000_000

    def __init__(self, model: Provider, path: str) -> None:
        self._model, self._path = model, path

    def size(self, request: Request) -> int:
        """Return the size of the body and what is added around it."""
        return sum(map(len, self._model.parts(request))) + 100

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Send all requests in one body."""
        parts = [b'{"requests":[']
        for at, (custom_id, request) in enumerate(lines):
            head = (b"," if at else b"") + b'{"custom_id":' + orjson.dumps(custom_id) + b',"params":'
            parts += [head, *self._model.parts(request), b"}"]
        made = await self._model.request_json([*parts, b"]}"], below=self._path)
        return str(require(str, "id", made.get("id")))

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the first batch since then with the same number of requests. Batches have no tags here.

        The tag is part of the requests' ids. If the batch has ended, it is read to check the tag.
        """
        made, after = [], ""
        for _ in range(PAGES):
            page = await self._model.request_json([], below=f"{self._path}?limit=100{after}", method="GET")
            batches = [as_object(each) for each in require(list, "data", page.get("data"))]
            made += [
                (created, str(each.get("id")))
                for each in batches
                if str(each.get("id")) not in others
                and _requests(each) == requests
                and (created := _seconds(each.get("created_at"))) > since - CLOCKS_APART
            ]
            if not page.get("has_more") or not batches:
                break
            after = f"&after_id={batches[-1].get('id')}"
        for _, batch in sorted(made):
            if not (await self.state(batch)).ended:
                return batch
            async for custom_id, _ in self.results(batch):
                if custom_id.rpartition("-")[0] == tag:
                    return batch
                break
        return ""

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch from its counts. The provider updates them only at the end."""
        now = await self._model.request_json([], below=f"{self._path}/{batch}", method="GET")
        total = _requests(now)
        left = as_number(as_object(now.get("request_counts")).get("processing"))
        return BatchState(
            require(str, "processing_status", now.get("processing_status")) == "ended", total - left, total
        )

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch, line by line."""
        async for line in self._model.iter_lines(f"{self._path}/{batch}/results"):
            row = as_row(line)
            yield BatchResult(str(row.get("custom_id")), self._came(as_object(row.get("result"))))

    def _came(self, result: dict[str, Any]) -> Any:
        if result.get("type") == "succeeded":
            return self._model.read_batched(200, as_object(result.get("message")))
        if result.get("type") == "errored":
            error = as_object(result.get("error"))
            code = str(as_object(error.get("error") or error).get("type"))
            return self._model.read_batched(STATUSES.get(code, 400), error)
        return TransientError(f"{self._model.name}: not answered: the request was {result.get('type')} in its batch.")


def _requests(batch: dict[str, Any]) -> int:
    return sum(map(as_number, as_object(batch.get("request_counts")).values()))


def _seconds(written: Any) -> float:
    """Return a time such as 2026-11-17T04:00:00Z in seconds; 0 if it cannot be read."""
    try:
        return datetime.fromisoformat(str(written).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0
