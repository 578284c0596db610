"""Image sets: published images in classes, asked about as in the artefacts paper: is there disease, or which."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snellen.benchmarks.published import Source, frozen, loads
from snellen.benchmarks.rows import Row
from snellen.benchmarks.sorted_images import (
    FolderSettings,
    Picture,
    Sorted,
    asked_about,
    folder_called,
    look_through,
    whole_path,
)
from snellen.items import Benchmark

NORMAL = "normal"
_FRONTAL = frozenset(("PA", "AP", "AP SUPINE", "AP ERECT"))


@loads("kermany-oct")
def kermany_oct(source: Source, *, task: str = "detection", per_class: int | str = 100, seed: int = 0) -> Benchmark:
    """Images of a split, asked about in the words of the artefacts paper: is there disease (`detection`), or which.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    wanted = FolderSettings(modality="OCT", task=task, per_class=per_class, seed=seed, normal="NORMAL")
    return _in_folders(source, wanted)


@loads("brain-mri")
def brain_mri(source: Source, *, task: str = "detection", per_class: int | str = 100, seed: int = 0) -> Benchmark:
    """Slices of a split, asked about in the words of the artefacts paper: is there a tumour (`detection`), or which.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    wanted = FolderSettings(modality="MRI", task=task, per_class=per_class, seed=seed, normal="notumor")
    return _in_folders(source, wanted)


@loads("covid-cxr")
def covid_cxr(source: Source, *, task: str = "detection", per_class: int | str = 100, seed: int = 0) -> Benchmark:
    """Frontal chest X-rays of the table, asked about in the words of the artefacts paper: is there disease, or which.

    COVID-19, bacterial and other viral pneumonia are diseased, "No Finding" is normal. Lateral views, CT and other or
    unknown findings are left out and counted in `about`. `per_class` of each answer are drawn, or `all`; few images
    have no finding, so that a balanced draw is small. The licence of each image is in its metadata.
    """
    found = Sorted()
    for row in source.rows(source.files[:1]):
        _sort(row, found)
    wanted = FolderSettings(modality="X-ray", task=task, per_class=per_class, seed=seed, normal=NORMAL)
    return _ask(source, found, wanted, source.files[0].parent)


def _in_folders(source: Source, wanted: FolderSettings) -> Benchmark:
    """The images of a split that lie in a folder for each class."""
    root = folder_called(whole_path(source.folder), *source.about.names_of(source.split))
    return _ask(source, look_through(root), wanted, root, split=source.split)


def _ask(source: Source, found: Sorted, wanted: FolderSettings, root: Path, **told: Any) -> Benchmark:
    about = source.about
    told = {"licence": about.licence, "citation": about.citation, **told}
    gallery = source.open_gallery(root, check_files=True)
    return asked_about(found, wanted, gallery, name=about.name, allow_broken=source.allow_broken, **told)


def _sort(row: Row, found: Sorted) -> None:
    """Put the image of a row with those of its class, or count why it is with none."""
    fields = {name.strip().casefold(): str(value).strip() for name, value in row.fields.items() if value is not None}
    name, finding, patient = (fields.get(each, "") for each in ("filename", "finding", "patientid"))
    if row.reason or not (name and finding):
        found.refused.append((row.where, row.reason or "it has no filename or no finding"))
        return
    label = _label(finding)
    if reason := _left_out(fields, label):
        found.ignored[reason] += 1
        return
    place = f"{fields.get('folder') or 'images'}/{name}"
    told = frozen(licence=fields.get("license"), view=fields.get("view"), finding=finding, source=fields.get("url"))
    found.classes.setdefault(label, []).append(Picture(place, label, f"patient {patient}" if patient else place, told))


def _left_out(fields: Mapping[str, Any], label: str) -> str:
    if fields.get("modality", "X-ray").casefold() not in ("x-ray", "xray", ""):
        return "no X-ray"
    if fields.get("view", "").upper() not in _FRONTAL:
        return "not frontal"
    return "" if label else "another finding, or none known"


def _label(finding: str) -> str:
    """The class of a finding such as `Pneumonia/Viral/COVID-19`; "" where it is none of those asked about."""
    said = finding.casefold()
    if said == "no finding":
        return NORMAL
    if "covid-19" in said:
        return "COVID-19"
    if said.startswith("pneumonia/bacterial"):
        return "bacterial pneumonia"
    return "viral pneumonia" if said.startswith("pneumonia/viral") else ""
