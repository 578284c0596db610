"""DDR: colour fundus photographs graded for diabetic retinopathy, in groups by their quality, from the published files.

Li et al., "Diagnostic assessment of deep learning algorithms for diabetic retinopathy screening", Information Sciences
2019. The artefacts paper took its photographs of high and low quality and its ungradable ones for real artefacts.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, files_of
from snellen.benchmarks.rows import read
from snellen.benchmarks.sorted_images import FolderSettings, Picture, Sorted, Sorting, collect, drawn_of, sorting
from snellen.errors import DataError
from snellen.items import UNGRADABLE, Benchmark, Collector

ABOUT = Published(
    name="ddr",
    title="DDR",
    asks="does a colour fundus photograph show diabetic retinopathy; in groups of high, low and ungradable quality",
    tier="public",
    get="download DDR-dataset (nkicsl on GitHub links to it) and give its folder DR_grading. Which photographs are of "
    "high and low quality it does not say: give your own quality.csv with the columns image and quality.",
    licence="for research; its authors ask to be cited",
    citation='Li et al., "Diagnostic assessment of deep learning algorithms for diabetic retinopathy screening", '
    "Information Sciences 2019",
    splits=MappingProxyType({"test": 4105, "valid": 2733, "train": 6835}),
    clusters="none named: photographs of one patient cannot be told apart",
    modalities="colour fundus photographs",
    prompt="detection",
    unverified=True,
    columns=frozenset(("image", "quality")),
)

QUALITY = ("high", "low", UNGRADABLE)
GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"gradable": ("high", "low", ""), "all": (*QUALITY, ""), "real-artefacts": QUALITY}
)
"""What `groups` may say beside names of groups; "" is a gradable photograph of unknown quality."""
DISEASED, NORMAL = "diabetic retinopathy", "normal"
_CLASSES = MappingProxyType({"0": NORMAL, "1": NORMAL, "2": DISEASED, "3": DISEASED, "4": DISEASED, "5": UNGRADABLE})
"""As the artefacts paper groups the grades: mild retinopathy is too subtle and counts as normal."""


def load(
    path: str | Path,
    *,
    split: str = "test",
    groups: str = "gradable",
    quality: str = "quality.csv",
    per_class: int | str = 50,
    seed: int = 0,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """Photographs of a split, asked about in the words of the artefacts paper, with `metadata["quality"]`.

    Grades 0 and 1 are normal, 2 to 4 diseased, 5 is ungradable: no diagnosis is right for it, and no option either.
    `groups` are `gradable`, `real-artefacts` (high, low and ungradable), `all`, or names with strokes between them. Of
    each group and answer `per_class` are drawn, or `all`, and twice as many ungradable ones, as in the paper.
    `quality` is a table in the folder with the columns `image` and `quality`.
    """
    folder, wanted = ABOUT.folder(path), FolderSettings(modality="fundus", per_class=per_class, seed=seed)
    [table, *_] = files_of(folder, f"{ABOUT.split(split)}.txt", f"*/{split}.txt", what="the grades of the split")
    chosen = _groups(groups)
    told = _qualities(table.parent / quality, needed=bool({"high", "low"} & set(chosen) and "" not in chosen))
    collector = Collector(ABOUT.name)
    found = {group: Sorted() for group in chosen}
    for where, line in _lines(table):
        _sort(where, line, split, told, found, collector)
    answers = sorting([DISEASED, NORMAL], task="detection", modality="fundus", normal=NORMAL)
    drawn = [picture for group, each in found.items() for picture in _drawn(group, each, wanted, answers)]
    gallery = Gallery(table.parent, check_files=True, keep_unreadable=keep_unreadable)
    collect(drawn, collector, answers, gallery)
    counted = Counter(f"{picture.told.get('quality', 'quality unknown')}, {picture.label}" for picture in drawn)
    about = {
        "split": split,
        "groups": groups,
        "seed": seed,
        "images": "; ".join(f"{name}: {count}" for name, count in sorted(counted.items())),
        "licence": ABOUT.licence,
        "citation": ABOUT.citation,
        "unverified": True,
    }
    return collector.benchmark(allow_broken=allow_broken, about=about)


def _groups(line: str) -> tuple[str, ...]:
    named = GROUPS.get(line, tuple(line.split("/")))
    if unknown := [name for name in named if name not in (*QUALITY, "")]:
        known = ", ".join((*GROUPS, *QUALITY))
        raise DataError(f"DDR has no group {unknown[0]!r}. Expected one of {known}, or several with strokes between.")
    return named


def _qualities(file: Path, *, needed: bool) -> dict[str, str]:
    """The quality of each photograph, by its file's name."""
    if not file.is_file():
        if needed:
            raise DataError(
                f"Which photographs are of high and low quality is not known: there is no {file.name!r} beside the "
                "grades. Write one with the columns image (the file's name) and quality (high, low or ungradable)."
            )
        return {}
    told: dict[str, str] = {}
    for row in read(file):
        ABOUT.check(row.fields)
        name, said = (str(row.fields.get(each, "")).strip() for each in ("image", "quality"))
        if row.reason or not name or said.casefold() not in QUALITY:
            raise DataError(f"{row.where}: expected an image and one of {', '.join(QUALITY)}, got {row.fields!r}.")
        told[name] = said.casefold()
    return told


def _lines(table: Path) -> Iterator[tuple[str, str]]:
    """The lines of the grades that are not blank, each with where it stands."""
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
    """Put a photograph into its group and class; a line that says neither is a broken row."""
    name, _, grade = line.rpartition(" ")
    label, group = _CLASSES.get(grade.strip()), told.get(name.strip(), "")
    if not name or label is None:
        collector.refuse(where, where, f"expected a file's name and a grade from 0 to 5, got {line!r}")
        return
    if label == UNGRADABLE and group in ("high", "low"):
        collector.refuse(where, where, f"its grade 5 means ungradable, and its quality is said to be {group}")
        return
    group = UNGRADABLE if label == UNGRADABLE else group
    if group in found:
        path = f"{split}/{name.strip()}"
        label = UNGRADABLE if group == UNGRADABLE else label
        metadata = MappingProxyType({"grade": int(grade), **({"quality": group} if group else {})})
        found[group].classes.setdefault(label, []).append(Picture(path, label, path, metadata))


def _drawn(group: str, found: Sorted, wanted: FolderSettings, answers: Sorting) -> list[Picture]:
    """The photographs of a group that are asked about, as many normal as diseased."""
    if group != UNGRADABLE:
        classes = {label: found.classes.get(label, []) for label in (DISEASED, NORMAL)}
        if sum(map(bool, classes.values())) == 1:
            [only] = [label for label, pictures in classes.items() if pictures]
            called = f"of {group} quality" if group else "of unknown quality"
            raise DataError(f"All photographs {called} are {only}; expected diseased and normal ones. Leave them out.")
        return drawn_of(wanted, Sorted(classes), answers)
    pictures = found.classes.get(UNGRADABLE, [])
    rng = np.random.default_rng([wanted.seed, zlib.crc32(UNGRADABLE.encode())])
    most = len(pictures) if isinstance(wanted.per_class, str) else 2 * wanted.per_class
    return [pictures[at] for at in rng.permutation(len(pictures))[:most]]
