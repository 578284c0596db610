"""Provider: a model over HTTP; each provider's module defines its requests and responses."""

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
    ServerResponse,
    Transport,
    WrongProtocolError,
)
from snellen.models.secrets import HIDDEN, KnownSecrets, describe_unset, environment_secrets, find_secrets, masking
from snellen.prompts import Request

DOWN = (502, 503)
"""Statuses that mean that the server is down."""
BUSY = (429, 529)
"""Statuses that mean that there are too many requests."""
_PLAIN_TO_TLS = re.compile(rb"plain HTTP (?:request was sent )?to (?:an )?(?:HTTPS|SSL)|HTTP request to an HTTPS", re.I)
"""Error texts of servers (nginx, Apache, Go) that need TLS but got plain HTTP."""
MARK = token_hex(16)
"""Placeholder in a body for the base64 of an image. Images then need not pass through a JSON encoder."""
_MARK = MARK.encode()
NONE_MORE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Access:
    """How to reach a provider: its address, and the variables for address and key."""

    official: str = ""
    """The provider's own address; empty if it has none."""
    address_variable: str = ""
    key_variables: tuple[str, ...] = ()
    """The first of these variables that is set holds the key."""
    example: str = "http://host:8000/v1"
    """An example of an address, for messages."""


def join_images(body: bytes, images: Sequence[EncodedImage]) -> list[bytes]:
    """Return the body in parts, with each image's base64 in place of MARK."""
    around = body.split(_MARK)
    if len(around) != len(images) + 1:
        raise RejectedError(f"Expected a body with {len(images)} images, got one with {len(around) - 1}; not sent.")
    parts = [around[0]]
    for image, after in zip(images, around[1:], strict=True):
        parts += image.base64, after
    return parts


