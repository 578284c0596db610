"""Provider: a model that is asked over HTTP; each provider's file says how its requests and replies look."""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from secrets import token_hex
from types import MappingProxyType
from typing import Any, ClassVar

import orjson

from snellen.errors import BusyError, ModelError, OutageError, RejectedError, TransientError, UnusableModelError
from snellen.images import EncodedImage
from snellen.models.base import Model, Response, receipt
from snellen.models.client.address import ServerAddress, describe_origin, find_address
from snellen.models.client.replies import Fields, load_json, read_error, read_reply
from snellen.models.client.transport import (
    LONGEST_REPLY,
    CutOffError,
    NoConnectionError,
    Reply,
    Transport,
    WrongProtocolError,
)
from snellen.models.secrets import HIDDEN, KnownSecrets, describe_unset, environment_secrets, find_secrets, masking
from snellen.prompts import Request

DOWN = (502, 503)
"""What is answered in place of a server that is not up."""
BUSY = (429, 529)
"""What is answered to those who ask too often."""
_PLAIN_TO_TLS = re.compile(rb"plain HTTP (?:request was sent )?to (?:an )?(?:HTTPS|SSL)|HTTP request to an HTTPS", re.I)
"""Words of servers (nginx, Apache, Go) that take TLS alone and were asked in plain HTTP."""
MARK = token_hex(16)
"""Stands in a body where the base64 of an image goes: no JSON encoder runs over an image."""
_MARK = MARK.encode()
NONE_MORE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Access:
    """How a provider is reached: its own address, and the variables that name another one and the key."""

    official: str = ""
    """Its address, unless another is named; empty where there is none."""
    address_variable: str = ""
    key_variables: tuple[str, ...] = ()
    """The first that is set holds the key."""
    example: str = "http://host:8000/v1"
    """What an address of such a server looks like."""


def join_images(body: bytes, images: Sequence[EncodedImage]) -> list[bytes]:
    """A body with MARK in place of each image's base64, in the order of the images, as the bytes that are sent."""
    around = body.split(_MARK)
    if len(around) != len(images) + 1:
        raise RejectedError(f"Expected a body with {len(images)} images, got one with {len(around) - 1}; not sent.")
    parts = [around[0]]
    for image, after in zip(images, around[1:], strict=True):
        parts += image.base64, after
    return parts


