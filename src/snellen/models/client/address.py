"""ServerAddress: where a server is posted to, what people may be shown of that, and what nobody may."""

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
"""Paths in which nobody hides anything; any other may hold a token."""
FROM_FILE: set[str] = set()
"""Variables that a .env of the working directory has set."""
UNREAD: set[str] = set()
"""Variables that stand in a .env and are not read from there."""
IN_FILE = " in .env"


@dataclass(frozen=True)
class ServerAddress:
    """An address such as http://host:8000/v1, which may hold a login, a query, and tokens in its path."""

    parts: SplitResult

    @classmethod
    def parse(cls, text: str) -> ServerAddress:
        """The address in a text; raises ValueError that quotes nothing of it."""
        parts = checked(text, wanted="an address such as http://host:8000/v1")
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError("an @ stands behind the host: write / ? # @ in a password as %2F %3F %23 %40")
        return cls(parts._replace(path=parts.path.rstrip("/")))

    def below(self, path: str) -> str:
        """The address of something on this server, with the query of this one."""
        return self.parts._replace(path=self.parts.path + path, fragment="").geturl()

    @cached_property
    def shown(self) -> str:
        """Scheme, host and port, and the path where it holds nothing but words such as v1.

        Any other path becomes four digits of its hash: enough to tell two servers behind one host apart, and too little
        to find out what stands in it.
        """
        path = self.parts.path
        if not _HARMLESS.fullmatch(path):
            path = f"/…{hashlib.sha256(path.encode()).hexdigest()[:4]}"
        return f"{self.parts.scheme}://{self.parts.netloc.rpartition('@')[2]}{path}"

    @property
    def login(self) -> str:
        """User and password as an Authorization header has them; empty where there are none."""
        return "" if self.parts.username is None else basic_login(self.parts)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """All that must not be shown, as it stands in the address and as a server may have read it."""
        parts = self.parts
        values = [each.partition("=")[2] or each for each in parts.query.split("&")]
        segments = [each for each in parts.path.split("/") if not _HARMLESS.fullmatch(f"/{each}")]
        # a user's name is no secret, unless it is all there is
        login = [parts.netloc.rpartition("@")[0], parts.password or parts.username or ""]
        hidden = [*login, self.login.removeprefix("Basic "), parts.query, *values, parts.fragment, *segments]
        return tuple({form(each) for each in hidden for form in (str, quote, unquote, unquote_plus)})


def find_address(variable: str) -> str:
    """The address that a variable of the environment names, or nothing; ValueError if .env alone names one."""
    if not (found := os.environ.get(variable, "")) and variable in UNREAD:
        raise ValueError(f"{variable} stands in .env, and no address is read from there. Set it in your shell")
    return found


def describe_origin(variable: str) -> str:
    """The variable, and the file if it is a .env that set it: a key from there may be somebody else's."""
    return f"{variable}{IN_FILE}" if variable in FROM_FILE else variable


def host_elsewhere(address: str) -> str:
    """The host of an address, unless it is this machine.

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


def checked(url: str, *, wanted: str) -> SplitResult:
    """The address with its host in ASCII; the error quotes nothing, since a password may stand anywhere in it."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:  # whose own words may quote a password
        raise ValueError(f"expected {wanted}, got one whose host or port cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"expected {wanted}, got one that begins with neither http:// nor https://")
    if not host:
        raise ValueError(f"expected {wanted}, got one without a host")
    login, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{login}{at}{bracketed(host)}{port}")


def bracketed(host: str) -> str:
    """The host as it stands in an address: an IPv6 one in brackets."""
    return f"[{host}]" if ":" in host else host


def basic_login(url: SplitResult) -> str:
    """User and password of an address, as an Authorization header has them."""
    login = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {b64encode(login.encode()).decode()}"
