"""Video-MMMU: what is learnt from lecture videos of thirty subjects, in three tracks, from the published shards.

Hu et al., "Video-MMMU: Evaluating knowledge acquisition from multi-discipline professional videos", 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.files_beside import VIDEOS, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.mmmu_questions import ALL, in_words, of_subjects, subject_of, subjects_named
from snellen.benchmarks.option_lists import listed
from snellen.benchmarks.published import Published, collected, needed, parquet_of
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import Row
from snellen.benchmarks.shards import read_shards
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import Benchmark, Item

ABOUT = Published(
    name="video-mmmu",
    title="Video-MMMU",
    asks="what is learnt from lecture videos of thirty subjects: perception, comprehension and adaptation",
    tier="gated",
    get="accept the terms of lmms-lab/VideoMMMU on the hub and download it, or use `video-mmmu:hf` after `hf auth "
    "login`; unpack its zip files of videos beside the tables.",
    licence="as its page on the hub says; the videos belong to their makers",
    citation='Hu et al., "Video-MMMU: Evaluating knowledge acquisition from multi-discipline professional videos", '
    "2025",
    splits=MappingProxyType({"all": 900, "perception": 300, "comprehension": 300, "adaptation": 300}),
    kinds=("choice", "open"),
    clusters="the video; each has a question of every track",
    modalities="video",
    hub="lmms-lab/VideoMMMU",
    prompt="mirage-video-mmmu",
    unverified=True,
    columns=frozenset(("id", "link_selected", "question", "options", "answer", "question_type", "image", "track")),
)

TRACKS = ("perception", "comprehension", "adaptation")
FRAMES = 50
"""As many frames of a video as the Mirage paper sent."""


def load(
    path: str | Path,
    *,
    split: str = "all",
    subjects: str = ALL,
    frames: int = FRAMES,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The questions of a track (`perception`, `comprehension`, `adaptation`) or of `all`, each with its video's frames.

    Videos are looked for by their id below the folder. The image of an adaptation question follows the frames where it
    is in the column `image` or in the published `<id>_image.mp4`; else it stands in the video's last seconds alone,
    which so many frames may miss: `metadata["image_in_video"]` says so. Questions without options are open.
    `subjects=medical` are the five of health and medicine. The category is the subject, the cluster is the video.
    """
    folder, wanted = ABOUT.folder(path), subjects_named(subjects)
    tracks = TRACKS if ABOUT.split(split) == "all" else (split,)
    root = folder if folder.is_dir() else folder.parent
    videos, gallery = FilesBeside(root, VIDEOS), Gallery(root, keep_unreadable=keep_unreadable)
    return collected(
        ABOUT,
        of_subjects(_rows(folder, tracks, kept=keep_unreadable), wanted),
        lambda row: _item(row, gallery, videos, frames),
        allow_broken=allow_broken,
        split=split,
        subjects=subjects,
        frames=frames,
    )


def _rows(folder: Path, tracks: tuple[str, ...], *, kept: bool) -> Iterator[Row]:
    """The rows of some tracks; the three have the same ids, so each row says its track."""
    for track in tracks:
        for row in read_shards(parquet_of(folder, "test", config=track.capitalize()), keep_unreadable=kept):
            yield row._replace(fields={**row.fields, "track": track})


def _item(row: Row, gallery: Gallery, videos: FilesBeside, frames: int) -> Item:
    fields: dict[str, Any] = {name: value for name, value in row.fields.items() if value is not None}
    needed(fields, "id", "question", "answer")
    video = as_text(fields["id"], "its id")
    found = videos.called(video)
    if found is None and not gallery.keep_unreadable:
        raise DataError(f"its video {video!r} is not there; expected {video}.mp4 below the folder of the tables")
    options = listed(fields.pop("options", None), "options")
    shown = f"{found or f'{video}.mp4'}#frames={frames}"
    asked = fields.pop("image", None) or _alone(videos, video, fields["track"])
    if not asked and "<image 1>" in fields["question"]:
        fields["image_in_video"] = True
    fields |= {
        "id": f"{video}/{fields['track']}",
        "category": in_words(subject_of({"id": video})),
        "cluster": video,
        "images": [shown],
        "modality": "video",
        **({"options": options} if options else {}),
    }
    item = item_from(fields, number=row.number, gallery=gallery)
    if not asked:
        return item
    image = asked if isinstance(asked, Image) else gallery.all(asked)[0]
    return replace(item, images=(*item.images, replace(image, role="the image that the question shows")))


def _alone(videos: FilesBeside, video: str, track: str) -> str:
    """The image of an adaptation question, which is also published as a video of its own."""
    found = videos.called(f"{video}_image") if track == "adaptation" else None
    return f"{found}#frames=1" if found else ""
