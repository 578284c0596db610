"""The guard's proxy: forwards each query, and asks the same question without the image.

A failure of the guard never loses a response: it is forwarded without an opinion. With `closed` it is held back
instead, and can still be read in the field `snellen` unless `withhold` is set too.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler

from snellen.listening import Bodies, Callers, Refusal, Server, as_json, check_key, listen, send
from snellen.models.base import GUARD_BLOCKED, GUARD_HELD_BACK, GUARD_WARNING
from snellen.models.chat import read_completion
from snellen.models.client.transport import LONGEST_REPLY, Arriving, NoConnectionError
from snellen.sight.tokens import FEWEST_TOKENS
from snellen.tools.guard.log import REASONS, Action, GuardDecision, GuardLog, Installation, Status, model_name, now
from snellen.tools.guard.query import Query, read_query
from snellen.tools.guard.signal import EVEN, ComparisonKind, GuardAssessment, GuardResponse, compare, read_response
from snellen.tools.guard.signal import GuardStatus as Moved
from snellen.tools.guard.stand_ins import StandIns
from snellen.tools.guard.upstream import LOOP, Upstream, select_response_headers

LONGEST_EVENT = 16_000_000
_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n")
LONGEST_TRANSCRIPT = 64_000_000
"""Maximum bytes of a stream that are read for comparison; a longer stream passes without being compared."""
DONE = b"data: [DONE]\n\n"


class Events:
    """Splitter of a stream's bytes into events."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Return the events completed so far, each with the empty line that ends it."""
        start, whole, begins = max(0, len(self.rest) - 3), self.rest + piece, 0
        for end in _END.finditer(whole, start):
            yield whole[begins : end.end()]
            begins = end.end()
        self.rest = whole[begins:]
        if len(self.rest) > LONGEST_EVENT:
            raise ConnectionError(f"an event of the stream is longer than {LONGEST_EVENT:,} bytes")


class Transcript:
    """The response that the events of a stream add up to."""

    def __init__(self) -> None:
        self.done = self.finished = False
        self.frame: dict[str, Any] = {}
        self._text: list[str] = []
        self._read = 0
        self._finish = ""
        self._tokens: int | None = None
        self._odd = False

    def take(self, event: bytes) -> None:
        """Add one event; an event of another format makes the response unreadable."""
        self._read += len(event)
        if self._read > LONGEST_TRANSCRIPT:
            self._odd, self._text = True, []
            return
        data = b"\n".join(line[5:].strip() for line in event.splitlines() if line.startswith(b"data:"))
        if not data:
            return
        if data == b"[DONE]":
            self.done = True
            return
        try:
            self._chunk(orjson.loads(data))
        except (orjson.JSONDecodeError, AttributeError, TypeError, LookupError):
            self._odd = True

    def _chunk(self, chunk: dict[str, Any]) -> None:
        self._odd |= "error" in chunk
        self.frame = self.frame or {name: chunk[name] for name in ("id", "created", "model") if name in chunk}
        counted = (chunk.get("usage") or {}).get("prompt_tokens")
        self._tokens = counted if isinstance(counted, int) else self._tokens
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            self._odd |= bool(choice.get("index") or delta.get("tool_calls") or delta.get("function_call"))
            self._text += [said for said in (delta.get("content"), delta.get("refusal")) if said]
            if delta.get("refusal"):
                self._finish = "refusal"
            if choice.get("finish_reason"):
                self.finished = True
                self._finish = self._finish or choice["finish_reason"]

    @property
    def text(self) -> str:
        """The text received so far."""
        return "".join(each for each in self._text if isinstance(each, str))

    @property
    def answered(self) -> GuardResponse | None:
        """The response; None if the stream broke off or is not a chat completion."""
        whole = self.finished and not self._odd and all(isinstance(each, str) for each in self._text)
        return GuardResponse(self.text, str(self._finish), input_tokens=self._tokens) if whole else None


def chunk(frame: Mapping[str, Any], **more: Any) -> bytes:
    """Return an event with a chunk of a chat completion."""
    return b"data: " + orjson.dumps({**frame, "object": "chat.completion.chunk", **more}) + b"\n\n"


def delta(frame: Mapping[str, Any], part: Mapping[str, Any], finish: str | None = None) -> bytes:
    """Return an event that adds a part to the response, or ends it."""
    return chunk(frame, choices=[{"index": 0, "delta": part, "finish_reason": finish}])


