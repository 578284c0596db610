"""Chest X-ray phantoms: a frontal film with lungs, ribs, heart and diaphragm.

The patient's right is on the left of the image.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.strokes import (
    Field,
    Points,
    Spot,
    blob,
    chosen_spots,
    curve,
    enlarge_canvas,
    fractal_field,
    grid,
    lines,
    mirror_outline,
    on_both_sides,
    place_on,
    polygon,
    polygons,
    sides,
    smooth_field,
    towards,
    with_noise,
)
from snellen.images import Pixels
from snellen.perturb.arithmetic import exponential

MIDLINE = 256.0
EFFUSION_REACH = {"small": 0.24, "medium": 0.5, "large": 0.78}
CONSOLIDATION_RADIUS = {"small": 26.0, "medium": 40.0, "large": 60.0}
NODULE_RADIUS = {"small": 9.0, "medium": 17.0, "large": 27.0}
# Spots in the patient's right lung (left on the film), at least 65 pixels apart and well inside it.
SPOTS = {
    "upper": ((168.0, 138.0), (192.0, 200.0)),
    "mid": ((126.0, 226.0), (178.0, 272.0)),
    "lower": ((112.0, 298.0), (168.0, 338.0), (108.0, 364.0)),
}
ZONE_CENTRE = {"upper": (168.0, 150.0), "mid": (148.0, 244.0), "lower": (132.0, 344.0)}
MARKINGS = 24
MARKER = [
    curve([(34, 64), (34, 34), (46, 34), (52, 41), (46, 49), (34, 49)], steps=1),
    np.array([(44.0, 49), (53, 64)]),
]
"""Lines of the letter R, at the patient's right."""


class Chest:
    """One patient's anatomy: lungs, heart and width of the chest."""

    def __init__(self, rng: Generator, *, cardiomegaly: bool) -> None:
        width, base = rng.uniform(0.94, 1.04), rng.uniform(-8, 8)
        right = [(214, 88), (170, 84), (128, 122), (100, 200), (84, 290), (78, 392), (100, 400), (150, 372), (196, 376),
                 (216, 384), (222, 300), (226, 200), (224, 130)]  # fmt: skip
        left = [(214, 90), (172, 84), (130, 122), (102, 200), (86, 290), (80, 404), (104, 414), (150, 392), (190, 394),
                (206, 380), (208, 300), (222, 210), (224, 130)]  # fmt: skip
        shape = np.array([width, 1.0])
        drop = np.array([0.0, base])
        self.right = (curve(right, closed=True, steps=6) - MIDLINE) * shape + MIDLINE + drop
        self.left = mirror_outline((curve(left, closed=True, steps=6) - MIDLINE) * shape + MIDLINE + drop, MIDLINE)
        swell = rng.uniform(1.42, 1.55) if cardiomegaly else rng.uniform(0.94, 1.04)
        knots = np.array(
            [(240, 70), (272, 70), (284, 128), (294, 158), (288, 190), (296, 222), (322, 268), (342, 322), (338, 368),
             (308, 398), (250, 402), (226, 384), (216, 340), (222, 290), (234, 240), (236, 160)], float)  # fmt: skip
        below = np.clip((knots[:, 1] - 180) / 110, 0, 1)
        knots[:, 0] = 262 + (knots[:, 0] - 262) * (1 + (swell - 1) * below)
        knots[:, 1] += base * below + rng.normal(0, 1.5, len(knots))
        self.heart = curve(knots, closed=True, steps=5)

    def lung(self, side: str) -> Points:
        """Return the outline of the patient's left or right lung."""
        return self.left if side == "left" else self.right


@cache
def _ribs(start: float, gap: float) -> tuple[Field, Field]:
    """Draw posterior ribs, falling outwards, and fainter anterior ribs, rising outwards."""
    posterior, anterior = [], []
    for rib in range(10):
        y, reach = start + gap * rib, min(172.0, 92 + 24.0 * rib)
        knots = [
            (MIDLINE - 14, y),
            (MIDLINE - 0.55 * reach, y - 10),
            (MIDLINE - reach, y + 34),
            (MIDLINE - reach + 4, y + 62),
        ]
        back = curve(knots)
        front = curve(
            [(MIDLINE - reach + 4, y + 62), (MIDLINE - 0.75 * reach, y + 92), (MIDLINE - 0.4 * reach, y + 104)]
        )
        posterior += [back, mirror_outline(back, MIDLINE)]
        if rib < 7:
            anterior += [front, mirror_outline(front, MIDLINE)]
    band = lines(posterior, width=15, blur=2.2)
    rim = band - lines(posterior, width=9, blur=2.2)
    return band * np.float32(0.75) + rim * np.float32(0.6), lines(anterior, width=14, blur=4.0)


