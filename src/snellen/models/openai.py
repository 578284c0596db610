"""openai/…: OpenAI's chat completions, at its own address or at any server that speaks them."""

from __future__ import annotations

from typing import Any

from snellen.models.base import Response
from snellen.models.chat import ChatModel
from snellen.models.endpoint import Reply
from snellen.models.openai_batch import OpenAIBatches
from snellen.models.openai_models import OFFICIAL, check_effort, fixed, is_held_back
from snellen.models.server import Access
from snellen.prompts import Request, Settings


class OpenAI(ChatModel):
    """A model behind an OpenAI-compatible endpoint.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai"
    access = Access(OFFICIAL, "OPENAI_BASE_URL", ("OPENAI_API_KEY",))

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.batching = OpenAIBatches(self, "/v1/chat/completions")
        self.largest_side = 2048 if self._official else None
        self.longest_setting = "max_completion_tokens" if self._official else "max_tokens"

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The official models that reason refuse any temperature and top_p but 1, which is their own."""
        return fixed(self._model, settings) if self._official else ()

    def _check(self, request: Request) -> None:
        """Refuse, unsent, what the official endpoint would: an effort for a model that does not reason."""
        if self._official:
            check_effort(self.name, self._model, request.settings)

    def _held_back(self, reply: Reply) -> Response | None:
        """A prompt that was flagged is a filtered response: asking again would not help, and others are answered."""
        return Response("", "content_filter") if is_held_back(*self._error(reply)) else None
