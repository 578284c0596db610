"""Batch APIs: many requests in one submission, answered within a day at half the price."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any, NamedTuple

from snellen.errors import ModelError
from snellen.models.base import Response
from snellen.models.client.replies import as_object, load_json
from snellen.prompts import Request


class BatchState(NamedTuple):
    """State of a batch at its provider."""

    ended: bool
    done: int
    total: int
    failure: str = ""
    """Why no request was answered, if the provider says that the whole batch failed."""


class BatchResult(NamedTuple):
    """The result of one request of a batch, with the request's id."""

    custom_id: str
    came: Response | ModelError


def require(kind: type[Any], field: str, value: Any) -> Any:
    """Return the value if it has this type. Otherwise raise a ValueError that names the field."""
    if not isinstance(value, kind):
        raise ValueError(f"its {field} is not {'a list' if kind is list else 'a text'}")
    return value


def as_row(line: bytes) -> dict[str, Any]:
    """Return the object in a line of JSON; an empty one if there is none."""
    return as_object(load_json(line))


def as_number(value: Any) -> int:
    """Return a number of requests, also from text; 0 for anything else.

    >>> as_number(3), as_number("3"), as_number(None), as_number("many")
    (3, 3, 0, 0)
    """
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:18])
    return value if type(value) is int else 0


class BatchLine(NamedTuple):
    """A request in a batch, with its id."""

    custom_id: str
    request: Request


class Batching(ABC):
    """The batch API of one model. Every submission has its own tag, by which it can be found again."""

    most_requests: int
    most_bytes: int
    """The most bytes of all requests of one batch together, as they are sent."""

    @abstractmethod
    def size(self, request: Request) -> int:
        """Return about how many bytes a request takes in a batch."""

    @abstractmethod
    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Submit a batch, and return the provider's id of it."""

    @abstractmethod
    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the id of the batch with this tag, created at about this time. Empty if there is none.

        Ids in `others` belong to known batches and are never returned.
        """

    @abstractmethod
    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch."""

    @abstractmethod
    def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch that has ended, in any order."""
