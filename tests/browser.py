"""A headless browser that tests open pages with: Chromium, driven over its own protocol, without a network."""

from __future__ import annotations

import asyncio
import base64
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import aiohttp

from parts import CHROMIUM

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0", "--hide-scrollbars",
    "--disable-features=PreloadTopChromeWebUI,SpareRendererForSitePerProcess",  # 8% of its processor time
)  # fmt: skip
PATIENCE = 60.0
"""Seconds until a browser that does not answer is given up."""

TOO_WIDE = """[...document.querySelectorAll('main *')].filter((each) => {
  if (!each.checkVisibility() || each.closest('.wide, .spoken, svg, .first thead, .drawn-rows thead')) return false;
  return each.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map((each) => each.outerHTML.slice(0, 120))"""
"""Elements that stand out over the right edge of the page, in JavaScript."""


class Browser:
    """One page at a time: opened, asked with JavaScript, seen. `complaints` is what the browser said of the page."""

    def __enter__(self):
        self._profile = tempfile.mkdtemp()
        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._runner = asyncio.Runner()
        self.url = f"http://127.0.0.1:{self._port()}"
        self._runner.run(self._connect())
        return self

    def __exit__(self, *problem):
        self._runner.run(self._session.close())
        self._runner.close()
        self._process.terminate()
        self._process.wait(PATIENCE)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _port(self):
        file = Path(self._profile, "DevToolsActivePort")
        started = time.monotonic()
        while not file.exists() or not file.read_text().strip():
            assert time.monotonic() - started < PATIENCE, "the browser did not start"
            time.sleep(0.05)
        return file.read_text().splitlines()[0]

    async def _connect(self):
        self._session = aiohttp.ClientSession()
        pages = await (await self._session.get(f"{self.url}/json")).json()
        page = next(each for each in pages if each["type"] == "page")
        self._socket = await self._session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0)
        self._number = 0
        self._events = []
        for domain in ("Page", "Runtime", "Log"):
            await self._send(f"{domain}.enable")

    async def _send(self, method, **params):
        self._number += 1
        wanted = self._number
        await self._socket.send_json({"id": wanted, "method": method, "params": params})
        while True:
            message = await asyncio.wait_for(self._socket.receive_json(), PATIENCE)
            if message.get("id") == wanted:
                assert "error" not in message, message
                return message["result"]
            self._events.append(message)

    async def _until(self, event):
        while not any(each.get("method") == event for each in self._events):
            self._events.append(await asyncio.wait_for(self._socket.receive_json(), PATIENCE))

    def send(self, method, **params):
        """A command of the browser's protocol, with its result."""
        return self._runner.run(self._send(method, **params))

    def open(self, url, *, width=1400, height=1000, dark=False):
        """Open a page and wait until it is loaded."""
        self._events.clear()
        self.resize(width, height)
        self.colour(dark=dark)
        self.send("Page.navigate", url="about:blank")
        self._runner.run(self._until("Page.loadEventFired"))
        self._events.clear()
        self.send("Page.navigate", url=url)
        self._runner.run(self._until("Page.loadEventFired"))

    def resize(self, width, height=1000):
        """Look at the page on a screen of another size."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colour(self, *, dark):
        """Look at the page as those do who prefer light or dark."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def evaluate(self, expression):
        """What an expression comes to in the page; a promise is waited for."""
        done = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, expression):
        """Wait until an expression is true in the page."""
        started = time.monotonic()
        while not self.evaluate(expression):
            assert time.monotonic() - started < PATIENCE, f"never true: {expression}"
            time.sleep(0.02)

    @property
    def complaints(self):
        """Errors and warnings that the browser logged since the page was opened."""
        self.evaluate("0")
        said = [each["params"]["entry"] for each in self._events if each.get("method") == "Log.entryAdded"]
        thrown = [each["params"] for each in self._events if each.get("method") == "Runtime.exceptionThrown"]
        return [each["text"] for each in said if each["level"] in ("error", "warning")] + [str(each) for each in thrown]

    def screenshot(self, path, *, whole=False):
        """What is seen, as a PNG file; with `whole`, the page down to its end."""
        image = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(image["data"]))

    def pdf(self):
        """The page as it prints."""
        return base64.b64decode(self.send("Page.printToPDF", preferCSSPageSize=True)["data"])
