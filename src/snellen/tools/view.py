"""view: the report of a folder in a browser, live while its study is being asked; to this computer alone, read-only."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import orjson
from aiohttp import web

from snellen.errors import SnellenError, StoreChangedError
from snellen.listening import Callers, Refusal, Server, listen
from snellen.report.live import ServedPage, Situation, State, estimates, live_page, report, situation, status
from snellen.runtime import visible
from snellen.store import Store
from snellen.store.lock import being_written
from snellen.store.viewing import Mark, mark, viewed

HOST = "127.0.0.1"
"""The only address: the page shows questions and responses to whoever opens it."""
CALLERS = Callers.at(HOST, advice="Open this page as http://127.0.0.1, not by another name.")
LEAST_PAUSE = 5.0
"""Seconds between the end of one scoring and the next, at least."""
PATIENCE = 10.0
"""Seconds that the first page of a finished study waits for its report to be drawn."""
PAUSES = 10
"""The pause is so many times as long as the scoring took, so that it takes little from the run."""
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
OF_REPORT = "object-src 'none'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Beside the policy that the report itself holds."""

Made = TypeVar("Made")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Sparing(Generic[Made]):
    """Something that takes long to make of a store: made of new data only, one at a time, and while it grows seldom."""

    def __init__(self, make: Callable[[], Made], turn: asyncio.Lock) -> None:
        self.made: Made | None = None
        self.problem = ""
        self.version = 0
        self._make, self._turn = make, turn
        self._of: Mark | None = None
        self._not_before = 0.0
        self._under_way: asyncio.Task[None] | None = None

    def refresh(self, now: Mark) -> asyncio.Task[None] | None:
        """What is being made, or is begun because the store has changed and enough time has passed."""
        if self._under_way is None or self._under_way.done():
            self._under_way = None
            if not self.is_of(now) and (not now.writing or time.monotonic() >= self._not_before):
                self._under_way = asyncio.create_task(self._again(now))
        return self._under_way

    def is_of(self, now: Mark) -> bool:
        """Whether it was made of the store as it is."""
        return now == self._of

    async def latest(self, now: Mark) -> None:
        """Wait until it is made of the store as it is, or was a moment ago."""
        while (task := self.refresh(now)) is not None:
            await asyncio.shield(task)

    async def _again(self, now: Mark) -> None:
        async with self._turn:
            began = time.monotonic()
            try:
                self.made, self.problem = await _aside(self._make), ""
            except SnellenError as error:
                self.problem = str(error)
            except Exception as error:  # such as a bug in a plug-in: the rest of the page does without
                self.problem = f"This could not be made: {error!r}."
            self._of = now
            self._not_before = time.monotonic() + max(LEAST_PAUSE, PAUSES * (time.monotonic() - began))
            self.version += 1


ASIDE = "snellen-view"
"""The name of threads for which Ctrl-C does not wait."""


async def _aside(make: Callable[[], Made]) -> Made:
    """What is made in a thread of its own, for which Ctrl-C does not wait."""
    loop = asyncio.get_running_loop()
    coming: asyncio.Future[Made] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: Any) -> None:
        if not coming.done():
            set_(value)

    def work() -> None:
        try:
            done: tuple[Callable[[Any], None], Any] = (coming.set_result, make())
        except BaseException as error:
            done = (coming.set_exception, error)
        with suppress(RuntimeError):  # the server has been stopped
            loop.call_soon_threadsafe(settle, *done)

    threading.Thread(target=work, name=ASIDE, daemon=True).start()
    return await coming


