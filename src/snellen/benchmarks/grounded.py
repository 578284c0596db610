"""Published films with the places of their findings: VinDr-CXR, MS-CXR, PadChest-GR and MedVIGIL.

All are written from the published schemas, and untried on real files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, cast

from snellen.benchmarks.answers import as_text, from_json
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads
from snellen.benchmarks.regions import add_regions
from snellen.benchmarks.rows import FileRow, read
from snellen.errors import DataError
from snellen.images import Box, Region
from snellen.items import Benchmark, Item, Option

ASKED = "Does this chest X-ray show the following finding: {finding}?"
REPORTED = "Write the report of this chest X-ray."
YES_OR_NO = (Option("Yes"), Option("No"))
NO_FINDING = "No finding"
_CHEST = {"modality": "X-ray", "body_part": "chest"}

Rows = Mapping[tuple[str, ...], list[FileRow]]


def _group(rows: Sequence[FileRow], *columns: str) -> Rows:
    """Group rows by the text of some columns; broken rows stay alone."""
    grouped: dict[tuple[str, ...], list[FileRow]] = {}
    for row in rows:
        key = (row.reason, str(row.number)) if row.reason else tuple(str(row.fields.get(each)) for each in columns)
        grouped.setdefault(key, []).append(row)
    return grouped


def _make_box(values: object) -> Box:
    """Return a box of four numbers; DataError for anything else."""
    try:
        return Box(*map(float, cast("Sequence[Any]", values)))
    except (TypeError, ValueError) as error:
        raise DataError(f"its box is {values!r}, expected four numbers") from error


def _read_box(fields: Mapping[str, Any], *columns: str) -> Box:
    return _make_box([fields.get(each) for each in columns])


@loads("vindr-cxr")
def vindr_cxr(source: SplitSource) -> Benchmark:
    """VinDr-CXR: is a finding there, on films with the boxes of radiologists. Untried on real files.

    One question for each film and finding that a radiologist marked, with all boxes of all readers. A film on which no
    reader marked anything is asked about one finding of the split, chosen by the film's name. The cluster is the film.
    """
    rows = list(source.rows())
    groups = _group(rows, "image_id", "class_name")
    marked = {row.fields.get("image_id") for row in rows if row.fields.get("class_name") != NO_FINDING}
    findings = sorted({str(row.fields.get("class_name")) for row in rows} - {NO_FINDING, "None"})

    def build_item(row: FileRow) -> Item:
        film, finding = (as_text(row.fields[name], f"its {name}") for name in ("image_id", "class_name"))
        image = source.pictures.find(f"{film}.dicom")
        there = finding != NO_FINDING
        if there:
            boxes = [_read_region(each, finding) for each in groups[film, finding]]
            image = add_regions(image, boxes)
        elif not findings:
            raise DataError("no film of the split has a finding, so there is nothing to ask about it")
        else:
            finding = findings[hashlib.sha256(film.encode()).digest()[0] % len(findings)]
        return Item(
            id=f"vindr-cxr/{film}/{finding.casefold()}",
            question=ASKED.format(finding=finding),
            options=YES_OR_NO,
            answer=0 if there else 1,
            images=(image,),
            category="chest X-ray",
            cluster=film,
            metadata=freeze_metadata(finding=finding, **_CHEST),
        )

    def _read_region(row: FileRow, finding: str) -> Region:
        return Region(
            finding, _read_box(row.fields, "x_min", "y_min", "x_max", "y_max"), str(row.fields.get("rad_id", ""))
        )

    def is_asked(row: FileRow) -> bool:
        """Return False if a reader found nothing on a film on which another did."""
        return row.fields.get("class_name") != NO_FINDING or row.fields.get("image_id") not in marked

    return source.collect((group[0] for group in groups.values() if is_asked(group[0])), build_item)


@loads("ms-cxr")
def ms_cxr(source: SplitSource) -> Benchmark:
    """MS-CXR: is a finding there, on films with boxes for the phrases of their reports. Untried on real files.

    One question for each film and finding. All right answers are yes, since only findings that are there are marked.
    The films are those of MIMIC-CXR-JPG, in their own size. The cluster is the patient.
    """
    groups = _group(list(source.rows()), "dicom_id", "category_name")

    def build_item(row: FileRow) -> Item:
        film, finding = (as_text(row.fields[name], f"its {name}") for name in ("dicom_id", "category_name"))
        regions, phrases = [], []
        for each in groups[film, finding]:
            x, y, width, height = _read_box(each.fields, "x", "y", "w", "h")
            regions.append(Region(finding, Box(x, y, x + width, y + height)))
            phrases.append(str(each.fields.get("label_text") or ""))
        width, height = (int(as_text(row.fields[f"image_{side}"], f"its image_{side}")) for side in ("width", "height"))
        path = as_text(row.fields["path"], "its path")
        return Item(
            id=f"ms-cxr/{film}/{finding.casefold()}",
            question=ASKED.format(finding=finding),
            options=YES_OR_NO,
            answer=0,
            images=(add_regions(source.pictures.find(path), regions, drawn_on=(height, width)),),
            category="chest X-ray",
            cluster=next((part for part in PurePath(path).parts[::-1] if part[:1] == "p" and len(part) > 3), film),
            metadata=freeze_metadata(finding=finding, phrases=list(dict.fromkeys(phrases)), **_CHEST),
        )

    return source.collect([group[0] for group in groups.values()], build_item)


@loads("padchest-gr")
def padchest_gr(source: SplitSource) -> Benchmark:
    """PadChest-GR: reports on chest X-rays, with boxes for each sentence. Untried on real files.

    The reference is the report's sentences in English. Boxes are those of the first reader and, as `extra`, of the
    second. The cluster is the patient if `master_table.csv` is beside the reports, else the study.
    """
    table = source.home / "master_table.csv"
    known = [row.fields for row in read(table)] if table.is_file() else []
    patients = {str(fields.get("ImageID")): str(fields.get("PatientID") or "") for fields in known}

    def build_item(row: FileRow) -> Item:
        name, findings = as_text(row.fields["ImageID"], "its ImageID"), row.fields["findings"]
        if not isinstance(findings, list) or not all(isinstance(each, Mapping) for each in findings):
            raise DataError(f"its findings are {findings!r}, expected a list of objects with 'sentence_en'")
        image = source.pictures.find(name)
        regions = [
            Region(", ".join(map(str, each.get("labels") or ())), _make_box(box), reader)
            for each in findings
            for column, reader in (("boxes", ""), ("extra_boxes", "extra"))
            for box in each.get(column) or ()
        ]
        return Item(
            id=f"padchest-gr/{row.fields['StudyID']}",
            question=REPORTED,
            answer=" ".join(as_text(each.get("sentence_en"), "its sentence_en").strip() for each in findings),
            images=(add_regions(image, regions, in_shares=True),),
            kind="report",
            category="chest X-ray",
            cluster=patients.get(name) or str(row.fields["StudyID"]),
            metadata=freeze_metadata(**_CHEST),
        )

    return source.collect(source.rows(), build_item)


@loads("medvigil")
def medvigil(source: SplitSource) -> Benchmark:
    """MedVIGIL: open questions about images with a region of interest. Untried on real files.

    Only the questions of `manifest.csv` are read, not the probes with options. The region is that of `grounding.csv`;
    whether radiologists or a model drew it is not agreed between its paper and its code. The cluster is the case.
    """
    table = source.home / "grounding.csv"
    drawn = (
        {str(row.fields.get("case_id")): row.fields.get("roi_bbox_norm") for row in read(table)}
        if table.is_file()
        else {}
    )

    def build_item(row: FileRow) -> Item:
        case = as_text(row.fields["case_id"], "its case_id")
        image = source.pictures.find(as_text(row.fields["image_file"], "its image_file"))
        if given := drawn.get(case):
            box = from_json(given, "roi_bbox_norm") if isinstance(given, str) else given
            image = add_regions(image, [Region("", _make_box(box))], in_shares=True)
        modality = str(row.fields.get("modality") or "")
        return Item(
            id=f"medvigil/{case}",
            question=as_text(row.fields["question"], "its question"),
            answer=as_text(row.fields["gold_answer"], "its gold_answer"),
            images=(image,),
            kind="open",
            category=modality,
            cluster=case,
            metadata=freeze_metadata(
                modality=modality, source=row.fields.get("source_dataset"), risk_tier=row.fields.get("risk_tier")
            ),
        )

    return source.collect(source.rows(), build_item)
