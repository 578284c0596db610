"""openai-responses/…: OpenAI's Responses, which its newest models are made for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from snellen.models.base import Response, Usage
from snellen.models.endpoint import Reply
from snellen.models.fields import check_words, count, counts, needed, optional, words
from snellen.models.openai_batch import OpenAIBatches
from snellen.models.openai_models import OFFICIAL, check_effort, fixed, is_held_back
from snellen.models.server import MARK, Access, ServerModel, turns
from snellen.prompts import Request, Settings

_LACKS = ("seed", "stop")
_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens", "logprobs": "top_logprobs"}


class OpenAIResponses(ServerModel):
    """A model that is asked by POST /responses; nothing is stored at the server.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai-responses"
    access = Access(OFFICIAL, "OPENAI_BASE_URL", ("OPENAI_API_KEY",))
    expects = "a response object"

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching = OpenAIBatches(self, "/v1/responses")
        self.largest_side = 2048 if self._official else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Seed and stop, which this interface does not have, and what the official models that reason refuse."""
        refused = fixed(self._model, settings) if self._official else ()
        return tuple(dict.fromkeys((*refused, *(name for name in _LACKS if name in settings.chosen))))

    def _check(self, request: Request) -> None:
        if self._official:
            check_effort(self.name, self._model, request.settings)

    def _path(self, request: Request) -> str:
        return "/responses"

    def _body(self, request: Request) -> dict[str, Any]:
        asked: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            urls = (f"data:{image.media_type};base64,{MARK}" for image in images)
            seen = [{"type": "input_image", "detail": "auto", "image_url": url} for url in urls]
            asked.append({"role": "user", "content": [*seen, {"type": "input_text", "text": text}]})
            if reply:
                asked.append({"role": "assistant", "content": reply})
        told = {"instructions": request.system} if request.system else {}
        # Images of patients are not left behind: by default all is kept for 30 days.
        return {"model": self._model, "input": asked, **told, "store": False, **self._settings(request)}

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        given = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        chosen: dict[str, Any] = {_NAMES[name]: value for name, value in given.items() if name in _NAMES}
        if "logprobs" in given:
            chosen["include"] = ["message.output_text.logprobs"]
        if "reasoning_effort" in given:
            chosen["reasoning"] = {"effort": given["reasoning_effort"]}
        return chosen

    def _held_back(self, reply: Reply) -> Response | None:
        """A prompt that was flagged is a filtered response: asking again would not help, and others are answered."""
        return Response("", "content_filter") if is_held_back(*self._error(reply)) else None

    def _read(self, reply: dict[str, Any]) -> Response:
        usage = counts(reply.get("usage"))
        details = counts(usage.get("output_tokens_details"))
        counted = Usage(
            count(usage.get("input_tokens")),
            count(usage.get("output_tokens")),
            None,
            count(details.get("reasoning_tokens")),
        )
        served_by = optional(str, "model", reply.get("model")) or ""
        items = [needed(dict, "output", item) for item in needed(list, "output", reply.get("output"))]
        finish = _finish(reply)
        parts = [part for item in items for part in _said(item, thought=False)]
        refusal = words("refusal", [{"text": part.get("refusal")} for part in parts])
        text = words("content", parts) or refusal
        check_words(text, finish, tool_called=any(str(item.get("type")).endswith("_call") for item in items))
        return Response(
            text=text,
            finish="refusal" if refusal else finish,
            reasoning="\n\n".join(words("reasoning", [part]) for item in items for part in _said(item, thought=True)),
            usage=counted,
            served_by=served_by,
            logprobs=_logprobs(parts),
        )


def _finish(reply: dict[str, Any]) -> str:
    """Why it ended: stop, or what the server says of a reply that is incomplete, failed or flagged."""
    status = optional(str, "status", reply.get("status")) or ""
    if status == "incomplete":
        details = optional(dict, "incomplete_details", reply.get("incomplete_details")) or {}
        return optional(str, "incomplete_details.reason", details.get("reason")) or status
    if status == "failed":
        error = optional(dict, "error", reply.get("error")) or {}
        code, message = str(error.get("code")), str(error.get("message"))
        if is_held_back(code, message):
            return "content_filter"
        raise ValueError(f"its status is 'failed' ({code[:40]}): {message[:200]}")
    if status not in ("", "completed"):
        raise ValueError(f"its status is {status[:40]!r}: it has not ended")
    return "stop"


def _said(item: dict[str, Any], *, thought: bool) -> Iterator[dict[str, Any]]:
    """The parts of an item that are thoughts, or those that are the answer."""
    kind = item.get("type")
    if (kind == "reasoning" or item.get("phase") == "commentary") is not thought or kind not in (
        "message",
        "reasoning",
    ):
        return
    for name in ("summary", "content"):
        yield from (needed(dict, name, part) for part in optional(list, name, item.get(name)) or [])


def _logprobs(parts: list[dict[str, Any]]) -> str:
    """The log-probabilities of the tokens as JSON, as they came; empty where there are none."""
    found = [each for part in parts for each in optional(list, "logprobs", part.get("logprobs")) or []]
    return orjson.dumps(found).decode() if found else ""
