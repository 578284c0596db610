"""The proxy: a query goes to the upstream as it came; beside it, the same is asked without the image.

Nothing that goes wrong in the guard loses a reply: it is passed on unmarked, or held back where the user chose that
(`closed`), and then still stands in the field `snellen` unless that was forbidden too (`withhold`).
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
from snellen.tools.guard.log import REASONS, Action, Decision, Installation, Log, Status, model_name, now
from snellen.tools.guard.query import Query, read_query
from snellen.tools.guard.signal import EVEN, Answered, Kind, Verdict, compare, heard
from snellen.tools.guard.signal import Status as Moved
from snellen.tools.guard.stand_ins import StandIns
from snellen.tools.guard.upstream import LOOP, Upstream, passed_back

LONGEST_EVENT = 16_000_000
_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n")
LONGEST_TRANSCRIPT = 64_000_000
"""Bytes of events that are read; what comes after them passes, and the whole is not compared."""
DONE = b"data: [DONE]\n\n"


class Events:
    """Bytes of a stream, cut where its events end; put together again they are the same bytes."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that are whole by now, each with the empty line that ends it."""
        start, whole, begins = max(0, len(self.rest) - 3), self.rest + piece, 0
        for end in _END.finditer(whole, start):
            yield whole[begins : end.end()]
            begins = end.end()
        self.rest = whole[begins:]
        if len(self.rest) > LONGEST_EVENT:
            raise ConnectionError(f"an event of the stream is longer than {LONGEST_EVENT:,} bytes")


class Transcript:
    """What the events of a stream add up to."""

    def __init__(self) -> None:
        self.done = self.finished = False
        self.frame: dict[str, Any] = {}
        self._text: list[str] = []
        self._read = 0
        self._finish = ""
        self._tokens: int | None = None
        self._odd = False

    def take(self, event: bytes) -> None:
        """Read one event; what is no chunk of a chat completion leaves the whole unread."""
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
        """All that was said."""
        return "".join(each for each in self._text if isinstance(each, str))

    @property
    def answered(self) -> Answered | None:
        """The reply; None where the stream broke off or was no chat completion's."""
        whole = self.finished and not self._odd and all(isinstance(each, str) for each in self._text)
        return Answered(self.text, str(self._finish), input_tokens=self._tokens) if whole else None


def chunk(frame: Mapping[str, Any], **more: Any) -> bytes:
    """An event that holds a chunk of a chat completion."""
    return b"data: " + orjson.dumps({**frame, "object": "chat.completion.chunk", **more}) + b"\n\n"


def delta(frame: Mapping[str, Any], said: Mapping[str, Any], finish: str | None = None) -> bytes:
    """An event that adds something to the reply, or ends it."""
    return chunk(frame, choices=[{"index": 0, "delta": said, "finish_reason": finish}])


