"""Batching: a provider's batch API: many requests in one submission, answered within a day, at half the price."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, NamedTuple

from snellen.errors import ModelError
from snellen.models.base import Response
from snellen.models.client.replies import load_json
from snellen.prompts import Request


class BatchState(NamedTuple):
    """How far a batch is at its provider."""

    ended: bool
    done: int
    total: int
    failure: str = ""
    """Why none of its requests was answered, where the provider says that the batch as a whole has failed."""


class BatchResult(NamedTuple):
    """What came of one request of a batch, by the id that it was submitted with."""

    custom_id: str
    came: Response | ModelError


def require(kind: type[Any], field: str, value: Any) -> Any:
    """The value, of this type; ValueError names the field if it is of another."""
    if not isinstance(value, kind):
        raise ValueError(f"its {field} is not {'a list' if kind is list else 'a text'}")
    return value


def as_object(value: Any) -> dict[str, Any]:
    """The value where it is an object, else one without fields: one odd line does not lose the others of its batch."""
    return value if isinstance(value, dict) else {}


def as_row(line: bytes) -> dict[str, Any]:
    """The object in a line of JSON; one without fields where there is none."""
    return as_object(load_json(line))


def as_number(value: Any) -> int:
    """A number of requests, also one that is written as a text; 0 for anything else.

    >>> as_number(3), as_number("3"), as_number(None), as_number("many")
    (3, 3, 0, 0)
    """
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:18])
    return value if type(value) is int else 0


class Line(NamedTuple):
    """A request as it stands in a batch."""

    custom_id: str
    request: Request


class Batching(ABC):
    """The batch API of one model. Every submission has a tag of its own, by which it can be found again."""

    most_requests: int
    most_bytes: int
    """Of all requests of one batch together, as they are sent."""

    @abstractmethod
    def size(self, request: Request) -> int:
        """About how many bytes a request takes in a batch."""

    @abstractmethod
    async def submit(self, tag: str, lines: Sequence[Line]) -> str:
        """Hand a batch in; the provider's id of it."""

    @abstractmethod
    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """The id of the batch that was handed in with a tag at some time since; empty where there is none.

        It is none of the `others`, which are known to be something else.
        """

    @abstractmethod
    async def state(self, batch: str) -> BatchState:
        """How far a batch is."""

    @abstractmethod
    def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """What came of the requests of a batch that has ended, in any order."""
