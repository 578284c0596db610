"""Published images sorted by class, with the artefacts paper's questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.rows import FileRow
from snellen.benchmarks.sorted_images import (
    FolderSettings,
    Sorted,
    SortedImage,
    asked_about,
    folder_called,
    look_through,
    whole_path,
)
from snellen.items import Benchmark

NORMAL = "normal"
_FRONTAL = frozenset(("PA", "AP", "AP SUPINE", "AP ERECT"))


@loads("kermany-oct")
def kermany_oct(
    source: SplitSource, *, task: str = "detection", per_class: int | str = 100, seed: int = 0
) -> Benchmark:
    """Kermany OCT: retinal scans of a split, for detection or the disease.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    return _in_folders(source, modality="OCT", normal="NORMAL", task=task, per_class=per_class, seed=seed)


@loads("brain-mri")
def brain_mri(source: SplitSource, *, task: str = "detection", per_class: int | str = 100, seed: int = 0) -> Benchmark:
    """Brain MRI: slices of a split, for detection or the kind of tumour.

    `per_class` of each answer are drawn, or `all`; the paper drew 100 normal and 100 diseased images.
    """
    return _in_folders(source, modality="MRI", normal="notumor", task=task, per_class=per_class, seed=seed)


@loads("covid-cxr")
def covid_cxr(source: SplitSource, *, task: str = "detection", per_class: int | str = 100, seed: int = 0) -> Benchmark:
    """COVID chest X-rays: frontal images, for detection or the disease.

    COVID-19, bacterial and other viral pneumonia are diseased, "No Finding" is normal. Lateral views, CT and other or
    unknown findings are left out and counted in `about`. `per_class` of each answer are drawn, or `all`. Few images
    have no finding, so a balanced draw is small. The licence of each image is in its metadata.
    """
    found = Sorted()
    for row in source.rows(source.files[:1]):
        _sort(row, found)
    wanted = FolderSettings(modality="X-ray", task=task, per_class=per_class, seed=seed, normal=NORMAL)
    return _ask(source, found, wanted, source.files[0].parent)


def _in_folders(source: SplitSource, **settings: Any) -> Benchmark:
    root = folder_called(whole_path(source.folder), *source.about.names_of(source.split))
    return _ask(source, look_through(root), FolderSettings(**settings), root, split=source.split)


def _ask(source: SplitSource, found: Sorted, wanted: FolderSettings, root: Path, **told: Any) -> Benchmark:
    about = {"licence": source.about.licence, "citation": source.about.citation, **told}
    gallery = source.open_gallery(root, check_files=True)
    return asked_about(found, wanted, gallery, name=source.about.name, allow_broken=source.allow_broken, **about)


def _sort(row: FileRow, found: Sorted) -> None:
    """Assign a row's image to its class, or count why it has none."""
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
    told = freeze_metadata(
        licence=fields.get("license"), view=fields.get("view"), finding=finding, source=fields.get("url")
    )
    found.classes.setdefault(label, []).append(
        SortedImage(place, label, f"patient {patient}" if patient else place, told)
    )


def _left_out(fields: Mapping[str, Any], label: str) -> str:
    if fields.get("modality", "X-ray").casefold() not in ("x-ray", "xray", ""):
        return "no X-ray"
    if fields.get("view", "").upper() not in _FRONTAL:
        return "not frontal"
    return "" if label else "another finding, or none known"


def _label(finding: str) -> str:
    """Return the class of a finding such as `Pneumonia/Viral/COVID-19`; "" for others."""
    said = finding.casefold()
    if said == "no finding":
        return NORMAL
    if "covid-19" in said:
        return "COVID-19"
    if said.startswith("pneumonia/bacterial"):
        return "bacterial pneumonia"
    return "viral pneumonia" if said.startswith("pneumonia/viral") else ""