def verdict(frame: Mapping[str, Any], said: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """The guard's opinion as a comment, which every client passes over.

    A chunk without choices comes after it where the client asked for one with the usage, and so can take such chunks:
    many programs take it for granted that every other chunk has a choice.
    """
    comment = b": snellen " + orjson.dumps(said) + b"\n\n"
    return comment + chunk(frame, choices=[], snellen=said) if as_chunk else comment


def in_place(frame: Mapping[str, Any], sentence: str, said: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """A whole stream that says a sentence in the place of the reply."""
    spoken = delta(frame, {"role": "assistant", "content": sentence}) + delta(frame, {}, "content_filter")
    return spoken + verdict(frame, said, as_chunk=as_chunk) + DONE


Policy = Literal["annotate", "warn", "block"]
POLICIES: tuple[Policy, ...] = ("annotate", "warn", "block")
LONGEST_COMPARED = 50_000
"""Characters; longer replies are not compared."""


@dataclass(frozen=True)
class Opinion:
    """What the guard says of one reply; `reason` is a word of `log.REASONS` where it says nothing."""

    status: Status
    reason: str = ""
    kind: str = ""
    score: float | None = None
    threshold: float | None = None
    evidence: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def field(self, *, policy: str, action: Action, reply: str | None = None) -> dict[str, Any]:
        """What a client reads under `snellen`; `reply` is what was held back."""
        said: dict[str, Any] = {"status": self.status, "score": self.score, "threshold": self.threshold}
        said["evidence"] = list(self.evidence) or ([f"{REASONS[self.reason].capitalize()}."] if self.reason else [])
        said |= {"compared_by": self.kind, "asked": list(self.asked), "policy": policy, "action": action}
        return said if reply is None else {**said, "reply": reply}


@dataclass(frozen=True)
class Others:
    """What the model said to the extra calls."""

    without: tuple[Answered, ...] = ()
    stand_in: tuple[Answered, ...] = ()
    reworded: tuple[Answered, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """Which extra calls were made, in words."""
        made = {"without the image": self.without, "about a stand-in image": self.stand_in, "reworded": self.reworded}
        return tuple(name for name, replies in made.items() if replies)


def judged(question: str, reply: Answered, others: Others, threshold: float) -> Opinion:
    """The opinion on a reply, given what the model said otherwise."""
    told = [reply, *others.without, *others.stand_in, *others.reworded]
    if any(len(each.text) > LONGEST_COMPARED for each in told):
        return Opinion("undecided", "too long", asked=others.asked)
    compared = compare(question, reply, others.without, others.stand_in, threshold=threshold)
    verdict = _steady(question, reply, others, compared)
    doubt = _describe_lost_image(reply, others.without)
    if doubt:
        # only an image that came lets a model answer here and miss it there
        changed = verdict.status is Moved.MOVED and verdict.kind is not Kind.ADMISSION
        status = Moved.UNDECIDED if changed else verdict.status
        verdict = replace(verdict, status=status, evidence=(*verdict.evidence, doubt))
    return Opinion(
        status=verdict.status.value,
        reason=("image not counted" if doubt else _why(others)) if verdict.status is Moved.UNDECIDED else "",
        kind=verdict.kind.value,
        score=verdict.score,
        threshold=threshold,
        evidence=verdict.evidence,
        asked=others.asked,
    )


def _steady(question: str, reply: Answered, others: Others, verdict: Verdict) -> Verdict:
    """The verdict, unless mere rewording changes the reply as well: then a change without the image shows nothing."""
    answered = [each for each in others.reworded if not each.failure]
    if verdict.status is not Moved.MOVED or verdict.kind is Kind.ADMISSION or not answered:
        return verdict
    if compare(question, reply, answered).status is not Moved.MOVED:
        return verdict
    said = "The answer also changes when the question is only reworded: its change without the image shows nothing."
    return Verdict(Moved.UNDECIDED, verdict.score, (*verdict.evidence, said), verdict.kind)


def _describe_lost_image(reply: Answered, without: Sequence[Answered]) -> str:
    """Say that the server counts no tokens for the image, if so."""
    counts = [each.input_tokens for each in without if each.input_tokens]
    if not reply.input_tokens or not counts or reply.image_tokens:
        return ""
    if reply.input_tokens - min(counts) >= FEWEST_TOKENS:
        return ""
    return (
        f"The server counted {reply.input_tokens:,} input tokens with the image and {min(counts):,} without it. "
        "The image may not have reached the model."
    )


def _why(others: Others) -> str:
    failed = [each.failure for each in (*others.without, *others.stand_in)]
    if failed and all(failed):
        return "patience" if any(each == LATE for each in failed) else "extra calls failed"
    return "not compared"


LATE = "not in time"
"""The failure of an extra call for which the reply did not wait any longer."""


def answered_in(content: bytes) -> Answered | None:
    """What a chat completion says; None where it is none with text, or holds several replies."""
    try:
        read = read_completion(content)
    except ValueError:
        return None
    if len(orjson.loads(content)["choices"]) != 1:
        return None
    return Answered(read.text, read.finish, input_tokens=read.usage.input_tokens, image_tokens=read.usage.image_tokens)


def action_on(opinion: Opinion, policy: str, *, closed: bool) -> Action:
    """What is done with a reply; `closed` holds back what could not be checked.

    >>> action_on(Opinion("unmoved"), "block", closed=False), action_on(Opinion("moved"), "block", closed=False)
    ('blocked', 'annotated')
    """
    if closed and opinion.reason not in ("", "not drawn", "not compared"):
        return "held back"
    if opinion.status == "unmoved" and policy == "block":
        return "blocked"
    return "warned" if opinion.status == "unmoved" and policy == "warn" else "annotated"


def with_field(content: bytes, said: Mapping[str, Any]) -> bytes:
    """A JSON object with one more field, every byte of the others as it was.

    >>> with_field(b'{"id": 1.50}', {"status": "moved"})
    b'{"id": 1.50,"snellen":{"status":"moved"}}'
    """
    sent = content.rstrip()
    if b'"snellen"' in sent and isinstance(whole := orjson.loads(sent), dict) and "snellen" in whole:
        return orjson.dumps({**whole, "snellen": said})
    comma = b"" if sent[:-1].rstrip().endswith(b"{") else b","
    return sent[:-1] + comma + b'"snellen":' + orjson.dumps(said) + b"}"


def warned(content: bytes, said: Mapping[str, Any]) -> bytes:
    """A completion whose text ends with a warning."""
    whole = orjson.loads(content)
    message = whole["choices"][0]["message"]
    if isinstance(message.get("content"), list):
        message["content"] = [*message["content"], {"type": "text", "text": f"\n\n{GUARD_WARNING}"}]
    elif isinstance(message.get("content"), str):
        message["content"] = f"{message['content']}\n\n{GUARD_WARNING}"
    return orjson.dumps({**whole, "snellen": said})


def replaced(content: bytes, sentence: str, said: Mapping[str, Any]) -> bytes:
    """A completion that says a sentence in the place of every reply; nothing of the reply is left in it."""
    whole = orjson.loads(content)
    whole = whole if isinstance(whole, dict) else {}
    choices: Sequence[Any] = whole["choices"] if isinstance(whole.get("choices"), list) else [None]
    message = {"role": "assistant", "content": sentence, "refusal": None}
    kept = {name: whole[name] for name in ("id", "object", "created", "model", "usage") if name in whole}
    told = [{"index": at, "message": message, "finish_reason": "content_filter"} for at in range(len(choices) or 1)]
    return orjson.dumps({"object": "chat.completion", **kept, "choices": told, "snellen": said})


_LONG = 500_000
"""Bytes from which on a body is read in a thread, so that nobody else waits for that."""
_SHORT = 64_000
"""Bytes below which a reply is sent in one piece with its headers; a client that does not read it holds up nobody."""
_SLOW_TO_COMPARE = 4_000
"""Characters from which on replies are compared in a thread."""
_MODELS = re.compile(r"/v1/models(?:/(?!\.)[\w.:@+-]+)*")
_JSON = {"content-type": "application/json"}
_NAMING_MODELS = ("model", "models", "fallbacks")
"""Fields by which some server chooses the model; some take any case of letters."""
_OTHERS = re.compile(r"/v1(?:/(?!\.)[\w.:@+-]+)+")


@dataclass(frozen=True)
class Conduct:
    """How the guard behaves.

    `rate` is the share of queries with an image that are checked, `patience` the seconds for which a reply waits for
    the extra calls, `key` what clients must send, `names` by which they may call the guard without one, `closed`
    whether what could not be checked is held back, `withhold` whether that is left out of the field as well.
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
    """The extra calls of one query, which are under way."""

    def __init__(self, calls: Mapping[str, Coroutine[Any, Any, tuple[Answered, float]]]) -> None:
        self._tasks = {kind: asyncio.create_task(call) for kind, call in calls.items()}

    def __len__(self) -> int:
        return len(self._tasks)

    async def within(self, patience: float) -> tuple[Others, float | None]:
        """What was said by then, and how many milliseconds the slowest call took."""
        await asyncio.wait(self._tasks.values(), timeout=patience)
        said = {
            kind: (task.result()[0] if task.done() else Answered("", failure=LATE),)
            for kind, task in self._tasks.items()
        }
        took = [task.result()[1] for task in self._tasks.values() if task.done()]
        return Others(**said), max(took, default=None)

    def cancel(self) -> None:
        """End the calls for which nobody waits any more."""
        for task in self._tasks.values():
            task.cancel()


@dataclass
class Exchange:
    """One query while it is being answered; `settled` is the opinion where none has to be formed."""

    http: web.Request
    query: Query | None
    hash: str
    began: float
    extras: Extras
    settled: Opinion | None
    reply_ms: float | None = None
    extra_ms: float | None = None
    ready_ms: float | None = None
    status: int = 0
    reply: str = ""
    logged: bool = False

    @property
    def has_image(self) -> bool:
        """Whether the guard has anything to say about it."""
        return self.query is None or self.query.images > 0

    def since(self) -> float:
        """Milliseconds since the query had come."""
        return (time.perf_counter() - self.began) * 1000


class Proxy:
    """The routes of the guard."""

    def __init__(
        self,
        upstream: Upstream,
        conduct: Conduct,
        *,
        log: Log,
        installation: Installation,
        stand_ins: StandIns | None = None,
    ) -> None:
        self._upstream, self._conduct, self._log = upstream, conduct, log
        self._installation, self._stand_ins = installation, stand_ins
        self._bodies = Bodies()
        self._threshold = EVEN if conduct.threshold is None else conduct.threshold
        self._complained = self._log_complained = False

    def app(self, host: str) -> web.Application:
        """The routes at an address, every error of the guard's own in OpenAI's shape."""
        self._callers = Callers.at(host, self._conduct.names)
        app = web.Application(middlewares=[self._checked])
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/health", self._health, allow_head=False)
        app.router.add_get("/{path:.*}", self._get, allow_head=False)
        return app

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if self._conduct.key:
                check_key(request, self._conduct.key)
            else:
                self._callers.check(request.headers)
            if request.headers.get(LOOP) == self._upstream.sign:
                said = "The guard's upstream is the guard itself. Set OPENAI_BASE_URL to the server behind it."
                raise Refusal(said, status=508, code="loop_detected")
            return await handler(request)
        except Refusal as refusal:
            return refusal.json
        except web.HTTPException as error:
            said = f"{request.method} {request.path[:100]}: the guard passes chat completions only."
            return Refusal(said, status=error.status, code="not_found").json
        except ConnectionError:  # nobody is there to be told
            return web.Response(status=499)
        except TimeoutError:
            return web.Response(status=408)
        except Exception as error:
            self._failed(error)
            return Refusal("The guard failed.", status=500, code="guard_failed").json

    async def _health(self, http: web.Request) -> web.StreamResponse:
        return as_json({"status": "ok"})

    async def _get(self, http: web.Request) -> web.StreamResponse:
        """The upstream's models; anything else only for clients with a key of their own, since ours may see all."""
        path = http.rel_url.raw_path
        # A stored completion would come back by this way without having been checked.
        free = self._upstream.pass_key and self._conduct.policy != "block" and not self._conduct.closed
        if not (_OTHERS if free else _MODELS).fullmatch(path):
            said = f"GET {path[:100]}: the guard passes chat completions and the list of models only."
            raise Refusal(said, status=404, code="not_found")
        arriving = await self._begun(http, below=path.removeprefix("/v1"))
        try:
            return await _relayed(http, arriving)
        finally:
            arriving.close()

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        async with self._bodies.body(http) as body:
            exchange = await self._understood(http, body)
            try:
                return await self._exchanged(exchange, body)
            except Refusal as refusal:
                exchange.status = exchange.status or refusal.status
                self._logged(exchange, Opinion("unchecked", "upstream error"), "passed")
                raise
            except (asyncio.CancelledError, OSError):
                self._logged(exchange, Opinion("unchecked", "client left"), "passed")
                raise
            finally:
                exchange.extras.cancel()

    async def _understood(self, http: web.Request, body: bytes) -> Exchange:
        """The query, with its extra calls begun."""
        began = time.perf_counter()
        if len(body) > _LONG:
            query, hashed = await asyncio.to_thread(self._read, body)
        else:
            query, hashed = self._read(body)
        if (refusal := self._find_other_model(query)) is not None:
            refused = Exchange(http, query, hashed, began, Extras({}), None)
            why = "unreadable" if query is None else "other model"
            self._logged(refused, Opinion("unchecked", why), "held back")
            raise refusal
        settled = self._settled(query, hashed)
        calls: dict[str, Coroutine[Any, Any, tuple[Answered, float]]] = {}
        if query is not None and settled is None:
            try:
                told = {**self._upstream.told(http.headers, once=False), **_JSON}
                sent = self._other_ways(query, hashed)
                calls = {kind: self._called(query.question, body, told) for kind, body in sent.items()}
            except Exception as error:
                settled = self._failed(error)
        return Exchange(http, query, hashed, began, Extras(calls), settled)

    def _find_other_model(self, query: Query | None) -> Refusal | None:
        """The refusal of a query that is, or may be, to another model than the one that is served."""
        served = self._upstream.model
        if not served:
            return None
        if query is None:
            said = f"The body cannot be read as a chat completion, and this guard serves {served!r} only."
            return Refusal(said, code="invalid_json")
        named = [value for name, value in query.sent.items() if name.casefold() in _NAMING_MODELS]
        if all(value in (None, "", served) for value in named):
            return None
        return Refusal(f"This guard serves {served!r} only.", status=404, code="model_not_found")

    def _read(self, body: bytes) -> tuple[Query | None, str]:
        hashed = self._installation.hashed(body, said=True)
        try:
            return read_query(body), hashed
        except Exception as error:
            self._failed(error)
            return None, hashed

    def _settled(self, query: Query | None, hashed: str) -> Opinion | None:
        """The opinion on a query that is not checked; None where it is."""
        if query is None:
            return Opinion("unchecked", "unreadable")
        if not query.images:
            return Opinion("unchecked")
        if int(hashed[:8], 16) / 2**32 >= self._conduct.rate:
            return Opinion("unchecked", "not drawn")
        return Opinion("undecided", query.unfit) if query.unfit else None

    def _other_ways(self, query: Query, hashed: str) -> dict[str, bytes]:
        """The bodies of the extra calls, by what of `Others` they make."""
        number = int(hashed[8:16], 16)
        sent = {"without": query.without_image()}
        stand_in = self._stand_ins(query.question, number) if self._stand_ins is not None else None
        if stand_in is not None:
            sent["stand_in"] = query.about(stand_in)
        if self._conduct.rephrase:
            sent["reworded"] = query.reworded(number)
        return sent

    async def _called(self, question: str, sent: bytes, told: Mapping[str, str]) -> tuple[Answered, float]:
        """What the model says to one extra call, and how many milliseconds that took."""
        began = time.perf_counter()
        try:
            arriving = await self._upstream.transport.begin([sent], below="/chat/completions", headers=told)
            try:
                reply = await arriving.whole()
            finally:
                arriving.close()
            answered = answered_in(reply.content) if reply.status == 200 else None
            failure = "no chat completion" if reply.status == 200 else f"status {reply.status}"
        except OSError as error:
            answered, failure = None, type(error).__name__
        took = (time.perf_counter() - began) * 1000
        if answered is not None:
            await _heard(question, answered)
        return answered or Answered("", failure=failure), took

    async def _begun(
        self, http: web.Request, query: bytes | None = None, *, below: str, told: Mapping[str, str] | None = None
    ) -> Arriving:
        """The upstream's reply to a query, or to a request without one, once it has begun."""
        headers = {**self._upstream.told(http.headers, once=True), **(told or {})}
        parts, method = ([], "GET") if query is None else ([query], "POST")
        try:
            arriving = await self._upstream.transport.begin(parts, method=method, below=below, headers=headers)
        except OSError as error:
            raise _unreached(error) from None
        if 300 <= arriving.status < 400:
            arriving.close()
            said = "The upstream sends the guard elsewhere, where it does not go. Check OPENAI_BASE_URL."
            raise Refusal(said, status=502, code="upstream_redirects")
        return arriving

    async def _exchanged(self, exchange: Exchange, body: bytes) -> web.StreamResponse:
        # What was read as JSON is sent as JSON, whatever the client calls it: the upstream must read the same.
        told = None if exchange.query is None else _JSON
        arriving = await self._begun(exchange.http, body, below="/chat/completions", told=told)
        exchange.status = arriving.status
        try:
            if arriving.status != 200:
                self._logged(exchange, Opinion("unchecked", "upstream error"), "passed")
                return await _relayed(exchange.http, arriving)
            if exchange.settled is not None and not self._holds_back(exchange.settled):
                return await self._passed(exchange, arriving, exchange.settled)
            if arriving.headers.get("Content-Type", "").startswith("text/event-stream"):
                buffered = self._conduct.policy == "block" or self._conduct.closed
                return await (self._buffered if buffered else self._streamed)(exchange, arriving)
            return await self._whole(exchange, arriving)
        finally:
            arriving.close()

    def _holds_back(self, opinion: Opinion) -> bool:
        return action_on(opinion, self._conduct.policy, closed=self._conduct.closed) == "held back"

    async def _passed(self, exchange: Exchange, arriving: Arriving, opinion: Opinion) -> web.StreamResponse:
        """A reply that is not checked, as it comes."""
        said = {"X-Snellen": opinion.status} if exchange.has_image and opinion.status == "undecided" else {}
        sent = await _relayed(exchange.http, arriving, said)
        exchange.reply_ms = exchange.ready_ms = exchange.since()
        self._logged(exchange, opinion, "passed")
        return sent

    async def _whole(self, exchange: Exchange, arriving: Arriving) -> web.StreamResponse:
        """A reply that comes in one piece, with the guard's opinion in it."""
        try:
            content = (await arriving.whole()).content
        except OSError as error:
            raise _unreached(error) from None
        exchange.reply_ms = exchange.since()
        answered = answered_in(content)
        opinion = await self._opinion(exchange, answered)
        try:
            action, marked = self._marked(exchange, opinion, content, answered)
        except Exception as error:
            opinion = self._failed(error)
            action, marked = "passed", content
            if self._conduct.closed:
                action, marked = (
                    "held back",
                    replaced(b"{}", GUARD_HELD_BACK, self._said(opinion, "held back", answered)),
                )
        exchange.ready_ms = exchange.since()
        if not self._logged(exchange, opinion, action) and self._conduct.closed and action != "held back":
            action = "held back"
            marked = replaced(content, GUARD_HELD_BACK, self._said(opinion, action, answered))
        headers = {**passed_back(arriving.headers), "X-Snellen": _headed(opinion)}
        if marked is not content and "json" not in arriving.headers.get("Content-Type", ""):
            headers = {name: value for name, value in headers.items() if name.lower() != "content-type"}
            headers["Content-Type"] = "application/json"
        return await _sent(exchange.http, marked, headers)

    async def _opinion(self, exchange: Exchange, answered: Answered | None) -> Opinion:
        """What the guard makes of a reply, once the extra calls are there; nothing that fails in it gets out."""
        if exchange.settled is not None:
            return exchange.settled
        if answered is None or exchange.query is None:
            return Opinion("undecided", "unreadable")
        exchange.reply = self._installation.hashed(answered.text.encode(errors="replace"), said=True)
        try:
            await _heard(exchange.query.question, answered)
            others, exchange.extra_ms = await exchange.extras.within(self._conduct.patience)
            given = exchange.query.question, answered, others, self._threshold
            long = max(len(each.text) for each in (answered, *others.without, *others.stand_in, *others.reworded))
            return await asyncio.to_thread(judged, *given) if long > _SLOW_TO_COMPARE else judged(*given)
        except Exception as error:
            return self._failed(error)

    def _failed(self, error: Exception) -> Opinion:
        """The opinion where the guard itself failed; said once where the guard runs, without a word of the query."""
        if not self._complained:
            print(f"The guard failed on a query: {type(error).__name__}. Further failures are only logged.",
                  file=sys.stderr, flush=True)  # fmt: skip
        self._complained = True
        return Opinion("undecided", "guard failed")

    def _said(self, opinion: Opinion, action: Action, answered: Answered | None) -> dict[str, Any]:
        held = action in ("blocked", "held back") and not self._conduct.withhold
        reply = answered.text if held and answered is not None else None
        evidence = () if action in ("blocked", "held back") and self._conduct.withhold else opinion.evidence
        shown = Opinion(**{**vars(opinion), "evidence": evidence})
        return shown.field(policy=self._conduct.policy, action=action, reply=reply)

    def _marked(
        self, exchange: Exchange, opinion: Opinion, content: bytes, answered: Answered | None
    ) -> tuple[Action, bytes]:
        """What is done with a reply in one piece, and what becomes of it."""
        action = self._action(exchange, opinion)
        said = self._said(opinion, action, answered)
        if action == "warned":
            return action, warned(content, said)
        if action in ("blocked", "held back"):
            sentence = GUARD_BLOCKED if action == "blocked" else GUARD_HELD_BACK
            return action, replaced(content if answered is not None else b"{}", sentence, said)
        return (action, with_field(content, said)) if answered is not None else ("passed", content)

    def _action(self, exchange: Exchange, opinion: Opinion) -> Action:
        """What is done with a reply; a warning would make JSON unreadable, so that such a reply is only annotated."""
        action = action_on(opinion, self._conduct.policy, closed=self._conduct.closed)
        as_json_text = exchange.query is not None and exchange.query.wants_json
        return "annotated" if action == "warned" and as_json_text else action

    async def _streamed(self, exchange: Exchange, arriving: Arriving) -> web.StreamResponse:
        """A streamed reply as it comes; its end waits for the opinion, which is put before it."""
        http, transcript, events = exchange.http, Transcript(), Events()
        stream = await _prepared(http, {**passed_back(arriving.headers), "X-Snellen": "pending"})
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
        exchange.reply_ms = exchange.since()
        opinion = await self._opinion(exchange, transcript.answered)
        action = self._action(exchange, opinion)
        exchange.ready_ms = exchange.since()
        self._logged(exchange, opinion, action)
        if action == "warned":
            await send(http, stream, delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}))
        said = self._said(opinion, action, transcript.answered)
        as_chunk = exchange.query is not None and exchange.query.usage_streamed
        told = verdict(transcript.frame, said, as_chunk=as_chunk)
        await send(http, stream, held + told + ending)
        await stream.write_eof()
        return stream

    async def _buffered(self, exchange: Exchange, arriving: Arriving) -> web.StreamResponse:
        """A streamed reply that is sent once it is known whether it may be: all of it, or a sentence in its place."""
        http, transcript, events = exchange.http, Transcript(), Events()
        content = bytearray()
        try:
            async for piece in arriving.pieces():
                content += piece
                if len(content) > LONGEST_REPLY:
                    raise ConnectionError("too long")
                for event in events.feed(piece):
                    transcript.take(event)
        except OSError as error:
            raise _unreached(error) from None
        exchange.reply_ms = exchange.since()
        opinion = await self._opinion(exchange, transcript.answered)
        action = self._action(exchange, opinion)
        exchange.ready_ms = exchange.since()
        if not self._logged(exchange, opinion, action) and self._conduct.closed:
            action = "held back"
        text = transcript.answered or Answered(transcript.text)
        said = self._said(opinion, action, text)
        as_chunk = exchange.query is not None and exchange.query.usage_streamed
        if action in ("blocked", "held back"):
            sentence = GUARD_BLOCKED if action == "blocked" else GUARD_HELD_BACK
            whole = in_place(transcript.frame, sentence, said, as_chunk=as_chunk)
        else:
            warning = delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}) if action == "warned" else b""
            whole = _with_verdict(bytes(content), warning, verdict(transcript.frame, said, as_chunk=as_chunk))
        headers = {**passed_back(arriving.headers), "X-Snellen": _headed(opinion)}
        return await _sent(http, whole, headers)

    def _broken_off(self, exchange: Exchange, stream: web.StreamResponse) -> web.StreamResponse:
        """The upstream hung up in the middle: so does the guard."""
        self._logged(exchange, Opinion("unchecked", "upstream error"), "passed")
        if exchange.http.transport is not None:
            exchange.http.transport.abort()
        return stream

    def _logged(self, exchange: Exchange, opinion: Opinion, action: Action) -> bool:
        """Write the decision on a query with an image down; whether that could be done."""
        query = exchange.query
        if exchange.logged or not exchange.has_image:
            return True
        exchange.logged = True
        total, slower = exchange.ready_ms, max(exchange.reply_ms or 0.0, exchange.extra_ms or 0.0)
        decision = Decision(
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
            reply_ms=_rounded(exchange.reply_ms),
            extra_ms=_rounded(exchange.extra_ms),
            total_ms=_rounded(total),
            overhead_ms=None if total is None else _rounded(max(0.0, total - slower)),
            query=exchange.hash,
            reply=exchange.reply,
        )
        try:
            self._log.add(decision)
        except OSError as error:
            self._unwritten(error)
            return False
        return True

    def _unwritten(self, error: OSError) -> None:
        """Say once that the log cannot be written."""
        if not self._log_complained:
            why = os.strerror(error.errno) if error.errno else type(error).__name__
            print(f"The log cannot be written ({why}): decisions are missing in it.", file=sys.stderr, flush=True)
        self._log_complained = True


