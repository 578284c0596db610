"""Video-MME: four-option questions about videos from seconds to an hour long, from the published shards.

Fu et al., "Video-MME: The first-ever comprehensive evaluation benchmark of multi-modal LLMs in video analysis", 2024.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.files_beside import VIDEOS, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import Published, collected, files_of, needed, rows_of
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.items import Benchmark, Item

ABOUT = Published(
    name="video-mme",
    title="Video-MME",
    asks="four-option questions about videos from seconds to an hour long",
    tier="public",
    get="download lmms-lab/Video-MME from the hub, or use `video-mme:hf`, and unpack its videos_chunked_*.zip files "
    "beside the table, so that they lie in data/ or videos/.",
    licence="for academic research only; the videos belong to their makers",
    citation='Fu et al., "Video-MME: The first-ever comprehensive evaluation benchmark of multi-modal LLMs in video '
    'analysis", CVPR 2025',
    splits=MappingProxyType({"test": 2700, "short": 900, "medium": 900, "long": 900}),
    clusters="the video; each has three questions",
    modalities="video",
    hub="lmms-lab/Video-MME",
    prompt="mirage-video-mme",
)

FRAMES = 50
"""As many frames of a video as the Mirage paper sent."""


def load(
    path: str | Path,
    *,
    split: str = "test",
    frames: int = FRAMES,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The questions of the published table, all of them (`test`) or those about `short`, `medium` or `long` videos.

    Videos are looked for by their `videoID` below the folder of the table. Of each so many `frames` are shown.
    Subtitles and sound are not. The category is the domain, the cluster is the video.
    """
    folder = ABOUT.folder(path)
    duration = "" if ABOUT.split(split) == "test" else split
    files = files_of(
        folder, "videomme/test-*.parquet", "data/test-*.parquet", "test-*.parquet", "*.parquet", what="the table"
    )
    root = folder if folder.is_dir() else folder.parent
    videos, gallery = FilesBeside(root, VIDEOS), Gallery(root, keep_unreadable=keep_unreadable)
    rows = (row for row in rows_of(files) if row.reason or not duration or row.fields.get("duration") == duration)
    return collected(
        ABOUT,
        rows,
        lambda row: _item(row, gallery, videos, frames),
        allow_broken=allow_broken,
        split=split,
        frames=frames,
    )


def _item(row: Row, gallery: Gallery, videos: FilesBeside, frames: int) -> Item:
    fields = dict(row.fields)
    needed(fields, "question_id", "videoID", "question", "options", "answer")
    video = as_text(fields["videoID"], "its videoID")
    found = videos.called(video)
    if found is None and not gallery.keep_unreadable:
        raise DataError(f"its video {video!r} is not there; expected data/{video}.mp4 or videos/{video}.mp4")
    fields |= {
        "id": fields.pop("question_id"),
        "cluster": video,
        "category": str(fields.pop("domain", "") or ""),
        "images": [f"{found or f'data/{video}.mp4'}#frames={frames}"],
        "modality": "video",
    }
    return item_from(fields, number=row.number, gallery=gallery)