def lay_over(body: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A body with other fields laid over it, and over the fields of its fields.

    >>> lay_over({"reasoning": {"effort": "low"}}, {"reasoning": {"summary": "auto"}})
    {'reasoning': {'effort': 'low', 'summary': 'auto'}}
    """
    laid = dict(body)
    for name, value in over.items():
        both = isinstance(value, Mapping) and isinstance(laid.get(name), Mapping)
        laid[name] = lay_over(laid[name], value) if both else value
    return laid


class Provider(Model):
    """A model behind a server.

    A subclass names its `provider` and `access`, says what it `expects` and which `fields` that has, and gives `path`,
    `body` and `read`; where its server differs from others, also `check`, `login`, `sign` and `error`. `extra_body` is
    laid over every body at every depth, `headers` over every request.
    """

    provider: ClassVar[str]
    access: ClassVar[Access]
    expects: ClassVar[str] = "a reply"
    fields: ClassVar[Fields] = MappingProxyType({})
    """Fields of its replies, to say which one is wrong."""
    signs: ClassVar[bool] = False
    """Whether each request is signed by itself."""
    key_codes: ClassVar[frozenset[str]] = frozenset(("invalid_api_key", "API_KEY_INVALID", "UNAUTHENTICATED"))
    """Codes of errors that say that the key is wrong, whatever the status."""
    needs_key: ClassVar[bool] = True
    """Whether nobody is answered without a key at the official address."""

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
        self.name = self.spec = f"{self.provider}/{model}"
        self._model = model
        self._extra = dict(extra_body)
        self._key_variables = (api_key_env,) if api_key_env else self.access.key_variables
        self._key = (key or next(filter(None, map(os.environ.get, self._key_variables)), "")).strip()
        if api_key_env and not self._key:
            raise UnusableModelError(f"{self.name}: {describe_unset(api_key_env)}.")
        try:
            given = base_url or find_address(self.access.address_variable) or self._official_address()
            if not given:
                raise UnusableModelError(
                    f"{self.name} needs an address. Set {self.access.address_variable} or base_url, as in "
                    f"{self.access.example}."
                )
            self._at = ServerAddress.parse(given)
            own = (*self._at.secrets, self._key, *headers.values(), *find_secrets(self._extra))
            self._hide(*own, *environment_secrets())
            self._official = self._at.shown == self._official_address()
            if self._official and self.needs_key and not self._key and not self._at.login:
                raise UnusableModelError(f"{self.name} needs a key. Set {self._key_words()}{self._or_elsewhere()}.")
        except ValueError as error:
            raise UnusableModelError(f"{self.name}: {error}. {self._address_wanted()}.") from error
        usual = {"Content-Type": "application/json", "User-Agent": "snellen", **self.login()}
        try:
            self._transport = Transport(self._at.below(""), {**usual, **headers}, timeout=timeout)
        except ValueError as error:
            where = "headers in [[models]]" if headers else self._key_words()
            if "a proxy" in str(error):
                where = "http_proxy and https_proxy in the environment"
            raise UnusableModelError(f"{self.name}: {error}. Check {where}.") from error
        self.at = self._at.shown
        self.address = f"{self._at.shown}, {self._how_known(given=bool(key))}"
        if self._extra:
            digest = hashlib.sha256(orjson.dumps(self._extra, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]
            self.revision = f"extra body {digest}"

    def _official_address(self) -> str:
        """The provider's own address; one that depends on a region or a project overrides this."""
        return self.access.official

    @property
    def host(self) -> str:
        """The machine that requests go to: also a proxy elsewhere that is asked for this one."""
        return super().host or self._transport.proxy_elsewhere

    @property
    def timeout(self) -> float:
        """Seconds one call may take."""
        return self._transport.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._transport.timeout = seconds

    async def answer(self, request: Request) -> Response:
        """One call; raises TransientError, RejectedError or UnusableModelError."""
        started = time.perf_counter()
        parts, below = self.parts(request), self.path(request)
        try:
            headers = await self.sign(parts, below=below, method="POST") if self.signs else NONE_MORE
            reply = await self._transport.post(parts, below=below, headers=headers)
        except OSError as error:
            raise self._trouble(error) from error
        sent = tuple(map(receipt, images)) if (images := request.every_image) else ()
        return self._read_or_classify(reply).with_receipts(time.perf_counter() - started, sent)

    def _read_or_classify(self, reply: Reply) -> Response:
        """The response in a reply, or the error that it stands for."""
        if reply.status != 200:
            found = self.error(reply)
            if isinstance(found, ModelError):
                raise found
            return found
        try:
            return read_reply(reply.content, self.expects, self.fields, self.read).without(self._known)
        except ValueError as error:
            came = self._mask(reply.content[:10_000].decode(errors="replace"))[:200]
            raise TransientError(f"{self.name}: {error}. Got: {came!r}") from error

    async def request_json(
        self, parts: Sequence[bytes], *, below: str, method: str = "POST", content_type: str = ""
    ) -> dict[str, Any]:
        """The JSON that the server gives for anything but a question; raises ModelError where it gives none."""
        headers = {"Content-Type": content_type} if content_type else NONE_MORE
        try:
            signed = await self.sign(parts, below=below, method=method)
            reply = await self._transport.post(parts, method=method, below=below, headers={**signed, **headers})
        except OSError as error:
            raise self._trouble(error) from error
        if not 200 <= reply.status < 300:
            raise self._refusal(reply)
        found = load_json(reply.content)
        if not isinstance(found, dict):
            raise TransientError(f"{self.name}: expected an object from {self._at.shown}, got something else.")
        return found

    async def iter_lines(self, below: str) -> AsyncIterator[bytes]:
        """The lines of a file at the server, as they come."""
        try:
            signed = await self.sign([], below=below, method="GET")
            arriving = await self._transport.begin([], method="GET", below=below, headers=signed)
            try:
                if arriving.status != 200:
                    raise self._refusal(await arriving.whole())
                left = b""
                async for piece in arriving.pieces():
                    *whole, left = (left + piece).split(b"\n")
                    if len(left) > LONGEST_REPLY:
                        raise ConnectionError(f"a line of the file is longer than {LONGEST_REPLY:,} bytes")
                    for line in filter(bytes.strip, whole):
                        yield line
                if left.strip():
                    yield left
            finally:
                arriving.close()
        except OSError as error:
            raise self._trouble(error) from error

    def read_batched(self, status: int, body: Mapping[str, Any]) -> Response | ModelError:
        """What a reply means that came in a batch, with the status that it would have had alone."""
        try:
            return self._read_or_classify(Reply(status, {}, orjson.dumps(body)))
        except ModelError as error:
            return error

    def mask_briefly(self, text: str) -> str:
        """What a provider says, short and without anything that is nobody's business."""
        return self._mask(text)[:300]

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    @abstractmethod
    def path(self, request: Request) -> str:
        """Where below the server's address a request goes."""

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """The request as this provider takes it, with MARK in place of each image's base64."""

    @abstractmethod
    def read(self, reply: dict[str, Any]) -> Response:
        """The response in a reply; raises ValueError that says what is wrong with it."""

    def parts(self, request: Request) -> list[bytes]:
        """The body of a request, in pieces; raises RejectedError for what the provider would refuse."""
        self.check(request)
        body = self.body(request)
        around = orjson.dumps(lay_over(body, self._extra) if self._extra else body)
        images = request.every_image
        return join_images(around, images) if images else [around]

    def login(self) -> dict[str, str]:
        """The headers by which the server knows us."""
        # One header holds either; a user and password in the address are meant for this very server.
        if self._at.login:
            return {"Authorization": self._at.login}
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    async def sign(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        """More headers, for a provider that `signs` each request."""
        return NONE_MORE

    def check(self, request: Request) -> None:
        """Refuse, unsent, what the provider would refuse."""

    def error(self, reply: Reply) -> Response | ModelError:
        """What a status stands for: an error, or a response where a provider says so that it held one back."""
        return self._refusal(reply)

    def code_and_message(self, reply: Reply) -> tuple[str, str]:
        """Code and message of an error."""
        return read_error(reply.content)

    def _trouble(self, error: OSError) -> ModelError:
        """What a connection that brought no response means: worth another try, or nothing will help."""
        if isinstance(error, TimeoutError):
            return TransientError(f"{self.name}: no reply within {self.timeout:g} s.")
        if isinstance(error, ssl.SSLCertVerificationError):
            why = f"the certificate of {self._at.shown} is not trusted: {error.verify_message}"
            return UnusableModelError(f"{self.name}: {why}.")
        why = self._mask(error.strerror or str(error) or type(error).__name__)
        if isinstance(error, WrongProtocolError):
            where = self.access.address_variable or "base_url"
            return UnusableModelError(f"{self.name}: nothing can be asked at {self._at.shown}: {why}. Check {where}.")
        if isinstance(error, NoConnectionError):
            said = f"cannot reach {self._at.shown}: {why}. Check that it is up{self._and_address()}."
            return OutageError(f"{self.name}: {said}", reached=False)
        said = f"{self.name}: no reply from {self._at.shown}: {why}."
        return OutageError(said, reached=True) if isinstance(error, CutOffError) else TransientError(said)

    def _refusal(self, reply: Reply) -> ModelError:
        """The error a status stands for, in words that say what to do."""
        status = reply.status
        code, message = self.code_and_message(reply)
        said = f"{self._at.shown} answered {status}: {self._mask(message)[:300]}"
        wait = read_wait(reply.headers)
        if status == 400 and _PLAIN_TO_TLS.search(reply.content[:10_000]):
            return UnusableModelError(f"{self.name}: the server speaks TLS. Use https://. {said}", status=status)
        if status in (401, 403) or code in self.key_codes:
            known = f"the key was not accepted. Check {self._key_words()}"
            if self._at.login:
                known = f"the login was not accepted. Check {self.access.address_variable or 'base_url'}"
            return UnusableModelError(f"{self.name}: {known}. {said}", status=status)
        if 300 <= status < 400:
            elsewhere = self._mask(reply.headers.get("location", "elsewhere").partition("?")[0])[:300]
            where = f"the server sends us to {elsewhere}. Check {self.access.address_variable or 'base_url'}"
            return UnusableModelError(f"{self.name}: {where}. {said}", status=status)
        if status == 404 or code == "model_not_found":
            missing = f"no such model or endpoint. Check its name{self._and_address()}"
            return UnusableModelError(f"{self.name}: {missing}. {said}", status=status)
        if code == "insufficient_quota" or status == 402:
            return UnusableModelError(f"{self.name}: the account has no quota left. {said}", status=status)
        if status in BUSY:
            return BusyError(f"{self.name}: {said}", retry_after=wait, status=status)
        if status in DOWN:
            return OutageError(f"{self.name}: {said}", reached=True, retry_after=wait, status=status)
        if status in (408, 409, 425) or status >= 500:
            return TransientError(f"{self.name}: {said}", retry_after=wait, status=status)
        return RejectedError(f"{self.name}: the request was not accepted. {said}", status=status)

    def _mask(self, text: str) -> str:
        """The text in one line, without the key, what the address hides, or anything that looks like a key."""
        return self._secret.sub(HIDDEN, " ".join(text.split()))

    def _hide(self, *secrets: str) -> None:
        """Mask these in responses and errors from now on."""
        self._hidden = secrets
        self._secret, self._known = masking(secrets), KnownSecrets.of(secrets)

    def _key_words(self) -> str:
        return " or ".join(self._key_variables) or "api_key_env"

    def _or_elsewhere(self) -> str:
        variable = self.access.address_variable
        return f", or {variable} for your server" if variable else ""

    def _and_address(self) -> str:
        return f", and {self.access.address_variable}" if self.access.address_variable else ""

    def _address_wanted(self) -> str:
        return f"{self.access.address_variable or 'base_url'} should read like {self.access.example!r}"

    def _how_known(self, *, given: bool) -> str:
        """By what the server is to know us."""
        if self._at.login:
            return "login from its address"
        if not self._key:
            return "no key"
        named = next((each for each in self._key_variables if os.environ.get(each)), "the environment")
        return "key given in the code" if given else f"key from {describe_origin(named)}"


def turns(request: Request) -> tuple[tuple[str, tuple[EncodedImage, ...], str], ...]:
    """The worked examples of a request and then its question: words, images and the reply, which the last lacks."""
    return (*request.examples, (request.text, request.images, ""))


def read_wait(headers: Mapping[str, str]) -> float | None:
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
