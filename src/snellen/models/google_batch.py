"""Gemini's batches: requests in one body, responses in the finished batch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

import orjson

from snellen.errors import TransientError
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, as_object, require
from snellen.models.client.provider import Provider
from snellen.prompts import Request

WAYS_TO_END = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""
STATUSES = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
"""The HTTP status for each error code in a batch; all others count as 400."""


class GoogleBatches(Batching):
    """Batches of one Gemini model, with the requests inline."""

    most_requests = 1000
    most_bytes = 18_000_000

    def __init__(self, model: Provider, *, submit: str, version: str) -> None:
        self._model, self._submit, self._version = model, submit, version

    def size(self, request: Request) -> int:
        """Return the size of the body and what is added around it."""
        return sum(map(len, self._model.parts(request))) + 100

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Send all requests in one body, each with its id."""
        name = orjson.dumps(tag)
        parts = [b'{"batch":{"displayName":' + name + b',"inputConfig":{"requests":{"requests":[']
        for at, (custom_id, request) in enumerate(lines):
            tail = b',"metadata":' + orjson.dumps({"key": custom_id}) + b"}"
            parts += [b',{"request":' if at else b'{"request":', *self._model.parts(request), tail]
        made = await self._model.request_json([*parts, b"]}}}}"], below=self._submit)
        return str(require(str, "name", made.get("name")))

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the batch whose display name is the tag; empty if there is none."""
        token = ""
        for _ in range(PAGES):
            page = await self._model.request_json(
                [], below=f"{self._version}/batches?pageSize=100{token}", method="GET"
            )
            for each in require(list, "operations", page.get("operations") or []):
                if as_object(each.get("metadata")).get("displayName") == tag:
                    return str(each["name"])
            if not page.get("nextPageToken"):
                return ""
            token = f"&pageToken={page['nextPageToken']}"
        return ""

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch from its state and its counts of requests."""
        now = await self._now(batch)
        about = as_object(now.get("metadata"))
        stats = as_object(about.get("batchStats"))
        done = sum(as_number(stats.get(name)) for name in ("successfulRequestCount", "failedRequestCount"))
        state = str(about.get("state", "")).rpartition("STATE_")[2]
        ended = bool(now.get("done")) or state in WAYS_TO_END
        failure = ""
        if ended and not _replies(now):
            why = as_object(now.get("error")).get("message") or "the provider does not say why"
            failure = f"the batch is {state.lower() or 'ended'}: {self._model.mask_briefly(str(why))}"
        return BatchState(ended, done, as_number(stats.get("requestCount")), failure)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a finished batch."""
        for each in _replies(await self._now(batch)):
            custom_id = str(as_object(each.get("metadata")).get("key"))
            if isinstance(each.get("response"), dict):
                yield BatchResult(custom_id, self._model.read_batched(200, each["response"]))
            elif error := as_object(each.get("error")):
                status = STATUSES.get(as_number(error.get("code")), 400)
                yield BatchResult(custom_id, self._model.read_batched(status, {"error": error}))
            else:
                why = TransientError(f"{self._model.name}: not answered: its batch has no response to it.")
                yield BatchResult(custom_id, why)

    async def _now(self, batch: str) -> dict[str, Any]:
        return await self._model.request_json([], below=f"{self._version}/{batch}", method="GET")


def _replies(now: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the responses of a batch. They are in its response or in its metadata's output."""
    for holder in (now.get("response"), as_object(now.get("metadata")).get("output")):
        found = as_object(as_object(holder).get("inlinedResponses")).get("inlinedResponses")
        if isinstance(found, list):
            return list(map(as_object, found))
    return []
