"""AWS: the credentials and the region of this machine, and the signature by which it knows a request (version 4)."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Mapping, Sequence
from configparser import Error, RawConfigParser
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

UNRESERVED = "-._~"
"""What stands unquoted in a part of a path, beside letters and digits."""


class Credentials(NamedTuple):
    """A key, its secret, and the token of a session where they are those of one."""

    access_key: str
    secret_key: str
    token: str = ""


class Source(NamedTuple):
    """Where credentials come from: in words, and how to get those of now. Some `last` for a run, others run out."""

    named: str
    current: Callable[[], Credentials]
    last: bool = True


def profile() -> dict[str, str]:
    """The chosen profile of the files that AWS's own tools keep; raises ValueError where one cannot be read."""
    name = os.environ.get("AWS_PROFILE") or "default"
    in_config = name if name == "default" else f"profile {name}"
    places = (
        (os.environ.get("AWS_CONFIG_FILE") or "~/.aws/config", in_config),
        (os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials", name),
    )
    settings: dict[str, str] = {}
    for place, section in places:
        settings |= _section(Path(place).expanduser(), section)
    return settings


def region() -> str:
    """The region that this machine asks; empty where none is set."""
    variables = (os.environ.get(name) for name in ("AWS_REGION", "AWS_DEFAULT_REGION"))
    return next(filter(None, variables), None) or profile().get("region", "")


def credentials() -> Source | None:
    """Those of the environment, else of the chosen profile, else whatever botocore finds where it is installed."""
    keys = (os.environ.get(name, "") for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"))
    found = Credentials(*keys)
    if found.access_key and found.secret_key:
        return Source("AWS_ACCESS_KEY_ID", lambda: found)
    chosen = profile()
    if "role_arn" not in chosen and chosen.get("aws_access_key_id") and chosen.get("aws_secret_access_key"):
        names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
        kept = Credentials(*(chosen.get(name, "") for name in names))
        return Source(f"the AWS profile {os.environ.get('AWS_PROFILE') or 'default'}", lambda: kept)
    return _of_botocore()


def signed(
    credentials: Credentials,
    method: str,
    target: str,
    parts: Sequence[bytes],
    *,
    headers: Mapping[str, str],
    place: tuple[str, str],
    at: datetime,
) -> dict[str, str]:
    """The headers that sign a request to a path and query, given in parts.

    `headers` are those that the signature vouches for, the host among them; `place` is region and service.
    """
    time = at.strftime("%Y%m%dT%H%M%SZ")
    added = {"X-Amz-Date": time, **({"X-Amz-Security-Token": credentials.token} if credentials.token else {})}
    vouched = sorted((name.lower(), " ".join(value.split())) for name, value in {**headers, **added}.items())
    names = ";".join(name for name, _ in vouched)
    path, _, query = target.partition("?")
    asked = "\n".join(
        (
            method,
            quote(path, safe="/~"),
            "&".join(f"{name}={value}" for name, _, value in sorted(each.partition("=") for each in query.split("&")))
            if query
            else "",
            *(f"{name}:{value}" for name, value in vouched),
            "",
            names,
            _digest(parts),
        )
    )
    scope = "/".join((time[:8], *place, "aws4_request"))
    said = "\n".join(("AWS4-HMAC-SHA256", time, scope, _digest([asked.encode()])))
    key = f"AWS4{credentials.secret_key}".encode()
    for step in scope.split("/"):
        key = hmac.digest(key, step.encode(), "sha256")
    signature = hmac.digest(key, said.encode(), "sha256").hex()
    return added | {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, SignedHeaders={names}, "
        f"Signature={signature}"
    }


def _digest(parts: Sequence[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _section(path: Path, name: str) -> dict[str, str]:
    parser = RawConfigParser(strict=False)
    try:
        parser.read(path, encoding="utf-8")
    except (Error, OSError, UnicodeError) as error:
        # the words of a parser's error quote the line, which may be a secret
        raise ValueError(f"{path} cannot be read as a file of AWS profiles ({type(error).__name__})") from None
    return dict(parser[name]) if parser.has_section(name) else {}


def _of_botocore() -> Source | None:
    """Single sign-on, roles, a machine's own: what takes more than a file, by AWS's own library."""
    try:
        from botocore.exceptions import BotoCoreError
        from botocore.session import get_session
    except ImportError:
        return None
    try:
        found = get_session().get_credentials()
    except BotoCoreError as error:
        raise ValueError(f"AWS's own library finds no credentials: {error}") from error
    if found is None:
        return None

    def current() -> Credentials:
        try:
            frozen = found.get_frozen_credentials()
        except BotoCoreError as error:
            raise ValueError(f"the AWS credentials cannot be renewed: {error}") from error
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token or "")

    return Source(f"botocore ({found.method})", current, last=False)
