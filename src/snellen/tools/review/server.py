"""The review's web server: each rater's cases by a personal link; votes are stored before the response.

It is protected against guessed, revoked and expired links, posts from other sites, foreign host names, endless bodies,
and votes sent twice. It logs no link and no text of a case. Raters can reach only their own cases.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import socket
import sqlite3
import ssl
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from math import isnan
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler

from snellen import listening
from snellen.errors import DataError, ImageError, SnellenError, StoreError, StudyError
from snellen.images import EncodedImage
from snellen.listening import Callers, Refusal
from snellen.store import Store
from snellen.tools.review import page
from snellen.tools.review.ballots import Ballots, Rater, RaterTurn
from snellen.tools.review.tasks import TASKS

LARGEST_BODY = 256_000
SLOWEST_BODY = 30.0
"""Seconds within which a browser must send its vote."""
MOST_AT_ONCE = 200
"""Maximum number of requests handled in one transaction."""
MOST_CACHED = 64_000_000
"""Maximum bytes of images kept in memory."""
CALLERS = Callers.from_host("127.0.0.1", advice="Open this page as http://127.0.0.1, not by another name.")
SHOWN_BY_BROWSERS = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": forms would then send no origin, and without TLS only the origin shows that they are ours.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
NO_LINK = (
    "This link is not valid: it is wrong, has expired, or was revoked. Ask the person who sent it to you for a new one."
)
NO_CASE = "There is no such case for you. Open your link again."
NO_IMAGE = "This image cannot be read. Skip the case, and tell the person who invited you."
BROKEN = "This page failed. Load it again."
NOT_KEPT = "Your vote could not be saved just now. Send it again: it counts once."
NOT_READ = "Your cases cannot be read just now. Load the page again in a minute; saved votes stay saved."
Made = TypeVar("Made")


class Desk:
    """Queue that handles the requests of many raters in one transaction.

    Writing one vote to disk takes as long as writing fifty.
    """

    def __init__(self, ballots: Ballots) -> None:
        self._ballots = ballots
        self._waiting: list[tuple[Callable[[Ballots], Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def do(self, work: Callable[[Ballots], Made]) -> Made:
        """Run `work` in a shared transaction; return its result once it is on disk."""
        coming: asyncio.Future[Made] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, coming))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await coming

    async def _work(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            outcomes = await asyncio.to_thread(self._do_all, [work for work, _ in taken])
            for (_, coming), (made, problem) in zip(taken, outcomes, strict=True):
                if coming.done():
                    continue
                if problem is None:
                    coming.set_result(made)
                else:
                    coming.set_exception(problem)

    def _do_all(self, works: Sequence[Callable[[Ballots], Any]]) -> list[tuple[Any, Exception | None]]:
        """Run all work in one transaction; if it fails, run each piece in its own."""
        try:
            return self._ballots.in_transaction(lambda: [(work(self._ballots), None) for work in works])
        except Exception as problem:
            if len(works) == 1:
                return [(None, problem)]
        return [outcome for work in works for outcome in self._do_all([work])]


class Images:
    """The images of a study as sent to models; recently used ones stay in memory."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._kept: OrderedDict[str, EncodedImage] = OrderedDict()
        self._size = 0

    def image(self, sha256: str) -> EncodedImage:
        """Load an image.

        Raise ImageError if it changed or is missing, StoreError if the store cannot be read.
        """
        with self._lock:
            if sha256 not in self._kept:
                self._kept[sha256] = image = self._read(sha256)
                self._size += len(image.data)
                while self._size > MOST_CACHED and len(self._kept) > 1:
                    self._size -= len(self._kept.popitem(last=False)[1].data)
            self._kept.move_to_end(sha256)
            return self._kept[sha256]

    def _read(self, sha256: str) -> EncodedImage:
        try:
            return self._store.images.load_encoded(sha256)
        except sqlite3.Error as error:
            raise StoreError(f"The study in {self._store.folder} cannot be read: {error}.") from error
        except OSError as error:
            raise ImageError(f"An image of {self._store.folder} cannot be read: {error.strerror}.") from error


