"""Errors of contract checks: expected and actual behaviour, and what to change."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from snellen.benchmarks import load
from snellen.errors import Inapplicable
from snellen.items import Item

_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class ContractError(AssertionError):
    """A member breaks the contract of its family."""


def require(holds: object, sentence: str) -> None:
    """Raise ContractError with a sentence if a condition does not hold."""
    if not holds:
        raise ContractError(sentence)


def require_name(name: object, what: str) -> None:
    """Raise ContractError unless a name can be part of command lines and labels."""
    require(
        isinstance(name, str) and _NAME.fullmatch(name),
        f"The name of a {what} has small letters, digits and hyphens, as in 'asked-politely'; got {name!r}. "
        "A comma, colon, plus or space would end it on a command line.",
    )


@contextmanager
def explain_errors(doing: str, change: str) -> Iterator[None]:
    """Turn a member's exception into ContractError with advice; let Inapplicable pass."""
    try:
        yield
    except (ContractError, Inapplicable):
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}, line {where.lineno}"
        said = str(error).rstrip(".")
        raise ContractError(f"{doing} raised {type(error).__name__}: {said} ({place}). {change}") from error


def list_answers(item: Item) -> Iterable[int | str]:
    """Return possible answer keys of an item, to check that nothing depends on the key."""
    return range(len(item.options)) if item.kind == "choice" else ("one", "another")


@cache
def load_phantoms(lines: tuple[str, ...]) -> tuple[Item, ...]:
    """Load the items of some phantoms, for checks without given items."""
    return tuple(item for line in lines for item in load(line))
