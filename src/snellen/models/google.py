"""Google's generateContent API: as Gemini API (google/…) and as Google Cloud's Vertex AI (vertex/…)."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import orjson

from snellen.errors import MissingExtraError, ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import FILTERED, Response, Usage
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, require
from snellen.models.client.provider import MARK, NONE_MORE, Access, Provider, turns
from snellen.models.client.replies import (
    NOTHING,
    TEXT,
    add_counts,
    as_object,
    check_words,
    count_tokens,
    load_json,
    read_error,
    read_list,
    read_object,
    read_texts,
)
from snellen.models.client.transport import ServerResponse
from snellen.models.secrets import HIDDEN
from snellen.prompts import Request, Settings

EXTRA = "vertex"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MULTI_REGIONS = ("us", "eu")
_RESOURCE = re.compile(r"projects/[^/]+/locations/(?P<location>[^/]+)/.+")
_PLACE = re.compile(r"[a-z0-9-]+")
"""Pattern of a location, since it becomes part of the address."""
_TOKEN = re.compile(r"\bya29\.[\w.-]+")
"""Pattern of Google Cloud's tokens."""
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
_VERSIONED = re.compile(r"/v\d+\w*$")
_NAMES = {"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "stop": "stopSequences"}
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576}
"""Thinking tokens for each effort, for models that accept a number of tokens: Gemini 2.5."""
_TAKES_BUDGET = re.compile(r"gemini-2\.5")
_ALWAYS_THINKS = re.compile(r"gemini-2\.5-pro")
_SAMPLES_BY_ITSELF = re.compile(r"gemini-(?:3\.5-flash-lite|3\.[6-9]|3\.\d\d|[4-9]|\d\d|.*-latest)")
"""Models for which Google ignores or refuses temperature and top_p.

They start with Gemini 3.6 Flash and 3.5 Flash-Lite.
"""
_NEVER_THINKS = re.compile(r"gemini-(?:1|2\.0|pro-vision)|gemma-?[123]|medgemma|learnlm")


class GeminiModel(Provider):
    """A model that is asked by POST …:generateContent; images are sent as inline data."""

    expects = "a Gemini response"
    fields = MappingProxyType(
        {
            **{"modelVersion": TEXT, "promptFeedback": (dict, NOTHING), "candidates": list, "candidates.0": dict},
            **{"candidates.0.finishReason": TEXT, "candidates.0.content": (dict, NOTHING)},
            "candidates.0.content.parts": (list, NOTHING),
        }
    )
    largest_side = 3072

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return temperature and top_p if they are set and the model no longer accepts them."""
        if not _SAMPLES_BY_ITSELF.search(self._model):
            return ()
        return tuple(name for name in ("temperature", "top_p") if name in settings.chosen)

    def body(self, request: Request) -> dict[str, Any]:
        """Return the contents, and the settings with the server's names."""
        contents: list[dict[str, Any]] = []
        for text, images, reply in turns(request):
            seen = [{"inlineData": {"mimeType": image.media_type, "data": MARK}} for image in images]
            contents.append({"role": "user", "parts": [*seen, {"text": text}]})
            if reply:
                contents.append({"role": "model", "parts": [{"text": reply}]})
        told = {"systemInstruction": {"role": "user", "parts": [{"text": request.system}]}} if request.system else {}
        chosen = self._settings(request)
        return {"contents": contents, **told, **({"generationConfig": chosen} if chosen else {})}

    def _settings(self, request: Request) -> dict[str, Any]:
        untaken = self.untaken(request.settings)
        given = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        chosen = {ours: given[name] for name, ours in _NAMES.items() if name in given}
        if "seed" in given:
            # with one seed, a server would give the same response for every repeat
            chosen["seed"] = given["seed"] + request.replicate
        if "logprobs" in given:
            chosen |= {"responseLogprobs": True, "logprobs": given["logprobs"]}
        if "reasoning_effort" in given:
            chosen["thinkingConfig"] = self._thinking(given["reasoning_effort"])
        return chosen

    def _thinking(self, effort: str) -> dict[str, Any]:
        if not _TAKES_BUDGET.search(self._model):
            return {"includeThoughts": True, "thinkingLevel": effort.upper()}
        budget = _BUDGETS[effort]
        return {"includeThoughts": True, "thinkingBudget": budget} if budget else {"thinkingBudget": 0}

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending an effort that the model does not support."""
        effort = request.settings.reasoning_effort
        if effort is None:
            return
        if _NEVER_THINKS.search(self._model):
            raise RejectedError(f"{self.name} has no reasoning effort to set; it was not asked.")
        takes_budget = _TAKES_BUDGET.search(self._model)
        if effort == "none" and (not takes_budget or _ALWAYS_THINKS.search(self._model)):
            raise RejectedError(f"{self.name} always thinks: its effort cannot be none; it was not asked.")
        if takes_budget and effort not in _BUDGETS:
            raise RejectedError(f"{self.name} has no reasoning effort {effort!r}; it was not asked.")

    def read(self, reply: dict[str, Any]) -> Response:
        """Read the first candidate, or the reason why there is none; thoughts are kept separate."""
        (served_by,) = read_texts(reply.get("modelVersion"))
        candidates = read_list(reply.get("candidates"))
        (blocked,) = read_texts(read_object(reply.get("promptFeedback")).get("blockReason"))
        usage = _count_tokens(as_object(reply.get("usageMetadata")))
        if not candidates and blocked:
            held_back = blocked.lower() if blocked.lower() in FILTERED else "content_filter"
            return Response("", held_back, usage=usage, served_by=served_by)
        candidate = candidates[0]
        parts = read_list(read_object(candidate.get("content")).get("parts"))
        finish = read_texts(candidate.get("finishReason"))[0].lower()
        text = "".join(read_texts(*[part.get("text") for part in parts if not part.get("thought")]))
        check_words(text, finish, tool_called=any("functionCall" in part for part in parts))
        likely = read_object(candidate.get("logprobsResult"))
        return Response(
            text=text,
            finish=finish,
            reasoning="".join(read_texts(*[part.get("text") for part in parts if part.get("thought")])),
            usage=usage,
            served_by=served_by,
            logprobs=orjson.dumps(likely).decode() if likely else "",
        )

    def code_and_message(self, reply: ServerResponse) -> tuple[str, str]:
        """Return code and message of an error. The code is the reason in its details, if there is one."""
        code, message = read_error(reply.content)
        reasons = (detail.get("reason") for detail in _details(reply))
        return next((reason for reason in reasons if isinstance(reason, str) and reason), code), message

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error for a status. Google sends waits in the body, and FAILED_PRECONDITION in blocked regions."""
        error = super().error(reply)
        if isinstance(error, RejectedError) and read_error(reply.content)[0] == "FAILED_PRECONDITION":
            return UnusableModelError(str(error), status=error.status)
        if isinstance(error, TransientError) and error.retry_after is None:
            # a detail such as {"retryDelay": "34.07s"}
            waits = (_DELAY.fullmatch(str(detail.get("retryDelay"))) for detail in _details(reply))
            error.retry_after = next((float(wait[1]) for wait in waits if wait and float(wait[1])), None)
        return error


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

    def path(self, request: Request) -> str:
        """Return the path of the model."""
        return self._of_model("generateContent")

    def _of_model(self, method: str) -> str:
        named = self._model if self._model.startswith(("models/", "tunedModels/")) else f"models/{self._model}"
        return f"{self._version}/{quote(named)}:{method}"

    def login(self) -> dict[str, str]:
        """Return the header for the key; Google has its own."""
        if self._at.login or not self._key:
            return super().login()
        return {"x-goog-api-key": self._key}


