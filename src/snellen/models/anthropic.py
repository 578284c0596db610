"""anthropic/…: Anthropic's Messages, at its own address or at any server that speaks them."""

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
from snellen.models.client.transport import Reply
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.anthropic.com"
VERSION = "2023-06-01"
"""The version of the API that is asked for: the last one in which earlier models take a temperature."""
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
LONGEST = 16_000
"""Tokens of the longest reply where the study names none: a request must name some; thinking counts towards them."""
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
        self._claude = Claude.named(model)
        super().__init__(model, **reach)
        self.batching = AnthropicBatches(self, self._below("/messages/batches"))
        self.largest_side = self._claude.largest_side if self._claude else None

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Seeds and log-probabilities, and what the model itself does not take."""
        never = (name for name in UNSUPPORTED if name in settings.chosen)
        return (*never, *(self._claude.untaken(settings) if self._claude else ()))

    def login(self) -> dict[str, str]:
        """A key has a header of its own, a gateway's token the usual one."""
        version = {"anthropic-version": VERSION}
        if self._at.login or (self._key and self._key == os.environ.get(_TOKEN, "").strip()):
            return {**super().login(), **version}
        return {"x-api-key": self._key, **version} if self._key else version

    def _below(self, path: str) -> str:
        """A path of the API below the server's address, which may end in the API's own v1 or not."""
        return path if self._at.parts.path.endswith("/v1") else f"/v1{path}"

    def path(self, request: Request) -> str:
        """The same for every request."""
        return self._below("/messages")

    def check(self, request: Request) -> None:
        """Refuse, unsent, settings that the model does not take together, and efforts that it does not have."""
        problem = (self._claude or LATEST).problem(request.settings)
        if problem and (self._claude or request.settings.reasoning_effort):
            raise RejectedError(f"{self.name} {problem}; it was not asked.")

    def body(self, request: Request) -> dict[str, Any]:
        """The messages, and the settings by the server's names."""
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
        """The blocks of text; those of thinking apart from them."""
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

    def error(self, reply: Reply) -> Response | ModelError:
        """As of any server; an account without credit is said by words as well as by a status."""
        code, message = self.code_and_message(reply)
        if reply.status == 402 or code == "billing_error" or "credit balance is too low" in message:
            said = f"{self._at.shown} answered {reply.status}: {self._mask(message)[:300]}"
            return UnusableModelError(f"{self.name}: the account has no credit left. {said}", status=reply.status)
        return super().error(reply)
