"""anthropic/…: Anthropic's Messages API, at its own address or at any compatible server."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import Any

from snellen.errors import ModelError, RejectedError, UnusableModelError
from snellen.models.anthropic_batch import AnthropicBatches
from snellen.models.base import Response
from snellen.models.claude import BUDGETS, LATEST, UNSUPPORTED, Claude
from snellen.models.client.provider import MARK, Access, Provider, turns
from snellen.models.client.replies import TEXT, add_counts, check_words, count_tokens, counts, join_parts, read_texts
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
        usage = counts(reply.get("usage"))
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
                counts(usage.get("output_tokens_details")).get("thinking_tokens"),
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
