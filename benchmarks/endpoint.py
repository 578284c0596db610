"""A local endpoint that answers every request alike, at once or after a set latency; in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

TEXT = (
    "The right costophrenic angle is blunted, with a meniscus along the lateral chest wall. "
    "The heart is of normal size. The mediastinum is central and the left lung is clear.\n\nAnswer: B"
)
REPLY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "fast",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Endpoint(asyncio.Protocol):
    """Reads just enough HTTP to know where a request ends."""

    latency = 0.0
    answer = HEAD % len(REPLY) + REPLY

    def connection_made(self, transport) -> None:
        self.transport = transport
        self.head = b""
        self.left = -1

    def data_received(self, data: bytes) -> None:
        if self.left < 0:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            for line in self.head[:end].split(b"\r\n"):
                if line[:15].lower() == b"content-length:":
                    self.left = int(line[15:]) - (len(self.head) - end - 4)
            self.head = b""
        else:
            self.left -= len(data)
        if self.left <= 0:
            self.left = -1
            if self.latency:
                asyncio.get_running_loop().call_later(self.latency, self.reply)
            else:
                self.reply()

    def reply(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(self.answer)


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Endpoint, "127.0.0.1", port)
    await server.serve_forever()


@contextlib.contextmanager
def endpoint(latency: float = 0.0, reply: bytes = REPLY) -> Iterator[str]:
    """The endpoint's base URL while it runs; `reply` is what it says, by default a chat completion."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, str(port), "--latency", str(latency), "--reply", reply.decode()]
    process = subprocess.Popen(command)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--reply", type=str.encode, default=REPLY)
    arguments = parser.parse_args()
    Endpoint.latency = arguments.latency
    Endpoint.answer = HEAD % len(arguments.reply) + arguments.reply
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments.port))
