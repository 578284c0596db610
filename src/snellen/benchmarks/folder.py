"""Benchmark folders: a user's questions file (JSON, CSV, Excel, Parquet) with images."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from snellen.benchmarks.answers import Keys
from snellen.benchmarks.columns import ColumnMap, checked_map, columns_of
from snellen.benchmarks.gallery import Gallery, holds_image, names_image_file
from snellen.benchmarks.pictures import find_image_clusters
from snellen.benchmarks.questions import LETTERS_TAKEN_OFF, from_cells, id_of, item_from, key_of, keys_in, read_options
from snellen.benchmarks.regions import write_regions
from snellen.benchmarks.rows import SUFFIXES, FileRow, Said, read, suffix
from snellen.benchmarks.shards import SHARD, check_shards
from snellen.benchmarks.tasks import prompts_in
from snellen.errors import DataError, ImageError
from snellen.files import create_folder, write_whole, written_whole
from snellen.images import Image
from snellen.items import LETTERS, Benchmark, Collector, Item
from snellen.runtime import ALL_KEPT, counted, few_collections

_PLACE = re.compile(r"<image[ _]?(\d{1,3})?>", re.IGNORECASE)
_FIELDS = ("id", "question", "kind", "context", "category", "language", "cluster")
_SPLITS = (("train", "training"), ("validation", "valid", "val", "dev"), ("test", "testing"))
_IMAGE_FOLDERS = ("images", "imgs")
HELD = 256_000_000
"""Most bytes of a file whose rows are kept in memory; a larger file is read several times."""
LEVEL = 0.01
"""A difference between kept and left-out rows is reported if its p-value is at most this."""
DRAWS = 9_999
FEWEST = 5
"""Fewest left-out rows for a report on differences."""


def load(
    path: str | Path,
    *,
    split: str = "",
    map: str | Mapping[str, Any] | None = None,  # noqa: A002 - the word that users expect
    images_root: str | Path | None = None,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """Load a questions file, or the folder that contains one.

    Fields: `id`, `question`, `options`, `answer` (an option's letter or text), `images`, `kind`, `context`, `category`,
    `language`, `cluster`, `metadata`, `substitutes` (images that show a wrong option, each with `image` and `shows`),
    `regions` (where findings lie, see `snellen.benchmarks.regions`), or those of an Inspect sample. Questions of the
    clinical pathway also have `task`, `history`, `examination`, `report`, `answers` and `steps`; a file `prompts.toml`
    in the folder may word each task. `map` names columns of other names, such as {"question": "Q", "images":
    "image_path"}; others are guessed, with a note in `about["guesses"]`. Images are paths inside the folder, its
    `images` or `imgs`, or `images_root`; data URIs; or bytes. An image file must exist, and is opened when it is sent.
    Parquet shards are read as one file. `split` chooses the file of that name, or the rows with that `split`.
    `keep_unreadable`, for audits, reads every image at once and keeps items that cannot be asked: with missing or
    unreadable images, or open questions without a reference answer.
    """
    given = Path(path)
    files = _questions_files(given, split)
    folder = given if given.is_dir() else given.parent
    ending = suffix(files[0]) or ""
    name = given.name[: len(given.name) - len(ending)] if given == files[0] else given.resolve().name
    collector = Collector(name, answered=not keep_unreadable)
    guesses: list[str] = []
    gallery = _gallery(folder, images_root, keep_unreadable=keep_unreadable)
    dropped: list[Dropped] = []
    with few_collections(ALL_KEPT), ThreadPoolExecutor(1) as beside:
        digest = beside.submit(_sha256, files)
        rows = _table(files, split, checked_map(map or {}), guesses.append)
        keys = keys_in(rows)
        guesses += filter(None, [keys.sentence])
        while rows:  # each row is freed once it is read: it may hold its images
            dropped += _collect(rows.popleft(), collector, gallery, keys)
    if "images" not in checked_map(map or {}):
        _check_images_used(collector, [gallery.root] if images_root else [folder / name for name in _IMAGE_FOLDERS])
    guesses += _letters_taken_off(collector.items.values())
    if checked_map(map or {}).get("cluster") != ():
        guesses += _group_by_image(collector)
    about: dict[str, Any] = {"file": _name_files(files), "sha256": digest.result()}
    if prompts := prompts_in(folder):
        about["prompts"] = prompts
    if guesses:
        about["guesses"] = list(dict.fromkeys(guesses))
    if found := bias(tuple(collector.items.values()), dropped):
        about["left_out"] = found
    return collector.benchmark(allow_broken=allow_broken, about=about)


def _table(files: Sequence[Path], split: str, given: Mapping[str, tuple[str, ...]], said: Said) -> deque[FileRow]:
    """Return the renamed rows of files, only those of a split if one is chosen."""
    rows: list[FileRow] = []
    for file in files:
        before = rows[-1].number if rows else 0
        found = read(file, part=split, said=said)
        rows += (row._replace(number=row.number + before) for row in found) if before else found
    if split and not any(_tells(file, split) for file in files):
        rows = _of_split(rows, split, _name_files(files), column=[*given.get("split", ()), "split"][0])
    columns = _columns([row.fields for row in rows if row.reason is None], given, _name_files(files))
    for guess in columns.guesses:
        said(guess)
    if columns.read:
        for row in rows:
            columns.rename(row.fields)
    read_options(row.fields for row in rows)
    return deque(_with_borrowed(rows, said))


def _columns(rows: Sequence[Mapping[str, Any]], given: Mapping[str, tuple[str, ...]], name: str) -> ColumnMap:
    """Assign the columns; a guessed id column with duplicates is dropped."""
    columns = columns_of(rows, given, name=name)
    if "id" in given or "id" not in columns.read:
        return columns
    [column] = columns.read["id"]
    ids = [str(row[column]) for row in rows if row.get(column) is not None]
    return columns if len(set(ids)) == len(rows) else columns_of(rows, {**given, "id": ()}, name=name)


def _with_borrowed(rows: list[FileRow], said: Said) -> list[FileRow]:
    """Replace images given as another row's id by that row's image, as in VLMEvalKit."""
    named = {str(image) for row in rows if (image := row.fields.get("image")) is not None and _is_short(image)}
    named &= {str(row.fields.get("id")) for row in rows} if named else set()
    if not named:
        return rows
    shown = {str(row.fields["id"]): row.fields.get("image") for row in rows if str(row.fields.get("id")) in named}
    lent = {name: image for name, image in shown.items() if holds_image(image) or names_image_file(image)}
    said(f"read the image value {min(lent)!r} as the image of the row with this id") if lent else None
    return [
        row._replace(fields={**row.fields, "image": lent[str(row.fields["image"])]})
        if _is_short(row.fields.get("image")) and str(row.fields["image"]) in lent
        else row
        for row in rows
    ]


def _is_short(image: object) -> bool:
    """Return True if an image may be another row's id instead of a file."""
    return isinstance(image, str | int) and len(str(image)) <= 64 and not names_image_file(image)


def _gallery(folder: Path, root: str | Path | None, *, keep_unreadable: bool) -> Gallery:
    if root is None:
        also = [each for name in _IMAGE_FOLDERS if (each := folder / name).is_dir()]
        return Gallery(folder, also=also, keep_unreadable=keep_unreadable)
    at = folder / Path(root).expanduser()
    if not at.is_dir():
        raise DataError(f"images_root is {str(root)!r}, but there is no such folder beside the questions file.")
    return Gallery(at, keep_unreadable=keep_unreadable)


def _check_images_used(collector: Collector, places: Sequence[Path]) -> None:
    """Raise DataError if an image folder exists, but no row has an image."""
    if collector.broken or not collector.items or any(item.images for item in collector.items.values()):
        return
    for place in places:
        with suppress(OSError):
            if any(names_image_file(each.name) for each in place.iterdir()):
                raise DataError(
                    f"{collector.name}: no question has an image, but the folder {place.name!r} beside the file holds "
                    "images. Name their column: --map images=COLUMN. If none is shown: --map images=none."
                )


def _letters_taken_off(items: Iterable[Item]) -> list[str]:
    count = sum(bool(item.metadata.get(LETTERS_TAKEN_OFF)) for item in items)
    return [f"removed the letters (“A) …”) from the options of {counted(count, 'question')}"] if count else []


def _group_by_image(collector: Collector) -> list[str]:
    """Put questions with the same image and no cluster into one cluster; return a note."""
    grouped = find_image_clusters(tuple(collector.items.values()))
    for name, cluster in grouped.items():
        made = replace(collector.items[name], cluster=cluster)
        object.__setattr__(made, "found_usable", True)
        collector.items[name] = made
    if not grouped:
        return []
    asked, patients = counted(len(grouped), "question"), counted(len({*grouped.values()}), "patient")
    return [
        f"counted {asked} that share an image as {patients}; say --map cluster=COLUMN or cluster=none if that is wrong"
    ]


def _name_files(files: Sequence[Path]) -> str:
    return files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"


def _questions_files(path: Path, split: str) -> list[Path]:
    """Return the questions file, or its shards; DataError if there are none or several."""
    try:
        if path.is_file():
            return [path]
        found = [each for each in sorted(path.iterdir()) if suffix(each) and not each.name.startswith(".")]
        if not found and (path / "data").is_dir():
            found = [each for each in sorted((path / "data").iterdir()) if suffix(each) == ".parquet"]
    except (OSError, ValueError) as error:
        raise DataError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    candidates = [entry for entry in found if entry.name.startswith("items.")] or found
    if split and (of_split := [entry for entry in candidates if _tells(entry, split)]):
        candidates = of_split
    tables: dict[str, list[Path]] = {}
    for entry in candidates:
        shard = SHARD.fullmatch(entry.stem) if suffix(entry) == ".parquet" else None
        tables.setdefault(f"{shard[1]}.parquet" if shard else entry.name, []).append(entry)
    if len(tables) == 1:
        [shards] = tables.values()
        check_shards(shards)
        return shards
    names = ", ".join(entry.name for entry in candidates[:20]) or "none"
    splits = [name for name in (words[0] for words in _SPLITS) if any(_tells(each, name) for each in candidates)]
    if not candidates:
        advice = f"For images with a sub-folder for each class: classes:{path}."
    elif splits and not split:
        advice = f"Say which: folder:{path},split={splits[-1]}, or give the file itself."
    else:
        advice = "Give the file itself, or call it items.jsonl."
    raise DataError(f"{path}: expected one questions file ({', '.join(SUFFIXES)}), found: {names}. {advice}")


def _tells(file: Path, split: str) -> bool:
    """Return True if a file's name contains the split's name or an alias."""
    words = set(re.split(r"[^0-9a-z]+", file.name.lower()))
    return bool(words & set(_aliases(split)))


def _aliases(split: str) -> tuple[str, ...]:
    return next((words for words in _SPLITS if split.lower() in words), (split.lower(),))


def _of_split(rows: Sequence[FileRow], split: str, name: str, *, column: str) -> list[FileRow]:
    """Return the rows of a split, by column, or by sheet or list."""
    if rows and all(row.part.lower() in _aliases(split) for row in rows):
        return list(rows)
    told = [row for row in rows if row.fields.get(column) is not None]
    if not told:
        raise DataError(
            f"{name} has no rows of the split {split!r}: neither its name nor a column `split` names one. Remove "
            "split= to read the whole file, or name the column: --map split=COLUMN."
        )
    kept = [row for row in rows if str(row.fields.get(column, "")).strip().lower() in _aliases(split)]
    if not kept:
        there = ", ".join(sorted({repr(row.fields[column]) for row in told})[:10])
        raise DataError(f"{name} has no rows of the split {split!r}; it has {there}.")
    return kept


def save(items: Iterable[Item], path: str | Path, *, keep_unreadable: bool = False) -> Path:
    """Write items as `items.jsonl` with `images/`, which `load` reads.

    ImageError if an image cannot be read. With `keep_unreadable`, the item keeps the image's name instead.
    """
    folder = Path(path)
    file = folder / "items.jsonl"
    if file.exists():
        raise DataError(f"{file} is there already. Give an empty folder, or remove it first.")
    create_folder(folder / "images")
    with written_whole(file) as out:
        for item in items:
            lent = [
                {"images": _write_images(each.images, folder, keep_unreadable), "shows": each.shows}
                | ({"change": each.change} if each.change else {})
                for each in item.substitutes
            ]
            shown = _write_images(item.images, folder, keep_unreadable)
            out.write(item_line(item, shown, lent, write_regions(item.images, folder)))
    return file


def _collect(row: FileRow, collector: Collector, gallery: Gallery, keys: Keys) -> tuple[Dropped, ...]:
    """Add a row's item to the collector; return information on a row that is unusable."""
    if row.reason is not None:
        collector.refuse(row.where, f"row-{row.number}", row.reason)
        return (Dropped(),)
    before, by_image = len(collector.broken), False
    try:
        fields = from_cells(row.fields) if row.in_table else row.fields
        item = item_from(fields, number=row.number, gallery=gallery, keys=keys)
        if not gallery.keep_unreadable:
            _check_images_given(item)
        collector.add(row.where, item)
    except DataError as error:
        by_image = isinstance(error, ImageError)
        known_as = f"row-{row.number}"
        with suppress(DataError):
            known_as = id_of(row.fields, row.number)
        collector.refuse(row.where, known_as, str(error))
    if len(collector.broken) == before:
        return ()
    return (Dropped(key_of(row.fields, keys), str(row.fields.get("category") or ""), by_image=by_image),)


def _check_images_given(item: Item) -> None:
    """Raise DataError if the text refers to a missing image, such as `<image 2>`."""
    words = [item.question, *[option.text for option in item.options]]
    if "<" not in "".join(words):
        return
    for place in chain.from_iterable(map(_PLACE.finditer, words)):
        if int(place.group(1) or 1) > len(item.images):
            said = f"its text names {place.group()!r}, but it has {len(item.images)} images; add the image"
            raise DataError(said)


def _sha256(files: Sequence[Path]) -> str:
    """Return the hash of a file, or of the hashes of its shards."""
    found = []
    for file in files:
        with file.open("rb") as opened:
            found.append(hashlib.file_digest(opened, "sha256").hexdigest())
    return found[0] if len(found) == 1 else hashlib.sha256("\n".join(found).encode()).hexdigest()


def _write_images(images: Iterable[Image], folder: Path, keep_unreadable: bool) -> list[str | dict[str, str]]:
    """Write each image once, under its hash; return paths, with roles if present."""
    written: list[str | dict[str, str]] = []
    for image in images:
        try:
            encoded = image.encoded()
            name = f"images/{encoded.sha256[:32]}.{encoded.media_type.removeprefix('image/')}"
            if not (folder / name).exists():
                write_whole(folder / name, encoded.data)
        except ImageError:
            if not keep_unreadable:
                raise
            name = f"images/{image.name.rpartition('/')[2]}"
        written.append({"image": name, "role": image.role} if image.role else name)
    return written


def item_line(
    item: Item,
    images: Sequence[str | dict[str, str]],
    substitutes: Sequence[dict[str, Any]] = (),
    regions: Sequence[dict[str, Any]] = (),
) -> bytes:
    """Return an item as a line that `load` reads, with its image references."""
    fields: dict[str, Any] = {name: getattr(item, name) for name in _FIELDS}
    fields["options"] = [
        {"text": option.text, "abstains": True} if option.abstains else option.text for option in item.options
    ]
    fields["answer"] = item.letter if isinstance(item.answer, int) else item.answer
    fields.update(images=list(images), metadata=dict(item.metadata))
    if substitutes:
        fields["substitutes"] = list(substitutes)
    if regions:
        fields["regions"] = list(regions)
    try:
        return orjson.dumps(fields, default=_plain, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise DataError(f"Item {item.id!r} cannot be written as JSON: {error}.") from error


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON has no type for {type(value).__name__}")


class Dropped(NamedTuple):
    """Information about a left-out row: answer letter, category, and True if its image is the reason."""

    key: str = ""
    category: str = ""
    by_image: bool = False


def bias(kept: Sequence[Item], dropped: Sequence[Dropped]) -> list[str]:
    """Describe how left-out rows differ from kept ones, using permutation tests."""
    if len(dropped) < FEWEST:
        return []
    keys = [LETTERS[item.answer] for item in kept if isinstance(item.answer, int)]
    categories = [item.category for item in kept if item.category]
    found = [
        *_unlike("the right answer is {}", keys, [each.key for each in dropped if each.key]),
        *_unlike("the category is {!r}", categories, [each.category for each in dropped if each.category]),
    ]
    images = sum(each.by_image for each in dropped)
    if 2 * images > len(dropped):
        found.append(f"{images:,} of the {counted(len(dropped), 'row')} left out lack a usable image")
    return found


def _unlike(words: str, kept: Sequence[str], dropped: Sequence[str]) -> list[str]:
    """Describe a value that is significantly more common among left-out rows."""
    if len(dropped) < FEWEST or len(kept) < FEWEST:
        return []
    names = sorted({*kept, *dropped})
    of_kept, of_dropped = (np.array([values.count(name) for name in names]) for values in (kept, dropped))
    p = unlike_p(of_kept, of_dropped)
    if p > LEVEL:
        return []
    most = int(np.argmax(of_dropped / len(dropped) - of_kept / len(kept)))
    said, least = words.format(names[most]), 1 / (DRAWS + 1)
    return [
        f"{said} in {of_dropped[most] / len(dropped):.0%} of the {counted(len(dropped), 'row')} left out and in "
        f"{of_kept[most] / len(kept):.0%} of the {counted(len(kept), 'row')} kept (permutation test, p "
        f"{'≤' if p <= least else '='} {p:.2g}): the rows kept do not represent the file"
    ]


def unlike_p(first: Sequence[int] | np.ndarray, second: Sequence[int] | np.ndarray) -> float:
    """Return the p-value of Pearson's chi-square for two rows of counts, by permutation.

    >>> unlike_p([50, 50], [50, 50])
    1.0
    """
    one, other = np.asarray(first), np.asarray(second)
    together, size = one + other, int(other.sum())
    expected = together * (size / together.sum())
    drawn = np.random.default_rng(0).multivariate_hypergeometric(together, size, size=DRAWS, method="marginals")
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.nansum((drawn - expected) ** 2 / expected, axis=1)
        seen = float(np.nansum((other - expected) ** 2 / expected))
    return (int(np.sum(far >= seen * (1 - 1e-9))) + 1) / (DRAWS + 1)
