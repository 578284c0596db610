"""azure/…: deployments of Azure OpenAI."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote

from snellen.errors import UnusableModelError
from snellen.models.base import Response
from snellen.models.chat import ChatModel
from snellen.models.endpoint import Reply
from snellen.models.openai_models import fixed, is_held_back
from snellen.models.server import Access
from snellen.prompts import Request, Settings

VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")


class Azure(ChatModel):
    """A deployment of Azure OpenAI, by the name that it was given.

    The resource is `base_url` or AZURE_OPENAI_ENDPOINT, the key `key`, AZURE_OPENAI_API_KEY or a token of Entra ID in
    AZURE_OPENAI_AD_TOKEN. With AZURE_OPENAI_API_VERSION (or OPENAI_API_VERSION), or an address that holds an
    api-version, the dated interface is asked, otherwise v1.
    """

    provider = "azure"
    access = Access(
        "",
        "AZURE_OPENAI_ENDPOINT",
        ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
        "https://RESOURCE.openai.azure.com",
    )
    longest_setting = "max_completion_tokens"
    largest_side = 2048

    def __init__(self, model: str, *, api_version: str | None = None, **reach: Any) -> None:
        super().__init__(model, **reach)
        self._version = api_version or next(filter(None, map(os.environ.get, VERSIONS)), "")
        if not self._key and not self._at.login and not reach.get("headers"):
            raise UnusableModelError(f"{self.name} needs a key. Set {self._key_words()}.")

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """What a model that reasons refuses, where the deployment's name says that it is one."""
        return fixed(self._model, settings)

    def _path(self, request: Request) -> str:
        given = self._at.parts.path
        if given.endswith("/chat/completions"):
            return ""
        if given.endswith("/v1"):
            return "/chat/completions"
        below = "" if given.endswith("/openai") else "/openai"
        dated = "api-version=" in self._at.parts.query
        if not self._version and not dated:
            return f"{below}/v1/chat/completions"
        version = "" if dated else f"?api-version={quote(self._version)}"
        return f"{below}/deployments/{quote(self._model, safe='')}/chat/completions{version}"

    def _login(self) -> dict[str, str]:
        # A token of Entra ID is a JSON web token, which always begins so; a key never does.
        if self._at.login or not self._key or self._key.startswith("eyJ"):
            return super()._login()
        return {"api-key": self._key}

    def _held_back(self, reply: Reply) -> Response | None:
        """Azure answers 400 to a prompt that its filter holds back."""
        return Response("", "content_filter") if is_held_back(*self._error(reply)) else None
