"""Gemini's batches: the requests travel in one body, and the replies stand in the batch once it has ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson

from snellen.errors import TransientError
from snellen.models.batching import Batching, BatchResult, BatchState, Line
from snellen.models.fields import needed, optional
from snellen.models.server import ServerModel
from snellen.prompts import Request

WAYS_TO_END = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
PAGES = 20
"""Pages of batches that are looked through for one of ours."""
STATUSES = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
"""The HTTP status of each code of an error; any other is a request that was not accepted."""


class GoogleBatches(Batching):
    """The batches of one Gemini model, with the requests inline."""

    most_requests = 1000
    most_bytes = 18_000_000

    def __init__(self, model: ServerModel, *, submit: str, version: str) -> None:
        self._model, self._submit, self._version = model, submit, version

    def size(self, request: Request) -> int:
        """The body and what stands around it."""
        return sum(map(len, self._model.parts(request))) + 100

    async def submit(self, tag: str, lines: Sequence[Line]) -> str:
        """All requests in one body, each with its id."""
        name = orjson.dumps(tag)
        parts = [b'{"batch":{"displayName":' + name + b',"inputConfig":{"requests":{"requests":[']
        for at, (custom_id, request) in enumerate(lines):
            tail = b',"metadata":' + orjson.dumps({"key": custom_id}) + b"}"
            parts += [b',{"request":' if at else b'{"request":', *self._model.parts(request), tail]
        made = await self._model.asked([*parts, b"]}}}}"], below=self._submit)
        return str(needed(str, "name", made.get("name")))

    async def find(self, tag: str, *, since: float, requests: int) -> str:
        """The batch whose name to show is the tag."""
        token = ""
        for _ in range(PAGES):
            page = await self._model.asked([], below=f"{self._version}/batches?pageSize=100{token}", method="GET")
            for each in optional(list, "operations", page.get("operations")) or []:
                if (each.get("metadata") or {}).get("displayName") == tag:
                    return str(each["name"])
            if not page.get("nextPageToken"):
                return ""
            token = f"&pageToken={page['nextPageToken']}"
        return ""

    async def state(self, batch: str) -> BatchState:
        """By its state and its counts of requests."""
        now = await self._now(batch)
        about = optional(dict, "metadata", now.get("metadata")) or {}
        stats = optional(dict, "batchStats", about.get("batchStats")) or {}
        done = sum(int(stats.get(name) or 0) for name in ("successfulRequestCount", "failedRequestCount"))
        state = str(about.get("state", "")).rpartition("STATE_")[2]
        ended = bool(now.get("done")) or state in WAYS_TO_END
        failure = ""
        if ended and not _replies(now):
            why = (optional(dict, "error", now.get("error")) or {}).get("message") or "the provider does not say why"
            failure = f"the batch is {state.lower() or 'ended'}: {why}"
        return BatchState(ended, done, int(stats.get("requestCount") or 0), failure)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """The replies that stand in it."""
        for each in _replies(await self._now(batch)):
            custom_id = str((each.get("metadata") or {}).get("key"))
            if isinstance(each.get("response"), dict):
                yield BatchResult(custom_id, self._model.came(200, each["response"]))
            elif error := each.get("error"):
                yield BatchResult(custom_id, self._model.came(STATUSES.get(error.get("code"), 400), {"error": error}))
            else:
                why = TransientError(f"{self._model.name}: not answered: its batch holds no reply to it.")
                yield BatchResult(custom_id, why)

    async def _now(self, batch: str) -> dict[str, Any]:
        return await self._model.asked([], below=f"{self._version}/{batch}", method="GET")


def _replies(now: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies in a batch, wherever they stand: in its response, or in the output of its metadata."""
    for holder in (now.get("response"), (now.get("metadata") or {}).get("output")):
        found = (holder or {}).get("inlinedResponses") or {}
        if isinstance(found, dict) and isinstance(found.get("inlinedResponses"), list):
            return list(found["inlinedResponses"])
    return []