def lay_over(body: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with other fields merged into it, at every depth.

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

    A subclass sets `provider`, `access`, `expects` (a name for the response) and `fields`, and defines `path`, `body`
    and `read`. If its server differs from others, it also defines `check`, `login`, `sign` and `error`. `extra_body` is
    merged into every body at every depth, and `headers` into every request's headers.
    """

    provider: ClassVar[str]
    access: ClassVar[Access]
    expects: ClassVar[str] = "a reply"
    fields: ClassVar[Fields] = MappingProxyType({})
    """Fields of a response and their types, used to name the wrong one."""
    signs: ClassVar[bool] = False
    """True if each request has its own signature."""
    key_codes: ClassVar[frozenset[str]] = frozenset(("invalid_api_key", "API_KEY_INVALID", "UNAUTHENTICATED"))
    """Error codes that mean that the key is wrong, whatever the status."""
    needs_key: ClassVar[bool] = True
    """True if the official address requires a key."""

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
            wanted = f"{self._address_setting} should read like {self.access.example!r}"
            raise UnusableModelError(f"{self.name}: {error}. {wanted}.") from error
        usual = {"Content-Type": "application/json", "User-Agent": "snellen", **self.login()}
        try:
            self._transport = Transport(self._at.join_path(""), {**usual, **headers}, timeout=timeout)
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
        """Return the provider's own address; overridden if it depends on a region or a project."""
        return self.access.official

    @property
    def host(self) -> str:
        """The host that requests go to, or its proxy."""
        return super().host or self._transport.proxy_elsewhere

    @property
    def timeout(self) -> float:
        """Seconds that one call may take."""
        return self._transport.timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._transport.timeout = seconds

    async def answer(self, request: Request) -> Response:
        """Send a request once; raise TransientError, RejectedError or UnusableModelError on failure."""
        started = time.perf_counter()
        parts, below = self.parts(request), self.path(request)
        try:
            headers = await self.sign(parts, below=below, method="POST") if self.signs else NONE_MORE
            reply = await self._transport.post(parts, below=below, headers=headers)
        except OSError as error:
            raise self._trouble(error) from error
        sent = tuple(map(receipt, images)) if (images := request.every_image) else ()
        return self._read_or_classify(reply).with_receipts(time.perf_counter() - started, sent)

    def _read_or_classify(self, reply: ServerResponse) -> Response:
        """Return the response in a server's message, or raise its error."""
        if reply.status != 200:
            found = self.error(reply)
            if isinstance(found, ModelError):
                raise found
            return found
        try:
            return read_reply(reply.content, self.expects, self.fields, self.read).mask_secrets(self._known)
        except ValueError as error:
            came = self._mask(reply.content[:10_000].decode(errors="replace"))[:200]
            raise TransientError(f"{self.name}: {error}. Got: {came!r}") from error

    async def request_json(
        self, parts: Sequence[bytes], *, below: str, method: str = "POST", content_type: str = ""
    ) -> dict[str, Any]:
        """Return the JSON of any other request to the server; raise ModelError on failure."""
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
        """Yield the lines of a file on the server, as they arrive."""
        try:
            signed = await self.sign([], below=below, method="GET")
            arriving = await self._transport.begin([], method="GET", below=below, headers=signed)
            try:
                if arriving.status != 200:
                    raise self._refusal(await arriving.read_all())
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
        """Read the result of one request in a batch. `status` is the HTTP status that it would have outside a batch."""
        try:
            return self._read_or_classify(ServerResponse(status, {}, orjson.dumps(body)))
        except ModelError as error:
            return error

    def mask_briefly(self, text: str) -> str:
        """Return the provider's message, shortened and without secrets."""
        return self._mask(text)[:300]

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    @abstractmethod
    def path(self, request: Request) -> str:
        """Return the path of a request below the server's address."""

    @abstractmethod
    def body(self, request: Request) -> dict[str, Any]:
        """Return the body in the provider's form, with MARK in place of each image's base64."""

    @abstractmethod
    def read(self, reply: dict[str, Any]) -> Response:
        """Read the response in a server's message; ValueError if it is malformed."""

    def parts(self, request: Request) -> list[bytes]:
        """Return the body of a request in parts; RejectedError if the provider would refuse it."""
        self.check(request)
        body = self.body(request)
        around = orjson.dumps(lay_over(body, self._extra) if self._extra else body)
        images = request.every_image
        return join_images(around, images) if images else [around]

    def login(self) -> dict[str, str]:
        """Return the headers with the key or login."""
        # One header holds either. A login in the address comes first, because it is for exactly this server.
        if self._at.login:
            return {"Authorization": self._at.login}
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    async def sign(self, parts: Sequence[bytes], *, below: str, method: str) -> Mapping[str, str]:
        """Return more headers, for a provider that `signs` each request."""
        return NONE_MORE

    def check(self, request: Request) -> None:
        """Raise RejectedError before sending what the provider would refuse."""

    def error(self, reply: ServerResponse) -> Response | ModelError:
        """Return the error of a status, or a filtered response if the provider says so."""
        return self._refusal(reply)

    def code_and_message(self, reply: ServerResponse) -> tuple[str, str]:
        """Return code and message of an error."""
        return read_error(reply.content)

    def _trouble(self, error: OSError) -> ModelError:
        if isinstance(error, TimeoutError):
            return TransientError(f"{self.name}: no response within {self.timeout:g} s.")
        if isinstance(error, ssl.SSLCertVerificationError):
            why = f"the certificate of {self._at.shown} is not trusted: {error.verify_message}"
            return UnusableModelError(f"{self.name}: {why}.")
        why = self._mask(error.strerror or str(error) or type(error).__name__)
        if isinstance(error, WrongProtocolError):
            said = f"{self.name}: no request can be sent to {self._at.shown}: {why}. Check {self._address_setting}."
            return UnusableModelError(said)
        if isinstance(error, NoConnectionError):
            said = f"cannot reach {self._at.shown}: {why}. Check that the server is running{self._and_address()}."
            return OutageError(f"{self.name}: {said}", reached=False)
        said = f"{self.name}: no response from {self._at.shown}: {why}."
        return OutageError(said, reached=True) if isinstance(error, CutOffError) else TransientError(said)

    def _refusal(self, reply: ServerResponse) -> ModelError:
        status = reply.status
        code, message = self.code_and_message(reply)
        said = f"{self._at.shown} answered {status}: {self._mask(message)[:300]}"
        wait = read_wait(reply.headers)

        def unusable(why: str) -> ModelError:
            return UnusableModelError(f"{self.name}: {why}. {said}", status=status)

        if status == 400 and _PLAIN_TO_TLS.search(reply.content[:10_000]):
            return unusable("the server speaks TLS. Use https://")
        if status in (401, 403) or code in self.key_codes:
            if self._at.login:
                return unusable(f"the login was not accepted. Check {self._address_setting}")
            return unusable(f"the key was not accepted. Check {self._key_words()}")
        if 300 <= status < 400:
            elsewhere = self._mask(reply.headers.get("location", "elsewhere").partition("?")[0])[:300]
            return unusable(f"the server redirects to {elsewhere}. Check {self._address_setting}")
        if status == 404 or code == "model_not_found":
            return unusable(f"no such model or endpoint. Check its name{self._and_address()}")
        if code == "insufficient_quota" or status == 402:
            return unusable("the account has no quota left")
        if status in BUSY:
            return BusyError(f"{self.name}: {said}", retry_after=wait, status=status)
        if status in DOWN:
            return OutageError(f"{self.name}: {said}", reached=True, retry_after=wait, status=status)
        if status in (408, 409, 425) or status >= 500:
            return TransientError(f"{self.name}: {said}", retry_after=wait, status=status)
        return RejectedError(f"{self.name}: the request was not accepted. {said}", status=status)

    def _mask(self, text: str) -> str:
        """Return the text in one line, without keys and secret parts of the address."""
        return self._secret.sub(HIDDEN, " ".join(text.split()))

    def _hide(self, *secrets: str) -> None:
        """Mask these secrets in all later responses and errors."""
        self._hidden = secrets
        self._secret, self._known = masking(secrets), KnownSecrets.from_texts(secrets)

    def _key_words(self) -> str:
        return " or ".join(self._key_variables) or "api_key_env"

    @property
    def _address_setting(self) -> str:
        return self.access.address_variable or "base_url"

    def _or_elsewhere(self) -> str:
        return f", or {self.access.address_variable} for your server" if self.access.address_variable else ""

    def _and_address(self) -> str:
        return f", and {self.access.address_variable}" if self.access.address_variable else ""

    def _how_known(self, *, given: bool) -> str:
        if self._at.login:
            return "login from its address"
        if not self._key:
            return "no key"
        named = next((each for each in self._key_variables if os.environ.get(each)), "the environment")
        return "key given in the code" if given else f"key from {describe_origin(named)}"


def turns(request: Request) -> tuple[tuple[str, tuple[EncodedImage, ...], str], ...]:
    """Return the examples of a request, then its question: text, images and response (empty for the question)."""
    return (*request.examples, (request.text, request.images, ""))


def data_uri(image: EncodedImage) -> str:
    """Return an image as a data URI."""
    return f"data:{image.media_type};base64,{image.base64.decode()}"


def read_wait(headers: Mapping[str, str]) -> float | None:
    """Return the wait in seconds that a server asks for. None if it asks for none."""
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
