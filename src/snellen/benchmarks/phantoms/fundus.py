"""Fundus phantoms: a colour photograph with disc, macula and vessels.

A right eye has its disc on the right.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.strokes import (
    HALF,
    SIZE,
    Field,
    Points,
    Spot,
    blob,
    chosen_spots,
    ellipse,
    enlarge_canvas,
    fractal_field,
    grain,
    grid,
    polygon,
    polygons,
    rotate_canvas,
)
from snellen.images import Pixels
from snellen.perturb.arithmetic import exponential, round_levels

DISC_RADIUS = 40.0
SIZE_OF_DISC = {"small": 0.19, "medium": 0.36, "large": 0.66}
"""Diameter of a spot relative to the disc's."""
# Drawn as a right eye: the disc at the right, temporal at the left. A left eye is its mirror image.
DISC = (342.0, 256.0)
FOVEA = (196.0, 264.0)
QUADRANT = {
    "superotemporal": (212.0, 126.0),
    "inferotemporal": (212.0, 394.0),
    "superonasal": (410.0, 150.0),
    "inferonasal": (410.0, 366.0),
    "macula": (190.0, 262.0),
}
SPOTS: dict[str, tuple[Spot, ...]] = {
    "superotemporal": ((150.0, 140.0), (222.0, 104.0), (270.0, 172.0)),
    "inferotemporal": ((150.0, 384.0), (222.0, 416.0), (270.0, 346.0)),
    "superonasal": ((392.0, 118.0), (440.0, 178.0)),
    "inferonasal": ((392.0, 398.0), (440.0, 338.0)),
    "macula": ((186.0, 252.0),),
}
Colour = NDArray[np.float32]
TREES = 24
VESSEL_TONE = np.stack([1 - np.arange(256) * (loss / 255) for loss in (0.25, 0.43, 0.38)], axis=1).astype(np.float32)
"""Red, green and blue light that passes a vessel, by how much of a pixel the vessel covers."""
ORANGE = np.array([0.80, 0.40, 0.20], np.float32)


