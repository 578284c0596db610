"""vertex/…: Gemini by Google Cloud's Vertex AI, with a login of Google Cloud."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from snellen.errors import MissingExtraError, ModelError, TransientError, UnusableModelError
from snellen.models.gemini import GeminiModel
from snellen.models.secrets import HIDDEN
from snellen.models.server import NONE_MORE, Access
from snellen.prompts import Request

EXTRA = "vertex"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MULTI_REGIONS = ("us", "eu")
_RESOURCE = re.compile(r"projects/[^/]+/locations/(?P<location>[^/]+)/.+")
_PLACE = re.compile(r"[a-z0-9-]+")
"""What a location may be, since it becomes part of the address."""
_TOKEN = re.compile(r"\bya29\.[\w.-]+")
"""What tokens of Google Cloud look like."""


class Vertex(GeminiModel):
    """A Gemini model of Vertex AI, by its name or as projects/…/locations/…/endpoints/….

    The project is `project` or GOOGLE_CLOUD_PROJECT, the place `location` or GOOGLE_CLOUD_LOCATION (global, unless one
    is set). The login is a token in VERTEX_ACCESS_TOKEN, or that of Google Cloud on this machine.
    """

    provider = "vertex"
    access = Access("", "GOOGLE_VERTEX_BASE_URL", ("VERTEX_ACCESS_TOKEN",), "https://host")
    needs_key = False

    def __init__(self, model: str, *, project: str | None = None, location: str | None = None, **reach: Any) -> None:
        named = _RESOURCE.fullmatch(model)
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT", "")
        self._location = (
            location or (named and named["location"]) or os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
        )
        if not _PLACE.fullmatch(self._location):
            raise UnusableModelError(f"vertex/{model}: expected a location such as us-central1, got another text.")
        super().__init__(model, **reach)
        if not self._project and not named:
            raise UnusableModelError(f"{self.name} needs a project of Google Cloud. Set GOOGLE_CLOUD_PROJECT.")
        self._cloud = None if self._key or self._at.login or not self.host else CloudLogin(self.name)

    def _official_address(self) -> str:
        if self._location == "global":
            return "https://aiplatform.googleapis.com"
        if self._location in MULTI_REGIONS:
            return f"https://aiplatform.{self._location}.rep.googleapis.com"
        return f"https://{self._location}-aiplatform.googleapis.com"

    def _path(self, request: Request) -> str:
        below = self._model
        if not _RESOURCE.fullmatch(below):
            below = f"projects/{self._project}/locations/{self._location}/publishers/google/models/{below}"
        return f"/v1beta1/{quote(below)}:generateContent"

    async def _signed(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        return NONE_MORE if self._cloud is None else await self._cloud.headers()

    def _mask(self, text: str) -> str:
        return super()._mask(_TOKEN.sub(HIDDEN, text))

    def _key_words(self) -> str:
        return "VERTEX_ACCESS_TOKEN or the login of Google Cloud, and what the project allows"

    def _how_known(self, *, given: bool) -> str:
        return super()._how_known(given=given) if self._key or not self.host else "login of Google Cloud"


class CloudLogin:
    """The login of Google Cloud on this machine, found and renewed by google-auth when it is needed."""

    def __init__(self, name: str) -> None:
        if find_spec("google") is None or find_spec("google.auth") is None:
            raise MissingExtraError("google-auth", EXTRA)
        self._name = name
        self._credentials: Any = None
        self._turn = threading.Lock()

    async def headers(self) -> dict[str, str]:
        """The headers of a request; where the token is old, a new one is fetched in a thread."""
        if self._credentials is None or not self._credentials.valid:
            await asyncio.to_thread(self._renew)
        billed = self._credentials.quota_project_id
        login = {"Authorization": f"Bearer {self._credentials.token}"}
        return {**login, "x-goog-user-project": billed} if billed else login

    def _renew(self) -> None:
        import google.auth
        from google.auth.exceptions import GoogleAuthError
        from google.auth.transport.requests import Request as Transport

        with self._turn:  # those who waited find it renewed
            try:
                if self._credentials is None:
                    self._credentials, _ = google.auth.default(scopes=[SCOPE])
                if not self._credentials.valid:
                    self._credentials.refresh(Transport())
            except GoogleAuthError as error:
                raise self._failure(error, retryable=bool(error.retryable)) from error

    def _failure(self, error: Exception, *, retryable: bool) -> ModelError:
        said = _TOKEN.sub(HIDDEN, " ".join(str(error).split()))[:300]
        if retryable:
            return TransientError(f"{self._name}: Google Cloud gave no token: {said}")
        return UnusableModelError(
            f"{self._name}: there is no login of Google Cloud that works. Run `gcloud auth application-default login`, "
            f"or set GOOGLE_APPLICATION_CREDENTIALS or VERTEX_ACCESS_TOKEN. google-auth says: {said}"
        )