class Viewer:
    """What is served of a folder: the live page, its status, and the report."""

    def __init__(self, folder: Path, study: str | None) -> None:
        self._folder, self._study = folder, study
        one_at_a_time = asyncio.Lock()
        self._estimates = Sparing(self._estimated, one_at_a_time)
        self._report = Sparing(self._reported, one_at_a_time)
        self._counting = asyncio.Lock()
        self._seen: tuple[Mark, dict[str, Any]] | None = None
        self._version = 0

    def app(self) -> web.Application:
        """The routes; anything else is not there, and no method but GET and HEAD is allowed."""
        app = web.Application(middlewares=[_guard])
        app.router.add_get("/", self._home)
        app.router.add_get("/report", self._whole)
        app.router.add_get("/status.json", self._status)
        return app

    async def _home(self, http: web.Request) -> web.StreamResponse:
        """The report of a finished study; the live page of any other, and while or where the report is not drawn."""
        now, seen = await self._look()
        if seen.get("state") == State.FINISHED:
            if (task := self._report.refresh(now)) is not None:
                await asyncio.wait({task}, timeout=PATIENCE)
            if self._report.is_of(now) and not self._report.problem:
                return await self._whole(http)
        return _page(live_page(seen.get("title", self._folder.name)))

    async def _whole(self, http: web.Request) -> web.StreamResponse:
        """The report of what is stored."""
        now, _ = await self._look()
        await self._report.latest(now)
        if self._report.made is None or self._report.problem:
            return web.Response(text=f"The report cannot be drawn. {self._report.problem}", status=503)
        return _page(ServedPage(self._report.made, OF_REPORT))

    async def _status(self, http: web.Request) -> web.StreamResponse:
        """Where the study stands; nothing is sent where nothing has changed."""
        now, seen = await self._look()
        finished = seen.get("state") == State.FINISHED
        if seen.get("stored"):
            (self._report if finished else self._estimates).refresh(now)
        tag = f'"{self._version}-{self._estimates.version}-{self._report.version}"'
        if http.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        drawn = finished and self._report.is_of(now)
        told = {"report": drawn and not self._report.problem, "report_problem": self._report.problem if drawn else ""}
        body = {**seen, **told, "estimates": self._as_estimated()}
        return web.Response(body=orjson.dumps(body), content_type="application/json", headers={"ETag": tag})

    def _as_estimated(self) -> dict[str, Any] | None:
        nothing: dict[str, Any] = {"shown": ""}
        found = self._estimates.made
        if self._estimates.problem:
            return {**(found or nothing), "problem": self._estimates.problem}
        return found

    async def _look(self) -> tuple[Mark, dict[str, Any]]:
        """The store's state and what is counted in it, counted again only if it has changed."""
        async with self._counting:
            now = await asyncio.to_thread(mark, self._folder)
            if self._seen is None or self._seen[0] != now:
                self._seen = (now, await asyncio.to_thread(self._counted))
                self._version += 1
            return self._seen

    def _counted(self) -> dict[str, Any]:
        try:
            return self._in_store(status)
        except SnellenError as error:
            return {"problem": str(error)}

    def _estimated(self) -> dict[str, Any]:
        return self._in_store(estimates)

    def _reported(self) -> str:
        return self._in_store(report, checked=True)

    def _in_store(self, make: Callable[[Store, Situation], Made], *, checked: bool = False) -> Made:
        while True:
            writing = being_written(self._folder)
            with suppress(StoreChangedError), viewed(self._folder, checked=checked) as store:
                return make(store, situation(store, self._study, writing=writing))


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what was not meant for this computer, and say everywhere that nothing is to be kept or embedded."""
    try:
        CALLERS.check(request.headers)
        reply = await handler(request)
    except Refusal as refusal:
        reply = web.Response(text=str(refusal), status=refusal.status)
    except web.HTTPException as error:
        allowed = {name: value for name, value in error.headers.items() if name == "Allow"}
        reply = web.Response(text=error.text, status=error.status, headers=allowed)
    for name, value in HEADERS.items():
        reply.headers.setdefault(name, value)
    return reply


def _page(page: ServedPage) -> web.Response:
    body = page.html.encode(errors="replace")
    return web.Response(
        body=body, content_type="text/html", charset="utf-8", headers={"Content-Security-Policy": page.policy}
    )


async def start(folder: Path | str, study: str | None = None, *, port: int = 0) -> Server:
    """Serve a folder on a port of one's own choosing, or on any free one for 0; StudyError if it lacks the study."""
    folder = Path(folder)
    with viewed(folder, checked=True) as store:
        store.studies.record(study)
    return await listen(Viewer(folder, study).app(), HOST, port, below="/")


def view(folder: Path | str, study: str | None = None, *, port: int = 8001, show: bool = False) -> None:
    """Serve a folder until Ctrl-C; `show` opens it in the browser."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_view(folder, study, port, show))
    if any(thread.name == ASIDE for thread in threading.enumerate()):
        # Python aborts where a thread of a library in C++ outlives it, and nobody should wait for a report here.
        sys.stdout.flush()
        os._exit(0)


async def _view(folder: Path | str, study: str | None, port: int, show: bool) -> None:
    async with await start(folder, study, port=port) as server:
        where = visible(str(folder))
        print(f"{where} can be seen at {server.url}, on this computer only (Ctrl-C ends it).", flush=True)
        if show:
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        await asyncio.Event().wait()
