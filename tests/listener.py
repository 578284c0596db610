"""A server on the loopback that keeps every byte it is sent, and may stand for any host as a proxy."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace


@contextmanager
def listening(says="Answer: A", status=200):
    """The server: its `url`, and what it `heard`, headers and body as text; `says` and `status` are its replies."""
    kept = SimpleNamespace(heard=[], says=says, status=status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kept.heard.append(f"{self.path}\n{self.headers}\n{body.decode()}")
            message = {"message": {"role": "assistant", "content": kept.says}, "finish_reason": "stop", "index": 0}
            ok = {"choices": [message], "model": kept.says}
            told = json.dumps(ok if kept.status == 200 else {"error": {"message": kept.says}}).encode()
            self.send_response(kept.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *said):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    kept.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