async def _heard(question: str, answered: Answered) -> None:
    """Read a reply while others are still to come, so that nobody waits for that in the end: what is read is kept."""
    if len(answered.text) > LONGEST_COMPARED:
        return
    try:
        if len(answered.text) > _SLOW_TO_COMPARE:
            await asyncio.to_thread(heard, question, answered)
        else:
            heard(question, answered)
    except Exception:  # noqa: S110 - it is read again when the replies are compared, and fails there
        pass


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _headed(opinion: Opinion) -> str:
    return "undecided" if opinion.status == "unchecked" else opinion.status


def _with_verdict(content: bytes, warning: bytes, told: bytes) -> bytes:
    """A whole stream with a warning before the event that finishes the reply, and the verdict before its end."""
    events, transcript = Events(), Transcript()
    sent: list[bytes] = []
    for event in events.feed(content):
        transcript.take(event)
        if transcript.finished and warning:
            sent.append(warning)
            warning = b""
        if transcript.done and told:
            sent.append(told)
            told = b""
        sent.append(event)
    return b"".join([*sent, told, events.rest])


def _unreached(error: OSError) -> Refusal:
    """What the client is told where the upstream gave no reply; the upstream's address is not its business."""
    if isinstance(error, TimeoutError):
        return Refusal("The upstream did not answer in time.", status=504, code="upstream_timeout")
    if isinstance(error, NoConnectionError):
        return Refusal("The upstream cannot be reached.", status=502, code="upstream_unreachable")
    return Refusal("The upstream hung up, or its reply cannot be read.", status=502, code="upstream_broken")


async def _prepared(
    http: web.Request, headers: Mapping[str, str], *, status: int = 200, length: int | None = None
) -> web.StreamResponse:
    stream = web.StreamResponse(status=status, headers=dict(headers))
    if length is not None:
        stream.content_length = length
    await stream.prepare(http)
    return stream


async def _sent(http: web.Request, content: bytes, headers: Mapping[str, str]) -> web.StreamResponse:
    if len(content) < _SHORT:
        return web.Response(body=content, headers=headers)
    stream = await _prepared(http, headers, length=len(content))
    await send(http, stream, content)
    await stream.write_eof()
    return stream


async def _relayed(http: web.Request, arriving: Arriving, more: Mapping[str, str] | None = None) -> web.StreamResponse:
    """The upstream's reply, byte for byte as it comes."""
    length = arriving.headers.get("Content-Length", "")
    known = int(length) if length.isdecimal() and "Content-Encoding" not in arriving.headers else None
    headers = {**passed_back(arriving.headers), **(more or {})}
    stream = await _prepared(http, headers, status=arriving.status, length=known)
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
    """Run the guard at a port, or at any free one for 0."""
    return await listen(proxy.app(host), host, port)
