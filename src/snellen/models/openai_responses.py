"""openai-responses/…: OpenAI's Responses API, made for its newest models."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import orjson

from snellen.errors import ModelError
from snellen.models.base import Response
from snellen.models.chat import OFFICIAL, check_effort, find_fixed_settings, is_held_back
from snellen.models.client.provider import MARK, Access, Provider, turns
from snellen.models.client.replies import (
    TEXT,
    check_words,
    count_tokens,
    counts,
    join_parts,
    read_list,
    read_object,
    read_texts,
)
from snellen.models.client.transport import ServerResponse
from snellen.models.openai_batch import OpenAIBatches
from snellen.prompts import Request, Settings

_LACKS = ("seed", "stop")
_NAMES = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens", "logprobs": "top_logprobs"}


class OpenAIResponses(Provider):
    """A model that is asked by POST /responses; nothing is stored at the server.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai-responses"
    access = Access(OFFICIAL, "OPENAI_BASE_URL", ("OPENAI_API_KEY",))
    expects = "a response object"
    fields = MappingProxyType({"output": list, "output.0": dict, "status": TEXT, "model": TEXT})

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching = OpenAIBatches(self, "/v1/responses")
        self.largest_side = 2048 if self._official else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the settings that are not sent: seed, stop, and those that reasoning models refuse."""
        refused = find_fixed_settings(self._model, settings) if self._official else ()
        return tuple(dict.fromkeys((*refused, *(name for name in _LACKS if name in settings.chosen))))

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending an effort to an official model that does not reason."""
        if self._official:
            check_effort(self.name, self._model, request.settings)

    def path(self, request: Request) -> str:
        """Return the path of the Responses API."""
        return "/responses"

    def body(self, request: Request) -> dict[str, Any]:
        """Return the turns, and the settings with the server's names."""
        asked: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            urls = (f"data:{image.media_type};base64,{MARK}" for image in images)
            seen = [{"type": "input_image", "detail": "auto", "image_url": url} for url in urls]
            asked.append({"role": "user", "content": [*seen, {"type": "input_text", "text": text}]})
            if reply:
                asked.append({"role": "assistant", "content": reply})
        told = {"instructions": request.system} if request.system else {}
        # Nothing is stored, because images may be of patients; by default everything is kept for 30 days.
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

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error for a status. A flagged prompt counts as a filtered response and is not asked again."""
        if is_held_back(*self.code_and_message(reply)):
            return Response("", "content_filter")
        return super().error(reply)

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the messages of the output, and its reasoning separately."""
        items, finish = reply["output"], _read_finish(reply)
        if type(items) is not list:
            raise TypeError("expected a list")
        (served_by,) = read_texts(reply.get("model"))
        parts = [part for item in items for part in _read_parts(item, thoughts=False)]
        refusal = "".join(read_texts(*[part.get("refusal") for part in parts]))
        text = join_parts(parts) or refusal
        check_words(text, finish, tool_called=any(str(item.get("type")).endswith("_call") for item in items))
        usage = counts(reply.get("usage"))
        return Response(
            text=text,
            finish="refusal" if refusal else finish,
            reasoning="\n\n".join(join_parts([part]) for item in items for part in _read_parts(item, thoughts=True)),
            usage=count_tokens(
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                None,
                counts(usage.get("output_tokens_details")).get("reasoning_tokens"),
            ),
            served_by=served_by,
            logprobs=_dump_logprobs(parts),
        )


def _read_finish(reply: dict[str, Any]) -> str:
    """Return the finish reason: stop, or the server's word for an incomplete response."""
    (status,) = read_texts(reply.get("status"))
    if status == "incomplete":
        (reason,) = read_texts(read_object(reply.get("incomplete_details")).get("reason"))
        return reason or status
    if status == "failed":
        error = read_object(reply.get("error"))
        code, message = str(error.get("code")), str(error.get("message"))
        if is_held_back(code, message):
            return "content_filter"
        raise ValueError(f"its status is 'failed' ({code[:40]}): {message[:200]}")
    if status not in ("", "completed"):
        raise ValueError(f"its status is {status[:40]!r}: it has not ended")
    return "stop"


def _read_parts(item: dict[str, Any], *, thoughts: bool) -> list[dict[str, Any]]:
    """Return the parts of an item that are thoughts, or those that are the answer."""
    kind = item.get("type")
    is_thought = kind == "reasoning" or item.get("phase") == "commentary"
    if is_thought is not thoughts or kind not in ("message", "reasoning"):
        return []
    parts = [part for name in ("summary", "content") for part in read_list(item.get(name))]
    return [{**part} for part in parts]


def _dump_logprobs(parts: list[dict[str, Any]]) -> str:
    """Return the log-probabilities of the tokens as JSON; empty if there are none."""
    found = [each for part in parts for each in read_list(part.get("logprobs"))]
    return orjson.dumps(found).decode() if found else ""