class PostedVote(NamedTuple):
    """A posted vote or undo request, as JSON from the script or as a form."""

    by_script: bool
    fields: Mapping[str, Any]
    csrf: str

    def text(self, name: str) -> str:
        """Return a field that must be a text; raise Refusal otherwise."""
        if isinstance(given := self.fields.get(name), str):
            return given
        raise Refusal(f"Expected a text as {name!r}, got {type(given).__name__}.", status=422)

    @property
    def seconds(self) -> float:
        """Seconds that the case took; 0 if not reported."""
        seconds = self.fields.get("seconds", 0.0)
        try:
            if isinstance(seconds, bool | list | dict) or seconds is None:
                raise ValueError
            spent = float(seconds)
        except ValueError:
            raise Refusal("Expected a number as 'seconds'.", status=422) from None
        return 0.0 if isnan(spent) else spent


class Review:
    """The pages of a review.

    `tls` says whether connections are encrypted; `tell` reports problems to the organiser.
    """

    def __init__(
        self, ballots: Ballots, images: Images, *, tls: bool = False, tell: Callable[[str], None] = lambda said: None
    ) -> None:
        self._desk, self._images, self._tls = Desk(ballots), images, tls
        self._cookie = f"snellen-review-{ballots.id}"  # browsers send it to every port of a host, so to other reviews
        self._tell = tell

    def app(self, *, local: bool = True) -> web.Application:
        """Build the web application; `local` accepts only this computer's own name."""
        app = web.Application(middlewares=[_check_name, self._answer_errors] if local else [self._answer_errors])
        app.on_response_prepare.append(_set_headers)
        app.add_routes(
            [
                web.get("/", self._show_case),
                web.get("/enter/{token}", self._enter),
                web.get("/case/{id}", self._show_case),
                web.get("/image/{id}/{place}", self._image),
                web.post("/vote", self._vote),
                web.post("/undo", self._undo),
                *(web.get(f"/{name}", _asset) for name in page.ASSETS),
            ]
        )
        return app

    @web.middleware
    async def _answer_errors(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer every error with a page or JSON, without a traceback."""
        try:
            return await handler(request)
        except Refusal as refusal:
            return _answer_refusal(request, refusal)
        except web.HTTPException as error:
            reply = _answer_refusal(
                request, Refusal("There is no such page. Open your link again.", status=error.status)
            )
            reply.headers.update({name: error.headers[name] for name in ("Allow",) if name in error.headers})
            return reply
        except SnellenError as error:
            self._tell(f"A vote or a case could not be saved or read. {error}")
            return _answer_refusal(request, Refusal(NOT_KEPT if request.method == "POST" else NOT_READ, status=503))
        except Exception as error:
            # Only the kind and place of the error: its message may quote a case.
            at = traceback.extract_tb(error.__traceback__)[-1]
            self._tell(f"A page failed: {type(error).__name__} in {Path(at.filename).name}, line {at.lineno}.")
            return _answer_refusal(request, Refusal(BROKEN, status=500))

    async def _enter(self, request: web.Request) -> web.Response:
        token = request.match_info["token"]
        rater = await self._desk.do(lambda ballots: ballots.rater(token))
        if rater is None:
            raise Refusal(NO_LINK, status=403)
        reply = _lead_to_page()
        left = max(1, int(rater.expires - time.time()))
        # Not "strict": a rater who follows the link in a mail would arrive without the cookie.
        reply.set_cookie(self._cookie, token, max_age=left, httponly=True, samesite="lax", secure=self._tls)
        return reply

    async def _show_case(self, request: web.Request) -> web.Response:
        """Show the rater's current case, or an earlier one by its id."""
        token, id_ = request.cookies.get(self._cookie, ""), request.match_info.get("id")
        turn = await self._do(token, lambda ballots, rater: ballots.turn(rater, id_))
        return _html(page.render_page(*_title_and_part(turn, token)))

    async def _image(self, request: web.Request) -> web.Response:
        token, id_ = request.cookies.get(self._cookie, ""), request.match_info["id"]
        number = request.match_info["place"]
        place = int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else -1
        sha256 = await self._do(token, lambda ballots, rater: ballots.image(rater, id_, place))
        if sha256 is None:
            raise Refusal("There is no such image for you.", status=404)
        try:
            image = await asyncio.to_thread(self._images.image, sha256)
            if image.media_type not in SHOWN_BY_BROWSERS:
                raise ImageError(f"Image {sha256[:12]} has the type {image.media_type}, which no browser shows.")
        except (ImageError, StoreError) as error:
            self._tell(f"A rater asked for an image that cannot be shown. {error}")
            raise Refusal(NO_IMAGE, status=404) from error
        return web.Response(body=image.data, content_type=image.media_type)

    async def _vote(self, request: web.Request) -> web.Response:
        token = request.cookies.get(self._cookie, "")
        sent = await _read_post(request, token)
        id_, nonce, seconds = sent.text("case"), sent.text("nonce"), sent.seconds
        if sent.by_script and "value" not in sent.fields:
            raise Refusal("Expected a vote as 'value', or null to skip the case.", status=422)

        def vote(ballots: Ballots, rater: Rater) -> RaterTurn | None:
            value = sent.fields.get("value")
            if not sent.by_script:
                case = ballots.case(rater, id_)
                value = page.answers(TASKS[case.task], sent.fields["form"]) if case else None
            ballots.cast(rater, id_, value, nonce=nonce, seconds=seconds)
            return ballots.turn(rater) if sent.by_script else None

        return await self._answer_post(token, sent, vote)

    async def _undo(self, request: web.Request) -> web.Response:
        token = request.cookies.get(self._cookie, "")
        sent = await _read_post(request, token)
        nonce = sent.text("nonce")

        def undo(ballots: Ballots, rater: Rater) -> RaterTurn | None:
            return ballots.turn_back(rater, nonce=nonce) or ballots.turn(rater)

        return await self._answer_post(token, sent, undo)

    async def _answer_post(
        self, token: str, sent: PostedVote, work: Callable[[Ballots, Rater], RaterTurn | None]
    ) -> web.Response:
        """Apply a vote. The script gets the next page part; a plain form is redirected."""
        try:
            turn = await self._do(token, work)
        except (DataError, StudyError) as error:
            raise Refusal(f"{error!s:.500}", status=422) from error
        return _html(_title_and_part(turn, token)[1]) if sent.by_script else _lead_to_page()

    async def _do(self, token: str, work: Callable[[Ballots, Rater], Made]) -> Made:
        """Run `work` for the rater with this token, which is checked on every request."""

        def work_for_rater(ballots: Ballots) -> tuple[Made] | None:
            rater = ballots.rater(token) if token else None
            return None if rater is None else (work(ballots, rater),)

        found = await self._desk.do(work_for_rater)
        if found is None:
            raise Refusal(NO_LINK, status=403)
        return found[0]


def csrf(token: str) -> str:
    """Derive the CSRF token of a page; it survives a restart of the server."""
    return hmac.new(token.encode(errors="replace"), b"snellen review: this page is ours", hashlib.sha256).hexdigest()


async def _read_post(request: web.Request, token: str) -> PostedVote:
    """Read a post from one of our own pages; refuse others."""
    _check_origin(request)
    sent = _read(request.headers.get("Content-Type", ""), await _body(request), request.headers.get("X-CSRF", ""))
    if not hmac.compare_digest(sent.csrf.encode(errors="replace"), csrf(token).encode()):
        raise Refusal("This vote did not come from your own page. Open your link again.", status=403)
    return sent


def _check_origin(request: web.Request) -> None:
    """Refuse requests that another site made the browser send."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    own = urlsplit(origin or "").netloc.casefold() == request.headers.get("Host", "").casefold()
    if site not in (None, "same-origin") or (site is None and origin is not None and not own):
        raise Refusal("Pages of other sites cannot vote here.", status=403)


async def _body(request: web.Request) -> bytes:
    content = bytearray()
    too_large = Refusal(f"A vote has at most {LARGEST_BODY // 1000} kB. Write less.", status=413)
    if not (length := request.headers.get("Content-Length", "0")).isdecimal() or int(length[:12]) > LARGEST_BODY:
        raise too_large

    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for piece in request.content.iter_any():
                content += piece
                if len(content) > LARGEST_BODY:
                    raise too_large
    except (TimeoutError, web.RequestPayloadError):
        raise Refusal("The vote arrived incomplete. Send it again.", status=408) from None
    return bytes(content)


def _read(kind: str, body: bytes, csrf_header: str) -> PostedVote:
    kind = kind.partition(";")[0].strip().casefold()
    if kind == "application/json":
        try:
            fields = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise Refusal("The vote is not valid JSON. Load the page again.", status=422) from None
        if not isinstance(fields, dict):
            raise Refusal(f"Expected a vote as a JSON object, got {type(fields).__name__}.", status=422)
        return PostedVote(True, fields, csrf_header)
    if kind == "application/x-www-form-urlencoded":
        try:
            form = parse_qs(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            raise Refusal("The form has too many fields.", status=422) from None
        first = {name: values[0] for name, values in form.items()}
        return PostedVote(False, {**first, "form": form}, first.get("csrf", ""))
    raise Refusal("Expected a vote as JSON or as a form.", status=415)


def _title_and_part(turn: RaterTurn | None, token: str) -> tuple[str, str]:
    if turn is None:
        raise Refusal(NO_CASE, status=404)
    undo = turn.progress.done > 0
    if turn.case is None:
        return page.DONE, page.done_part(turn.progress, csrf(token), undo, earlier=turn.earlier)
    task = TASKS[turn.case.task]
    part = page.case_part(
        turn.case, task, turn.progress, csrf(token),
        value=turn.said, can_undo=undo, earlier=turn.earlier, later=turn.later,
    )  # fmt: skip
    return task.title, part


def _html(html: str, status: int = 200) -> web.Response:
    return web.Response(body=html.encode(errors="replace"), status=status, content_type="text/html", charset="utf-8")


def _lead_to_page() -> web.Response:
    return web.Response(status=303, headers={"Location": "/"})


async def _asset(request: web.Request) -> web.Response:
    name = request.path.lstrip("/")
    return web.Response(body=page.asset(name), headers={"Content-Type": page.ASSETS[name][0]})


def _answer_refusal(request: web.Request, refusal: Refusal) -> web.Response:
    """Answer with a refusal, as a page or (to the script) as JSON."""
    if request.headers.get("Content-Type", "").startswith("application/json"):
        body = orjson.dumps({"error": str(refusal)})
        return web.Response(body=body, status=refusal.status, content_type="application/json")
    if request.path.startswith("/image/"):
        return web.Response(text=str(refusal), status=refusal.status)
    return _html(page.refused_page(str(refusal)), refusal.status)


@web.middleware
async def _check_name(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse a request that uses another name than this computer's own."""
    try:
        CALLERS.check(request.headers)
    except Refusal as refusal:
        return web.Response(text=str(refusal), status=refusal.status)
    return await handler(request)


async def _set_headers(request: web.Request, reply: web.StreamResponse) -> None:
    """Set the same headers on every response, without the server's name and version."""
    reply.headers.update(HEADERS)
    reply.headers.popall("Server", None)


class ServerAddress(NamedTuple):
    """A server's socket and TLS settings; `url` is the start of its links."""

    socket: socket.socket
    url: str
    tls: ssl.SSLContext | None = None


def listen(host: str, port: int, *, certificate: Path | None = None, key: Path | None = None) -> ServerAddress:
    """Listen at a port (0: any free one); raise SnellenError if it is taken.

    Raise StudyError if the certificate or its key cannot be used.
    """
    tls = None if certificate is None else _read_certificate(certificate, key)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host or None, port)  # a name that is none is told before a socket is taken
        listener = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, TypeError, ValueError) as error:
        why = getattr(error, "strerror", None) or "this is not an address"
        raise SnellenError(
            f"Cannot listen on {host!r:.80}, port {port}: {why:.100}. Choose another --port, or an address of this "
            "computer as --host."
        ) from error
    named = socket.gethostname() if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared
    shown = f"[{named}]" if ":" in named else named
    return ServerAddress(listener, f"http{'s' if certificate else ''}://{shown}:{listener.getsockname()[1]}", tls)


def _read_certificate(certificate: Path, key: Path | None) -> ssl.SSLContext:
    def no_password() -> str:
        raise StudyError(f"The key of {certificate} has a password. Give a key without a password with --tls-key.")

    try:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key, no_password)
    except (OSError, ValueError) as error:
        why = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
        raise StudyError(
            f"{certificate} and its key cannot be used for TLS: {why}. Expected PEM files that belong together "
            "(--tls-cert, --tls-key)."
        ) from error
    return tls


def serve(app: web.Application, place: ServerAddress) -> None:
    """Serve an application until Ctrl-C."""
    with suppress(KeyboardInterrupt), asyncio.Runner() as runner:
        runner.run(serve_until(app, place))


async def serve_until(app: web.Application, place: ServerAddress, *, until: Awaitable[Any] | None = None) -> None:
    """Serve an application until Ctrl-C, or until `until` is done."""
    # With Python's default of 5 ms, the thread that writes votes would wait that long after each query.
    sys.setswitchinterval(0.0005)
    async with await listening.listen(app, bound=place.socket, tls=place.tls):
        await (asyncio.Event().wait() if until is None else until)
