"""Decoder process: codecs that may crash on damaged frames run in a separate process."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from snellen.errors import ImageError, UnusableImageError

PATIENCE = 60.0
"""Seconds for one frame; after them, the codec is assumed to hang."""
_LINES = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from snellen.images.formats.dicom import serve; serve()"
)


class DecodedFrame(NamedTuple):
    """Stored values of a frame, with their photometric interpretation."""

    values: NDArray[Any]
    photometric: str


class Worker:
    """A process that decodes one frame at a time and is restarted if it dies."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def __call__(self, path: Path, frame: int) -> DecodedFrame:
        """Decode a frame of a file. Raise an error if it cannot be decoded or if the process dies."""
        with self._lock:
            process = self._running()
            late = threading.Timer(PATIENCE, process.kill)
            late.start()
            try:
                _say(cast("BinaryIO", process.stdin), {"path": str(path), "frame": frame})
                return _frame_from(cast("BinaryIO", process.stdout))
            except (OSError, EOFError) as error:
                self._end()
                raise ValueError("its compressed data are damaged: the codec stopped") from error
            finally:
                late.cancel()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            # -P: a module in the working folder must not replace one of Python's
            command = [sys.executable, "-P", "-c", _LINES, json.dumps(sys.path)]
            try:
                self._process = subprocess.Popen(  # noqa: S603 - this very Python and our own lines
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
            except OSError as error:
                raise ImageError(f"A process for decoding cannot be started: {error.strerror}.") from error
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            process.kill()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                cast("BinaryIO", stream).close()
        process.wait()


WORKER = Worker()


def serve(decode: Callable[[Path, int], DecodedFrame], asked: BinaryIO, answers: BinaryIO) -> None:
    """Decode requests, one per line, until the stream ends."""
    for line in asked:
        request = json.loads(line)
        try:
            frame = decode(Path(request["path"]), request["frame"])
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # including a panic of a codec in Rust
            _say(answers, {"error": str(error), "why": getattr(error, "why", "")})
            continue
        values = np.ascontiguousarray(frame.values)
        _say(answers, {"dtype": values.dtype.str, "shape": values.shape, "photometric": frame.photometric})
        answers.write(values.tobytes())
        answers.flush()


def _say(stream: BinaryIO, record: dict[str, Any]) -> None:
    stream.write(json.dumps(record).encode() + b"\n")
    stream.flush()


def _frame_from(stream: BinaryIO) -> DecodedFrame:
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    record = json.loads(line)
    if record.get("why"):
        raise UnusableImageError("in a DICOM file", record["why"])
    if "error" in record:
        raise ValueError(record["error"])
    kind, shape = np.dtype(record["dtype"]), tuple(record["shape"])
    size = kind.itemsize * int(np.prod(shape))
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return DecodedFrame(np.frombuffer(data, dtype=kind).reshape(shape), record["photometric"])
