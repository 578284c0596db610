"""ChatModel: a model behind a server that speaks OpenAI's chat completions, whoever made it."""

from __future__ import annotations

from typing import Any

import orjson

from snellen.models.base import FINISHED, Response, Usage, remove_guard_words
from snellen.models.fields import check_words, count, counts, needed, optional, read_reply, words
from snellen.models.server import MARK, ServerModel, turns
from snellen.prompts import Request

COMPLETION = "a chat completion"


class ChatModel(ServerModel):
    """A model that is asked by POST /chat/completions; images travel as data URIs, each encoded once."""

    expects = COMPLETION
    longest_setting: str = "max_tokens"
    """What the server calls the longest reply."""

    def _path(self, request: Request) -> str:
        return "/chat/completions"

    def _body(self, request: Request) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
        for text, images, reply in turns(request):
            content: str | list[dict[str, Any]] = text
            if images:
                urls = (f"data:{image.media_type};base64,{MARK}" for image in images)
                content = [*({"type": "image_url", "image_url": {"url": url}} for url in urls)]
                content.append({"type": "text", "text": text})
            messages.append({"role": "user", "content": content})
            if reply:
                messages.append({"role": "assistant", "content": reply})
        return {"model": self._model, "messages": messages, **self._settings(request)}

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        names = {"max_tokens": self.longest_setting}
        chosen: dict[str, Any] = {
            names.get(name, name): value for name, value in request.settings.chosen.items() if name not in untaken
        }
        if "seed" in chosen:
            # a server that honours the seed would answer every repetition alike
            chosen["seed"] += request.replicate
        if "logprobs" in chosen:
            chosen |= {"logprobs": True, "top_logprobs": chosen["logprobs"]}
        return chosen

    def _read(self, reply: dict[str, Any]) -> Response:
        return _read(reply)


def read_completion(content: bytes) -> Response:
    """The response that a chat completion holds; raises ValueError that says what is wrong with it.

    >>> read_completion(b'{"choices": [{"message": {"content": "Answer: B"}}]}').text
    'Answer: B'
    """
    return read_reply(content, COMPLETION, _read)


def _read(reply: dict[str, Any]) -> Response:
    choices = needed(list, "choices", reply.get("choices"))
    choice = needed(dict, "choices[0]", choices[0] if choices else None)
    message = needed(dict, "message", choice.get("message"))
    usage = counts(reply.get("usage"))
    details = counts(usage.get("prompt_tokens_details"))
    written = counts(usage.get("completion_tokens_details"))
    refusal = optional(str, "refusal", message.get("refusal"))
    finish = optional(str, "finish_reason", choice.get("finish_reason")) or ""
    text = remove_guard_words(words("content", message.get("content")) or refusal or "")
    if finish == "error":
        raise ValueError("its finish_reason is 'error': the server says that it failed to answer")
    if not refusal and "content" not in message and finish.lower() in FINISHED:
        raise ValueError("its message has no content")
    check_words(text, finish, tool_called=bool(message.get("tool_calls")))
    reasoning = message.get("reasoning_content")
    return Response(
        text=text,
        finish="refusal" if refusal else finish,
        reasoning=words("reasoning", message.get("reasoning") if reasoning is None else reasoning),
        usage=Usage(
            count(usage.get("prompt_tokens")),
            count(usage.get("completion_tokens")),
            count(details.get("image_tokens")),
            count(written.get("reasoning_tokens")),
        ),
        served_by=optional(str, "model", reply.get("model")) or "",
        logprobs=_logprobs(choice.get("logprobs")),
    )


def _logprobs(given: Any) -> str:
    """The log-probabilities of a choice's tokens as JSON, as they came; empty where there are none."""
    found = (optional(dict, "logprobs", given) or {}).get("content")
    return orjson.dumps(found).decode() if isinstance(found, list) and found else ""
