"""google/…: Gemini and Gemma by the Gemini API, with a key of Google AI Studio."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from snellen.models.gemini import GeminiModel
from snellen.models.google_batch import GoogleBatches
from snellen.models.server import Access
from snellen.prompts import Request

_VERSIONED = re.compile(r"/v\d+\w*$")


class Google(GeminiModel):
    """A model behind the Gemini API.

    The address is `base_url` or GOOGLE_GEMINI_BASE_URL, the key `key`, GOOGLE_API_KEY or GEMINI_API_KEY.
    """

    provider = "google"
    access = Access(
        "https://generativelanguage.googleapis.com",
        "GOOGLE_GEMINI_BASE_URL",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "https://host",
    )

    def __init__(self, model: str, **reach: Any) -> None:
        super().__init__(model, **reach)
        self._version = "" if _VERSIONED.search(self._at.parts.path) else "/v1beta"
        self.batching = GoogleBatches(self, submit=self._of_model("batchGenerateContent"), version=self._version)

    def _path(self, request: Request) -> str:
        return self._of_model("generateContent")

    def _of_model(self, method: str) -> str:
        """The path of one of the model's methods."""
        named = self._model if self._model.startswith(("models/", "tunedModels/")) else f"models/{self._model}"
        return f"{self._version}/{quote(named)}:{method}"

    def _login(self) -> dict[str, str]:
        if self._at.login or not self._key:
            return super()._login()
        return {"x-goog-api-key": self._key}
