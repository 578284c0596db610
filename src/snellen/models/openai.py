"""openai/…: any server that speaks OpenAI's chat completions, over one lean connection pool."""

from __future__ import annotations

import os
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn

import orjson

from snellen.errors import ModelError, OutageError, RejectedError, TransientError, UnusableModelError
from snellen.models.address import ServerAddress, masking
from snellen.models.base import CUT_OFF, FILTERED, Model, Response, Usage, is_count, receipt
from snellen.models.endpoint import CutOffError, Endpoint, NoConnectionError, Reply
from snellen.prompts import Request, Settings

OFFICIAL = "https://api.openai.com/v1"
_REASONS = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|gpt-oss|codex|computer-use")
"""The official models that reason, and take an effort."""
DOWN = (502, 503)
"""What is answered in place of a server that is not up."""


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
        self._key = (key or os.environ.get("OPENAI_API_KEY") or "").strip()
        try:
            self._at = ServerAddress.parse(base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL)
            self._secret = masking((*self._at.secrets, self._key))
            self._official = self._at.shown == OFFICIAL
            if self._official and not self._key and not self._at.login:
                raise UnusableModelError(
                    f"{self.name} needs a key. Set OPENAI_API_KEY, or OPENAI_BASE_URL for your server."
                )
            self._endpoint = Endpoint(self._at.below("/chat/completions"), self._headers(), timeout=timeout)
        except ValueError as error:
            wanted = "OPENAI_BASE_URL should read like 'http://host:8000/v1'"
            raise UnusableModelError(f"{self.name}: {error}. {wanted}.") from error
        self.revision = "" if self._official else self._at.shown
        self.largest_side = 2048 if self._official else None
        self.address = f"{self._at.shown}, {self._how_known(given=bool(key))}"
        self._prefix = b'{"model":' + orjson.dumps(model) + b',"messages":['

    @property
    def timeout(self) -> float:
        """Seconds one call may take."""
        return self._endpoint.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._endpoint.timeout = seconds

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
        sent = tuple(receipt(image) for image in request.images)
        return replace(self._read(reply.content), latency=time.perf_counter() - started, sent=sent)

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "snellen"}
        # One header holds either; a user and password in the address are meant for this very server.
        if self._at.login:
            headers["Authorization"] = self._at.login
        elif self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _how_known(self, *, given: bool) -> str:
        """By what the server is to know us."""
        if self._at.login:
            return "login from its address"
        if not self._key:
            return "no key"
        return "key given in the code" if given else "key from OPENAI_API_KEY"

    def _parts(self, request: Request) -> list[bytes]:
        """The body in pieces, the images' base64 between them: no JSON encoder runs over an image."""
        before = self._prefix
        if request.system:
            before += orjson.dumps({"role": "system", "content": request.system}) + b","
        text = orjson.dumps(request.text)
        after = self._settings(request) + b"}"
        if not request.images:
            return [before + b'{"role":"user","content":' + text + b"}]" + after]
        parts: list[bytes] = []
        before += b'{"role":"user","content":['
        for image in request.images:
            url = b'{"type":"image_url","image_url":{"url":"data:' + image.media_type.encode() + b";base64,"
            parts += (before + url, image.base64)
            before = b'"}},'
        return [*parts, before + b'{"type":"text","text":' + text + b"}]}]" + after]

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The official models that reason refuse any temperature and top_p but 1, which is their own."""
        if not self._official or not _REASONS.match(self._model):
            return ()
        return tuple(name for name in ("temperature", "top_p") if settings.chosen.get(name, 1.0) != 1.0)

    def _settings(self, request: Request) -> bytes:
        untaken = self.untaken(request.settings)
        chosen = {name: value for name, value in request.settings.chosen.items() if name not in untaken}
        if request.settings.seed is not None:
            # a server that honours the seed would answer every repetition alike
            chosen["seed"] = request.settings.seed + request.replicate
        if self._official and "max_tokens" in chosen:
            chosen["max_completion_tokens"] = chosen.pop("max_tokens")
        return b"," + orjson.dumps(chosen)[1:-1] if chosen else b""

    def _check(self, request: Request) -> None:
        """Refuse, unsent, what the official endpoint would: an effort for a model that does not reason."""
        if request.settings.reasoning_effort and self._official and not _REASONS.match(self._model):
            raise RejectedError(f"{self.name} has no reasoning effort to set; it was not asked.")

    def _read(self, content: bytes) -> Response:
        try:
            return read_completion(content)
        except ValueError as error:
            came = self._mask(content[:10_000].decode(errors="replace"))[:200]
            raise TransientError(f"{self.name}: {error}. Got: {came!r}") from error

    def _trouble(self, error: OSError) -> ModelError:
        """What a connection that brought no response means: worth another try, or nothing will help."""
        if isinstance(error, TimeoutError):
            return TransientError(f"{self.name}: no reply within {self.timeout:g} s.")
        if isinstance(error, ssl.SSLCertVerificationError):
            why = f"the certificate of {self._at.shown} is not trusted: {error.verify_message}"
            return UnusableModelError(f"{self.name}: {why}.")
        why = self._mask(error.strerror or str(error) or type(error).__name__)
        if isinstance(error, NoConnectionError):
            said = f"cannot reach {self._at.shown}: {why}. Check that it is up, and OPENAI_BASE_URL."
            return OutageError(f"{self.name}: {said}", reached=False)
        said = f"{self.name}: no reply from {self._at.shown}: {why}."
        return OutageError(said, reached=True) if isinstance(error, CutOffError) else TransientError(said)

    def _refusal(self, reply: Reply) -> ModelError:
        """The error a status stands for, in words that say what to do."""
        status = reply.status
        code, message = _error(reply.content)
        said = f"{self._at.shown} answered {status}: {self._mask(message)[:300]}"
        if status in (401, 403):
            known = "the login was not accepted. Check OPENAI_BASE_URL"
            known = known if self._at.login else "the key was not accepted. Check OPENAI_API_KEY"
            return UnusableModelError(f"{self.name}: {known}. {said}")
        if 300 <= status < 400:
            elsewhere = self._mask(reply.headers.get("location", "elsewhere").partition("?")[0])[:300]
            return UnusableModelError(f"{self.name}: the server sends us to {elsewhere}. Check OPENAI_BASE_URL. {said}")
        if status == 404 or code == "model_not_found":
            return UnusableModelError(
                f"{self.name}: no such model or endpoint. Check its name and OPENAI_BASE_URL. {said}"
            )
        if code == "insufficient_quota":
            return UnusableModelError(f"{self.name}: the account has no quota left. {said}")
        if status in DOWN:
            return OutageError(f"{self.name}: {said}", reached=True, retry_after=_retry_after(reply.headers))
        if status in (408, 409, 425, 429) or status >= 500:
            return TransientError(f"{self.name}: {said}", retry_after=_retry_after(reply.headers))
        return RejectedError(f"{self.name}: the request was not accepted. {said}")

    def _mask(self, text: str) -> str:
        """The text in one line, without the key, what the address hides, or anything that looks like a key."""
        return self._secret.sub("[hidden]", " ".join(text.split()))


def read_completion(content: bytes) -> Response:
    """The response that a chat completion holds; raises ValueError that says what is wrong with it.

    A field of the wrong type makes the whole reply unusable: nobody knows what else in it is wrong. A reply without
    words is one only where the provider says why there are none.

    >>> read_completion(b'{"choices": [{"message": {"content": "Answer: B"}}]}').text
    'Answer: B'
    """
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ValueError("expected a chat completion, got no JSON") from error
    reply = _needed(dict, "whole", reply)
    choices = _needed(list, "choices", reply.get("choices"))
    choice = _needed(dict, "choices[0]", choices[0] if choices else None)
    message = _needed(dict, "message", choice.get("message"))
    usage = _of(dict, "usage", reply.get("usage")) or {}
    details = _of(dict, "prompt_tokens_details", usage.get("prompt_tokens_details")) or {}
    written = _of(dict, "completion_tokens_details", usage.get("completion_tokens_details")) or {}
    refusal = _of(str, "refusal", message.get("refusal"))
    finish = _of(str, "finish_reason", choice.get("finish_reason")) or ""
    text = _words("content", message.get("content")) or refusal or ""
    if finish == "error":
        raise ValueError("the server says that it failed to answer (finish_reason 'error')")
    if not text.strip() and finish.lower() not in CUT_OFF | FILTERED:
        called = "a call of a tool, though none was offered" if message.get("tool_calls") else "no text"
        raise ValueError(f"expected a chat completion with text, got {called} (finish_reason {finish[:40]!r})")
    reasoning = message.get("reasoning_content")
    return Response(
        text=text,
        finish="refusal" if refusal else finish,
        reasoning=_words("reasoning", message.get("reasoning") if reasoning is None else reasoning),
        usage=Usage(
            _count("usage.prompt_tokens", usage.get("prompt_tokens")),
            _count("usage.completion_tokens", usage.get("completion_tokens")),
            _count("usage.prompt_tokens_details.image_tokens", details.get("image_tokens")),
            _count("usage.completion_tokens_details.reasoning_tokens", written.get("reasoning_tokens")),
        ),
        served_by=_of(str, "model", reply.get("model")) or "",
    )


def _wrong(field: str, expected: str) -> NoReturn:
    raise ValueError(f"expected a chat completion, but its {field} is not {expected}")


_NAMES: dict[type[Any], str] = {dict: "an object", list: "a list", str: "a text"}


def _needed(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type."""
    return value if isinstance(value, kind) else _wrong(field, _NAMES[kind])


def _of(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type or null."""
    return None if value is None else _needed(kind, field, value)


def _count(field: str, value: Any) -> Any:
    return value if is_count(value) else _wrong(field, "a whole number of tokens")


def _words(field: str, value: Any) -> str:
    """Text as a string, as a list of parts of which those with text count, or as nothing."""
    if not isinstance(value, list):
        return _of(str, field, value) or ""
    parts = [_of(dict, f"{field}[{at}]", part) or {} for at, part in enumerate(value)]
    return "".join(_of(str, f"{field}[{at}].text", part.get("text")) or "" for at, part in enumerate(parts))


def _error(content: bytes) -> tuple[str, str]:
    """Code and message of an error response, whatever its shape."""
    raw = content[:10_000].decode(errors="replace")
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError:
        return "", raw
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if not isinstance(error, dict):
        return "", error if isinstance(error, str) else raw
    code, message = error.get("code") or error.get("type"), error.get("message")
    return code if isinstance(code, str) else "", message if isinstance(message, str) and message else raw


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
    except (ValueError, OverflowError):
        return None