def verdict(frame: Mapping[str, Any], field: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """Return the guard's opinion as a stream comment, which every client ignores.

    With `as_chunk`, a chunk without choices follows. Only clients that requested usage get it, since they must accept
    such chunks; many programs expect choices in every other chunk.
    """
    comment = b": snellen " + orjson.dumps(field) + b"\n\n"
    return comment + chunk(frame, choices=[], snellen=field) if as_chunk else comment


def in_place(frame: Mapping[str, Any], sentence: str, field: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """Return a whole stream with a sentence instead of the response."""
    spoken = delta(frame, {"role": "assistant", "content": sentence}) + delta(frame, {}, "content_filter")
    return spoken + verdict(frame, field, as_chunk=as_chunk) + DONE


Policy = Literal["annotate", "warn", "block"]
INSTEAD: Mapping[str, str] = {"blocked": GUARD_BLOCKED, "held back": GUARD_HELD_BACK}
"""The sentence that a client gets instead of a response, by the action on the response."""
LONGEST_COMPARED = 50_000
"""Maximum characters of a response that is compared; a longer one is undecided."""


@dataclass(frozen=True)
class GuardOpinion:
    """The guard's opinion on one response; `reason` is a word of `log.REASONS`, or empty."""

    status: Status
    reason: str = ""
    kind: str = ""
    score: float | None = None
    threshold: float | None = None
    evidence: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class OtherResponses:
    """The model's responses to the guard's extra calls, by kind of call."""

    without: tuple[GuardResponse, ...] = ()
    stand_in: tuple[GuardResponse, ...] = ()
    reworded: tuple[GuardResponse, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """The kinds of extra calls made, in words."""
        made = {"without the image": self.without, "about a stand-in image": self.stand_in, "reworded": self.reworded}
        return tuple(name for name, replies in made.items() if replies)

    @property
    def longest(self) -> int:
        """The number of characters of the longest response."""
        return max((len(each.text) for each in (*self.without, *self.stand_in, *self.reworded)), default=0)


def form_opinion(question: str, reply: GuardResponse, others: OtherResponses, threshold: float) -> GuardOpinion:
    """Form the opinion on a response from the model's other responses."""
    if max(len(reply.text), others.longest) > LONGEST_COMPARED:
        return GuardOpinion("undecided", "too long", asked=others.asked)
    compared = compare(question, reply, others.without, others.stand_in, threshold=threshold)
    verdict = _steady(question, reply, others, compared)
    doubt = _describe_lost_image(reply, others.without)
    if doubt:
        # Without image tokens a changed answer is doubtful, unless the model misses the image only in the extra call.
        changed = verdict.status is Moved.MOVED and verdict.kind is not ComparisonKind.ADMISSION
        status = Moved.UNDECIDED if changed else verdict.status
        verdict = replace(verdict, status=status, evidence=(*verdict.evidence, doubt))
    return GuardOpinion(
        status=verdict.status.value,
        reason=("image not counted" if doubt else _find_reason(others)) if verdict.status is Moved.UNDECIDED else "",
        kind=verdict.kind.value,
        score=verdict.score,
        threshold=threshold,
        evidence=verdict.evidence,
        asked=others.asked,
    )


def _steady(question: str, reply: GuardResponse, others: OtherResponses, verdict: GuardAssessment) -> GuardAssessment:
    """Make the verdict undecided if rewording the question changes the answer as well."""
    answered = [each for each in others.reworded if not each.failure]
    if verdict.status is not Moved.MOVED or verdict.kind is ComparisonKind.ADMISSION or not answered:
        return verdict
    if compare(question, reply, answered).status is not Moved.MOVED:
        return verdict
    said = "The answer also changes if the question is only reworded, so its change without the image shows nothing."
    return replace(verdict, status=Moved.UNDECIDED, evidence=(*verdict.evidence, said))


def _describe_lost_image(reply: GuardResponse, without: Sequence[GuardResponse]) -> str:
    """Describe that the server counted no tokens for the image; empty if it did."""
    counts = [each.input_tokens for each in without if each.input_tokens]
    if not reply.input_tokens or not counts or reply.image_tokens:
        return ""
    if reply.input_tokens - min(counts) >= FEWEST_TOKENS:
        return ""
    return (
        f"The server counted {reply.input_tokens:,} input tokens with the image and {min(counts):,} without it. "
        "The image may not have reached the model."
    )


def _find_reason(others: OtherResponses) -> str:
    failed = [each.failure for each in (*others.without, *others.stand_in)]
    if failed and all(failed):
        return "patience" if any(each == LATE for each in failed) else "extra calls failed"
    return "not compared"


LATE = "not in time"
"""Failure of an extra call that exceeded the guard's patience."""


def read_answer(content: bytes) -> GuardResponse | None:
    """Read a chat completion; None if it has no text or several responses."""
    try:
        read = read_completion(content)
    except ValueError:
        return None
    if len(orjson.loads(content)["choices"]) != 1:
        return None
    return GuardResponse(
        read.text, read.finish, input_tokens=read.usage.input_tokens, image_tokens=read.usage.image_tokens
    )


def action_on(opinion: GuardOpinion, policy: str, *, closed: bool) -> Action:
    """Choose what happens to a response; `closed` holds back responses that could not be checked.

    >>> [action_on(GuardOpinion(each), "block", closed=False) for each in ("unmoved", "moved")]
    ['blocked', 'annotated']
    """
    if closed and opinion.reason not in ("", "not drawn", "not compared"):
        return "held back"
    if opinion.status == "unmoved" and policy == "block":
        return "blocked"
    return "warned" if opinion.status == "unmoved" and policy == "warn" else "annotated"


def with_field(content: bytes, field: Mapping[str, Any]) -> bytes:
    """Add the field `snellen` to a JSON object; all other bytes stay unchanged.

    >>> with_field(b'{"id": 1.50}', {"status": "moved"})
    b'{"id": 1.50,"snellen":{"status":"moved"}}'
    """
    sent = content.rstrip()
    if b'"snellen"' in sent and isinstance(whole := orjson.loads(sent), dict) and "snellen" in whole:
        return orjson.dumps({**whole, "snellen": field})
    comma = b"" if sent[:-1].rstrip().endswith(b"{") else b","
    return sent[:-1] + comma + b'"snellen":' + orjson.dumps(field) + b"}"


def add_warning(content: bytes, field: Mapping[str, Any]) -> bytes:
    """Add a warning to the end of a completion's text, and the guard's field."""
    whole = orjson.loads(content)
    message = whole["choices"][0]["message"]
    if isinstance(message.get("content"), list):
        message["content"] = [*message["content"], {"type": "text", "text": f"\n\n{GUARD_WARNING}"}]
    elif isinstance(message.get("content"), str):
        message["content"] = f"{message['content']}\n\n{GUARD_WARNING}"
    return orjson.dumps({**whole, "snellen": field})


def replace_responses(content: bytes, sentence: str, field: Mapping[str, Any]) -> bytes:
    """Replace every response of a completion by a sentence, and add the guard's field."""
    whole = orjson.loads(content)
    whole = whole if isinstance(whole, dict) else {}
    choices: Sequence[Any] = whole["choices"] if isinstance(whole.get("choices"), list) else [None]
    message = {"role": "assistant", "content": sentence, "refusal": None}
    kept = {name: whole[name] for name in ("id", "object", "created", "model", "usage") if name in whole}
    answers = [{"index": at, "message": message, "finish_reason": "content_filter"} for at in range(len(choices) or 1)]
    return orjson.dumps({"object": "chat.completion", **kept, "choices": answers, "snellen": field})


_LONG = 500_000
"""Minimum bytes of a body that is parsed in a thread, so that other clients do not wait."""
_SHORT = 64_000
"""Responses shorter than this, in bytes, are sent together with their headers."""
_SLOW_TO_COMPARE = 4_000
"""Longer responses, in characters, are compared in a thread."""
_MODELS = re.compile(r"/v1/models(?:/(?!\.)[\w.:@+-]+)*")
_JSON = {"content-type": "application/json"}
_NAMING_MODELS = ("model", "models", "fallbacks")
"""Fields by which a server may choose the model, compared without regard to case."""
_OTHERS = re.compile(r"/v1(?:/(?!\.)[\w.:@+-]+)+")


@dataclass(frozen=True)
class Conduct:
    """Settings of the guard.

    `rate` is the share of queries with an image that are checked; `patience` the seconds to wait for extra calls.
    Clients must send `key` if set; without a key, `names` are the host names by which they may reach the guard.
    `closed` holds back responses that could not be checked; `withhold` also keeps their text from the client.
    """

    policy: Policy = "annotate"
    rate: float = 1.0
    patience: float = 10.0
    closed: bool = False
    withhold: bool = False
    rephrase: bool = False
    threshold: float | None = None
    key: str | None = None
    names: tuple[str, ...] = ()


class Extras:
    """The extra calls of one query, running in the background."""

    def __init__(self, calls: Mapping[str, Coroutine[Any, Any, tuple[GuardResponse, float]]]) -> None:
        self._tasks = {kind: asyncio.create_task(call) for kind, call in calls.items()}

    def __len__(self) -> int:
        return len(self._tasks)

    async def wait_for_responses(self, patience: float) -> tuple[OtherResponses, float | None]:
        """Wait for the extra calls; return their responses and the slowest time in milliseconds."""
        await asyncio.wait(self._tasks.values(), timeout=patience)
        said = {
            kind: (task.result()[0] if task.done() else GuardResponse("", failure=LATE),)
            for kind, task in self._tasks.items()
        }
        took = [task.result()[1] for task in self._tasks.values() if task.done()]
        return OtherResponses(**said), max(took, default=None)

    def cancel(self) -> None:
        """Cancel the calls that are no longer needed."""
        for task in self._tasks.values():
            task.cancel()


@dataclass
class PendingQuery:
    """A query in progress; `settled` is its opinion if it needs no check, else None."""

    http: web.Request
    query: Query | None
    hash: str
    began: float
    extras: Extras
    settled: GuardOpinion | None
    reply_ms: float | None = None
    extra_ms: float | None = None
    ready_ms: float | None = None
    status: int = 0
    reply: str = ""
    logged: bool = False

    @property
    def has_image(self) -> bool:
        """Whether the query has an image, or is unreadable and so may have one."""
        return self.query is None or self.query.images > 0

    @property
    def usage_streamed(self) -> bool:
        """Whether the client asked for the token counts of a stream."""
        return self.query is not None and self.query.usage_streamed

    def measure_elapsed(self) -> float:
        """Return the milliseconds since the query arrived."""
        return (time.perf_counter() - self.began) * 1000


class Proxy:
    """HTTP handlers of the guard."""

    def __init__(
        self,
        upstream: Upstream,
        conduct: Conduct,
        *,
        log: GuardLog,
        installation: Installation,
        stand_ins: StandIns | None = None,
    ) -> None:
        self._upstream, self._conduct, self._log = upstream, conduct, log
        self._installation, self._stand_ins = installation, stand_ins
        self._bodies = Bodies()
        self._threshold = EVEN if conduct.threshold is None else conduct.threshold
        self._printed: set[str] = set()

    def app(self, host: str) -> web.Application:
        """Return the web application for a host; errors of the guard have OpenAI's format."""
        self._callers = Callers.from_host(host, self._conduct.names)
        app = web.Application(middlewares=[self._check_client])
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/health", self._health, allow_head=False)
        app.router.add_get("/{path:.*}", self._get, allow_head=False)
        return app

    @web.middleware
    async def _check_client(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if self._conduct.key:
                check_key(request, self._conduct.key)
            else:
                self._callers.check(request.headers)
            if request.headers.get(LOOP) == self._upstream.sign:
                message = "The guard would call itself. Set OPENAI_BASE_URL to the server of the model."
                raise Refusal(message, status=508, code="loop_detected")
            return await handler(request)
        except Refusal as refusal:
            return refusal.json
        except web.HTTPException as error:
            message = f"{request.method} {request.path[:100]}: the guard forwards only chat completions."
            return Refusal(message, status=error.status, code="not_found").json
        except ConnectionError:  # nobody is there to be told
            return web.Response(status=499)
        except TimeoutError:
            return web.Response(status=408)
        except Exception as error:
            self._report_failure(error)
            return Refusal("The guard failed.", status=500, code="guard_failed").json

    async def _health(self, http: web.Request) -> web.StreamResponse:
        return as_json({"status": "ok"})

    async def _get(self, http: web.Request) -> web.StreamResponse:
        """Forward the list of models, and other paths if they bypass no check.

        Other paths also need the client's own key.
        """
        path = http.rel_url.raw_path
        # Other paths could return a stored completion that was never checked.
        free = self._upstream.pass_key and self._conduct.policy != "block" and not self._conduct.closed
        if not (_OTHERS if free else _MODELS).fullmatch(path):
            message = f"GET {path[:100]}: the guard forwards only chat completions and the list of models."
            raise Refusal(message, status=404, code="not_found")
        arriving = await self._begin_response(http, below=path.removeprefix("/v1"))
        try:
            return await _relay_response(http, arriving)
        finally:
            arriving.close()

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        async with self._bodies.body(http) as body:
            exchange = await self._start_query(http, body)
            try:
                return await self._answer_query(exchange, body)
            except Refusal as refusal:
                exchange.status = exchange.status or refusal.status
                self._log_decision(exchange, GuardOpinion("unchecked", "upstream error"), "passed")
                raise
            except (asyncio.CancelledError, OSError):
                self._log_decision(exchange, GuardOpinion("unchecked", "client left"), "passed")
                raise
            finally:
                exchange.extras.cancel()

    async def _start_query(self, http: web.Request, body: bytes) -> PendingQuery:
        """Read the query and start its extra calls."""
        began = time.perf_counter()
        query, hashed = await asyncio.to_thread(self._read, body) if len(body) > _LONG else self._read(body)
        if (refusal := self._find_other_model(query)) is not None:
            refused = PendingQuery(http, query, hashed, began, Extras({}), None)
            why = "unreadable" if query is None else "other model"
            self._log_decision(refused, GuardOpinion("unchecked", why), "held back")
            raise refusal
        settled = self._skip_check(query, hashed)
        calls: dict[str, Coroutine[Any, Any, tuple[GuardResponse, float]]] = {}
        if query is not None and settled is None:
            try:
                headers = {**self._upstream.select_headers(http.headers, once=False), **_JSON}
                sent = self._other_ways(query, hashed)
                calls = {kind: self._call_upstream(query.question, body, headers) for kind, body in sent.items()}
            except Exception as error:
                settled = self._report_failure(error)
        return PendingQuery(http, query, hashed, began, Extras(calls), settled)

    def _find_other_model(self, query: Query | None) -> Refusal | None:
        """Return a refusal if the query may be for another model, else None."""
        served = self._upstream.model
        if not served:
            return None
        if query is None:
            message = f"The body cannot be read as a chat completion, and this guard serves only the model {served!r}."
            return Refusal(message, code="invalid_json")
        named = [value for name, value in query.sent.items() if name.casefold() in _NAMING_MODELS]
        if all(value in (None, "", served) for value in named):
            return None
        return Refusal(f"This guard serves only the model {served!r}.", status=404, code="model_not_found")

    def _read(self, body: bytes) -> tuple[Query | None, str]:
        hashed = self._installation.hash_parts(body, said=True)
        try:
            return read_query(body), hashed
        except Exception as error:
            self._report_failure(error)
            return None, hashed

    def _skip_check(self, query: Query | None, hashed: str) -> GuardOpinion | None:
        """Return the opinion on a query without a check; None if it needs one."""
        if query is None:
            return GuardOpinion("unchecked", "unreadable")
        if not query.images:
            return GuardOpinion("unchecked")
        if int(hashed[:8], 16) / 2**32 >= self._conduct.rate:
            return GuardOpinion("unchecked", "not drawn")
        return GuardOpinion("undecided", query.unfit) if query.unfit else None

    def _other_ways(self, query: Query, hashed: str) -> dict[str, bytes]:
        """Return the bodies of the extra calls, by field name of `OtherResponses`."""
        number = int(hashed[8:16], 16)
        sent = {"without": query.without_image()}
        stand_in = self._stand_ins(query.question, number) if self._stand_ins is not None else None
        if stand_in is not None:
            sent["stand_in"] = query.with_image(stand_in)
        if self._conduct.rephrase:
            sent["reworded"] = query.reword(number)
        return sent

    async def _call_upstream(self, question: str, sent: bytes, head: Mapping[str, str]) -> tuple[GuardResponse, float]:
        """Make one extra call; return the response and its duration in milliseconds."""
        began = time.perf_counter()
        try:
            arriving = await self._upstream.transport.begin([sent], below="/chat/completions", headers=head)
            try:
                reply = await arriving.read_all()
            finally:
                arriving.close()
            answered = read_answer(reply.content) if reply.status == 200 else None
            failure = "no chat completion" if reply.status == 200 else f"status {reply.status}"
        except OSError as error:
            answered, failure = None, type(error).__name__
        took = (time.perf_counter() - began) * 1000
        if answered is not None:
            await _read_early(question, answered)
        return answered or GuardResponse("", failure=failure), took

    async def _begin_response(
        self, http: web.Request, query: bytes | None = None, *, below: str, more: Mapping[str, str] | None = None
    ) -> Arriving:
        """Send a query, if any, and return the upstream's response once it begins."""
        headers = {**self._upstream.select_headers(http.headers, once=True), **(more or {})}
        parts, method = ([], "GET") if query is None else ([query], "POST")
        try:
            arriving = await self._upstream.transport.begin(parts, method=method, below=below, headers=headers)
        except OSError as error:
            raise _refuse_unreached(error) from None
        if 300 <= arriving.status < 400:
            arriving.close()
            why = "The upstream redirects to another address, which the guard does not follow. Check OPENAI_BASE_URL."
            raise Refusal(why, status=502, code="upstream_redirects")
        return arriving

    async def _answer_query(self, exchange: PendingQuery, body: bytes) -> web.StreamResponse:
        # A body parsed as JSON is sent as JSON, whatever content type the client named: the server must parse it alike.
        more = None if exchange.query is None else _JSON
        arriving = await self._begin_response(exchange.http, body, below="/chat/completions", more=more)
        exchange.status = arriving.status
        try:
            if arriving.status != 200:
                self._log_decision(exchange, GuardOpinion("unchecked", "upstream error"), "passed")
                return await _relay_response(exchange.http, arriving)
            settled = exchange.settled
            if settled is not None and self._action(exchange, settled) != "held back":
                return await self._pass_unchecked(exchange, arriving, settled)
            if arriving.headers.get("Content-Type", "").startswith("text/event-stream"):
                buffered = self._conduct.policy == "block" or self._conduct.closed
                return await (self._answer_buffered if buffered else self._answer_streamed)(exchange, arriving)
            return await self._answer_whole(exchange, arriving)
        finally:
            arriving.close()

    async def _pass_unchecked(
        self, exchange: PendingQuery, arriving: Arriving, opinion: GuardOpinion
    ) -> web.StreamResponse:
        header = {"X-Snellen": opinion.status} if exchange.has_image and opinion.status == "undecided" else {}
        sent = await _relay_response(exchange.http, arriving, header)
        exchange.reply_ms = exchange.ready_ms = exchange.measure_elapsed()
        self._log_decision(exchange, opinion, "passed")
        return sent

    async def _answer_whole(self, exchange: PendingQuery, arriving: Arriving) -> web.StreamResponse:
        """Send a response that is not streamed, with the guard's opinion in it."""
        try:
            content = (await arriving.read_all()).content
        except OSError as error:
            raise _refuse_unreached(error) from None
        exchange.reply_ms = exchange.measure_elapsed()
        answered = read_answer(content)
        opinion = await self._form_opinion(exchange, answered)
        action: Action
        try:
            action, marked = self._mark_response(exchange, opinion, content, answered)
        except Exception as error:
            opinion, action, marked = self._report_failure(error), "passed", content
            if self._conduct.closed:
                action, held = "held back", self._build_field(opinion, "held back", answered)
                marked = replace_responses(b"{}", GUARD_HELD_BACK, held)
        exchange.ready_ms = exchange.measure_elapsed()
        if not self._log_decision(exchange, opinion, action) and self._conduct.closed and action != "held back":
            held = self._build_field(opinion, "held back", answered)
            marked = replace_responses(content, GUARD_HELD_BACK, held)
        headers = {**select_response_headers(arriving.headers), "X-Snellen": _format_status(opinion)}
        if marked is not content and "json" not in arriving.headers.get("Content-Type", ""):
            headers = {name: value for name, value in headers.items() if name.lower() != "content-type"}
            headers["Content-Type"] = "application/json"
        return await _send_content(exchange.http, marked, headers)

    async def _form_opinion(self, exchange: PendingQuery, answered: GuardResponse | None) -> GuardOpinion:
        """Form the opinion once the extra calls have answered; undecided if the guard fails."""
        if exchange.settled is not None:
            return exchange.settled
        if answered is None or exchange.query is None:
            return GuardOpinion("undecided", "unreadable")
        exchange.reply = self._installation.hash_parts(answered.text.encode(errors="replace"), said=True)
        try:
            await _read_early(exchange.query.question, answered)
            others, exchange.extra_ms = await exchange.extras.wait_for_responses(self._conduct.patience)
            compared = exchange.query.question, answered, others, self._threshold
            if max(len(answered.text), others.longest) > _SLOW_TO_COMPARE:
                return await asyncio.to_thread(form_opinion, *compared)
            return form_opinion(*compared)
        except Exception as error:
            return self._report_failure(error)

    def _report_failure(self, error: Exception) -> GuardOpinion:
        """Print the guard's first failure; return an undecided opinion."""
        why = f"The guard failed on a query: {type(error).__name__}. Further failures are only logged."
        self._print_once("failure", why)
        return GuardOpinion("undecided", "guard failed")

    def _print_once(self, problem: str, message: str) -> None:
        if problem not in self._printed:
            print(message, file=sys.stderr, flush=True)
        self._printed.add(problem)

    def _build_field(self, opinion: GuardOpinion, action: Action, answered: GuardResponse | None) -> dict[str, Any]:
        """Build the field `snellen`, with the replaced response unless that is withheld."""
        withheld = action in INSTEAD and self._conduct.withhold
        reasons = [f"{REASONS[opinion.reason].capitalize()}."] if opinion.reason else []
        field: dict[str, Any] = {"status": opinion.status, "score": opinion.score, "threshold": opinion.threshold}
        field["evidence"] = reasons if withheld or not opinion.evidence else list(opinion.evidence)
        field |= {"compared_by": opinion.kind, "asked": list(opinion.asked), "policy": self._conduct.policy}
        kept = {"reply": answered.text} if action in INSTEAD and answered is not None and not withheld else {}
        return {**field, "action": action, **kept}

    def _mark_response(
        self, exchange: PendingQuery, opinion: GuardOpinion, content: bytes, answered: GuardResponse | None
    ) -> tuple[Action, bytes]:
        action = self._action(exchange, opinion)
        field = self._build_field(opinion, action, answered)
        if action == "warned":
            return action, add_warning(content, field)
        if action in INSTEAD:
            return action, replace_responses(content if answered is not None else b"{}", INSTEAD[action], field)
        return (action, with_field(content, field)) if answered is not None else ("passed", content)

    def _action(self, exchange: PendingQuery, opinion: GuardOpinion) -> Action:
        """Choose the action for a response; JSON gets no warning, to stay valid."""
        action = action_on(opinion, self._conduct.policy, closed=self._conduct.closed)
        as_json_text = exchange.query is not None and exchange.query.wants_json
        return "annotated" if action == "warned" and as_json_text else action

    async def _answer_streamed(self, exchange: PendingQuery, arriving: Arriving) -> web.StreamResponse:
        """Stream a response as it arrives; only its end waits for the opinion."""
        http, transcript, events = exchange.http, Transcript(), Events()
        stream = await _prepare_stream(http, {**select_response_headers(arriving.headers), "X-Snellen": "pending"})
        warns = self._conduct.policy == "warn"
        held = ending = b""
        pieces = arriving.pieces()
        while True:
            try:
                piece = await anext(pieces, b"")
            except OSError:
                return self._broken_off(exchange, stream)
            ready = b""
            for event in events.feed(piece):
                transcript.take(event)
                if transcript.done:
                    ending += event
                elif warns and transcript.finished:
                    held += event
                else:
                    ready += event
            if ready:
                await send(http, stream, ready)
            if not piece or transcript.done:
                break
        ending += events.rest
        opinion, action, _ = await self._decide(exchange, transcript)
        if action == "warned":
            await send(http, stream, delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}))
        field = self._build_field(opinion, action, transcript.answered)
        opinion_event = verdict(transcript.frame, field, as_chunk=exchange.usage_streamed)
        await send(http, stream, held + opinion_event + ending)
        await stream.write_eof()
        return stream

    async def _decide(self, exchange: PendingQuery, transcript: Transcript) -> tuple[GuardOpinion, Action, bool]:
        """Form the opinion on a streamed response, choose the action, and log both.

        The third value says whether the log could be written.
        """
        exchange.reply_ms = exchange.measure_elapsed()
        opinion = await self._form_opinion(exchange, transcript.answered)
        action = self._action(exchange, opinion)
        exchange.ready_ms = exchange.measure_elapsed()
        return opinion, action, self._log_decision(exchange, opinion, action)

    async def _answer_buffered(self, exchange: PendingQuery, arriving: Arriving) -> web.StreamResponse:
        """Send a streamed response only after its check, or a sentence instead."""
        transcript, events, length = Transcript(), Events(), 0
        beginning, closing, ending = bytearray(), bytearray(), bytearray()
        try:
            async for piece in arriving.pieces():
                length += len(piece)
                if length > LONGEST_REPLY:
                    raise ConnectionError("too long")
                for event in events.feed(piece):
                    transcript.take(event)
                    part = ending if transcript.done else closing if transcript.finished else beginning
                    part += event
        except OSError as error:
            raise _refuse_unreached(error) from None
        opinion, action, logged = await self._decide(exchange, transcript)
        if not logged and self._conduct.closed:
            action = "held back"
        text = transcript.answered or GuardResponse(transcript.text)
        field = self._build_field(opinion, action, text)
        as_chunk = exchange.usage_streamed
        if action in INSTEAD:
            whole = in_place(transcript.frame, INSTEAD[action], field, as_chunk=as_chunk)
        else:
            warning = delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}) if action == "warned" else b""
            opinion_event = verdict(transcript.frame, field, as_chunk=as_chunk)
            whole = b"".join((beginning, warning, closing, opinion_event, ending, events.rest))
        headers = {**select_response_headers(arriving.headers), "X-Snellen": _format_status(opinion)}
        return await _send_content(exchange.http, whole, headers)

    def _broken_off(self, exchange: PendingQuery, stream: web.StreamResponse) -> web.StreamResponse:
        """Close the connection to the client, because the upstream closed its own."""
        self._log_decision(exchange, GuardOpinion("unchecked", "upstream error"), "passed")
        if exchange.http.transport is not None:
            exchange.http.transport.abort()
        return stream

    def _log_decision(self, exchange: PendingQuery, opinion: GuardOpinion, action: Action) -> bool:
        """Log the decision on a query with an image; return False if that failed."""
        query = exchange.query
        if exchange.logged or not exchange.has_image:
            return True
        exchange.logged = True
        total, slower = exchange.ready_ms, max(exchange.reply_ms or 0.0, exchange.extra_ms or 0.0)
        decision = GuardDecision(
            time=now(),
            model=model_name(query.model) if query is not None and exchange.status == 200 else "",
            status=opinion.status,
            reason=opinion.reason,
            kind=opinion.kind,
            score=opinion.score,
            threshold=opinion.threshold,
            policy=self._conduct.policy,
            action=action,
            streamed=query is not None and query.streams,
            images=query.images if query is not None else 0,
            asked=len(exchange.extras),
            upstream_status=exchange.status,
            reply_ms=_round_ms(exchange.reply_ms),
            extra_ms=_round_ms(exchange.extra_ms),
            total_ms=_round_ms(total),
            overhead_ms=None if total is None else _round_ms(max(0.0, total - slower)),
            query=exchange.hash,
            reply=exchange.reply,
        )
        try:
            self._log.add(decision)
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else type(error).__name__
            self._print_once("log", f"The log cannot be written ({why}): decisions are missing from it.")
            return False
        return True


