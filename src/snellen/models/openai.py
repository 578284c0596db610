"""openai/…: any server that speaks OpenAI's chat completions, over one lean connection pool."""

from __future__ import annotations

import os
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import orjson

from snellen.errors import ModelError, RejectedError, TransientError, UnusableModelError
from snellen.models.base import Model, Response, Usage, receipt
from snellen.models.endpoint import Endpoint, Reply, basic_login
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.openai.com/v1"
_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|codex|computer-use")
"""The official models that reason, and take an effort."""
SHORTEST_KEY = 6
"""Anything shorter is a placeholder such as `x`, not a secret to be taken out of messages."""


class OpenAI(Model):
    """A model behind an OpenAI-compatible endpoint.

    The endpoint is `base_url` or OPENAI_BASE_URL, the key `key` or OPENAI_API_KEY. Images travel as data URIs, each
    encoded once however often it is sent.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        timeout: float = 600.0,
    ) -> None:
        self.name = f"openai/{model}"
        self._model = model
        self._base = (base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL).rstrip("/")
        self._shown_base = re.sub(r"//[^/@]*@", "//", self._base)
        self.revision = "" if self._base == OFFICIAL else self._shown_base
        self._key = (key or os.environ.get("OPENAI_API_KEY") or "").strip()
        if not self._key and self._base == OFFICIAL:
            raise UnusableModelError(
                f"{self.name} needs a key. Set OPENAI_API_KEY, or OPENAI_BASE_URL for your server."
            )
        self._timeout = timeout
        self._prefix = b'{"model":' + orjson.dumps(model) + b',"messages":['
        try:
            self._endpoint = Endpoint(f"{self._base}/chat/completions", self._headers(), timeout=timeout)
        except ValueError as error:
            wanted = "OPENAI_BASE_URL should read like 'http://host:8000/v1'"
            raise UnusableModelError(f"{self.name}: {self._mask(str(error))}. {wanted}.") from error

    async def answer(self, request: Request) -> Response:
        """One call; raises TransientError, RejectedError or UnusableModelError."""
        started = time.perf_counter()
        self._check(request)
        try:
            reply = await self._endpoint.post(self._parts(request))
        except OSError as error:
            raise self._trouble(error) from error
        if reply.status != 200:
            raise self._refusal(reply)
        return self._read(reply.content, request, time.perf_counter() - started)

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "snellen"}
        # One header holds either; a user and password in the address are meant for this very server.
        if self._base != self._shown_base:
            headers["Authorization"] = basic_login(urlsplit(self._base))
        elif self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _parts(self, request: Request) -> list[bytes]:
        """The body in pieces, the images' base64 between them: no JSON encoder runs over an image."""
        parts = [self._prefix]
        if request.system:
            parts.append(orjson.dumps({"role": "system", "content": request.system}) + b",")
        if request.images:
            parts.append(b'{"role":"user","content":[')
            for image in request.images:
                head = b'{"type":"image_url","image_url":{"url":"data:' + image.media_type.encode() + b";base64,"
                parts += (head, image.base64, b'"}},')
            parts += (b'{"type":"text","text":', orjson.dumps(request.text), b"}]}]")
        else:
            parts += (b'{"role":"user","content":', orjson.dumps(request.text), b"}]")
        parts += (self._settings(request), b"}")
        return parts

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The official models that reason refuse any temperature and top_p but 1, which is their own."""
        if self._base != OFFICIAL or not _REASONS.match(self._model):
            return ()
        return tuple(name for name in ("temperature", "top_p") if settings.chosen.get(name, 1.0) != 1.0)

    def _settings(self, request: Request) -> bytes:
        untaken = self.untaken(request.settings)
        chosen = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        if request.settings.seed is not None:
            # a server that honours the seed would answer every repetition alike
            chosen["seed"] = request.settings.seed + request.replicate
        if self._base == OFFICIAL and "max_tokens" in chosen:
            chosen["max_completion_tokens"] = chosen.pop("max_tokens")
        return b"," + orjson.dumps(chosen)[1:-1] if chosen else b""

    def _check(self, request: Request) -> None:
        """Refuse, unsent, what the official endpoint would: an effort for a model that does not reason."""
        if request.settings.reasoning_effort and self._base == OFFICIAL and not _REASONS.match(self._model):
            raise RejectedError(f"{self.name} has no reasoning effort to set; it was not asked.")

    def _read(self, content: bytes, request: Request, latency: float) -> Response:
        try:
            reply = orjson.loads(content)
            choice = reply["choices"][0]
            message = choice["message"]
            content_words = _words(message.get("content"))
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
            came = self._mask(content[:10_000].decode(errors="replace"))[:200]
            raise TransientError(f"{self.name}: expected a chat completion, got: {came!r}") from error
        usage = reply.get("usage") or {}
        refusal = message.get("refusal")
        return Response(
            text=content_words or refusal or "",
            finish="refusal" if refusal else choice.get("finish_reason") or "stop",
            reasoning=_words(message.get("reasoning_content") or message.get("reasoning")),
            usage=Usage(
                usage.get("prompt_tokens"),
                usage.get("completion_tokens"),
                (usage.get("prompt_tokens_details") or {}).get("image_tokens"),
            ),
            latency=latency,
            served_by=reply.get("model") or "",
            delivered=tuple(receipt(image) for image in request.images),
        )

    def _trouble(self, error: OSError) -> ModelError:
        """What a connection that brought no reply means: worth another try, or nothing will help."""
        if isinstance(error, TimeoutError):
            return TransientError(f"{self.name}: no reply within {self._timeout:g} s.")
        if isinstance(error, ssl.SSLCertVerificationError):
            why = f"the certificate of {self._shown_base} is not trusted: {error.verify_message}"
            return UnusableModelError(f"{self.name}: {why}.")
        why = error.strerror or self._mask(str(error)) or type(error).__name__
        return TransientError(f"{self.name}: cannot reach {self._shown_base}: {why}.")

    def _refusal(self, reply: Reply) -> ModelError:
        """The error a status stands for, in words that say what to do."""
        status = reply.status
        code, message = _error(reply.content)
        said = f"{self._shown_base} answered {status}: {self._mask(message)[:300]}"
        if status in (401, 403):
            return UnusableModelError(f"{self.name}: the key was not accepted. Check OPENAI_API_KEY. {said}")
        if 300 <= status < 400:
            elsewhere = self._mask(reply.headers.get("location", "elsewhere"))
            return UnusableModelError(f"{self.name}: the server sends us to {elsewhere}. Check OPENAI_BASE_URL. {said}")
        if status == 404 or code == "model_not_found":
            return UnusableModelError(
                f"{self.name}: no such model or endpoint. Check its name and OPENAI_BASE_URL. {said}"
            )
        if code == "insufficient_quota":
            return UnusableModelError(f"{self.name}: the account has no quota left. {said}")
        if status in (408, 409, 425, 429) or status >= 500:
            return TransientError(f"{self.name}: {said}", retry_after=_retry_after(reply.headers))
        return RejectedError(f"{self.name}: the request was not accepted. {said}")

    def _mask(self, text: str) -> str:
        """The text without the key, or anything that looks like one."""
        text = text.replace(self._base, self._shown_base)
        if len(self._key) >= SHORTEST_KEY:
            text = text.replace(self._key, "[key]")
        return re.sub(r"\b(?:sk|key|pk)-[\w*.-]{6,}", "[key]", text)


def _words(content: Any) -> str:
    """A message's content as text: a string, a list of parts, or nothing."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _error(content: bytes) -> tuple[str, str]:
    """Code and message of an error reply, whatever its shape."""
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
        return "", content[:10_000].decode(errors="replace")
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if isinstance(error, dict):
        return str(error.get("code") or error.get("type") or ""), str(error.get("message") or error)
    return "", str(error)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait a server asks for, in seconds: given as milliseconds, as seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        wish = headers.get("retry-after")
        if wish is None:
            return None
        if wish.strip().replace(".", "", 1).isdigit():
            return float(wish)
        return max(0.0, parsedate_to_datetime(wish).timestamp() - time.time())
    except ValueError:
        return None
