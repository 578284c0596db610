"""Fifty frames of a video: our reader against others that take the same frames; processor time, as ratios.

    python benchmarks/video.py [--rounds 3] [--rivals PATH]

Films are made by PyAV (H.264, 30 frames per second, gradients with noise that move). Each reader gives the same fifty
frames as RGB arrays of at most 512 pixels on the longer side: ours; a pass over the whole film; OpenCV, which is told
the number of each frame; PyAV opened anew and sent to the nearest key frame for each; PyAV from the start for each; and
decord's `get_batch`, where it is in the environment or in PATH. The readers take turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import av
import cv2
import numpy as np
from ratios import QUICK, beside, few, told

from snellen.images import shrink
from snellen.images.formats import video
from snellen.images.formats.video import images_of

RATE = 30
PACKAGES = {"decord": "decord", "OpenCV by number": "opencv-python-headless"}
FILMS = {
    "10 s, 640 × 360, a key frame every 250": (10, (640, 360), 250),
    "60 s, 320 × 180, a key frame every 250": (60, (320, 180), 250),
    "60 s, 320 × 180, a key frame every 30": (60, (320, 180), 30),
    "10 min, 160 × 90, a key frame every 250": (600, (160, 90), 250),
}


def film(path: Path, seconds: int, size: tuple[int, int], gop: int) -> None:
    """A film of a gradient with noise that moves."""
    rng = np.random.default_rng(0)
    across = np.linspace(0, 230, size[0])[None, :, None] + rng.uniform(0, 25, (size[1], size[0], 3))
    across = across.astype(np.uint8)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(
            "libx264", rate=RATE, options={"preset": "ultrafast", "bf": "2", "sc_threshold": "0"}
        )
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.codec_context.gop_size = gop
        for number in range(seconds * RATE):
            frame = av.VideoFrame.from_ndarray(np.roll(across, 3 * number, axis=1), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def small(frame: av.VideoFrame) -> np.ndarray:
    return shrink(frame.to_ndarray(format="rgb24"), video.SIDE)


def ours(path: Path, stamps: list[int]) -> list[np.ndarray]:
    video._REELS.clear()
    return [image.pixels() for image in images_of(path)]


def whole(path: Path, stamps: list[int]) -> list[np.ndarray]:
    """Every frame is decoded once, and those that are wanted are kept."""
    found, before = [], None
    with av.open(str(path)) as container:
        container.streams.video[0].thread_type = "AUTO"
        for frame in container.decode(video=0):
            while len(found) < len(stamps) and stamps[len(found)] < frame.pts:
                found.append(small(before))
            before = frame
    return found + [small(before)] * (len(stamps) - len(found))


def anew(path: Path, stamps: list[int], *, seek: bool = True) -> list[np.ndarray]:
    """The file is opened for each frame, and read from the nearest key frame or from the start."""
    found = []
    for stamp in stamps:
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            if seek:
                container.seek(stamp, stream=stream, backward=True)
            before = None
            for frame in container.decode(stream):
                if frame.pts > stamp:
                    break
                before = frame
            found.append(small(before or frame))
    return found


def from_the_start(path: Path, stamps: list[int]) -> list[np.ndarray]:
    return anew(path, stamps, seek=False)


def opencv(path: Path, stamps: list[int]) -> list[np.ndarray]:
    """Each frame by its number."""
    capture, found = cv2.VideoCapture(str(path)), []
    for number in numbers(path, stamps):
        capture.set(cv2.CAP_PROP_POS_FRAMES, number)
        found.append(shrink(cv2.cvtColor(capture.read()[1], cv2.COLOR_BGR2RGB), video.SIDE))
    return found


def decord(path: Path, stamps: list[int]) -> list[np.ndarray]:
    """As its users do: all numbers at once."""
    from decord import VideoReader, cpu

    batch = VideoReader(str(path), ctx=cpu(0)).get_batch(numbers(path, stamps)).asnumpy()
    return [shrink(frame, video.SIDE) for frame in batch]


def numbers(path: Path, stamps: list[int]) -> list[int]:
    with av.open(str(path)) as container:
        clock = container.streams.video[0].time_base
    return [int(stamp * clock * RATE) for stamp in stamps]


def measured(rounds: int) -> None:
    readers = {"ours": ours, "a whole pass": whole, "OpenCV by number": opencv, "PyAV, anew to each": anew}
    readers |= {"decord": decord} if has_decord() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, made in list(FILMS.items())[1 if QUICK else 0 : 2 if QUICK else None]:
            path = Path(folder) / "film.mp4"
            film(path, *made)
            stamps = [image.source.stamp for image in images_of(path)]
            here = readers | ({"PyAV, from the start": from_the_start} if made[0] < 100 else {})
            times: dict[str, list[float]] = {each: [] for each in here}
            for _ in range(rounds):
                for each, reader in here.items():
                    started = time.process_time()
                    frames = reader(path, stamps)
                    times[each].append(time.process_time() - started)
                    assert len(frames) == 50
            for each in (each for each in here if each != "ours"):
                told(
                    f"fifty frames, {name}", each, beside(times[each], times["ours"]), package=PACKAGES.get(each, "av")
                )
            own = statistics.median(times["ours"])
            lines = [f"{each} {statistics.median(took):.2f} s ({statistics.median(took) / own:.1f}×)"
                    for each, took in times.items()]  # fmt: skip
            print(f"{name}: {'; '.join(lines)}", flush=True)


def has_decord() -> bool:
    try:
        import decord  # noqa: F401
    except ImportError:
        return False
    return True


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rounds", type=int, default=few(3))
    arguments.add_argument("--rivals", default="")
    given = arguments.parse_args()
    sys.path.append(given.rivals)
    measured(given.rounds)
