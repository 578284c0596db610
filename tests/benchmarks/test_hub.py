"""Datasets of the hub: the copy on this machine first; what to do where it is gated, unknown or out of reach."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pytest
from huggingface_hub import constants

from snellen.benchmarks import load
from snellen.benchmarks.hub import snapshot
from snellen.errors import DataError
from snellen.images import encode

REVISION = "0" * 40


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the hub, and no hub behind it."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:1")
    return tmp_path


def cached(cache, dataset, files):
    """A snapshot as the hub's client lays it out: links to files that are named by their content."""
    home = cache / f"datasets--{dataset.replace('/', '--')}"
    (home / "refs").mkdir(parents=True)
    (home / "blobs").mkdir()
    (home / "refs" / "main").write_text(REVISION)
    for number, (name, data) in enumerate(files.items()):
        blob = home / "blobs" / f"{number:040d}"
        blob.write_bytes(data)
        link = home / "snapshots" / REVISION / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    return home / "snapshots" / REVISION


def hub(status, code=""):
    """A hub on loopback that answers everything alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            if code:
                self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815 - as the standard library calls it

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    return server


def test_the_copy_on_this_machine_is_read_without_a_network(cache):
    """Questions and images of a snapshot, which are links that lead out of its folder; other links stay refused."""
    row = {"id": "1", "question": "Side?", "options": ["left", "right"], "answer": "A", "image": "images/a.png"}
    png = encode(np.full((4, 4), 7, np.uint8)).data
    folder = cached(cache, "some/thing", {"items.jsonl": json.dumps(row).encode(), "images/a.png": png})
    (item,) = load("hf:some/thing").items
    assert item.letter == "A"
    assert item.images[0].encoded().data == png
    (folder / "images" / "a.png").unlink()
    (cache / "secret.png").write_bytes(png)
    (folder / "images" / "a.png").symlink_to(cache / "secret.png")
    with pytest.raises(DataError, match="outside the folder"):
        load("hf:some/thing")


def test_what_is_not_here_says_what_to_do(cache, monkeypatch):
    """No network, a gated dataset, one that nobody may see, and a name that is none: four messages."""
    with pytest.raises(DataError, match=r"hub cannot be reached .*hf download --repo-type dataset no/where"):
        snapshot("hf:no/where")
    for status, code, said in ((403, "GatedRepo", "accept its terms"), (401, "RepoNotFound", "Check the name")):
        server = hub(status, code)
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(DataError, match=said):
            snapshot("hf:no/where", get="ask its owners.")
        server.shutdown()
        server.server_close()
    with pytest.raises(DataError, match="Expected hf:OWNER/NAME"):
        snapshot("hf:../../etc")
