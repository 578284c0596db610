"""inspect/PROVIDER/MODEL: any model that Inspect AI reaches, asked through it (extra `inspect`).

inspect/anthropic/claude-sonnet-4-0
inspect/openai-api/my-gateway/my-model

Inspect's provider decides about settings: it drops an unknown one without a message.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.errors import (
    BusyError,
    MissingExtraError,
    ModelError,
    OutageError,
    RejectedError,
    StudyError,
    TransientError,
    UnusableModelError,
)
from snellen.models.base import Model, Response, Usage, receipt
from snellen.models.client.address import ServerAddress, describe_origin, find_address, host_elsewhere
from snellen.models.client.provider import BUSY, DOWN, NONE_MORE, data_uri, turns
from snellen.models.client.replies import add_counts, check_words, count
from snellen.models.secrets import HIDDEN, KnownSecrets, describe_unset, environment_secrets, find_secrets, masking
from snellen.prompts import Request

EXTRA = "inspect"
HERE = frozenset(
    ("hf", "llama-cpp-python", "mockllm", "nnterp", "none", "ollama", "sglang", "transformer_lens", "vllm")
)
"""Inspect's providers that run models on this machine, unless an address is set."""
MANY = 10_000
"""Inspect's limit on requests in flight; it is high, because Snellen sets the limit."""
_MARKUP = re.compile(r"\[/?[a-z ]+\]")


class Inspect(Model):
    """A model of Inspect AI, asked once for each request; retries are made by Snellen."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        api_key_env: str | None = None,
        headers: Mapping[str, str] = NONE_MORE,
        extra_body: Mapping[str, Any] = MappingProxyType({}),
        timeout: float = 600.0,
    ) -> None:
        self.name = self.spec = f"inspect/{model}"
        self.timeout = timeout
        key = key or (os.environ.get(api_key_env) if api_key_env else None)
        if api_key_env and not key:
            raise UnusableModelError(f"{self.name}: {describe_unset(api_key_env)}.")
        if "/" not in model:
            raise UnusableModelError(f"{self.name}: expected Inspect's provider too, as in inspect/anthropic/{model}.")
        if headers:
            raise StudyError(f"{self.name} takes no headers: not all of Inspect's providers would send them.")
        self._named, self._reach = model, {"base_url": base_url, "api_key": key}
        self._extra = dict(extra_body)
        at = self._address(base_url)
        secrets = (key or "", *(at.secrets if at else ()), *find_secrets(self._extra), *environment_secrets())
        self._secret, self._known = masking(secrets), KnownSecrets.from_texts(secrets)
        self._opened: Any = self._open()
        self._elsewhere = self._host()
        self.at = at.shown if at else ""
        origin = describe_origin(api_key_env or f"{self._stem}_API_KEY").partition(" ")[2]
        self.address = f"{self.at or model.partition('/')[0]}, through Inspect{origin and f', key {origin}'}"
        if self._extra:
            digest = hashlib.sha256(orjson.dumps(self._extra, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
            self.revision = f"extra body {digest}"

    @property
    def host(self) -> str:
        """The host that Inspect sends requests to, or the provider's name if that is unknown."""
        return self._elsewhere

    async def answer(self, request: Request) -> Response:
        """Send a request once; raise TransientError, RejectedError or UnusableModelError on failure."""
        started = time.perf_counter()
        self._opened = self._opened or self._open()
        try:
            output = await asyncio.wait_for(
                self._opened.generate(list(messages(request)), config=self._config(request), cache=False), self.timeout
            )
        except TimeoutError as error:
            raise TransientError(f"{self.name}: no response within {self.timeout:g} s.") from error
        except Exception as error:
            raise self._trouble(error) from error
        sent = tuple(receipt(image) for image in request.every_image)
        return self._response(output, latency=time.perf_counter() - started, sent=sent)

    async def close(self) -> None:
        """Close the connections; a later question opens new ones."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            await opened.api.aclose()

    def _open(self) -> Any:
        try:
            from inspect_ai.model import get_model
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name).partition(".")[0], EXTRA) from error
        try:
            reach: dict[str, Any] = dict(self._reach)
            opened = get_model(self._named, memoize=False, **reach)
        except Exception as error:
            raise UnusableModelError(f"{self.name} cannot be opened: {self._describe_error(error)}") from error
        client: Any = getattr(opened.api, "client", None)
        if isinstance(getattr(client, "max_retries", None), int):
            client.max_retries = 0  # otherwise the vendor's client would repeat requests unnoticed
        return opened

    @property
    def _stem(self) -> str:
        """The beginning of the provider's variables in Inspect, such as OPENAI."""
        provider, _, rest = self._named.partition("/")
        named = rest.partition("/")[0] if provider == "openai-api" else provider
        return named.upper().replace("-", "_")

    def _address(self, base_url: str | None) -> ServerAddress | None:
        """Return the given address; None if Inspect takes it from a variable or its default."""
        try:
            if base_url:
                return ServerAddress.parse(base_url)
            find_address(f"{self._stem}_BASE_URL")
            return None
        except ValueError as error:
            raise UnusableModelError(f"{self.name}: {error}.") from error

    def _host(self) -> str:
        provider = self._named.partition("/")[0]
        address = str(getattr(self._opened.api, "base_url", None) or "")
        if address:
            return host_elsewhere(address)
        return "" if provider in HERE else f"{provider} (through Inspect)"

    def _config(self, request: Request) -> Any:
        from inspect_ai.model import GenerateConfig

        settings = request.settings
        return GenerateConfig(
            max_retries=0,
            max_connections=MANY,
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            # with one seed, a server would give the same response for every repeat
            seed=None if settings.seed is None else settings.seed + request.replicate,
            stop_seqs=list(settings.stop) if settings.stop else None,
            reasoning_effort=settings.reasoning_effort,
            logprobs=True if settings.logprobs is not None else None,
            top_logprobs=settings.logprobs,
            extra_body=self._extra or None,
        )

    def _response(self, output: Any, **known: Any) -> Response:
        if output.empty:
            raise TransientError(f"{self.name}: Inspect gave no choice. {self._mask_secret(output.error or '')}")
        choice = output.choices[0]
        text, finish, reasoning = read_choice(choice)
        try:
            check_words(text, finish, tool_called=bool(choice.message.tool_calls))
        except ValueError as error:
            raise TransientError(f"{self.name}: expected a response, but {error}.") from error
        logprobs = choice.logprobs.model_dump(exclude_none=True)["content"] if choice.logprobs else []
        return Response(
            text=text,
            finish=finish,
            reasoning=reasoning,
            usage=_usage(output.usage),
            served_by=output.model,
            logprobs=orjson.dumps(logprobs).decode() if logprobs else "",
            **known,
        ).mask_secrets(self._known)

    def _trouble(self, error: Exception) -> ModelError:
        attempt = getattr(error, "last_attempt", None)  # tenacity's, which repeats requests for Inspect
        error = (attempt.exception() if attempt is not None else None) or error
        if isinstance(error.__cause__, Exception) and _status(error.__cause__):
            error = error.__cause__  # Inspect's own message would quote the whole request
        status = _status(error)
        said = f"{self.name}: {self._describe_error(error)}"
        if status in (401, 403):
            return UnusableModelError(
                f"{self.name}: the key was not accepted. {self._describe_error(error)}", status=status
            )
        if status == 404 or type(error).__name__ == "PrerequisiteError":
            return UnusableModelError(said, status=status)
        if status in BUSY:
            return BusyError(said, status=status)
        if status in DOWN:
            return OutageError(said, reached=True, status=status)
        if status is not None and 400 <= status < 500 and status not in (408, 409, 425):
            return RejectedError(said, status=status)
        return TransientError(said, status=status)

    def _describe_error(self, error: Exception) -> str:
        return self._mask_secret(_MARKUP.sub("", str(error)) or type(error).__name__)

    def _mask_secret(self, text: str) -> str:
        return self._secret.sub(HIDDEN, " ".join(text.split()))[:300]