class Vertex(GeminiModel):
    """A Gemini model of Vertex AI, by its name or as projects/…/locations/…/endpoints/….

    The project is `project` or GOOGLE_CLOUD_PROJECT, the place `location` or GOOGLE_CLOUD_LOCATION (global, unless one
    is set). The login is a token in VERTEX_ACCESS_TOKEN, or that of Google Cloud on this machine.
    """

    provider = "vertex"
    access = Access("", "GOOGLE_VERTEX_BASE_URL", ("VERTEX_ACCESS_TOKEN",), "https://host")
    needs_key, signs = False, True

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

    def path(self, request: Request) -> str:
        """Return the path of the model."""
        below = self._model
        if not _RESOURCE.fullmatch(below):
            below = f"projects/{self._project}/locations/{self._location}/publishers/google/models/{below}"
        return f"/v1beta1/{quote(below)}:generateContent"

    async def sign(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        """Return the header with Google Cloud's token, renewed if it has expired."""
        return NONE_MORE if self._cloud is None else await self._cloud.headers()

    def _mask(self, text: str) -> str:
        return super()._mask(_TOKEN.sub(HIDDEN, text))

    def _key_words(self) -> str:
        return "VERTEX_ACCESS_TOKEN or the login of Google Cloud, and what the project allows"

    def _how_known(self, *, given: bool) -> str:
        return super()._how_known(given=given) if self._key or not self.host else "login of Google Cloud"


class CloudLogin:
    """Google Cloud's login on this machine, managed by google-auth."""

    def __init__(self, name: str) -> None:
        if find_spec("google") is None or find_spec("google.auth") is None:
            raise MissingExtraError("google-auth", EXTRA)
        self._name = name
        self._credentials: Any = None
        self._turn = threading.Lock()

    async def headers(self) -> dict[str, str]:
        """Return the headers of a request; an expired token is renewed in a thread."""
        if self._credentials is None or not self._credentials.valid:
            await asyncio.to_thread(self._renew)
        billed = self._credentials.quota_project_id
        login = {"Authorization": f"Bearer {self._credentials.token}"}
        return {**login, "x-goog-user-project": billed} if billed else login

    def _renew(self) -> None:
        import google.auth
        from google.auth.exceptions import GoogleAuthError
        from google.auth.transport.requests import Request as Transport

        with self._turn:  # others that waited for the lock find it renewed
            try:
                if self._credentials is None:
                    self._credentials, _ = google.auth.default(scopes=[SCOPE])
                if not self._credentials.valid:
                    self._credentials.refresh(Transport())
            except GoogleAuthError as error:
                said = _TOKEN.sub(HIDDEN, " ".join(str(error).split()))[:300]
                if error.retryable:
                    raise TransientError(f"{self._name}: Google Cloud gave no token: {said}") from error
                raise UnusableModelError(
                    f"{self._name}: there is no login of Google Cloud that works. Run `gcloud auth application-default "
                    "login`, or set GOOGLE_APPLICATION_CREDENTIALS or VERTEX_ACCESS_TOKEN. google-auth says: "
                    f"{said}"
                ) from error


def _count_tokens(told: Mapping[str, Any]) -> Usage:
    details = told.get("promptTokensDetails")
    of_images = [
        each.get("tokenCount")
        for each in (details if isinstance(details, list) else ())
        if isinstance(each, dict) and each.get("modality") == "IMAGE"
    ]
    return count_tokens(
        told.get("promptTokenCount"),
        add_counts(told.get("candidatesTokenCount"), told.get("thoughtsTokenCount")),
        add_counts(*of_images),
        told.get("thoughtsTokenCount"),
    )


def _details(reply: ServerResponse) -> list[dict[str, Any]]:
    said = load_json(reply.content)
    said = said[0] if isinstance(said, list) and said else said
    error = said.get("error") if isinstance(said, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


WAYS_TO_END = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""
STATUSES = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
"""The HTTP status for each error code in a batch; all others count as 400."""


class GoogleBatches(Batching):
    """Batches of one Gemini model, with the requests inline."""

    most_requests = 1000
    most_bytes = 18_000_000

    def __init__(self, model: Provider, *, submit: str, version: str) -> None:
        self._model, self._submit, self._version = model, submit, version

    def size(self, request: Request) -> int:
        """Return the size of the body and what is added around it."""
        return sum(map(len, self._model.parts(request))) + 100

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Send all requests in one body, each with its id."""
        name = orjson.dumps(tag)
        parts = [b'{"batch":{"displayName":' + name + b',"inputConfig":{"requests":{"requests":[']
        for at, (custom_id, request) in enumerate(lines):
            tail = b',"metadata":' + orjson.dumps({"key": custom_id}) + b"}"
            parts += [b',{"request":' if at else b'{"request":', *self._model.parts(request), tail]
        made = await self._model.request_json([*parts, b"]}}}}"], below=self._submit)
        return str(require(str, "name", made.get("name")))

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the batch whose display name is the tag; empty if there is none."""
        token = ""
        for _ in range(PAGES):
            page = await self._model.request_json(
                [], below=f"{self._version}/batches?pageSize=100{token}", method="GET"
            )
            for each in require(list, "operations", page.get("operations") or []):
                if as_object(each.get("metadata")).get("displayName") == tag:
                    return str(each["name"])
            if not page.get("nextPageToken"):
                return ""
            token = f"&pageToken={page['nextPageToken']}"
        return ""

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch from its state and its counts of requests."""
        now = await self._now(batch)
        about = as_object(now.get("metadata"))
        stats = as_object(about.get("batchStats"))
        done = sum(as_number(stats.get(name)) for name in ("successfulRequestCount", "failedRequestCount"))
        state = str(about.get("state", "")).rpartition("STATE_")[2]
        ended = bool(now.get("done")) or state in WAYS_TO_END
        failure = ""
        if ended and not _replies(now):
            why = as_object(now.get("error")).get("message") or "the provider does not say why"
            failure = f"the batch is {state.lower() or 'ended'}: {self._model.mask_briefly(str(why))}"
        return BatchState(ended, done, as_number(stats.get("requestCount")), failure)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a finished batch."""
        for each in _replies(await self._now(batch)):
            custom_id = str(as_object(each.get("metadata")).get("key"))
            if isinstance(each.get("response"), dict):
                yield BatchResult(custom_id, self._model.read_batched(200, each["response"]))
            elif error := as_object(each.get("error")):
                status = STATUSES.get(as_number(error.get("code")), 400)
                yield BatchResult(custom_id, self._model.read_batched(status, {"error": error}))
            else:
                why = TransientError(f"{self._model.name}: not answered: its batch has no response to this request.")
                yield BatchResult(custom_id, why)

    async def _now(self, batch: str) -> dict[str, Any]:
        return await self._model.request_json([], below=f"{self._version}/{batch}", method="GET")


def _replies(now: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the responses of a batch. They are in its response or in its metadata's output."""
    for holder in (now.get("response"), as_object(now.get("metadata")).get("output")):
        found = as_object(as_object(holder).get("inlinedResponses")).get("inlinedResponses")
        if isinstance(found, list):
            return list(map(as_object, found))
    return []