class Vessels:
    """Vessel tree: four pairs of arteries and veins from the disc."""

    def __init__(self, rng: Generator) -> None:
        self.mask = np.zeros((SIZE, SIZE), np.uint8)
        self.rng = rng
        for up in (1, -1):
            for vein in (0, 1):
                nudge = 0.3 * vein
                self._branch(np.array(DISC), (1.75 - nudge) * up, -0.052 * up, 26, 7.5 - 1.5 * vein)
                self._branch(np.array(DISC), (2.45 - nudge) * up, 0.018 * up, 15, 6.0 - vein)
        for turn in (0.35, -0.3):
            self._branch(np.array(DISC), turn, 0.02 * float(np.sign(turn)), 7, 2.5)

    def _branch(self, start: Points, angle: float, bend: float, steps: int, width: float) -> None:
        """Draw one thinning vessel with forks; angles start temporal, upwards positive."""
        turns = angle + self.rng.normal(0, 0.06) + np.cumsum(bend + self.rng.normal(0, 0.075, steps))
        stride = 11.5 * np.stack([-np.cos(turns), -np.sin(turns)], axis=1)
        path = start + np.concatenate([[[0, 0]], np.cumsum(stride, axis=0)])
        for piece in range(0, steps, 3):
            thick = width * (1 - 0.65 * piece / steps)
            ends = np.rint(path[piece : piece + 4] * 16).astype(np.int32)
            cv2.polylines(self.mask, [ends], False, 255 if thick > 2 else 190, max(1, round(thick)), cv2.LINE_AA, 4)
        if steps < 9 or width < 2:
            return
        for fork in range(4 + int(self.rng.integers(2)), steps - 3, 5):
            away = float(self.rng.choice((-1, 1))) * self.rng.uniform(0.5, 0.9)
            left = width * (1 - 0.65 * fork / steps)
            self._branch(path[fork], turns[fork] + away, -0.02 * away, max(5, (steps - fork) * 2 // 3), left * 0.62)


@cache
def _tree(number: int) -> Pixels:
    """Draw one of a fixed set of vessel trees, since drawing them is slow."""
    return cast("Pixels", cv2.GaussianBlur(Vessels(np.random.default_rng([7, number])).mask, (0, 0), 0.9))


@cache
def _aperture() -> tuple[Field, Field, Field]:
    """Return each point's distance from the centre, the lit circle and the dark macula."""
    x, y = grid()
    away = np.sqrt((x - 256) ** 2 + (y - 256) ** 2)
    dark = exponential(-(((x - FOVEA[0]) / 44) ** 2 + ((y - FOVEA[1]) / 38) ** 2))
    return away / 256, np.clip((248 - away) / 3, 0, 1), dark


def _retina(rng: Generator) -> Colour:
    """Draw the background: brightest in the middle, mottled, brown at the macula."""
    away, _, dark = _aperture()
    light = np.float32(1.02) - np.float32(0.34) * away**2 + np.float32(0.035) * fractal_field(rng, (4, 9, 19))
    tint = ORANGE * (1 + rng.normal(0, 0.06, 3).astype(np.float32))
    shares = np.array([0.28, 0.42, 0.5], np.float32)
    return np.stack([light * (tone - dark * (share * tone)) for share, tone in zip(shares, tint, strict=True)], axis=2)


def _tint_mask(picture: Colour, mask: Field, colour: tuple[float, float, float]) -> Colour:
    """Colour the masked part of an image, in place."""
    x, y, width, height = cv2.boundingRect((mask > 0).view(np.uint8))
    window = (slice(y, y + height), slice(x, x + width))
    picture[window] += mask[window][:, :, None] * (np.asarray(colour, np.float32) - picture[window])
    return picture


def _disc(picture: Colour, rng: Generator, *, cupped: bool) -> Colour:
    """Draw the optic disc, its pale cup and a faint halo."""
    axes = (DISC_RADIUS * rng.uniform(0.92, 0.98), DISC_RADIUS * rng.uniform(1.0, 1.06))
    ratio = rng.uniform(0.76, 0.84) if cupped else rng.uniform(0.3, 0.42)
    picture = _tint_mask(
        picture, polygon(ellipse(DISC, (axes[0] + 9, axes[1] + 9)), blur=7) * np.float32(0.25), (0.95, 0.6, 0.35)
    )
    picture = _tint_mask(picture, polygon(ellipse(DISC, axes), blur=3) * np.float32(0.9), (0.96, 0.70, 0.42))
    centre = (DISC[0] + rng.uniform(-2, 2), DISC[1] + rng.uniform(-2, 2))
    return _tint_mask(
        picture, polygon(ellipse(centre, (axes[0] * ratio, axes[1] * ratio)), blur=2.5), (1.0, 0.93, 0.74)
    )


def _spots(rng: Generator, shown: Phantom) -> list[Points]:
    spots = SPOTS[shown.location] if shown.location else [spot for quadrant in SPOTS.values() for spot in quadrant]
    radius = DISC_RADIUS * SIZE_OF_DISC[shown.size]
    rough = 0.05 if shown.finding == "retinal haemorrhages" else 0.1
    centres = chosen_spots(rng, spots, shown.count, apart=68 - 2.1 * radius)
    return [blob(rng, centre, radius * rng.uniform(0.95, 1.05), roughness=rough) for centre in centres]


def _exudates(rng: Generator, shown: Phantom) -> Field:
    """Draw a ring of small, sharp, yellow flecks."""
    middle = np.array(QUADRANT[shown.location]) + rng.uniform(-6, 6, 2)
    turn = rng.uniform(0, 2 * np.pi, 26)
    reach = rng.normal(26, 8, 26)
    centres = middle + np.stack([reach * np.cos(turn), reach * np.sin(turn)], axis=1)
    return polygons([blob(rng, centre, rng.uniform(2.2, 5.0), roughness=0.15) for centre in centres], blur=1.0)


def _flames(rng: Generator) -> Field:
    """Draw streaks of blood along the nerve fibres of one quadrant."""
    quadrant = str(rng.choice(["superotemporal", "inferotemporal", "superonasal", "inferonasal"]))
    middle = np.array(QUADRANT[quadrant])
    flow = middle - np.array(DISC)
    angle = np.degrees(np.arctan2(flow[1], flow[0]))
    streaks = []
    for centre in middle + rng.normal(0, 1, (34, 2)) * np.array([42, 34]):
        long = rng.uniform(9, 22)
        streaks.append(ellipse(centre, (long, long * rng.uniform(0.16, 0.3)), angle=angle + rng.normal(0, 16)))
    return polygons(streaks, blur=1.6)


def _draw_disease(picture: Colour, shown: Phantom, rng: Generator) -> Colour:
    if shown.finding == "retinal haemorrhages":
        return _tint_mask(picture, polygons(_spots(rng, shown), blur=1.8) * np.float32(0.92), (0.36, 0.05, 0.04))
    if shown.finding == "cotton-wool spots":
        return _tint_mask(picture, polygons(_spots(rng, shown), blur=4.5) * np.float32(0.9), (0.97, 0.90, 0.74))
    if shown.finding == "hard exudates":
        return _tint_mask(picture, _exudates(rng, shown), (1.0, 0.88, 0.38))
    if shown.finding == "branch vein occlusion":
        return _tint_mask(picture, _flames(rng) * np.float32(0.85), (0.42, 0.07, 0.05))
    return picture


def draw(shown: Phantom, anatomy: Generator, disease: Generator) -> Pixels:
    """Draw a photograph with or without a finding."""
    picture = _disc(_retina(anatomy), anatomy, cupped=shown.finding == "glaucomatous cupping")
    picture = _draw_disease(picture, shown, disease)
    return _render_photograph(picture, shown, anatomy)


def _render_photograph(picture: Colour, shown: Phantom, rng: Generator) -> Pixels:
    """Apply exposure, noise, vessels and rotation; mirror left eyes."""
    noise = grain(rng)[:HALF, :HALF] * np.float32(rng.uniform(2.5, 4.5))
    lit = picture * np.float32(255 * rng.uniform(0.9, 1.06)) + noise[:, :, None]
    exposed = np.clip(lit * _aperture()[1][:, :, None], 0, 255)
    angle = rng.uniform(-5, 5)
    full = enlarge_canvas(exposed, angle=angle)
    tree = _tree(int(rng.integers(TREES)))
    if rng.random() < 0.5:
        tree = cv2.flip(tree, 0)
    covered = round_levels(rotate_canvas(tree.astype(np.float32), angle=angle))
    full *= np.take(VESSEL_TONE, covered, axis=0)
    photograph = round_levels(full)
    return cast("Pixels", cv2.flip(photograph, 1) if shown.side == "left" else photograph)
