"""COVID CXR: chest X-rays with COVID-19, other pneumonias or no finding, from the published table and images.

Cohen et al., "COVID-19 image data collection: Prospective predictions are the future", MELBA 2020.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, files_of, frozen, rows_of
from snellen.benchmarks.rows import Row
from snellen.benchmarks.sorted_images import FolderSettings, Picture, Sorted, asked_about
from snellen.items import Benchmark

ABOUT = Published(
    name="covid-cxr",
    title="COVID-19 image data collection",
    asks="does a chest X-ray show disease, or which (COVID-19, bacterial or other viral pneumonia)",
    tier="public",
    get="clone ieee8023/covid-chestxray-dataset from GitHub.",
    licence="per image: the column `license` of its table, kept in each item's metadata",
    citation='Cohen et al., "COVID-19 image data collection: Prospective predictions are the future", MELBA 2020',
    splits=MappingProxyType({"all": 950}),
    clusters="the patient",
    modalities="X-ray",
    prompt="detection",
)

NORMAL = "normal"
_FRONTAL = frozenset(("PA", "AP", "AP SUPINE", "AP ERECT"))


def load(
    path: str | Path,
    *,
    split: str = "all",
    task: str = "detection",
    per_class: int | str = 100,
    seed: int = 0,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """Frontal chest X-rays of the table, asked about in the words of the artefacts paper: is there disease, or which.

    COVID-19, bacterial and other viral pneumonia are diseased, "No Finding" is normal. Lateral views, CT and other or
    unknown findings are left out and counted in `about`. `per_class` of each answer are drawn, or `all`; few images
    have no finding, so that a balanced draw is small. The licence of each image is in its metadata.
    """
    folder = ABOUT.folder(path)
    ABOUT.split(split)
    [table, *_] = files_of(folder, "metadata.csv", "*/metadata.csv", what="the table of images")
    found = Sorted()
    for row in rows_of([table]):
        _sort(row, found)
    wanted = FolderSettings(modality="X-ray", task=task, per_class=per_class, seed=seed, normal=NORMAL)
    return asked_about(
        found,
        wanted,
        Gallery(table.parent, check_files=True, keep_unreadable=keep_unreadable),
        name=ABOUT.name,
        allow_broken=allow_broken,
        licence=ABOUT.licence,
        citation=ABOUT.citation,
    )


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