async def _read_early(question: str, answered: GuardResponse) -> None:
    """Read a response while the others are still under way; the result is cached."""
    if len(answered.text) > LONGEST_COMPARED:
        return
    try:
        if len(answered.text) > _SLOW_TO_COMPARE:
            await asyncio.to_thread(read_response, question, answered)
        else:
            read_response(question, answered)
    except Exception:  # noqa: S110 - it is read again when the replies are compared, and fails there
        pass


def _round_ms(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _format_status(opinion: GuardOpinion) -> str:
    return "undecided" if opinion.status == "unchecked" else opinion.status


def _refuse_unreached(error: OSError) -> Refusal:
    """Return the client's error for a failed upstream, without the upstream's address."""
    if isinstance(error, TimeoutError):
        return Refusal("The upstream did not answer in time.", status=504, code="upstream_timeout")
    if isinstance(error, NoConnectionError):
        return Refusal("The upstream cannot be reached.", status=502, code="upstream_unreachable")
    return Refusal("The upstream closed the connection or sent no valid response.", status=502, code="upstream_broken")


async def _prepare_stream(
    http: web.Request, headers: Mapping[str, str], *, status: int = 200, length: int | None = None
) -> web.StreamResponse:
    stream = web.StreamResponse(status=status, headers=dict(headers))
    if length is not None:
        stream.content_length = length
    await stream.prepare(http)
    return stream


async def _send_content(http: web.Request, content: bytes, headers: Mapping[str, str]) -> web.StreamResponse:
    if len(content) < _SHORT:
        return web.Response(body=content, headers=headers)
    stream = await _prepare_stream(http, headers, length=len(content))
    await send(http, stream, content)
    await stream.write_eof()
    return stream


async def _relay_response(
    http: web.Request, arriving: Arriving, more: Mapping[str, str] | None = None
) -> web.StreamResponse:
    """Forward the upstream's response byte for byte."""
    length = arriving.headers.get("Content-Length", "")
    known = int(length) if length.isdecimal() and "Content-Encoding" not in arriving.headers else None
    headers = {**select_response_headers(arriving.headers), **(more or {})}
    stream = await _prepare_stream(http, headers, status=arriving.status, length=known)
    pieces = arriving.pieces()
    while True:
        try:
            piece = await anext(pieces, b"")
        except OSError:
            if http.transport is not None:
                http.transport.abort()
            return stream
        if not piece:
            await stream.write_eof()
            return stream
        await send(http, stream, piece)


async def start(proxy: Proxy, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Start the guard's server at a port; 0 means any free port."""
    return await listen(proxy.app(host), host, port)
