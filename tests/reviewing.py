"""A review that tests serve: cases made up, a server on the loopback, and raters who read pages as a browser would."""

from __future__ import annotations

import asyncio
import getpass
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import numpy as np

from parts import POSTGRES, require
from snellen.errors import ImageError
from snellen.images import encode
from snellen.tools.review.case import BlindCase, BlindImage, CasePassage, DrawnCase, Subject
from snellen.tools.review.server import Images, Review, listen, serve_until

PNG = encode(np.arange(64, dtype=np.uint8).reshape(8, 8))


def cases(count, *, task="verdict", wanted=2, images=(), model="acme/secret-9"):
    """So many made-up cases of one benchmark and model."""
    return [
        DrawnCase(
            BlindCase(
                "",
                task,
                f"What is seen in {number}?",
                passages=(CasePassage("Response", f"An effusion, {number}."),),
                images=tuple(BlindImage(f"Image {place}", 8, 8) for place in range(1, len(images) + 1)),
            ),
            Subject("hidden-bench", f"item-{number}", number, "stratum-x", model, "r1", "original"),
            tuple(images),
            wanted,
        )
        for number in range(count)
    ]


class _KeptImages:
    """What a study's store has of images: one that can be read."""

    def load_encoded(self, sha256):
        if sha256 == PNG.sha256:
            return PNG
        raise ImageError("Image /secret/path.png has changed since it was sent.")


@contextmanager
def serving(ballots, *, store=None, certificate=None, key=None, local=True):
    """A server of a review in a thread, while it runs: its `url`, and what it `told` its host."""
    told = []
    store = store or SimpleNamespace(folder=Path("study"), images=_KeptImages())
    review = Review(ballots, Images(store), tls=certificate is not None, tell=told.append)
    place = listen("127.0.0.1", 0, certificate=certificate, key=key)
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    app = review.app(local=local)
    thread = threading.Thread(target=loop.run_until_complete, args=(serve_until(app, place, until=stop.wait()),))
    thread.start()
    try:
        yield SimpleNamespace(url=place.url, told=told)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


class Browser:
    """Somebody with a link: keeps the cookie, and sends back what the page holds."""

    def __init__(self, url, token, *, trusting=None):
        self.url, self.token, self.trusting = url, token, trusting
        self.cookie = ""

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and body of one request, with the cookie that the link gave."""
        if not self.cookie:
            self.cookie = "none=none"
            self.cookie = self.ask("GET", f"/enter/{self.token}")[1].get("Set-Cookie", "none=none").partition(";")[0]
        at = urlsplit(self.url)
        if at.scheme == "https":
            connection = http.client.HTTPSConnection(at.hostname, at.port, timeout=60, context=self.trusting)
        else:
            connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
        try:
            connection.request(method, path, body, {"Cookie": self.cookie, **(headers or {})})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def get(self, path="/"):
        """Status and text of a page; what its form holds is kept."""
        status, _, body = self.ask("GET", path)
        text = body.decode(errors="replace")
        self._note(text)
        return status, text

    def _note(self, text):
        found = {name: re.search(rf'name="{name}" value="([^"]*)"', text) for name in ("csrf", "case", "nonce")}
        self.form = {name: match[1] for name, match in found.items() if match}

    def post(self, path, sent, **headers):
        """Status and text of what the script sends; bytes are sent as they are."""
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        usual = {"Content-Type": "application/json", "X-CSRF": self.form.get("csrf", ""), "Origin": self.url}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        status, _, body = self.ask("POST", path, raw, {**usual, **given})
        return status, body.decode(errors="replace")

    def vote(self, value, **changed):
        """Vote on the case of the page as the script does, and read the next; the status."""
        sent = {"case": self.form["case"], "nonce": self.form["nonce"], "seconds": 1.5, "value": value, **changed}
        status, text = self.post("/vote", sent)
        if status == 200:
            self._note(text)
        return status

    def submit(self, path, **fields):
        """Status and place of what a plain form leads to."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        status, reply, _ = self.ask("POST", path, urlencode({**self.form, **fields}), headers)
        return status, reply.get("Location")


def trusting(authority):
    """What a client needs to trust a certificate."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


class Postgres:
    """A PostgreSQL server of a test's own, on the loopback; it may not be run by root.

    One that is not `durable` does not wait for the disk.
    """

    def __init__(self, *, durable=False):
        self._durable = durable

    def __enter__(self):
        require("postgresql")
        self._folder = Path(tempfile.mkdtemp())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        if os.getuid() == 0:
            shutil.chown(self._folder, "postgres")
        self._run("initdb", "-A", "scram-sha-256", "-U", "reviewer", "--no-sync", "--pwfile", self._password_file())
        self.start()
        return self

    def __exit__(self, *problem):
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _password_file(self):
        file = self._folder / "password"
        file.write_text("s3cret%word")
        if os.getuid() == 0:
            shutil.chown(file, "postgres")
        return str(file)

    def start(self):
        """Start it on its port."""
        waits = "on" if self._durable else "off"
        flags = f"-c listen_addresses=127.0.0.1 -p {self._port} -k {self._folder} -c fsync={waits}"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", flags, "start")

    def stop(self):
        """Stop it, with every connection."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def _run(self, program, *flags):
        command = [f"{POSTGRES}/{program}", "-D", str(self._folder / "data"), *flags]
        user = "postgres" if os.getuid() == 0 else getpass.getuser()
        subprocess.run(command, check=True, user=user, cwd=self._folder, stdout=subprocess.DEVNULL)

    def url(self, name="postgres", *, password="s3cret%25word"):
        """The address of one of its databases; another than the first is made."""
        if name != "postgres":
            import psycopg

            with psycopg.connect(self.url(), autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql://reviewer:{password}@127.0.0.1:{self._port}/{name}"