@cache
def _vessels(number: int) -> Field:
    """Draw lung markings that start at the hila: one of a fixed set."""
    rng = np.random.default_rng([5, number])
    thick, thin, twigs = [], [], []
    for sign, hilum in ((-1, (222.0, 246.0)), (1, (292.0, 240.0))):
        for angle in np.linspace(-1.3, 1.4, 10) + rng.normal(0, 0.12, 10):
            turns = angle + np.cumsum(rng.normal(0, 0.2, 10))
            step = rng.uniform(11, 15) * np.stack([sign * np.cos(turns), 1.15 * np.sin(turns)], axis=1)
            path = np.asarray(hilum) + np.cumsum(step, axis=0)
            thick.append(path[:4])
            thin.append(path[:7])
            twigs += [path, path[5:] + np.linspace(0, 1, 5)[:, None] * rng.normal(0, 16, 2)]
            twigs.append(path[3:7] + np.linspace(0, 1, 4)[:, None] * rng.normal(0, 20, 2))
    layers = (lines(thick, width=8, blur=3.5), lines(thin, width=4, blur=2.4), lines(twigs, width=2, blur=1.6))
    return cast("Field", sum(layers) * np.float32(0.5))


@cache
def _body_and_bones(phase: float) -> tuple[Field, Field]:
    """Draw the body without its lungs; return also the structures in front of them."""
    x, y = grid()
    torso = polygon(
        curve(
            [
                (150, -20),
                (176, 40),
                (60, 96),
                (14, 190),
                (22, 540),
                (490, 540),
                (498, 190),
                (452, 96),
                (336, 40),
                (362, -20),
            ],
            closed=True,
        ),
        blur=7,
    )
    spine = exponential(-(((x - MIDLINE) / 22) ** 2))
    discs = (0.5 + 0.5 * np.sin(y.astype(np.float64) / 5.6 + phase)).astype(np.float32)
    body = torso * np.float32(0.56) + torso * spine * (np.float32(0.1) + np.float32(0.035) * discs)
    body += torso * np.float32(0.09) * np.clip((y - 250) / 200, 0, 1) ** 2
    clavicle = curve([(238, 116), (196, 104), (140, 84), (74, 80)])
    collar = lines([clavicle, mirror_outline(clavicle, MIDLINE)], width=17, blur=2.5)
    blade = curve([(84, 110), (104, 190), (74, 262), (50, 180)], closed=True)
    shoulder = polygons([blade, mirror_outline(blade, MIDLINE)], blur=6)
    trachea = polygon(np.array([(247.0, 10), (265, 10), (266, 190), (246, 190)]), blur=6)
    return body, collar * np.float32(0.14) + shoulder * np.float32(0.06) - trachea * np.float32(0.09)


def _effusion(rng: Generator, chest: Chest, shown: Phantom, side: str) -> Field:
    """Draw fluid above the diaphragm that rises along the outer chest wall."""
    outline = chest.lung(side)
    x, y = grid()
    top, bottom = outline[:, 1].min(), outline[:, 1].max()
    level = bottom - (bottom - top) * (EFFUSION_REACH[shown.size] + rng.uniform(-0.03, 0.03))
    outward = np.clip(np.abs(x - MIDLINE) / 175, 0, 1)
    surface = level + 22 - 60 * (outward * outward * outward)
    middle = outline.mean(axis=0)
    return cast("Field", np.clip((y - surface) / 16 + 0.5, 0, 1) * polygon(middle + (outline - middle) * 1.05, blur=4))


def _patch(rng: Generator, shown: Phantom, side: str) -> Field:
    """Draw an airspace opacity: a cloudy patch in one zone."""
    zone = shown.location.split()[1] if shown.location else str(rng.choice(list(ZONE_CENTRE)))
    x, y = place_on(side, ZONE_CENTRE[zone], MIDLINE)
    centre = (x + rng.uniform(-6, 6), y + rng.uniform(-8, 8))
    radius = CONSOLIDATION_RADIUS[shown.size] * rng.uniform(0.95, 1.05)
    patch = polygon(blob(rng, centre, radius, roughness=0.1, stretch=0.95), blur=7)
    return cast("Field", patch * np.clip(0.85 + 0.22 * fractal_field(rng, (9, 21, 43)), 0.35, 1.15).astype(np.float32))


