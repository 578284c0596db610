"""Anthropic's message batches: requests in one body, responses as lines of JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from datetime import datetime
from typing import Any

import orjson

from snellen.errors import TransientError
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, as_object, as_row, require
from snellen.models.client.provider import Provider
from snellen.prompts import Request

PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""
CLOCKS_APART = 300.0
"""Seconds that the provider's clock may be behind ours."""
STATUSES = {
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
    "api_error": 500,
    "timeout_error": 504,
}
"""The HTTP status that an error in a batch would have outside a batch. All others count as 400."""


class AnthropicBatches(Batching):
    """Batches of one Anthropic model."""

    most_requests = 100_000
    most_bytes = 240_000_000

    def __init__(self, model: Provider, path: str) -> None:
        self._model, self._path = model, path

    def size(self, request: Request) -> int:
        """Return the size of the body and what is added around it."""
        return sum(map(len, self._model.parts(request))) + 100

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Send all requests in one body."""
        parts = [b'{"requests":[']
        for at, (custom_id, request) in enumerate(lines):
            head = (b"," if at else b"") + b'{"custom_id":' + orjson.dumps(custom_id) + b',"params":'
            parts += [head, *self._model.parts(request), b"}"]
        made = await self._model.request_json([*parts, b"]}"], below=self._path)
        return str(require(str, "id", made.get("id")))

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the first batch since then with the same number of requests. Batches have no tags here.

        The tag is part of the requests' ids. If the batch has ended, it is read to check the tag.
        """
        made, after = [], ""
        for _ in range(PAGES):
            page = await self._model.request_json([], below=f"{self._path}?limit=100{after}", method="GET")
            batches = [as_object(each) for each in require(list, "data", page.get("data"))]
            made += [
                (created, str(each.get("id")))
                for each in batches
                if str(each.get("id")) not in others
                and _requests(each) == requests
                and (created := _seconds(each.get("created_at"))) > since - CLOCKS_APART
            ]
            if not page.get("has_more") or not batches:
                break
            after = f"&after_id={batches[-1].get('id')}"
        for _, batch in sorted(made):
            if not (await self.state(batch)).ended or await self._is_of(batch, tag):
                return batch
        return ""

    async def _is_of(self, batch: str, tag: str) -> bool:
        async for custom_id, _ in self.results(batch):
            return custom_id.rpartition("-")[0] == tag
        return False

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch from its counts. The provider updates them only at the end."""
        now = await self._model.request_json([], below=f"{self._path}/{batch}", method="GET")
        total = _requests(now)
        left = as_number(as_object(now.get("request_counts")).get("processing"))
        return BatchState(
            require(str, "processing_status", now.get("processing_status")) == "ended", total - left, total
        )

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch, line by line."""
        async for line in self._model.iter_lines(f"{self._path}/{batch}/results"):
            row = as_row(line)
            yield BatchResult(str(row.get("custom_id")), self._came(as_object(row.get("result"))))

    def _came(self, result: dict[str, Any]) -> Any:
        if result.get("type") == "succeeded":
            return self._model.read_batched(200, as_object(result.get("message")))
        if result.get("type") == "errored":
            error = as_object(result.get("error"))
            code = str(as_object(error.get("error") or error).get("type"))
            return self._model.read_batched(STATUSES.get(code, 400), error)
        return TransientError(f"{self._model.name}: not answered: the request was {result.get('type')} in its batch.")


def _requests(batch: dict[str, Any]) -> int:
    """Return how many requests a batch holds."""
    return sum(map(as_number, as_object(batch.get("request_counts")).values()))


def _seconds(written: Any) -> float:
    """Return a time such as 2026-11-17T04:00:00Z in seconds; 0 if it cannot be read."""
    try:
        return datetime.fromisoformat(str(written).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0
