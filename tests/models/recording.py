"""A server on the loopback that keeps what it is sent and answers by a script; and what a backend's wire looks like."""

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from snellen.models.base import Model, Response
from snellen.prompts import Request, Settings

REQUEST = Request("m", "A or B?")


@dataclass
class Sent:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """Its JSON."""
        return json.loads(self.raw)


@dataclass
class Answer:
    """What the server says: JSON or bytes; `cut` hangs up in the middle, `late` never answers."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    late: bool = False


@dataclass
class Recorder:
    """The running server: what came, and the answers to come; the last is given to all that follow."""

    url: str = ""
    sent: list[Sent] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    asking: asyncio.AbstractEventLoop | None = None
    """The client's loop: its time passes when an answer is late."""

    def next(self) -> Answer:
        """The answer to the next request."""
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass(frozen=True)
class Wire:
    """How one backend is tried.

    `opened` makes the model for a server's address and a key, `says` the reply of its server with a text, a finish
    reason and token counts, `sdk` sends the same question by the vendor's own client (None where there is none), and
    `images` finds the base64 of the images in a body, in order.
    """

    name: str
    opened: Callable[..., Model]
    says: Callable[..., Any]
    images: Callable[[Any], list[str]]
    finishes: dict[str, str]
    """The provider's words for: stop, length, filtered (and refusal, where it has one)."""
    sdk: Callable[[str, str], Any] | None = None
    reasoning: Callable[[], Any] | None = None
    """A reply with reasoning "because" before the text "B", where the provider sends any."""
    tool_call: Callable[[], Any] | None = None
    """A reply that calls a tool and says nothing."""
    ignores: tuple[str, ...] = ()
    """Fields of the SDK's body that ours need not have."""
    meant: Callable[[Any], Any] = lambda body: body
    """A body as its server understands it, where two spellings mean the same."""


def pass_time(loop: asyncio.AbstractEventLoop) -> None:
    """Let an hour pass for the timers of a loop, so that no test waits for them or races them."""
    now = loop.time
    loop.time = lambda: now() + 3600


@contextmanager
def recording(*answers: Answer, answering: Callable[[Sent], Answer] | None = None):
    """A recorder that runs in a thread of its own; `answering` decides by what was sent."""
    recorder = Recorder(answers=list(answers))
    over = asyncio.Event()

    async def handle(http: web.Request) -> web.StreamResponse:
        raw = await http.read()
        recorder.sent.append(Sent(http.method, http.raw_path, dict(http.headers), raw))
        answer = answering(recorder.sent[-1]) if answering else recorder.next()
        if answer.late:
            recorder.asking.call_soon_threadsafe(pass_time, recorder.asking)
            await over.wait()
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        if answer.cut:
            stream = web.StreamResponse(headers={"Content-Length": str(len(body) + 100)})
            await stream.prepare(http)
            await stream.write(body)
            http.transport.close()
            return stream
        return web.Response(body=body, status=answer.status, headers=answer.headers, content_type="application/json")

    loop = asyncio.new_event_loop()
    app = web.Application(client_max_size=100_000_000)
    app.router.add_route("*", "/{tail:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def start() -> str:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    recorder.url = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield recorder
    finally:
        loop.call_soon_threadsafe(over.set)
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def asked(model: Model, request: Request | None = None, **settings: Any) -> Response:
    """The response to one question of a model that is closed then."""

    async def once() -> Response:
        try:
            return await model.answer(request or Request("m", "A or B?", settings=Settings(**settings)))
        finally:
            await model.close()

    return asyncio.run(once())


def answered(opened: Callable[[str], Model], answer: Any, request: Request = REQUEST) -> tuple[Response, Sent]:
    """The response of a model that is opened at a server's address, and what the server was sent."""
    with recording(answer if isinstance(answer, Answer) else Answer(answer)) as server:
        return asked(opened(server.url), request), server.sent[0]
