"""ServerAddress: the address that requests are sent to, and the part of it that may be shown."""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, unquote, unquote_plus, urlsplit

_HARMLESS = re.compile(r"(?:/(?:v\d+(?:beta\d*)?|api|openai|inference|compatible-mode))*")
"""Paths without secrets; any other path may contain a token."""
FROM_FILE: set[str] = set()
"""Variables that were set from a .env file in the working directory."""
UNREAD: set[str] = set()
"""Variables in a .env file that are ignored there."""
IN_FILE = " in .env"


@dataclass(frozen=True)
class ServerAddress:
    """An address such as http://host:8000/v1; its login, query and path may contain secrets."""

    parts: SplitResult

    @classmethod
    def parse(cls, text: str) -> ServerAddress:
        """Parse an address; the ValueError quotes nothing of it."""
        parts = check_address(text, wanted="an address such as http://host:8000/v1")
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError("the part after the host contains @: write / ? # @ in a password as %2F %3F %23 %40")
        return cls(parts._replace(path=parts.path.rstrip("/")))

    def join_path(self, path: str) -> str:
        """Return the address of a path on this server, with the same query."""
        return self.parts._replace(path=self.parts.path + path, fragment="").geturl()

    @cached_property
    def shown(self) -> str:
        """Scheme and host, and the path if it has only words such as v1.

        Any other path is replaced by four digits of its hash: enough to distinguish two servers on one host, but too
        little to guess the path.
        """
        path = self.parts.path
        if not _HARMLESS.fullmatch(path):
            path = f"/…{hashlib.sha256(path.encode()).hexdigest()[:4]}"
        return f"{self.parts.scheme}://{self.parts.netloc.rpartition('@')[2]}{path}"

    @property
    def login(self) -> str:
        """User and password for an Authorization header; empty if there are none."""
        return "" if self.parts.username is None else basic_login(self.parts)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The secret parts of the address, as written and as decoded."""
        parts = self.parts
        values = [each.partition("=")[2] or each for each in parts.query.split("&")]
        segments = [each for each in parts.path.split("/") if not _HARMLESS.fullmatch(f"/{each}")]
        # a user name is not secret, unless there is no password
        login = [parts.netloc.rpartition("@")[0], parts.password or parts.username or ""]
        hidden = [*login, self.login.removeprefix("Basic "), parts.query, *values, parts.fragment, *segments]
        return tuple({form(each) for each in hidden for form in (str, quote, unquote, unquote_plus)})


def find_address(variable: str) -> str:
    """Return the address in an environment variable, or ""; ValueError if only .env has it."""
    if not (found := os.environ.get(variable, "")) and variable in UNREAD:
        raise ValueError(f"Snellen reads no address from .env, and {variable} is only there. Set it in your shell")
    return found


def describe_origin(variable: str) -> str:
    """Return the variable's name, and mention the .env file if it was set there."""
    return f"{variable}{IN_FILE}" if variable in FROM_FILE else variable


def host_elsewhere(address: str) -> str:
    """Return the host of an address; "" if it is this machine.

    >>> host_elsewhere("https://api.example.org/v1"), host_elsewhere("http://127.0.0.1:8000/v1")
    ('api.example.org', '')
    """
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return ""
    try:
        number = ip_address(host)
    except ValueError:
        return host
    return "" if number.is_loopback or number.is_unspecified else host


def check_address(url: str, *, wanted: str) -> SplitResult:
    """Return the address with its host in ASCII; the ValueError quotes nothing, to protect passwords."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:  # the message of this error may quote a password
        raise ValueError(f"expected {wanted}, got one whose host or port cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"expected {wanted}, got one that begins with neither http:// nor https://")
    if not host:
        raise ValueError(f"expected {wanted}, got one without a host")
    login, at, _ = parts.netloc.rpartition("@")
    named = f"[{host}]" if ":" in host else host  # IPv6 in brackets
    return parts._replace(netloc=f"{login}{at}{named}{port}")


def basic_login(url: SplitResult) -> str:
    """Return user and password of an address for an Authorization header."""
    login = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(login.encode()).decode()}"
