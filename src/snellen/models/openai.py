"""openai/…: OpenAI's chat completions, at its own address or at any server that speaks them."""

from __future__ import annotations

import re
from typing import Any

from snellen.errors import RejectedError
from snellen.models.chat import ChatModel
from snellen.models.server import Access
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.openai.com/v1"
_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|codex|computer-use")
"""The official models that reason, and take an effort."""


class OpenAI(ChatModel):
    """A model behind an OpenAI-compatible endpoint.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY.
    """

    provider = "openai"
    access = Access(OFFICIAL, "OPENAI_BASE_URL", ("OPENAI_API_KEY",))

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self.largest_side = 2048 if self._official else None
        self.longest_setting = "max_completion_tokens" if self._official else "max_tokens"

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The official models that reason refuse any temperature and top_p but 1, which is their own."""
        if not self._official or not _REASONS.match(self._model):
            return ()
        fixed = tuple(name for name in ("temperature", "top_p") if settings.chosen.get(name, 1.0) != 1.0)
        return (*fixed, *(name for name in ("logprobs", "stop") if name in settings.chosen))

    def _check(self, request: Request) -> None:
        """Refuse, unsent, what the official endpoint would: an effort for a model that does not reason."""
        if request.settings.reasoning_effort and self._official and not _REASONS.match(self._model):
            raise RejectedError(f"{self.name} has no reasoning effort to set; it was not asked.")
