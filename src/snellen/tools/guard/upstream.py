"""The upstream, the model server that the guard forwards to: address, headers and key."""

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
"""Header by which a guard recognises its own requests, in case its upstream leads back to it."""
_TOLD = ("content-type", "accept", "openai-beta", "traceparent", "tracestate", "x-client-request-id")
_ONCE = ("idempotency-key",)
"""Headers sent only with the client's own query, not with extra calls."""
_KEYS = ("authorization", "api-key", "x-api-key", "openai-organization", "openai-project")
_UNTOLD = (
    "connection", "content-encoding", "content-length", "date", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "server", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
    "x-snellen",
)  # fmt: skip
"""Response headers that belong to one connection or to the guard itself; not forwarded."""
_PLAIN = re.compile(r"[\t -~]*")


@dataclass(frozen=True)
class Upstream:
    """A model server. `model` is the only model served, or empty for any; `sign` identifies this guard."""

    transport: Transport
    model: str
    shown: str
    sign: str
    pass_key: bool

    def select_headers(self, headers: Mapping[str, str], *, once: bool) -> dict[str, str]:
        """Return the client's headers to forward; `once` is True for the client's own query."""
        names = (*_TOLD, *(_KEYS if self.pass_key else ()), *(_ONCE if once else ()))
        return {name: headers[name] for name in names if name in headers and _PLAIN.fullmatch(headers[name])}


def select_response_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a response that are forwarded to the client."""
    return {name: value for name, value in headers.items() if name.lower() not in _UNTOLD}


def open_upstream(named: str, *, timeout: float = 600.0, pass_key: bool = False) -> Upstream:
    """Open the server at OPENAI_BASE_URL, with the key OPENAI_API_KEY unless clients send their own.

    `openai/MODEL` serves only that model; `openai` serves every model of the server.
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
        transport = Transport(at.join_path(""), headers, timeout=timeout)
    except ValueError as error:
        said = "OPENAI_BASE_URL should read like 'http://host:8000/v1'"
        raise UnusableModelError(f"The upstream {named}: {error}. {said}.") from error
    return Upstream(transport, model.strip(), at.shown, sign, pass_key)
