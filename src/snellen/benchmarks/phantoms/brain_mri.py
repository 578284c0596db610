"""Brain MRI phantoms: an axial FLAIR-like slice at the height of the ventricles.

The patient's right is on the left of the image.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, cast

import numpy as np
from numpy.random import Generator

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.strokes import (
    Field,
    Points,
    blob,
    chosen_spots,
    curve,
    ellipse,
    enlarge_canvas,
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

CENTRE = 256.0
HEAD = (178.0, 222.0)
BRAIN = (154.0, 196.0)
MASS_RADIUS = {"small": 21.0, "medium": 37.0, "large": 58.0}
LESION_RADIUS = {"small": 7.5, "medium": 13.5, "large": 21.5}
# In the patient's right hemisphere, on the left of the image.
LOBE_CENTRE = {"frontal": (194.0, 148.0), "temporal": (154.0, 262.0), "occipital": (194.0, 368.0)}
LOBE_ANGLE = {"frontal": -128.0, "temporal": -182.0, "occipital": -236.0}
LESION_SPOTS = ((216.0, 108.0), (170.0, 150.0), (176.0, 210.0), (146.0, 262.0), (172.0, 316.0), (196.0, 372.0))


class Brain(NamedTuple):
    """Healthy patient's slice: brightness, depth (0 at the centre to 1) and brain mask of each point."""

    slice: Field
    depth: Field
    inside: Field


@cache
def _head() -> tuple[Field, Field, Field]:
    """Draw scalp and skull; return also the mask of the space within, and the depth: 1 at the brain's surface."""
    x, y = grid()
    depth = np.sqrt(((x - CENTRE) / BRAIN[0]) ** 2 + ((y - CENTRE) / BRAIN[1]) ** 2).astype(np.float32)
    scalp = polygon(ellipse((CENTRE, CENTRE), HEAD), blur=2)
    bone = polygon(ellipse((CENTRE, CENTRE), (HEAD[0] - 9, HEAD[1] - 9)), blur=2.5)
    marrow = polygon(ellipse((CENTRE, CENTRE), (HEAD[0] - 14, HEAD[1] - 14)), blur=1.5)
    inner = polygon(ellipse((CENTRE, CENTRE), (HEAD[0] - 19, HEAD[1] - 19)), blur=1.5)
    within = polygon(ellipse((CENTRE, CENTRE), BRAIN), blur=2)
    shell = scalp * np.float32(0.78) - bone * np.float32(0.66) + marrow * np.float32(0.2) - inner * np.float32(0.24)
    return shell, within, depth


def _ventricles(rng: Generator, *, wide: bool) -> list[Points]:
    """Return the outlines of the lateral ventricles and of the third ventricle."""
    swell = rng.uniform(2.3, 2.7) if wide else rng.uniform(0.9, 1.15)
    reach = 1.18 if wide else 1.0
    spine = np.array([(236, 184), (244, 214), (243, 250), (228, 290), (206, 326), (200, 340)], float)
    spine = CENTRE + (spine - CENTRE) * np.array([1 + 0.25 * (swell - 1), reach])
    half = np.array([9.0, 7.5, 6.0, 6.5, 7.5, 3.0]) * swell
    across = np.array([(1.0, 0.25), (1, 0), (1, -0.1), (0.85, -0.5), (0.8, -0.6), (0.7, -0.7)])
    edge = np.concatenate([spine - across * half[:, None], (spine + across * half[:, None])[::-1]])
    edge[:, 0] = np.minimum(edge[:, 0], CENTRE - 3)
    horn = curve(edge, closed=True, steps=6)
    third = ellipse((CENTRE, 274), (2.5 * swell, 15))
    return [horn, mirror_outline(horn, CENTRE + rng.uniform(-1, 1)), third]


def _brain(rng: Generator, *, wide: bool) -> Brain:
    """Draw white matter, deep grey nuclei, folded cortex and fluid between the folds."""
    shell, within, radius = _head()
    depth = radius + np.float32(0.025) * smooth_field(rng, 6)
    folds = smooth_field(rng, 19) + np.float32(0.45) * smooth_field(rng, 33)
    outer = np.clip((depth - 0.56) / 0.22, 0, 1)
    sulci = exponential(-((folds / 0.15) ** 2)) * outer
    ribbon = np.maximum(exponential(-((folds / 0.55) ** 2)) * outer, np.clip((depth - 0.9) / 0.06, 0, 1))
    nuclei = [ellipse((214, 236), (17, 27), angle=14), ellipse((232, 280), (15, 19), angle=-20)]
    deep = polygons([*nuclei, *(mirror_outline(nucleus, CENTRE) for nucleus in nuclei)], blur=6)
    tissue = np.float32(0.37) + np.float32(0.17) * np.maximum(ribbon, deep * np.float32(0.8))
    tissue += np.float32(0.018) * smooth_field(rng, 9) - np.float32(0.3) * sulci.astype(np.float32)
    horns = _ventricles(rng, wide=wide)
    fluid = np.maximum(polygons(horns, blur=2.5), _fissure(rng))
    if wide:
        tissue = tissue + polygons(horns, blur=16) * np.float32(0.2)
    tissue = tissue * (1 - fluid) + fluid * np.float32(0.09)
    inside = within * np.clip((np.float32(1.0) - depth) / np.float32(0.03), 0, 1)
    return Brain(shell + inside * tissue, cast("Field", depth), cast("Field", inside))


