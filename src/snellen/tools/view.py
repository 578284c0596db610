"""The command `snellen view`: the report of a folder in a browser, live and read-only."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler

from snellen.errors import SnellenError, StoreChangedError
from snellen.listening import Callers, Refusal, Server, listen
from snellen.report.live import ServedPage, Situation, StudyProgress, estimates, live_page, report, situation, status
from snellen.runtime import visible
from snellen.store import Store
from snellen.store.lock import being_written
from snellen.store.viewing import StoreState, mark, open_view

HOST = "127.0.0.1"
"""The only address served: the page shows questions and responses to anyone who can open it."""
CALLERS = Callers.from_host(HOST, advice="Open this page as http://127.0.0.1, not by another name.")
LEAST_PAUSE = 5.0
"""Minimum seconds between the end of one scoring and the start of the next."""
PATIENCE = 10.0
"""Seconds that the first page of a finished study waits for its report."""
PAUSES = 10
"""Length of the pause relative to the scoring before it, so that scoring hardly slows the run."""
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
OF_REPORT = "object-src 'none'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Content security policy added to the one inside the report."""

Made = TypeVar("Made")


class Sparing(Generic[Made]):
    """A slow result of a store, computed again after each change, with pauses."""

    def __init__(self, make: Callable[[], Made], turn: asyncio.Lock) -> None:
        self.made: Made | None = None
        self.problem = ""
        self.version = 0
        self._make, self._turn = make, turn
        self._of: StoreState | None = None
        self._not_before = 0.0
        self._under_way: asyncio.Task[None] | None = None

    def refresh(self, now: StoreState) -> asyncio.Task[None] | None:
        """Return the running computation; start one if the store changed and the pause is over."""
        if self._under_way is None or self._under_way.done():
            self._under_way = None
            if not self.is_of(now) and (not now.writing or time.monotonic() >= self._not_before):
                self._under_way = asyncio.create_task(self._remake(now))
        return self._under_way

    def is_of(self, now: StoreState) -> bool:
        """Return whether the result belongs to this state of the store."""
        return now == self._of

    async def latest(self, now: StoreState) -> None:
        """Wait for a result of this state of the store.

        A slightly older result is enough during the pause between two computations.
        """
        while (task := self.refresh(now)) is not None:
            await asyncio.shield(task)

    async def _remake(self, now: StoreState) -> None:
        async with self._turn:
            began = time.monotonic()
            try:
                self.made, self.problem = await _run_in_thread(self._make), ""
            except SnellenError as error:
                self.problem = str(error)
            except Exception as error:  # such as a bug in a plug-in: the rest of the page does without
                self.problem = f"An unexpected error occurred: {error!r}."
            self._of = now
            self._not_before = time.monotonic() + max(LEAST_PAUSE, PAUSES * (time.monotonic() - began))
            self.version += 1


ASIDE = "snellen-view"
"""Name of the threads that Ctrl-C does not wait for."""


async def _run_in_thread(make: Callable[[], Made]) -> Made:
    """Run a function in a thread that Ctrl-C does not wait for."""
    loop = asyncio.get_running_loop()
    coming: asyncio.Future[Made] = loop.create_future()

    def settle(set_: Callable[[Any], None], value: Any) -> None:
        if not coming.done():
            set_(value)

    def work() -> None:
        outcome: tuple[Callable[[Any], None], Any]
        try:
            outcome = coming.set_result, make()
        except BaseException as error:
            outcome = coming.set_exception, error
        with suppress(RuntimeError):  # the server has been stopped
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=work, name=ASIDE, daemon=True).start()
    return await coming


