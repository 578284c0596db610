"""Upstream: the server behind the guard, where it is, by what it knows us, and what is told to it of a client."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from snellen.errors import UnusableModelError
from snellen.models.chat import OFFICIAL
from snellen.models.client.address import ServerAddress, find_address
from snellen.models.client.transport import Transport

LOOP = "X-Snellen-Guard"
"""The header by which a guard knows its own requests, should its upstream lead back to it."""
_TOLD = ("content-type", "accept", "openai-beta", "traceparent", "tracestate", "x-client-request-id")
_ONCE = ("idempotency-key",)
"""Told with the client's own query alone: an extra call is another query."""
_KEYS = ("authorization", "api-key", "x-api-key", "openai-organization", "openai-project")
_UNTOLD = (
    "connection", "content-encoding", "content-length", "date", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "server", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    "x-snellen",
)  # fmt: skip
"""Headers of a reply that belong to one connection, or that are the guard's own."""
_PLAIN = re.compile(r"[\t -~]*")


@dataclass(frozen=True)
class Upstream:
    """A server, the one model of it that is served (any where there is none), and a sign of this guard."""

    transport: Transport
    model: str
    shown: str
    sign: str
    pass_key: bool

    @property
    def headers(self) -> tuple[str, ...]:
        """The headers of a client that are told to the server."""
        return (*_TOLD, *(_KEYS if self.pass_key else ()))

    def told(self, headers: Mapping[str, str], *, once: bool) -> dict[str, str]:
        """What the server is told of a client's headers; `once` for its own query."""
        names = (*self.headers, *_ONCE) if once else self.headers
        told = {name: headers[name] for name in names if name in headers}
        return {name: value for name, value in told.items() if _PLAIN.fullmatch(value)}


def passed_back(headers: Mapping[str, str]) -> dict[str, str]:
    """What the client is told of a reply's headers."""
    return {name: value for name, value in headers.items() if name.lower() not in _UNTOLD}


def open_upstream(named: str, *, timeout: float = 600.0, pass_key: bool = False) -> Upstream:
    """The server at OPENAI_BASE_URL, with the key OPENAI_API_KEY unless each client sends its own.

    `openai/MODEL` serves that model only, `openai` any that the server has.
    """
    provider, _, model = named.strip().partition("/")
    if provider != "openai":
        raise UnusableModelError(f"Expected --upstream openai/MODEL, or openai for every model; got {named!r}.")
    key = "" if pass_key else os.environ.get("OPENAI_API_KEY", "").strip()
    sign = secrets.token_hex(8)
    try:
        at = ServerAddress.parse(find_address("OPENAI_BASE_URL") or OFFICIAL)
        if at.shown == OFFICIAL and not (key or at.login or pass_key):
            said = "Set OPENAI_API_KEY, or OPENAI_BASE_URL for your server, or let clients send their own: --pass-key"
            raise UnusableModelError(f"The upstream {named} needs a key. {said}.")
        headers = {"User-Agent": "snellen-guard", LOOP: sign}
        if at.login and not pass_key:
            headers["Authorization"] = at.login
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        transport = Transport(at.below(""), headers, timeout=timeout)
    except ValueError as error:
        said = "OPENAI_BASE_URL should read like 'http://host:8000/v1'"
        raise UnusableModelError(f"The upstream {named}: {error}. {said}.") from error
    return Upstream(transport, model.strip(), at.shown, sign, pass_key)
