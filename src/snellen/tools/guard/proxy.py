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
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from snellen.listening import Bodies, Callers, Refusal, Server, as_json, check_key, listen, send
from snellen.models.base import GUARD_BLOCKED, GUARD_HELD_BACK, GUARD_WARNING
from snellen.models.client.transport import LONGEST_REPLY, Arriving, NoConnectionError
from snellen.tools.guard import stream as sse
from snellen.tools.guard.log import Action, Decision, Installation, Log, model_name, now
from snellen.tools.guard.opinion import (
    LATE,
    LONGEST_COMPARED,
    Opinion,
    Others,
    Policy,
    action_on,
    answered_in,
    judged,
    replaced,
    warned,
    with_field,
)
from snellen.tools.guard.query import Query, read_query
from snellen.tools.guard.signal import EVEN, Answered, heard
from snellen.tools.guard.stand_ins import StandIns
from snellen.tools.guard.upstream import LOOP, Upstream, passed_back

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
        http, transcript, events = exchange.http, sse.Transcript(), sse.Events()
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
            await send(http, stream, sse.delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}))
        said = self._said(opinion, action, transcript.answered)
        as_chunk = exchange.query is not None and exchange.query.usage_streamed
        told = sse.verdict(transcript.frame, said, as_chunk=as_chunk)
        await send(http, stream, held + told + ending)
        await stream.write_eof()
        return stream

    async def _buffered(self, exchange: Exchange, arriving: Arriving) -> web.StreamResponse:
        """A streamed reply that is sent once it is known whether it may be: all of it, or a sentence in its place."""
        http, transcript, events = exchange.http, sse.Transcript(), sse.Events()
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
            whole = sse.in_place(transcript.frame, sentence, said, as_chunk=as_chunk)
        else:
            warning = sse.delta(transcript.frame, {"content": f"\n\n{GUARD_WARNING}"}) if action == "warned" else b""
            whole = _with_verdict(bytes(content), warning, sse.verdict(transcript.frame, said, as_chunk=as_chunk))
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
    events, transcript = sse.Events(), sse.Transcript()
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