def _nodules(rng: Generator, shown: Phantom) -> Field:
    """Draw separate round opacities of one size."""
    spots: list[Spot] = []
    for side in sides(shown):
        for zone in (shown.location.split()[1],) if shown.location else tuple(SPOTS):
            spots += [place_on(side, spot, MIDLINE) for spot in SPOTS[zone]]
    if shown.side == "both":
        spots = on_both_sides(rng, spots, shown.count)
    radius = NODULE_RADIUS[shown.size]
    centres = chosen_spots(rng, spots, shown.count, apart=64 - 2.2 * radius)
    return polygons([blob(rng, c, radius * rng.uniform(0.96, 1.04), roughness=0.02) for c in centres], blur=2.5)


def _air(rng: Generator, chest: Chest, side: str) -> tuple[Field, Field]:
    """Draw free air around a collapsed lung, and the thin line of the lung's edge."""
    outline = chest.lung(side)
    hilum = np.array(place_on(side, (220.0, 300.0), MIDLINE))
    collapsed = hilum + (outline - hilum) * np.array([rng.uniform(0.66, 0.74), rng.uniform(0.74, 0.8)])
    lung = polygon(collapsed, blur=1.5)
    edge = lines([np.concatenate([collapsed, collapsed[:1]])], width=3, blur=1.2)
    return polygon(outline, blur=2) * (1 - lung), edge


def draw(shown: Phantom, anatomy: Generator, disease: Generator) -> Pixels:
    """Draw a film with or without a finding."""
    chest = Chest(anatomy, cardiomegaly=shown.finding == "cardiomegaly")
    film, over = _body_and_bones(float(anatomy.integers(6)))
    lungs = polygons([chest.right, chest.left], blur=4)
    texture = smooth_field(anatomy, 40) * np.float32(0.012)
    markings = _vessels(int(anatomy.integers(MARKINGS)))
    back, front = _ribs(float(anatomy.choice((84, 88, 92, 96))), float(anatomy.choice((32, 33.5, 35))))
    aerated = lungs * (np.float32(0.36) + np.float32(0.05) * smooth_field(anatomy, 3))
    if shown.finding == "pneumothorax":
        for side in sides(shown):
            air, edge = _air(disease, chest, side)
            aerated += air * np.float32(0.1)
            markings = markings * (1 - air)
            over = over + edge * np.float32(0.16)
    film = film - aerated + lungs * (markings * np.float32(0.13) + texture)
    heart = polygon(chest.heart, blur=6)
    film = np.maximum(film, towards(film, heart, 0.6))
    film = film + over + back * np.float32(0.055) * (np.float32(0.45) + lungs) + front * np.float32(0.03)
    film = _with_opacities(film, shown, chest, disease)
    return _render_film(film, anatomy)


def _with_opacities(film: Field, shown: Phantom, chest: Chest, rng: Generator) -> Field:
    if shown.finding == "pleural effusion":
        for side in sides(shown):
            fluid = _effusion(rng, chest, shown, side)
            film = np.maximum(film, towards(film, fluid, 0.6, 0.92))
    elif shown.finding == "consolidation":
        for side in sides(shown):
            film = np.maximum(film, towards(film, _patch(rng, shown, side), 0.72, 0.72))
    elif shown.finding == "lung nodules":
        film = towards(film, _nodules(rng, shown), 0.85, 0.55)
    return film


def _render_film(film: Field, rng: Generator) -> Pixels:
    """Add exposure, contrast, side marker, slight rotation and detector noise."""
    film = np.maximum(film, lines(MARKER, width=4, blur=0.8) * np.float32(0.95))
    angle, scale = rng.uniform(-2.5, 2.5), rng.uniform(0.98, 1.06)
    contrast, brightness = rng.uniform(0.92, 1.1), rng.uniform(-0.035, 0.035)
    exposed = film * np.float32(255 * contrast) + np.float32(255 * (0.47 + brightness - 0.45 * contrast))
    return with_noise(enlarge_canvas(exposed, angle=angle, scale=scale), rng, noise=rng.uniform(3.5, 6.5))
