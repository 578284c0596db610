"""DDR: colour fundus photographs graded for diabetic retinopathy, in groups by their quality."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from snellen.benchmarks.published import SplitSource, loads
from snellen.benchmarks.rows import read
from snellen.benchmarks.sorted_images import FolderSettings, Sorted, SortedImage, Sorting, collect, drawn_of, sorting
from snellen.errors import DataError
from snellen.items import UNGRADABLE, Benchmark, Collector

QUALITY = ("high", "low", UNGRADABLE)
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"gradable": ("high", "low", ""), "all": (*QUALITY, ""), "real-artefacts": QUALITY}
)
"""Values of `groups` besides names of single groups; "" is a gradable photograph of unknown quality."""
DISEASED, NORMAL = "diabetic retinopathy", "normal"
_CLASSES = MappingProxyType({"0": NORMAL, "1": NORMAL, "2": DISEASED, "3": DISEASED, "4": DISEASED, "5": UNGRADABLE})
"""Classes of the grades, as in the artefacts paper: mild retinopathy is too subtle and counts as normal."""


@loads("ddr")
def load(
    source: SplitSource,
    *,
    groups: str = "gradable",
    quality: str = "quality.csv",
    per_class: int | str = 50,
    seed: int = 0,
) -> Benchmark:
    """DDR: retinal photographs of a split with their grade and image quality.

    Grades 0 and 1 are normal, 2 to 4 diseased, and 5 ungradable, without a correct option. `groups` are `gradable`,
    `real-artefacts` (high, low and ungradable), `all`, or names separated by slashes. `per_class` photographs are drawn
    for each group and answer (or `all`), and twice as many ungradable ones, as in the paper. `quality` is a table in
    the folder with the columns `image` and `quality`.
    """
    wanted = FolderSettings(modality="fundus", per_class=per_class, seed=seed)
    table, chosen = source.files[0], _groups(groups)
    told = _qualities(source, table.parent / quality, needed=bool({"high", "low"} & set(chosen) and "" not in chosen))
    collector = Collector(source.about.name)
    found = {group: Sorted() for group in chosen}
    for where, line in _lines(table):
        _sort(where, line, source.split, told, found, collector)
    answers = sorting([DISEASED, NORMAL], task="detection", modality="fundus", normal=NORMAL)
    drawn = [picture for group, each in found.items() for picture in _draw_photographs(group, each, wanted, answers)]
    collect(drawn, collector, answers, source.open_gallery(table.parent, check_files=True))
    counted = Counter(f"{picture.told.get('quality', 'quality unknown')}, {picture.label}" for picture in drawn)
    images = "; ".join(f"{name}: {count}" for name, count in sorted(counted.items()))
    source.told = {"split": source.split, "groups": groups, "seed": seed, "images": images}
    return source.finish(collector)


def _groups(line: str) -> tuple[str, ...]:
    named = GROUPS.get(line, tuple(line.split("/")))
    if unknown := [name for name in named if name not in (*QUALITY, "")]:
        known = ", ".join((*GROUPS, *QUALITY))
        raise DataError(f"DDR has no group {unknown[0]!r}. Expected one of {known}, or several separated by '/'.")
    return named


def _qualities(source: SplitSource, file: Path, *, needed: bool) -> dict[str, str]:
    if not file.is_file():
        if needed:
            raise DataError(
                f"The quality of the photographs is not known: there is no {file.name!r} beside the grades. "
                " Write one with the columns image (the file's name) and quality (high, low or ungradable)."
            )
        return {}
    told: dict[str, str] = {}
    for row in read(file):
        source.about.check(row.fields)
        name, said = (str(row.fields.get(each, "")).strip() for each in ("image", "quality"))
        if row.reason or not name or said.casefold() not in QUALITY:
            raise DataError(f"{row.where}: expected an image and one of {', '.join(QUALITY)}, got {row.fields!r}.")
        told[name] = said.casefold()
    return told


def _lines(table: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = table.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{table.name} cannot be read: {error}.") from error
    return ((f"{table.name}, line {at}", line.strip()) for at, line in enumerate(lines, start=1) if line.strip())


def _sort(
    where: str,
    line: str,
    split: str,
    told: Mapping[str, str],
    found: Mapping[str, Sorted],
    collector: Collector,
) -> None:
    """Add a photograph to its group and class, or record a broken row."""
    name, _, grade = line.rpartition(" ")
    label, group = _CLASSES.get(grade.strip()), told.get(name.strip(), "")
    if not name or label is None:
        collector.refuse(where, where, f"expected a file's name and a grade from 0 to 5, got {line!r}")
        return
    if label == UNGRADABLE and group in ("high", "low"):
        collector.refuse(where, where, f"its grade 5 means ungradable, but its quality is given as {group}")
        return
    group = UNGRADABLE if label == UNGRADABLE else group
    if group in found:
        path = f"{split}/{name.strip()}"
        label = UNGRADABLE if group == UNGRADABLE else label
        metadata = MappingProxyType({"grade": int(grade), **({"quality": group} if group else {})})
        found[group].classes.setdefault(label, []).append(SortedImage(path, label, path, metadata))


def _draw_photographs(group: str, found: Sorted, wanted: FolderSettings, answers: Sorting) -> list[SortedImage]:
    """Draw the photographs of a group, as many normal as diseased."""
    if group != UNGRADABLE:
        classes = {label: found.classes.get(label, []) for label in (DISEASED, NORMAL)}
        if sum(map(bool, classes.values())) == 1:
            [only] = [label for label, pictures in classes.items() if pictures]
            called = f"of {group} quality" if group else "of unknown quality"
            raise DataError(
                f"All photographs {called} are {only}; expected diseased and normal ones. Leave out this quality."
            )
        return drawn_of(wanted, Sorted(classes), answers)
    pictures = found.classes.get(UNGRADABLE, [])
    rng = np.random.default_rng([wanted.seed, zlib.crc32(UNGRADABLE.encode())])
    most = len(pictures) if isinstance(wanted.per_class, str) else 2 * wanted.per_class
    return [pictures[at] for at in rng.permutation(len(pictures))[:most]]
