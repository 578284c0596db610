"""What every check says of a mistake: what was expected, what came, and what to change."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
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
    """Raise ContractError with a sentence unless something holds."""
    if not holds:
        raise ContractError(sentence)


def require_name(name: object, what: str) -> None:
    """Raise ContractError unless a command line and a label can carry a name."""
    require(
        isinstance(name, str) and _NAME.fullmatch(name),
        f"The name of a {what} has small letters, digits and hyphens, as in 'asked-politely'; got {name!r}. "
        "A comma, colon, plus or space would end it on a command line.",
    )


@contextmanager
def explain_errors(doing: str, change: str) -> Iterator[None]:
    """Tell what a member raised, where it did, and what to change; Inapplicable is an answer."""
    try:
        yield
    except (ContractError, Inapplicable):
        raise
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}, line {where.lineno}"
        said = str(error).rstrip(".")
        raise ContractError(f"{doing} raised {type(error).__name__}: {said} ({place}). {change}") from error


@cache
def load_phantoms(lines: tuple[str, ...]) -> tuple[Item, ...]:
    """The items of some lines of phantoms, for checks that are handed none."""
    return tuple(item for line in lines for item in load(line))
