"""OpenAI's batch API: upload requests, create a batch, and download the responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

import orjson

from snellen.errors import ModelError, TransientError
from snellen.models.base import Response
from snellen.models.batching import Batching, BatchLine, BatchResult, BatchState, as_number, as_object, as_row, require
from snellen.models.client.provider import Provider
from snellen.prompts import Request

WAYS_TO_END = ("completed", "failed", "expired", "cancelled")
BOUNDARY = "snellen-file-of-requests"
PAGES = 20
"""The most pages of the list of batches that are searched for one of ours."""


class OpenAIBatches(Batching):
    """Batches of one OpenAI model."""

    most_requests = 50_000
    most_bytes = 190_000_000

    def __init__(self, model: Provider, endpoint: str) -> None:
        self._model, self._endpoint = model, endpoint

    def size(self, request: Request) -> int:
        """Return the bytes of a request in the upload, with its JSON frame."""
        return sum(map(len, self._model.parts(request))) + 200

    async def submit(self, tag: str, lines: Sequence[BatchLine]) -> str:
        """Upload the requests, then create a batch of them."""
        file = await self._model.request_json(
            self._file(tag, lines), below="/files", content_type=f"multipart/form-data; boundary={BOUNDARY}"
        )
        wanted = {
            "input_file_id": require(str, "id", file.get("id")),
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {"snellen": tag},
        }
        made = await self._model.request_json([orjson.dumps(wanted)], below="/batches")
        return str(require(str, "id", made.get("id")))

    def _file(self, tag: str, lines: Sequence[BatchLine]) -> list[bytes]:
        """Return the upload: the purpose, then a line of JSON for each request."""
        start = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{tag}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        parts = [start.encode()]
        for custom_id, request in lines:
            head = {"custom_id": custom_id, "method": "POST", "url": self._endpoint}
            parts += [orjson.dumps(head)[:-1] + b',"body":', *self._model.parts(request), b"}\n"]
        return [*parts, f"\r\n--{BOUNDARY}--\r\n".encode()]

    async def find(self, tag: str, *, since: float, requests: int, others: Collection[str] = ()) -> str:
        """Return the batch with the tag in its metadata; empty if there is none."""
        after = ""
        for _ in range(PAGES):
            page = await self._model.request_json([], below=f"/batches?limit=100{after}", method="GET")
            batches: list[dict[str, Any]] = require(list, "data", page.get("data"))
            for each in batches:
                if as_object(each.get("metadata")).get("snellen") == tag:
                    return str(each["id"])
            if not page.get("has_more") or not batches or (batches[-1].get("created_at") or 0) < since - 3600:
                return ""
            after = f"&after={batches[-1]['id']}"
        return ""

    async def state(self, batch: str) -> BatchState:
        """Return whether the batch has ended, its counts of requests, and its failure if any."""
        now = await self._model.request_json([], below=f"/batches/{batch}", method="GET")
        status = require(str, "status", now.get("status"))
        counts = as_object(now.get("request_counts"))
        failure = ""
        if status in WAYS_TO_END and not (now.get("output_file_id") or now.get("error_file_id")):
            errors = as_object(now.get("errors")).get("data")
            first = as_object(errors[0]) if isinstance(errors, list) and errors else {}
            why = self._model.mask_briefly(str(first.get("message") or "the provider does not say why"))
            failure = f"the batch is {status}: {why}"
        done = as_number(counts.get("completed")) + as_number(counts.get("failed"))
        return BatchState(status in WAYS_TO_END, done, as_number(counts.get("total")), failure)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """Yield the results of a batch, from its files of responses and errors."""
        now = await self._model.request_json([], below=f"/batches/{batch}", method="GET")
        for name in ("output_file_id", "error_file_id"):
            if file := now.get(name):
                async for line in self._model.iter_lines(f"/files/{file}/content"):
                    yield self._result(line)

    def _result(self, line: bytes) -> BatchResult:
        row = as_row(line)
        reply = as_object(row.get("response"))
        came: Response | ModelError
        if isinstance(reply.get("body"), dict):
            came = self._model.read_batched(as_number(reply.get("status_code")) or 200, reply["body"])
        else:
            why = self._model.mask_briefly(
                str(as_object(row.get("error")).get("message") or "the provider does not say why")
            )
            came = TransientError(f"{self._model.name}: not answered in its batch: {why}")
        return BatchResult(str(row.get("custom_id")), came)
