import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from snellen.report.figures.palette import HUES, MODELS, SHAPES, hue, model_dot, set_of, shape
from snellen.report.figures.plain import colours

STYLE = Path(__file__).parents[2] / "src" / "snellen" / "report" / "style"
# Machado, Oliveira and Fernandes (2009), for whoever lacks one kind of cones
LACKING = {
    "nothing": np.eye(3),
    "red cones": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                           [-0.003882, -0.048116, 1.051998]]),
    "green cones": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                             [-0.011820, 0.042940, 0.968881]]),
    "blue cones": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
FAR = 15
"""Differences in CIEDE2000 above this are seen at a glance; 1 is just noticeable side by side."""


def light_of(colour):
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def as_seen(colour, lacking):
    light = np.clip(LACKING[lacking] @ light_of(colour), 0, 1)
    values = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return rgb2lab(values[None, None])[0, 0]


def apart(one, two, lacking):
    return float(deltaE_ciede2000(as_seen(one, lacking), as_seen(two, lacking)))


def contrast(one, two):
    light = sorted(float(light_of(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, two))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.fixture(params=["light", "dark"])
def variables(request):
    """The colours of the page."""
    return colours()[request.param == "dark"]


def hues_of(variables):
    return [variables[f"--hue-{number}"] for number in range(HUES)]


def test_hues_stand_out_from_the_paper(variables):
    """Every hue has a contrast of 3 to 1 at least on the page, on a card and in a figure of its own."""
    for name in ("--paper", "--card", "--figure-paper"):
        assert min(contrast(each, variables[name]) for each in hues_of(variables)) >= 3


@pytest.mark.parametrize("lacking", LACKING)
def test_hues_can_be_told_apart(variables, lacking):
    """Any two hues differ clearly, whichever cones are lacking; so do two models of one shape."""
    distances = {pair: apart(*pair, lacking) for pair in combinations(hues_of(variables), 2)}
    assert min(distances.values()) > FAR, min(distances, key=distances.get)


def test_outcomes_have_colours_of_their_own(variables):
    """No model has the colours of right and wrong, which differ whichever cones are lacking."""
    for name in ("--right", "--wrong"):
        assert min(apart(each, variables[name], "nothing") for each in hues_of(variables)) > 10
    assert not set(hues_of(variables)) & {variables[f"--{name}"] for name in ("abstained", "refused", "poor", "unread")}
    assert min(apart(variables["--right"], variables["--wrong"], lacking) for lacking in LACKING) > FAR


def test_twelve_models_have_twelve_looks():
    """No two have both the same hue and shape, those of one panel differ in shape; what is no model has no dot."""
    looks = {(place % HUES, shape(place)) for place in range(MODELS)}
    assert len(looks) == MODELS
    sets = {}
    for place in range(MODELS):
        sets.setdefault(set_of(place), set()).add(shape(place))
    assert [len(each) for each in sets.values()] == [len(SHAPES)] * 3
    assert model_dot(None) == ""
    assert shape(3) in model_dot(3)


def test_every_class_of_a_model_has_its_hue():
    """The style gives each of the twelve classes the hue of its place, and paper has the light ones."""
    tokens, printed = ((STYLE / f"{name}.css").read_text() for name in ("tokens", "print"))
    given = {name: int(number) for selectors, number in re.findall(r"([^{}]+)\{ --hue: var\(--hue-(\d)\); \}", tokens)
             for name in re.findall(r"model-\d+", selectors)}  # fmt: skip
    assert given == {hue(place).strip(): place % HUES for place in range(MODELS)}
    assert all(f"--hue-{number}: {each}" in printed for number, each in enumerate(hues_of(colours()[0])))
