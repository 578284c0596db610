"""Secrets: recognise them by name and form, and mask them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

SHORTEST_SECRET = 4
"""Shortest secret. Anything shorter is a placeholder such as `x`, and not masked in messages."""
HIDDEN = "[hidden]"
_TELLING = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]")
_KEY_VARIABLE = re.compile(r"(?:[A-Z0-9_]+_)?(?:KEY|TOKEN)|AWS_ACCESS_KEY_ID|AWS_BEARER_TOKEN_BEDROCK")
_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:api[_-]?key|key|token|secret|password|passwd|passphrase|authori[sz]ation|auth|credentials?)",
    re.IGNORECASE,
)
_LOOKS = re.compile(r"\b(?:sk|key|pk)-[\w*.-]{6,}")
"""Pattern of many providers' keys."""
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONG_PART = 12
"""Length from which a name's part of mixed letters and digits is not a word."""


def holds_key(variable: str) -> bool:
    """Return whether an environment variable is named like a provider's key.

    >>> holds_key("OPENAI_API_KEY"), holds_key("HF_TOKEN"), holds_key("HTTPS_PROXY")
    (True, True, False)
    """
    return _KEY_VARIABLE.fullmatch(variable) is not None


def is_secret_name(name: str) -> bool:
    """Return whether a field's name means that its value is a secret.

    >>> [name for name in ("apiKey", "X-Auth-Token", "max_tokens", "seed") if is_secret_name(name)]
    ['apiKey', 'X-Auth-Token']
    """
    return _SECRET_NAME.fullmatch(_CAPITAL.sub("_", name)) is not None


def describe_unset(variable: str) -> str:
    """Return the reason why a key variable cannot be used, without repeating a key.

    >>> describe_unset("CLINIC_KEY")
    'api_key_env names CLINIC_KEY, which is not set'
    >>> describe_unset("sk-proj-123456")
    'api_key_env looks like a key; expected the NAME of the variable with the key, such as OPENAI_API_KEY'
    """
    parts = variable.split("_") if _VARIABLE.fullmatch(variable) else [variable * _LONG_PART]
    if not _VARIABLE.fullmatch(variable) or any(len(part) >= _LONG_PART and _is_mixed(part) for part in parts):
        return "api_key_env looks like a key; expected the NAME of the variable with the key, such as OPENAI_API_KEY"
    return f"api_key_env names {variable}, which is not set"


def find_secrets(value: Any, *, named: bool = False) -> Iterator[str]:
    """Yield the texts in fields named like secrets, and texts that look like keys."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from find_secrets(each, named=named or is_secret_name(str(name)))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from find_secrets(each, named=named)
    elif isinstance(value, str):
        yield from [value] if named else _LOOKS.findall(value)


def hide_secrets(value: Any, secrets: re.Pattern[str], *, named: bool = False) -> Any:
    """Return a table with secrets masked: fields named like secrets, and secrets within other texts."""
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
    """Return the keys, tokens and passwords in this process's environment that cannot be ordinary words."""
    held = {value.strip() for name, value in os.environ.items() if holds_key(name) or is_secret_name(name)}
    return frozenset(filter(is_telling, held))


def hide_environment(text: str) -> str:
    """Return the text with the secrets of this process's environment masked."""
    return KnownSecrets.from_texts(environment_secrets()).hide(text)


def is_telling(secret: str) -> bool:
    """Return whether a secret cannot be an ordinary word: it is long, and has letters and digits."""
    return len(secret) >= 2 * SHORTEST_SECRET and _TELLING.search(secret) is not None


def masking(secrets: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of these secrets and likely keys, the longest first."""
    long = {form for each in secrets for form in _forms(each) if len(form) >= SHORTEST_SECRET}
    return re.compile("|".join([*_escape(long), _LOOKS.pattern]))


class KnownSecrets(NamedTuple):
    """Secrets to mask in responses, without those that may be ordinary words."""

    texts: frozenset[str]

    @classmethod
    def from_texts(cls, secrets: Iterable[str]) -> KnownSecrets:
        """Keep the secrets that cannot be ordinary words, and their parts that cannot."""
        return cls(frozenset(form for each in secrets for form in _forms(each) if is_telling(form)))

    def are_in(self, text: str) -> bool:
        """Return whether a text contains any of these secrets. Fast enough for every response."""
        return any(map(text.__contains__, self.texts))

    def hide(self, text: str) -> str:
        """Return the text with these secrets masked.

        >>> KnownSecrets.from_texts(("sk-9f3a77c0", "none", "application/json", "2024-10-21")).hide("none: sk-9f3a77c0")
        'none: [hidden]'
        """
        return _pattern(self.texts).sub(HIDDEN, text)


def _forms(secret: str) -> Iterator[str]:
    """Yield a secret, and the secret part of it, as in `Bearer 9f3a77c0`."""
    yield secret
    yield from filter(is_telling, secret.split())


@lru_cache(maxsize=64)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(_escape(secrets)) or r"(?!)")


def _escape(secrets: Iterable[str]) -> list[str]:
    return [re.escape(each) for each in sorted(secrets, key=len, reverse=True)]


def _is_mixed(part: str) -> bool:
    return any(map(str.isdigit, part)) or (part != part.upper() and part != part.lower())
