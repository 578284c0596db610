"""Conversion of a page's drawing to a plain SVG file with its own style.

Drawings of the page have positions in percent and CSS variables as colours. Programs for papers and slides support
neither well. So nested SVGs become groups, and percentages become numbers. The file gets the rules of `style/marks.css`
that it needs, with their variables replaced by light and dark colours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from xml.etree import ElementTree

from snellen.report.figures.marks import PATTERNS
from snellen.runtime import visible

SVG = "http://www.w3.org/2000/svg"
_ACROSS, _DOWN = ("x", "x1", "x2", "cx", "width"), ("y", "y1", "y2", "cy", "height")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)(?:,\s*var\((--[\w-]+)\))?\)")
_REM = re.compile(r"([\d.]+)rem")
_STEP = re.compile(r"([MLHVZ])([^MLHVZ]*)")
_SEE_THROUGH = re.compile(r"(fill|stroke): (#[0-9a-f]{6})([0-9a-f]{2})\b")
ROOT_SIZE = 16
"""Pixels of a CSS rem."""
PRINTED = 0.25
"""Millimetres in print per unit of a figure: 720 units are 180 mm, two columns of a page."""
HUE = "--hue"


class FigureFrame(NamedTuple):
    """Size of the enclosing SVG, and the factors by which outlines are stretched."""

    width: float
    height: float
    stretch: tuple[float, float] = (1.0, 1.0)


def plain(drawn: str, *, width: float, height: float, title: str, about: str) -> str:
    """Convert a drawing to plain SVG with title and description."""
    root = ElementTree.fromstring(f'<svg xmlns="{SVG}">{_clean_text(drawn)}</svg>')  # noqa: S314 - what we have drawn
    body = [_flat(each, FigureFrame(width, height)) for each in root]
    ElementTree.register_namespace("", SVG)
    size = {"width": f"{_short(PRINTED * width)}mm", "height": f"{_short(PRINTED * height)}mm"}
    box = f"0 0 {_short(width)} {_short(height)}"
    made = ElementTree.Element(_qualify_name("svg"), {"viewBox": box, **size, "role": "img"})
    for name, text in (("title", title), ("desc", about)):
        ElementTree.SubElement(made, _qualify_name(name)).text = _clean_text(text)
    ElementTree.SubElement(made, _qualify_name("rect"), {"class": "paper", "width": "100%", "height": "100%"})
    made.extend(body)
    _lay_ground(made)
    used = sorted({name for part in made.iter() for name in part.get("class", "").split()})
    if wanted := _patterns(tuple(used)):
        defs = ElementTree.Element(_qualify_name("defs"))
        made.insert(2, defs)
        for name in wanted:
            defs.append(ElementTree.fromstring(str(PATTERNS[name]).replace("<pattern", f'<pattern xmlns="{SVG}"', 1)))  # noqa: S314 - ours
    style = ElementTree.Element(_qualify_name("style"))
    style.text = style_of(tuple(used))
    made.insert(2, style)
    return ElementTree.tostring(made, encoding="unicode") + "\n"


def _clean_text(text: str) -> str:
    """Remove the characters that XML does not allow."""
    return visible(text).replace("\ufffe", "").replace("\uffff", "")


def _qualify_name(name: str) -> str:
    return f"{{{SVG}}}{name}"


def _lay_ground(made: ElementTree.Element) -> None:
    """Draw plain colour under patterns, to avoid thin gaps between tiles."""
    for parent in list(made.iter()):
        for at, each in reversed(list(enumerate(parent))):
            names = tuple(each.get("class", "").split())
            if each.tag == _qualify_name("rect") and (found := _patterns(names)):
                ground = {name: value for name, value in each.items() if name in (*_ACROSS, *_DOWN)}
                parent.insert(at, ElementTree.Element(_qualify_name("rect"), {"class": f"under {found[0]}", **ground}))


def _flat(element: ElementTree.Element, frame: FigureFrame) -> ElementTree.Element:
    """Replace percentages by numbers, and nested SVGs by groups."""
    name = element.tag.rpartition("}")[2]
    attributes = {key: value for key, value in element.attrib.items() if key not in ("role", "aria-hidden", "overflow")}
    for key in (*_ACROSS, *_DOWN):
        if key in attributes:
            given, whole = attributes[key], frame.width if key in _ACROSS else frame.height
            attributes[key] = _short(float(given[:-1]) / 100 * whole if given.endswith("%") else float(given))
    label = attributes.pop("aria-label", "")
    if name == "svg":
        attributes, frame = _group(attributes, frame)
    elif name == "path" and frame.stretch != (1.0, 1.0):
        attributes["d"] = _stretch_outline(attributes["d"], frame.stretch)
    made = ElementTree.Element(_qualify_name("g" if name == "svg" else name), attributes)
    made.text, made.tail = element.text, element.tail
    if label:
        ElementTree.SubElement(made, _qualify_name("title")).text = label
    made.extend(_flat(each, frame) for each in element)
    return made


def _group(attributes: dict[str, str], frame: FigureFrame) -> tuple[dict[str, str], FigureFrame]:
    x, y = (float(attributes.pop(key, "0")) for key in ("x", "y"))
    width = float(attributes.pop("width", frame.width))
    height = float(attributes.pop("height", frame.height))
    stretch = (1.0, 1.0)
    if box := attributes.pop("viewBox", ""):
        inner = [float(each) for each in box.split()]
        stretch = (width / inner[2], height / inner[3])
    attributes.pop("preserveAspectRatio", None)
    if x or y:
        attributes["transform"] = f"translate({_short(x)} {_short(y)})"
    return attributes, FigureFrame(width, height, stretch)


def _stretch_outline(outline: str, by: tuple[float, float]) -> str:
    """Multiply the numbers of an outline of straight lines.

    >>> _stretch_outline("M0 100H2.5V50L10 20Z", (2, 0.5))
    'M0 50H5V25L20 10Z'
    """
    made = []
    for letter, numbers in _STEP.findall(outline):
        factors = {"H": by[:1], "V": by[1:]}.get(letter, by)
        values = [float(each) for each in numbers.split()]
        pairs = zip(values, factors * (len(values) // len(factors)), strict=True)
        made.append(letter + " ".join(_short(value * factor) for value, factor in pairs))
    return "".join(made)


def _short(number: float) -> str:
    """Format a coordinate with at most two decimals.

    >>> _short(3.0), _short(1.239), _short(-0.001)
    ('3', '1.24', '0')
    """
    return f"{round(number, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


@cache
def style_of(classes: tuple[str, ...]) -> str:
    """Return the style rules of these classes, for light and dark pages."""
    light, dark = colours()
    lines = _rules(classes, light)
    dim = [line for line in _rules(classes, dark) if line not in lines]
    return "\n" + "\n".join(lines) + "\n@media (prefers-color-scheme: dark) {\n" + "\n".join(dim) + "\n}\n"


def _rules(classes: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """Style rules, repeated for each model if they depend on its hue."""
    classes = (*classes, *(("ground", "ink") if _patterns(classes) else ()))
    hues = {name: values[hue] for name, hue in _hues().items() if name in classes}
    made, there = [], {*classes, *_patterns(classes)}
    for selectors, body in _marks():
        own = ", ".join(each for each in selectors if there.issuperset(re.findall(r"[.#]([\w-]+)", each)))
        if own:
            made.append(f"{own} {{{_fill_rule(body, values)}}}")
            if HUE in body:
                for name, colour in hues.items():
                    those = ", ".join(_in_hue(each, name) for each in own.split(", "))
                    hued = (_fill_rule(each, {**values, HUE: colour}) for each in body.split(";") if HUE in each)
                    made.append(f"{those} {{{''.join(f'{each};' for each in hued)}}}")
    return made


def _in_hue(selector: str, name: str) -> str:
    """Restrict a selector to parts with the hue of a model.

    >>> _in_hue(".curves .name", "model-1")
    '.curves .model-1 .name'
    """
    around, _, last = selector.rpartition(" ")
    return f"{around} .{name} {last}".lstrip()


@cache
def _patterns(classes: tuple[str, ...]) -> list[str]:
    """Fill patterns that elements of these classes use."""
    filled = [
        body for selectors, body in _marks() for each in selectors
        if set(re.findall(r"\.([\w-]+)", each)) <= set(classes)
    ]  # fmt: skip
    return [name for name in PATTERNS if any(f"url(#{name})" in body for body in filled)]


def _fill_rule(body: str, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] if found[1] in values else found[2]
        return values[name]

    sized = _REM.sub(lambda found: f"{float(found[1]) * ROOT_SIZE:g}px", _USE.sub(value, body))
    clear = _SEE_THROUGH.sub(
        lambda found: f"{found[1]}: {found[2]}; {found[1]}-opacity: {int(found[3], 16) / 255:.2f}", sized
    )
    return " ".join(clear.split())


@cache
def _marks() -> tuple[tuple[tuple[str, ...], str], ...]:
    """Selectors and bodies of the rules in `style/marks.css`."""
    source = re.sub(r"/\*.*?\*/", "", _own("marks"), flags=re.S)
    return tuple(
        (tuple(each.strip() for each in selectors.split(",")), body) for selectors, body in _RULE.findall(source)
    )


@cache
def _hues() -> Mapping[str, str]:
    """CSS variable of every model's hue, by the model's class."""
    found = re.findall(r"([^{}]+)\{\s*--hue:\s*var\((--hue-\d+)\);\s*\}", _own("tokens"))
    return {each.strip().lstrip("."): hue for selectors, hue in found for each in selectors.split(",")}


@cache
def colours() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the CSS variables of the page, light and dark."""
    light, _, rest = _own("tokens").partition("@media")
    dark = rest.partition("}\n}")[0]
    plain = dict(_VARIABLE.findall(light))
    return plain, plain | dict(_VARIABLE.findall(dark))


def _own(name: str) -> str:
    return files("snellen.report").joinpath(f"style/{name}.css").read_text(encoding="utf-8")
