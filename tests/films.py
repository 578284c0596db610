"""Films for tests, made by PyAV: each frame is a grey that grows, so that a picture tells which frame it is."""

from fractions import Fraction

import numpy as np

STEP = 8
"""How much brighter each frame is than the one before it: encoders may miss a grey by less than half of that."""

PLACES = 31
"""After so many frames the greys begin again, at the same levels."""


def film(path, *, frames=30, rate=10, size=(64, 48), codec="mpeg4", stamps=None, turn=0, kind=None, gop=12, sound=0):
    """A film of so many frames; `stamps` are their moments in tenths of a second where they are not evenly apart."""
    import av

    with av.open(str(path), "w", format=kind) as container:
        stream = None
        if frames is not None:
            stream = container.add_stream(codec, rate=rate)
            stream.width, stream.height = size
            stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
            stream.codec_context.gop_size = gop
            if stamps:
                stream.codec_context.time_base = Fraction(1, 10)
            if turn:
                stream.set_display_rotation(turn)
        heard = container.add_stream("pcm_s16le" if kind == "avi" else "aac", rate=8000) if sound else None
        for place in range(frames or 0):
            frame = av.VideoFrame.from_ndarray(_shade(place, size), format="rgb24")
            frame.pts, frame.time_base = (stamps[place], Fraction(1, 10)) if stamps else (place, Fraction(1, rate))
            container.mux(stream.encode(frame))
        for place in range(sound):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 8000, 1024 * place, Fraction(1, 8000)
            container.mux(heard.encode(frame))
        for each in (stream, heard):
            if each is not None:
                container.mux(each.encode())
    return path


def _shade(place, size):
    """The place as a grey; the left half of the upper half is white, so that a turn can be seen."""
    pixels = np.full((size[1], size[0], 3), STEP * (place % PLACES), np.uint8)
    pixels[: size[1] // 4, : size[0] // 4] = 255
    return pixels


def place_of(pixels):
    """Which frame a picture is, up to whole rounds of `PLACES`, by the grey in its middle."""
    height, width = pixels.shape[:2]
    return round(float(pixels[height // 2 :, width // 2 :].mean()) / STEP)