class Viewer:
    """HTTP handlers for one folder: the live page, its status, and the report."""

    def __init__(self, folder: Path, study: str | None) -> None:
        self._folder, self._study = folder, study
        one_at_a_time = asyncio.Lock()
        self._estimates = Sparing(lambda: self._in_store(estimates), one_at_a_time)
        self._report = Sparing(lambda: self._in_store(report, checked=True), one_at_a_time)
        self._counting = asyncio.Lock()
        self._seen: tuple[StoreState, dict[str, Any]] | None = None
        self._version = 0

    def app(self) -> web.Application:
        """Return the web application; only GET and HEAD are allowed."""
        app = web.Application(middlewares=[_guard])
        app.router.add_get("/", self._home)
        app.router.add_get("/report", self._show_report)
        app.router.add_get("/status.json", self._status)
        return app

    async def _home(self, http: web.Request) -> web.StreamResponse:
        """Show the report of a finished study, otherwise the live page."""
        now, seen = await self._look()
        if seen.get("state") == StudyProgress.FINISHED:
            if (task := self._report.refresh(now)) is not None:
                await asyncio.wait({task}, timeout=PATIENCE)
            if self._report.is_of(now) and not self._report.problem:
                return await self._show_report(http)
        return _page(live_page(seen.get("title", self._folder.name)))

    async def _show_report(self, http: web.Request) -> web.StreamResponse:
        now, _ = await self._look()
        await self._report.latest(now)
        if self._report.made is None or self._report.problem:
            return web.Response(text=f"The report cannot be drawn. {self._report.problem}", status=503)
        return _page(ServedPage(self._report.made, OF_REPORT))

    async def _status(self, http: web.Request) -> web.StreamResponse:
        """Send the progress of the study; status 304 if nothing has changed."""
        now, seen = await self._look()
        finished = seen.get("state") == StudyProgress.FINISHED
        if seen.get("stored"):
            (self._report if finished else self._estimates).refresh(now)
        tag = f'"{self._version}-{self._estimates.version}-{self._report.version}"'
        if http.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        drawn = finished and self._report.is_of(now)
        problem = self._report.problem if drawn else ""
        so_far = self._estimates.made
        if self._estimates.problem:
            so_far = {**(so_far or {"shown": ""}), "problem": self._estimates.problem}
        body = {**seen, "report": drawn and not problem, "report_problem": problem, "estimates": so_far}
        return web.Response(body=orjson.dumps(body), content_type="application/json", headers={"ETag": tag})

    async def _look(self) -> tuple[StoreState, dict[str, Any]]:
        """Return the store's state and its counts, which are recounted only after changes."""
        async with self._counting:
            now = await asyncio.to_thread(mark, self._folder)
            if self._seen is None or self._seen[0] != now:
                self._seen = (now, await asyncio.to_thread(self._count_stored))
                self._version += 1
            return self._seen

    def _count_stored(self) -> dict[str, Any]:
        try:
            return self._in_store(status)
        except SnellenError as error:
            return {"problem": str(error)}

    def _in_store(self, make: Callable[[Store, Situation], Made], *, checked: bool = False) -> Made:
        while True:
            writing = being_written(self._folder)
            with suppress(StoreChangedError), open_view(self._folder, checked=checked) as store:
                return make(store, situation(store, self._study, writing=writing))


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse other computers, and forbid caching and embedding."""
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
    """Serve a folder at a port (0: any free one); raise StudyError if the study is missing."""
    folder = Path(folder)
    with open_view(folder, checked=True) as store:
        store.studies.record(study)
    return await listen(Viewer(folder, study).app(), HOST, port, below="/")


def view(folder: Path | str, study: str | None = None, *, port: int = 8001, show: bool = False) -> None:
    """Serve a folder until Ctrl-C; `show` also opens it in the browser."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_view(folder, study, port, show))
    if any(thread.name == ASIDE for thread in threading.enumerate()):
        # Exit at once: Python may abort if a thread of a C++ library still runs, and no report is worth the wait.
        sys.stdout.flush()
        os._exit(0)


async def _view(folder: Path | str, study: str | None, port: int, show: bool) -> None:
    async with await start(folder, study, port=port) as server:
        where = visible(str(folder))
        print(f"The study in {where} can be seen at {server.url}, on this computer only (Ctrl-C ends it).", flush=True)
        if show:
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        await asyncio.Event().wait()
