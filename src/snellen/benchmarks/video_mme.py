"""Video-MME: four-option questions about videos from seconds to an hour long, from the published shards."""

from __future__ import annotations

from functools import partial

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.files_beside import VIDEOS, FilesBeside
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.published import SplitSource, loads, rows_of
from snellen.benchmarks.questions import item_from
from snellen.benchmarks.rows import FileRow
from snellen.errors import DataError
from snellen.items import Benchmark, Item

FRAMES = 50
"""Frames per video, as many as the Mirage paper sent."""


@loads("video-mme")
def load(source: SplitSource, *, frames: int = FRAMES) -> Benchmark:
    """Video-MME: four-option questions about videos, from its published table.

    The split `test` has all questions; `short`, `medium` and `long` are those about videos of that length. Videos are
    searched by their `videoID` below the table's folder. `frames` frames of each are shown, without subtitles and
    sound. The category is the domain, the cluster is the video.
    """
    duration = "" if source.split == "test" else source.split
    kept = (
        row for row in rows_of(source.files) if row.reason or not duration or row.fields.get("duration") == duration
    )
    return source.collect(kept, partial(_item, source.open_gallery(), FilesBeside(source.home, VIDEOS), frames))


def _item(gallery: Gallery, videos: FilesBeside, frames: int, row: FileRow) -> Item:
    fields = dict(row.fields)
    video = as_text(fields["videoID"], "its videoID")
    found = videos.find_file(video)
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