def _fissure(rng: Generator) -> Field:
    """Draw the cleft between the hemispheres, in front and behind."""
    sway = rng.normal(0, 1.2, 4)
    front = np.array([(CENTRE + sway[0], 62), (CENTRE + sway[1], 110), (CENTRE, 150)])
    back = np.array([(CENTRE, 350), (CENTRE + sway[2], 400), (CENTRE + sway[3], 452)])
    return lines([front, back], width=4, blur=2.0) * np.float32(0.85)


def _lobe(rng: Generator, shown: Phantom) -> str:
    return shown.location.split()[1] if shown.location else str(rng.choice(list(LOBE_CENTRE)))


def _middle(rng: Generator, shown: Phantom, side: str) -> tuple[float, float]:
    x, y = place_on(side, LOBE_CENTRE[_lobe(rng, shown)], CENTRE)
    return x + rng.uniform(-6, 6), y + rng.uniform(-8, 8)


def _tumour(brain: Brain, shown: Phantom, rng: Generator, side: str) -> Field:
    """Draw a mass with a bright rim and dark core, surrounded by oedema."""
    middle, radius = _middle(rng, shown, side), MASS_RADIUS[shown.size] * rng.uniform(0.95, 1.05)
    swelling = polygon(blob(rng, middle, radius * 1.3 + 20, roughness=0.17), blur=8) * brain.inside
    mass = polygon(blob(rng, middle, radius, roughness=0.07), blur=2.5)
    core = polygon(blob(rng, middle, radius * 0.62, roughness=0.14), blur=4)
    texture = np.float32(0.05) * smooth_field(rng, 34)
    picture = towards(brain.slice, swelling, 0.68, 0.85)
    picture = picture + mass * brain.inside * (np.float32(0.92) + texture - picture)
    return picture + core * (np.float32(0.3) + texture - picture)


def _haemorrhage(brain: Brain, shown: Phantom, rng: Generator, side: str) -> Field:
    """Draw an old haemorrhage: dark, with a thin bright rim."""
    middle, radius = _middle(rng, shown, side), MASS_RADIUS[shown.size] * rng.uniform(0.95, 1.05)
    outline = blob(rng, middle, radius, roughness=0.1)
    lake = polygon(outline, blur=2.5) * brain.inside
    shore = polygon(np.asarray(middle) + (outline - middle) * (1 + 7 / radius), blur=3) * brain.inside
    picture = towards(brain.slice, shore, 0.72, 0.9)
    return picture + lake * (np.float32(0.03) + np.float32(0.02) * smooth_field(rng, 30) - picture)


def _infarct(brain: Brain, shown: Phantom, rng: Generator, side: str) -> Field:
    """Draw an evenly bright wedge that widens outwards: the territory of one artery."""
    angle = np.radians(LOBE_ANGLE[_lobe(rng, shown)] + rng.uniform(-5, 5))
    spread, start = np.radians(rng.uniform(17, 22)), rng.uniform(0.36, 0.44)
    arc = np.linspace(angle - spread, angle + spread, 12)
    rim = np.stack([np.cos(arc) * 1.02, np.sin(arc) * 1.02], axis=1)
    tip = np.stack([np.cos(arc[[-3, 2]]) * start, np.sin(arc[[-3, 2]]) * start], axis=1)
    wedge = CENTRE + np.concatenate([rim, tip]) * np.array(BRAIN)
    dead = polygon(mirror_outline(wedge, CENTRE) if side == "left" else wedge, blur=7) * brain.inside
    return towards(brain.slice, dead, 0.78, 0.88)


def _white_matter_lesions(brain: Brain, shown: Phantom, rng: Generator) -> Field:
    """Draw separate bright spots of one size in the white matter."""
    spots = [place_on(side, spot, CENTRE) for side in sides(shown) for spot in LESION_SPOTS]
    if shown.side == "both":
        spots = on_both_sides(rng, spots, shown.count)
    radius = LESION_RADIUS[shown.size]
    outlines = [
        blob(rng, centre, radius * rng.uniform(0.94, 1.06), roughness=0.05)
        for centre in chosen_spots(rng, spots, shown.count, apart=60 - 2.3 * radius)
    ]
    return towards(brain.slice, polygons(outlines, blur=2.5), 0.9)


ONE_SIDED = {"tumour": _tumour, "haemorrhage": _haemorrhage, "infarct": _infarct}


def draw(shown: Phantom, anatomy: Generator, disease: Generator) -> Pixels:
    """Draw a slice with or without a finding."""
    brain = _brain(anatomy, wide=shown.finding == "hydrocephalus")
    if shown.finding in ONE_SIDED:
        for side in sides(shown):
            brain = brain._replace(slice=ONE_SIDED[shown.finding](brain, shown, disease, side))
    elif shown.finding == "white matter lesions":
        brain = brain._replace(slice=_white_matter_lesions(brain, shown, disease))
    return _render_scan(brain.slice, anatomy)


def _render_scan(picture: Field, rng: Generator) -> Pixels:
    """Add uneven gain of the coil, rotation of the head, and scanner noise."""
    gain = np.float32(1) + np.float32(0.05) * smooth_field(rng, 2)
    angle, scale = rng.uniform(-5, 5), rng.uniform(0.94, 1.05)
    full = enlarge_canvas(picture * gain * np.float32(255 * rng.uniform(0.9, 1.08)), angle=angle, scale=scale)
    return with_noise(full, rng, noise=rng.uniform(4, 8))
