"""google/…: Gemini and Gemma by the Gemini API, with a key of Google AI Studio."""

from __future__ import annotations

import re
from urllib.parse import quote

from snellen.models.gemini import GeminiModel
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

    def _path(self, request: Request) -> str:
        version = "" if _VERSIONED.search(self._at.parts.path) else "/v1beta"
        named = self._model if self._model.startswith(("models/", "tunedModels/")) else f"models/{self._model}"
        return f"{version}/{quote(named)}:generateContent"

    def _login(self) -> dict[str, str]:
        if self._at.login or not self._key:
            return super()._login()
        return {"x-goog-api-key": self._key}
