"""MMMU, MMMU-Pro and Video-MMMU: college-level questions of thirty subjects, about images or lectures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from snellen.benchmarks.answers import as_text, parse_list
from snellen.benchmarks.files_beside import VIDEOS, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import name_cluster
from snellen.benchmarks.published import SplitSource, freeze_metadata, loads, parquet_of, require_fields
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import LETTERS, Benchmark, Item, Option

MEDICAL = (
    "Basic_Medical_Science",
    "Clinical_Medicine",
    "Diagnostics_and_Laboratory_Medicine",
    "Pharmacy",
    "Public_Health",
)
SUBJECTS = (
    *MEDICAL,
    *("Accounting", "Agriculture", "Architecture_and_Engineering", "Art", "Art_Theory", "Biology", "Chemistry"),
    *("Computer_Science", "Design", "Economics", "Electronics", "Energy_and_Power", "Finance", "Geography", "History"),
    *("Literature", "Manage", "Marketing", "Materials", "Math", "Mechanical_Engineering", "Music", "Physics"),
    *("Psychology", "Sociology"),
)
ALL = "all"
_ID = re.compile(r"[^_]+_(.+)_\d+")
_PLACE = re.compile(r"<image (\d+)>")
_IMAGE = re.compile(r"image_(\d+)")


PRINTED = "The image shows a question and its options. Which option is right?"
"""Question that is sent if the image contains the real question."""
FRAMES = 50
"""Frames per video, as many as the Mirage paper sent."""


@loads("mmmu")
def mmmu(source: SplitSource, *, subjects: str = ALL) -> Benchmark:
    """MMMU: exam questions of a split, all subjects or some.

    `subjects=medical` are the five of health and medicine; other subjects are separated by slashes. References such as
    `<image 1>` stay in the question, and the images follow in their order. The category is the subject. Questions
    without options are open. `keep_unreadable` keeps questions whose images cannot be read, for an audit.
    """
    wanted = _subjects_named(subjects)
    tables = parquet_of(source.folder, source.split)
    tables = [each for each in tables if each.parent.name not in SUBJECTS or each.parent.name in wanted] or tables
    return source.collect(_of_subjects(source.rows(tables), wanted), partial(_question, source.open_gallery()))


@loads("mmmu-pro")
def mmmu_pro(source: SplitSource, *, subjects: str = ALL) -> Benchmark:
    """MMMU-Pro: questions with ten options, four (`standard-4`), or printed in the image (`vision`).

    In `vision`, only the image contains the question and its options. The question sent is `PRINTED`, the options are
    letters, and their texts are in `metadata["printed_options"]`. `subjects=medical` are the five of health and
    medicine; other subjects are separated by slashes. The category is the subject. The Mirage paper used four options.
    `keep_unreadable` keeps questions whose images cannot be read, for an audit.
    """
    [config] = source.about.names_of(source.split)
    rows = source.rows(parquet_of(source.folder, "test", config=config))
    item_of = _build_printed_item if source.split == "vision" else _question
    return source.collect(_of_subjects(rows, _subjects_named(subjects)), partial(item_of, source.open_gallery()))


@loads("video-mmmu")
def video_mmmu(source: SplitSource, *, subjects: str = ALL, frames: int = FRAMES) -> Benchmark:
    """Video-MMMU: questions of a track such as `perception`, or of `all`, with frames of each video.

    Videos are searched by their id below the folder. The image of an adaptation question follows the frames if it is in
    the column `image` or in the published `<id>_image.mp4`. Otherwise it appears only in the video's last seconds,
    which the frames may miss, and `metadata["image_in_video"]` is true. Questions without options are open.
    `subjects=medical` are the five of health and medicine. The category is the subject, the cluster is the video.
    """
    rows = (
        row._replace(fields={**row.fields, "track": track})  # ids repeat in each track
        for track in source.about.names_of(source.split)
        for row in source.rows(parquet_of(source.folder, "test", config=track.capitalize()))
    )
    asked = _of_subjects(rows, _subjects_named(subjects))
    return source.collect(asked, partial(_lecture, source.open_gallery(), FilesBeside(source.home, VIDEOS), frames))


def _subjects_named(line: str) -> frozenset[str]:
    """Return the subjects of a setting: `all`, `medical`, or `Pharmacy/Public_Health`.

    >>> sorted(_subjects_named("pharmacy/Public_Health"))
    ['Pharmacy', 'Public_Health']
    """
    known = {_plain(subject): frozenset((subject,)) for subject in SUBJECTS}
    known |= {ALL: frozenset(SUBJECTS), "medical": frozenset(MEDICAL)}
    names = [_plain(name) for name in line.split("/")]
    if unknown := [name for name in names if name not in known]:
        raise DataError(f"There is no subject {unknown[0]!r}. Expected all, medical, or some of {', '.join(SUBJECTS)}.")
    return frozenset().union(*(known[name] for name in names))


def _subject(fields: Mapping[str, Any]) -> str:
    """Return the subject of a row: its column, or the middle of its id.

    For example, `validation_Clinical_Medicine_12` has the subject `Clinical_Medicine`.
    """
    named = fields.get("subject")
    found = _ID.fullmatch(str(fields.get("id", "")))
    return str(named) if named else found[1] if found else ""


def _of_subjects(rows: Iterator[FileRow], wanted: frozenset[str]) -> Iterator[FileRow]:
    """Return the rows of some subjects; rows without one only if all are wanted."""
    plain = {_plain(subject) for subject in wanted}
    everything = len(wanted) == len(SUBJECTS)
    return (row for row in rows if everything or row.reason or _plain(_subject(row.fields)) in plain)


def _question(gallery: Gallery, row: FileRow) -> Item:
    fields = {name: value for name, value in row.fields.items() if value is not None}
    require_fields(fields, "question")
    shown = [(int(found[1]), fields.pop(name)) for name in list(fields) if (found := _IMAGE.fullmatch(name))]
    options = parse_list(fields.pop("options", None), "options")
    if fields["answer"] == "?":
        raise DataError("its answer is not published")
    if options:
        fields["options"] = options
    elif str(fields["answer"]).startswith("["):
        fields["answer"] = parse_list(fields["answer"], "answers")
    fields["category"] = _subject(fields).replace("_", " ")
    fields.pop("subject", None)
    meant = {int(number) for text in (str(fields["question"]), *options) for number in _PLACE.findall(text)}
    if missing := sorted(meant - {number for number, _ in shown}):
        raise DataError(f"it refers to <image {missing[0]}>, but its column 'image_{missing[0]}' is empty")
    item = item_from(fields, number=row.number, gallery=gallery)
    images = tuple(_image_in(cell, gallery) for _, cell in sorted(shown, key=lambda each: each[0]))
    return replace(item, images=images, cluster=name_cluster(None, images[0]) if images else "")


def _image_in(cell: object, gallery: Gallery) -> Image:
    """Return the image of a cell, or the one that its path names."""
    return cell if isinstance(cell, Image) else gallery.find(cell)


def _plain(subject: str) -> str:
    return subject.strip().replace(" ", "_").casefold()


def _build_printed_item(gallery: Gallery, row: FileRow) -> Item:
    require_fields(row.fields, "image", "options")
    options = parse_list(row.fields["options"], "options")
    letters = LETTERS[: len(options)]
    answer = str(row.fields["answer"]).strip()
    if len(answer) != 1 or answer not in letters:
        raise DataError(f"its answer is {answer!r}, expected a letter from A to {letters[-1:]}")
    return Item(
        id=str(row.fields["id"]),
        question=PRINTED,
        options=tuple(map(Option, letters)),
        answer=letters.index(answer),
        images=(_image_in(row.fields["image"], gallery),),
        category=_subject(row.fields).replace("_", " "),
        metadata=freeze_metadata(printed_options=options, options_in_image=True),
    )


def _lecture(gallery: Gallery, videos: FilesBeside, frames: int, row: FileRow) -> Item:
    fields: dict[str, Any] = {name: value for name, value in row.fields.items() if value is not None}
    video = as_text(fields["id"], "its id")
    found = videos.find_file(video)
    if found is None and not gallery.keep_unreadable:
        raise DataError(
            f"its video {video!r} is missing; expected {video}.mp4 in the folder of the tables or a subfolder"
        )
    options = parse_list(fields.pop("options", None), "options")
    shown = f"{found or f'{video}.mp4'}#frames={frames}"
    asked = fields.pop("image", None) or _find_image_video(videos, video, fields["track"])
    if not asked and "<image 1>" in fields["question"]:
        fields["image_in_video"] = True
    fields |= {
        "id": f"{video}/{fields['track']}",
        "category": _subject({"id": video}).replace("_", " "),
        "cluster": video,
        "images": [shown],
        "modality": "video",
        **({"options": options} if options else {}),
    }
    item = item_from(fields, number=row.number, gallery=gallery)
    if not asked:
        return item
    image = asked if isinstance(asked, Image) else gallery.find_all(asked)[0]
    return replace(item, images=(*item.images, replace(image, role="the image that the question shows")))


def _find_image_video(videos: FilesBeside, video: str, track: str) -> str:
    """Return the image of an adaptation question, published as a video."""
    found = videos.find_file(f"{video}_image") if track == "adaptation" else None
    return f"{found}#frames=1" if found else ""
