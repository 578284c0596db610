"""OCT phantoms: a horizontal scan through the fovea."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.strokes import (
    HALF,
    SIZE,
    Field,
    blob,
    chosen_spots,
    double_canvas,
    on_both_sides,
    polygons,
    sides,
    smooth_field,
    speckle,
    with_noise,
)
from snellen.images import Pixels
from snellen.perturb.arithmetic import exponential

Column = NDArray[np.float32]

HOLE_WIDTH = {"small": 42.0, "medium": 78.0, "large": 126.0}
FLUID_WIDTH = {"small": 58.0, "medium": 104.0, "large": 162.0}
DRUSE_WIDTH = {"small": 28.0, "medium": 48.0, "large": 76.0}
PLACE = {"far left": 88.0, "near left": 172.0, "fovea": 256.0, "near right": 340.0, "far right": 424.0}
SPOTS = {"left": (44.0, 128.0, 212.0), "right": (300.0, 384.0, 468.0)}
# Each layer's depth below the inner surface, its brightness, and the share of it that the foveal pit removes.
LAYERS = (
    ("nerve fibres", 0.0, 0.66, 1.0),
    ("ganglion cells", 15.0, 0.40, 1.0),
    ("inner nuclear", 44.0, 0.24, 0.95),
    ("outer plexiform", 64.0, 0.38, 0.75),
    ("outer nuclear", 74.0, 0.17, 0.6),
    ("photoreceptors", 118.0, 0.62, 0.0),
    ("outer segments", 124.0, 0.34, 0.0),
    ("pigment epithelium", 133.0, 0.86, 0.0),
    ("choroid", 145.0, 0.44, 0.0),
    ("sclera", 205.0, 0.16, 0.0),
)
PIT = 60.0
X = (np.arange(HALF, dtype=np.float32) * 2 + 0.5)[None, :]
Y = np.arange(SIZE, dtype=np.float32)[:, None]


class Retina:
    """Layer boundaries along the scan, and the position of the fovea."""

    def __init__(self, rng: Generator) -> None:
        self.fovea = float(rng.uniform(246, 266))
        bow, tilt = rng.uniform(-18, 26), rng.uniform(-14, 14)
        t = (X[0] - self.fovea) / 256
        base = rng.uniform(150, 190) + bow * t**2 + tilt * t + 1.2 * smooth_field(rng, 6)[0]
        thick = rng.uniform(0.94, 1.06)
        pit = _bell(self.fovea, 2**0.5 * rng.uniform(32, 42)) * rng.uniform(0.92, 1.05) * PIT
        slope = 8 * np.abs(t)
        self.tops: list[Column] = []
        for _, below, _, eaten in LAYERS:
            taken = np.minimum(pit, max(0.0, 112 - 0.6 * below)) * eaten
            sag = taken if below < 100 else 0 * pit
            self.tops.append((base + below * thick + sag - slope * (below < 100)).astype(np.float32))
        order = np.maximum.accumulate(np.stack(self.tops), axis=0)
        self.tops = list(order)

    def locate(self, place: str) -> float:
        """Return the column of a named place, shifted with the fovea of this scan."""
        return PLACE[place] + self.fovea - 256

    def lift(self, height: Column, *, above: int, fading: bool = False) -> None:
        """Raise the layers above layer `above`; with `fading`, the bump flattens with distance."""
        for layer in range(above):
            bump, away = height, self.tops[above] - self.tops[layer]
            if fading and float(away.mean()) > 12:
                spread = _blur_line(height, float(away.mean()) / 7)
                bump = spread * np.float32(1 - 0.005 * float(away.mean()))
            self.tops[layer] = self.tops[layer] - bump

    def paint_layers(self) -> Field:
        """Draw the layers by brightness, each border a few pixels soft."""
        picture = np.full((SIZE, HALF), 0.05, np.float32)
        before = 0.05
        for top, (_, _, level, _) in zip(self.tops, LAYERS, strict=True):
            soft = 25 if level == LAYERS[-1][2] else 2.5
            first, last = (int(np.clip(edge, 0, SIZE)) for edge in (top.min() - soft, top.max() + soft + 1))
            step = (Y[first:last] - top[None, :]) * np.float32(1 / soft) + np.float32(0.5)
            picture[first:last] += np.clip(step, 0, 1) * np.float32(level - before)
            picture[last:] += np.float32(level - before)
            before = level
        return picture


def _dome(middle: float, width: float, height: float) -> Column:
    """Return a rounded bump with a given width at its base."""
    t = np.clip(np.abs(X[0] - middle) / (width / 2), 0, 1).astype(np.float64)
    return cast("Column", (height * (1 - t**2) ** 0.8).astype(np.float32))


def _bell(middle: float, width: float) -> Column:
    return exponential(-(((X[0] - middle) / width) ** 2))


def _blur_line(line: Column, sigma: float) -> Column:
    """Blur a line with a Gaussian and reflected ends, in 64 bits."""
    reach = np.arange(-int(4 * sigma + 0.5), int(4 * sigma + 0.5) + 1)
    weights = np.exp(-0.5 * (reach / sigma) ** 2)
    wider = np.pad(line.astype(np.float64), reach[-1], mode="reflect")
    return np.convolve(wider, weights / weights.sum(), mode="valid").astype(np.float32)


def _places(rng: Generator, retina: Retina, shown: Phantom) -> list[float]:
    """Return random centres of a finding: at the named place, or in each affected half."""
    if shown.location:
        return [retina.locate(shown.location) + rng.uniform(-10, 10)]
    return [retina.locate(f"{rng.choice(['far', 'near'])} {side}") + rng.uniform(-10, 10) for side in sides(shown)]


def _subretinal_fluid(retina: Retina, shown: Phantom, rng: Generator) -> Field:
    """Draw a dark dome between the photoreceptors and the pigment epithelium."""
    floor = retina.tops[7].copy()
    gap = np.zeros(HALF, np.float32)
    for middle in _places(rng, retina, shown):
        width = FLUID_WIDTH[shown.size] * rng.uniform(0.95, 1.05)
        gap = np.maximum(gap, _dome(middle, width, 18 + 0.2 * width))
    retina.lift(gap, above=7, fading=True)
    picture = retina.paint_layers()
    hollow = np.clip((Y - (floor - gap)[None, :]) * 0.4, 0, 1) * np.clip((floor[None, :] - Y) * 0.4, 0, 1)
    return cast("Field", picture * (1 - hollow * np.float32(0.86)))


def _drusen(retina: Retina, shown: Phantom, rng: Generator) -> Field:
    """Draw rounded deposits that lift the pigment epithelium."""
    if shown.location:
        spots = [(retina.locate(shown.location) + rng.uniform(-10, 10), 0.0)]
    else:
        spots = [(x, 0.0) for side in sides(shown) for x in SPOTS[side]]
        if shown.side == "both":
            spots = on_both_sides(rng, spots, shown.count)
    floor = retina.tops[7].copy()
    bump = np.zeros(HALF, np.float32)
    width = DRUSE_WIDTH[shown.size]
    for middle, _ in chosen_spots(rng, spots, shown.count, apart=82 - width):
        bump = np.maximum(bump, _dome(middle, width * rng.uniform(0.95, 1.05), 12 + 0.36 * width))
    retina.lift(bump, above=8, fading=True)
    retina.tops[8] = retina.tops[7] + 9
    picture = retina.paint_layers()
    inside = np.clip((Y - retina.tops[8][None, :]) * 0.4, 0, 1) * np.clip((floor[None, :] + 8 - Y) * 0.4, 0, 1)
    return cast("Field", picture + inside.astype(np.float32) * np.float32(0.14))


def _macular_hole(retina: Retina, shown: Phantom, rng: Generator) -> Field:
    """Draw a gap through the whole retina at the fovea, with swollen edges."""
    width = HOLE_WIDTH[shown.size] * rng.uniform(0.95, 1.05)
    swollen = _bell(retina.fovea - width / 2 - 26, 30) + _bell(retina.fovea + width / 2 + 26, 30)
    retina.lift(swollen * np.float32(20), above=3)
    picture = retina.paint_layers()
    floor = retina.tops[7][None, :]
    depth = np.clip((floor - Y) / 120, 0, 1)
    half = (width / 2 * (1 + 0.12 * np.cos(np.pi * depth.astype(np.float64)))).astype(np.float32)
    open_ = np.clip((half - np.abs(X - retina.fovea)) * 0.3 + 0.5, 0, 1) * np.clip((floor - Y) * 0.4, 0, 1)
    return cast("Field", picture + open_.astype(np.float32) * (np.float32(0.05) - picture))


def _intraretinal_cysts(retina: Retina, shown: Phantom, rng: Generator) -> Field:
    """Draw a cluster of dark round holes in a thickened retina."""
    middles = _places(rng, retina, shown)
    for middle in middles:
        retina.lift(_bell(middle, 48) * np.float32(24), above=4)
    picture = retina.paint_layers()
    outlines = []
    for middle in middles:
        for offset in np.array([-34, -17, 2, 19, 36]) + rng.uniform(-4, 4, 5):
            column = int(np.clip((middle + offset) / 2, 0, HALF - 1))
            low, high = retina.tops[2][column], retina.tops[5][column]
            centre = (middle + offset, low + (high - low) * rng.uniform(0.3, 0.6))
            outlines.append(blob(rng, centre, rng.uniform(7, 13), roughness=0.06, stretch=0.85))
    holes = double_canvas(polygons(outlines, blur=1.5), axis=0)
    return cast("Field", picture * (1 - holes * np.float32(0.88)))


def _epiretinal_membrane(retina: Retina, shown: Phantom, rng: Generator) -> Field:
    """Draw a bright band on the inner surface that puckers the retina beneath it."""
    cover = np.zeros(HALF, np.float32)
    for side in sides(shown):
        out = (X[0] - retina.fovea) * (-1 if side == "left" else 1)
        cover = np.maximum(cover, np.clip((out - 14) / 14, 0, 1) * np.clip((236 - out) / 14, 0, 1))
    phase = X[0].astype(np.float64) / rng.uniform(4.2, 5.2) + 1.5 * smooth_field(rng, 6)[0]
    waves = np.sin(phase).astype(np.float32)
    retina.lift(cover * (np.float32(6) * waves), above=3)
    picture = retina.paint_layers()
    crest = (retina.tops[0] - cover * np.float32(3) - np.float32(4) * np.maximum(-waves, 0) * cover)[None, :]
    band = np.clip(2.4 - np.abs(Y - crest) * 0.6, 0, 1) * cover[None, :]
    return cast("Field", picture + band.astype(np.float32) * (np.float32(0.98) - picture))


CHANGED = {
    "subretinal fluid": _subretinal_fluid,
    "drusen": _drusen,
    "macular hole": _macular_hole,
    "intraretinal cysts": _intraretinal_cysts,
    "epiretinal membrane": _epiretinal_membrane,
}


def draw(shown: Phantom, anatomy: Generator, disease: Generator) -> Pixels:
    """Draw an OCT scan with or without a finding."""
    retina = Retina(anatomy)
    change = CHANGED.get(shown.finding)
    picture = change(retina, shown, disease) if change else retina.paint_layers()
    return _render_scan(picture, retina, anatomy)


def _render_scan(picture: Field, retina: Retina, rng: Generator) -> Pixels:
    """Add choroid texture, light loss with depth, vessel shadows and speckle."""
    mottle = smooth_field(rng, 30, height=SIZE)
    below = np.clip((Y - retina.tops[8][None, :]) / 14, 0, 1)
    fade = exponential(-np.clip(Y - retina.tops[8][None, :], 0, None) / 75)
    shaded = picture * (1 + below * mottle * np.float32(0.3)) * (np.float32(0.25) + np.float32(0.75) * fade)
    shade = np.ones(HALF, np.float32)
    for x in rng.uniform(10, 500, 5):
        away = min(1.0, abs(x - retina.fovea) / 110)
        shade -= _bell(x, rng.uniform(3, 6)) * np.float32(0.28 * away)
    under = np.clip((Y - retina.tops[1][None, :]) / 20, 0, 1)
    shaded = shaded * (1 - under * (1 - shade[None, :]))
    speckled = speckle(rng) * np.float32(1.5 * rng.uniform(0.2, 0.3)) + np.float32(1)
    lit = shaded.astype(np.float32) * np.float32(rng.uniform(225, 260))
    return with_noise(double_canvas(lit, axis=1) * speckled, rng, noise=3)