class InspectOutput(NamedTuple):
    """The text of a response, its finish reason ("" if unknown), and its thinking."""

    text: str
    finish: str
    reasoning: str


def read_choice(choice: Any) -> InspectOutput:
    """Read text, finish reason and thinking from a choice of Inspect."""
    content = choice.message.content
    parts = [] if isinstance(content, str) else content
    text = content if isinstance(content, str) else "".join(part.text for part in parts if part.type == "text")
    thoughts = [part.summary or "" if part.redacted else part.reasoning for part in parts if part.type == "reasoning"]
    refused = any(part.type == "text" and part.refusal for part in parts)
    finish = "refusal" if refused else "" if choice.stop_reason == "unknown" else choice.stop_reason
    return InspectOutput(text, finish, "\n".join(filter(None, thoughts)))


def messages(request: Request) -> Iterator[Any]:
    """Yield a request as Inspect's messages, with images before the text, as data URIs."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

    if request.system:
        yield ChatMessageSystem(content=request.system)
    for text, images, reply in turns(request):
        shown = [ContentImage(image=data_uri(image)) for image in images]
        yield ChatMessageUser(content=[*shown, ContentText(text=text)] if shown else text)
        if reply:
            yield ChatMessageAssistant(content=reply)


def _usage(counted: Any) -> Usage:
    if counted is None:
        return Usage()
    read = (counted.input_tokens, counted.input_tokens_cache_read, counted.input_tokens_cache_write)
    return Usage(add_counts(*read), count(counted.output_tokens), None, count(counted.reasoning_tokens))


def _status(error: Exception) -> int | None:
    """Return the HTTP status in an error, in whatever attribute the vendor's client keeps it. None without one."""
    response = getattr(error, "response", None)
    kept = response.get("ResponseMetadata", {}).get("HTTPStatusCode") if isinstance(response, Mapping) else None
    own, code = getattr(error, "status_code", None), getattr(error, "code", None)
    found = (own, getattr(response, "status_code", None), kept, code)
    return next((each for each in found if isinstance(each, int)), None)
