"""Secrets: how they are known by their names and their looks, and how they are masked in what leaves memory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

SHORTEST_SECRET = 4
"""Anything shorter is a placeholder such as `x`, not a secret to be taken out of messages."""
HIDDEN = "[hidden]"
_TELLING = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]")
_KEY_VARIABLE = re.compile(r"(?:[A-Z0-9_]+_)?(?:KEY|TOKEN)|AWS_ACCESS_KEY_ID|AWS_BEARER_TOKEN_BEDROCK")
_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:api[_-]?key|key|token|secret|password|passwd|passphrase|authori[sz]ation|auth|credentials?)",
    re.IGNORECASE,
)
_LOOKS = re.compile(r"\b(?:sk|key|pk)-[\w*.-]{6,}")
"""What keys of many providers look like."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONG_PART = 12
"""A part of a name with so many letters and digits mixed is no word."""


def holds_key(variable: str) -> bool:
    """Whether an environment variable is named as those are that hold the key of a provider.

    >>> holds_key("OPENAI_API_KEY"), holds_key("HF_TOKEN"), holds_key("HTTPS_PROXY")
    (True, True, False)
    """
    return _KEY_VARIABLE.fullmatch(variable) is not None


def is_secret_name(name: str) -> bool:
    """Whether what stands under a name is a secret.

    >>> [name for name in ("apiKey", "X-Auth-Token", "max_tokens", "seed") if is_secret_name(name)]
    ['apiKey', 'X-Auth-Token']
    """
    return _SECRET_NAME.fullmatch(_CAPITAL.sub("_", name)) is not None


def describe_unset(variable: str) -> str:
    """Why a variable that is to hold a key cannot be used; a key in the place of its name is not repeated.

    >>> describe_unset("CLINIC_KEY")
    'api_key_env names CLINIC_KEY, which is not set'
    >>> describe_unset("sk-proj-123456")
    'api_key_env looks like a key; it wants the NAME of the variable that holds it, such as OPENAI_API_KEY'
    """
    parts = variable.split("_") if _VARIABLE.fullmatch(variable) else [variable * _LONG_PART]
    if not _VARIABLE.fullmatch(variable) or any(len(part) >= _LONG_PART and _is_mixed(part) for part in parts):
        return "api_key_env looks like a key; it wants the NAME of the variable that holds it, such as OPENAI_API_KEY"
    return f"api_key_env names {variable}, which is not set"


def find_secrets(value: Any, *, named: bool = False) -> Iterator[str]:
    """The texts under names of secrets, at any depth of a table, and what looks like a key elsewhere in it."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from find_secrets(each, named=named or is_secret_name(str(name)))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from find_secrets(each, named=named)
    elif isinstance(value, str):
        yield from [value] if named else _LOOKS.findall(value)


def hide_secrets(value: Any, secrets: re.Pattern[str], *, named: bool = False) -> Any:
    """A table without the texts under names of secrets, and without known secrets in any other text."""
    if isinstance(value, Mapping):
        return {
            name: hide_secrets(each, secrets, named=named or is_secret_name(str(name))) for name, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [hide_secrets(each, secrets, named=named) for each in value]
    if not isinstance(value, str):
        return value
    return HIDDEN if named else secrets.sub(HIDDEN, value)


def environment_secrets() -> frozenset[str]:
    """The keys, tokens and passwords in this process's environment that no word can be."""
    held = {value.strip() for name, value in os.environ.items() if holds_key(name) or is_secret_name(name)}
    return frozenset(filter(is_telling, held))


def hide_environment(text: str) -> str:
    """A text without the secrets of this process's environment."""
    return KnownSecrets.of(environment_secrets()).hide(text)


def is_telling(secret: str) -> bool:
    """Whether a secret can be no word: it is long, and has letters and digits."""
    return len(secret) >= 2 * SHORTEST_SECRET and _TELLING.search(secret) is not None


def masking(secrets: Iterable[str]) -> re.Pattern[str]:
    """Where the secrets stand in a message, the longest first, and anything else that looks like a key."""
    long = {form for each in secrets for form in _forms(each) if len(form) >= SHORTEST_SECRET}
    return re.compile("|".join([*_escape(long), _LOOKS.pattern]))


class KnownSecrets(NamedTuple):
    """Secrets that are masked in responses: those that no word can be, unlike the keys of local servers."""

    texts: frozenset[str]

    @classmethod
    def of(cls, secrets: Iterable[str]) -> KnownSecrets:
        """Those of the secrets that are telling, and their telling parts."""
        return cls(frozenset(form for each in secrets for form in _forms(each) if is_telling(form)))

    def are_in(self, text: str) -> bool:
        """Whether any of them stands in a text; several times as fast as the pattern, for every response."""
        return any(map(text.__contains__, self.texts))

    def hide(self, text: str) -> str:
        """The text without them.

        >>> KnownSecrets.of(("sk-9f3a77c0", "none", "application/json", "2024-10-21")).hide("none: sk-9f3a77c0")
        'none: [hidden]'
        """
        return _pattern(self.texts).sub(HIDDEN, text)


def _forms(secret: str) -> Iterator[str]:
    """A secret, and the part of it that counts, as in `Bearer 9f3a77c0`."""
    yield secret
    yield from filter(is_telling, secret.split())


@lru_cache(maxsize=64)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(_escape(secrets)) or r"(?!)")


def _escape(secrets: Iterable[str]) -> list[str]:
    return [re.escape(each) for each in sorted(secrets, key=len, reverse=True)]


def _is_mixed(part: str) -> bool:
    return any(map(str.isdigit, part)) or (part != part.upper() and part != part.lower())
