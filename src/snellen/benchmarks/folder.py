"""Folder: your own questions in a JSON Lines, JSON, CSV, TSV, Excel or Parquet file, with the images beside it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, deque
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
from snellen.benchmarks.columns import Columns, checked_map, columns_of
from snellen.benchmarks.gallery import Gallery, holds_image, names_image_file
from snellen.benchmarks.pictures import find_image_clusters
from snellen.benchmarks.questions import (
    LETTERS_TAKEN_OFF,
    from_cells,
    id_of,
    item_from,
    key_of,
    keys_in,
    read_options,
)
from snellen.benchmarks.rows import SUFFIXES, Row, Said, read, suffix
from snellen.benchmarks.shards import SHARD, check_shards
from snellen.benchmarks.tasks import prompts_in
from snellen.errors import DataError, ImageError
from snellen.files import create_folder, write_whole, written_whole
from snellen.images import EncodedImage, Image
from snellen.items import LETTERS, Benchmark, Collector, Item
from snellen.runtime import ALL_KEPT, counted, few_collections

_PLACE = re.compile(r"<image[ _]?(\d{1,3})?>", re.IGNORECASE)
_FIELDS = ("id", "question", "kind", "context", "category", "language", "cluster")
_SPLITS = (("train", "training"), ("validation", "valid", "val", "dev"), ("test", "testing"))
_IMAGE_FOLDERS = ("images", "imgs")
HELD = 256_000_000
"""Bytes of a file whose rows are held in memory at once; a larger one is read again for each look at it."""
LEVEL = 0.01
"""A difference is told where chance alone would make one as large in fewer than so many of the draws."""
DRAWS = 9_999
FEWEST = 5
"""Of fewer rows nothing is told."""


def load(
    path: str | Path,
    *,
    split: str = "",
    map: str | Mapping[str, Any] | None = None,  # noqa: A002 - the word people use
    images_root: str | Path | None = None,
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """The benchmark in a folder that holds one questions file, or in the questions file itself.

    Fields: `id`, `question`, `options`, `answer` (an option's letter or text), `images`, `kind`, `context`,
    `category`, `language`, `cluster`, `metadata`, `substitutes` (images that show what a wrong option says, each with
    `image` and `shows`), or those of an Inspect sample. Questions of the clinical pathway also have `task`, `history`,
    `examination`, `report`, `answers` and `steps`, and a file `prompts.toml` beside them may word each task. Columns
    of other names are read as `map` says, such as {"question": "Q", "images": "image_path"}, and else by a guess that
    stands in `about["guesses"]`. Images are paths inside the folder, its `images` or `imgs`, or `images_root`; data
    URIs; or bytes. A file of images must be there, and is opened when it is sent. Parquet shards are read as one file.
    `split` chooses the file of that name, or the rows whose `split` it is. `keep_unreadable` reads every image now and
    keeps items that cannot be asked, for an audit: their images are missing or unreadable, or an open question has no
    answer yet.
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
        while rows:  # each is let go of once it is read: it may hold its images
            dropped += _collect(rows.popleft(), collector, gallery, keys)
    if "images" not in checked_map(map or {}):
        _check_images_used(collector, [gallery.root] if images_root else [folder / name for name in _IMAGE_FOLDERS])
    guesses += _letters_taken_off(collector.items.values())
    if checked_map(map or {}).get("cluster") != ():
        guesses += _group_by_image(collector)
    about: dict[str, Any] = {"file": _called(files), "sha256": digest.result()}
    if prompts := prompts_in(folder):
        about["prompts"] = prompts
    if guesses:
        about["guesses"] = list(dict.fromkeys(guesses))
    if found := bias(tuple(collector.items.values()), dropped):
        about["left_out"] = found
    return collector.benchmark(allow_broken=allow_broken, about=about)


def _table(files: Sequence[Path], split: str, given: Mapping[str, tuple[str, ...]], said: Said) -> deque[Row]:
    """The rows of some files under our names for their columns; those of one split, where the files do not part it."""
    rows: list[Row] = []
    for file in files:
        before = rows[-1].number if rows else 0
        found = read(file, part=split, said=said)
        rows += (row._replace(number=row.number + before) for row in found) if before else found
    if split and not any(_tells(file, split) for file in files):
        rows = _of_split(rows, split, _called(files), column=[*given.get("split", ()), "split"][0])
    columns = _columns([row.fields for row in rows if row.reason is None], given, _called(files))
    for guess in columns.guesses:
        said(guess)
    if columns.read:
        for row in rows:
            columns.rename(row.fields)
    read_options(row.fields for row in rows)
    return deque(_with_borrowed(rows, said))


def _columns(rows: Sequence[Mapping[str, Any]], given: Mapping[str, tuple[str, ...]], name: str) -> Columns:
    """How the columns are read; one that was guessed to hold ids and holds one twice does not."""
    columns = columns_of(rows, given, name=name)
    if "id" in given or "id" not in columns.read:
        return columns
    [column] = columns.read["id"]
    ids = [str(row[column]) for row in rows if row.get(column) is not None]
    return columns if len(set(ids)) == len(rows) else columns_of(rows, {**given, "id": ()}, name=name)


def _with_borrowed(rows: list[Row], said: Said) -> list[Row]:
    """The rows, of which some may name another row in the place of an image that both show, as VLMEvalKit's do."""
    named = {str(image) for row in rows if (image := row.fields.get("image")) is not None and _is_short(image)}
    named &= {str(row.fields.get("id")) for row in rows} if named else set()
    if not named:
        return rows
    shown = {str(row.fields["id"]): row.fields.get("image") for row in rows if str(row.fields.get("id")) in named}
    lent = {name: image for name, image in shown.items() if holds_image(image) or names_image_file(image)}
    said(f"read an image that is the id of another row ({min(lent)!r}) as that row's image") if lent else None
    return [
        row._replace(fields={**row.fields, "image": lent[str(row.fields["image"])]})
        if _is_short(row.fields.get("image")) and str(row.fields["image"]) in lent
        else row
        for row in rows
    ]


def _is_short(image: object) -> bool:
    """Whether an image may be another row's id; the name of a file is that file."""
    return isinstance(image, str | int) and len(str(image)) <= 64 and not names_image_file(image)


def _gallery(folder: Path, root: str | Path | None, *, keep_unreadable: bool) -> Gallery:
    """Where images are looked for: the root that is named, or else the folder and its usual places for them."""
    if root is None:
        also = [each for name in _IMAGE_FOLDERS if (each := folder / name).is_dir()]
        return Gallery(folder, also=also, keep_unreadable=keep_unreadable)
    at = folder / Path(root).expanduser()
    if not at.is_dir():
        raise DataError(f"images_root is {str(root)!r}, and there is no such folder beside the questions file.")
    return Gallery(at, keep_unreadable=keep_unreadable)


def _check_images_used(collector: Collector, places: Sequence[Path]) -> None:
    """Raise where nothing shows an image although a folder of them is there: the exam would be one of text alone."""
    if collector.broken or not collector.items or any(item.images for item in collector.items.values()):
        return
    for place in places:
        with suppress(OSError):
            if any(names_image_file(each.name) for each in place.iterdir()):
                raise DataError(
                    f"{collector.name}: no question shows an image, although {place.name!r} beside them holds some. "
                    "Say which column names them with --map images=COLUMN, or --map images=none if these are not shown."
                )


def _letters_taken_off(items: Iterable[Item]) -> list[str]:
    count = sum(bool(item.metadata.get(LETTERS_TAKEN_OFF)) for item in items)
    return [f"took the letters off the options of {counted(count, 'question')} (“A) …”)"] if count else []


def _group_by_image(collector: Collector) -> list[str]:
    """Put questions that share an image and name no cluster into one, and say so."""
    grouped = find_image_clusters(tuple(collector.items.values()))
    for name, cluster in grouped.items():
        made = replace(collector.items[name], cluster=cluster)
        object.__setattr__(made, "found_usable", True)
        collector.items[name] = made
    if not grouped:
        return []
    asked, patients = counted(len(grouped), "question"), counted(len({*grouped.values()}), "patient")
    return [f"counted {asked} that share an image as {patients}; say --map cluster=COLUMN, or none, if that is wrong"]


def _called(files: Sequence[Path]) -> str:
    return files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"


def _questions_files(path: Path, split: str) -> list[Path]:
    """The questions file, or the shards of one; DataError where there is none, or there are several."""
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
        tables.setdefault(_without_shard(entry), []).append(entry)
    if len(tables) == 1:
        [shards] = tables.values()
        check_shards(shards)
        return shards
    names = ", ".join(entry.name for entry in candidates[:20]) or "none"
    splits = [name for name in (words[0] for words in _SPLITS) if any(_tells(each, name) for each in candidates)]
    if not candidates:
        advice = f"Images in a sub-folder for each class need none: classes:{path}."
    elif splits and not split:
        advice = f"Say which: folder:{path},split={splits[-1]}, or give the file itself."
    else:
        advice = "Give the file itself, or call it items.jsonl."
    raise DataError(f"{path}: expected one questions file ({', '.join(SUFFIXES)}), found: {names}. {advice}")


def _without_shard(file: Path) -> str:
    """The name of the file that a shard is of; its own for any other file."""
    if suffix(file) != ".parquet":
        return file.name
    match = SHARD.fullmatch(file.stem)
    return f"{match[1]}.parquet" if match else file.name


def _tells(file: Path, split: str) -> bool:
    """Whether a file's name says that it holds a split: one of its words is the split's name, or an alias of it."""
    words = set(re.split(r"[^0-9a-z]+", file.name.lower()))
    return bool(words & set(_aliases(split)))


def _aliases(split: str) -> tuple[str, ...]:
    return next((words for words in _SPLITS if split.lower() in words), (split.lower(),))


def _of_split(rows: Sequence[Row], split: str, name: str, *, column: str) -> list[Row]:
    """The rows whose `split` is that one, or all where they stand in a list or sheet of that name."""
    if rows and all(row.part.lower() in _aliases(split) for row in rows):
        return list(rows)
    told = [row for row in rows if row.fields.get(column) is not None]
    if not told:
        raise DataError(
            f"{name} has no rows of the split {split!r}: neither its name nor a column `split` tells of one. Leave "
            "split= out to read the whole file, or say which column it is with --map split=COLUMN."
        )
    kept = [row for row in rows if str(row.fields.get(column, "")).strip().lower() in _aliases(split)]
    if not kept:
        there = ", ".join(sorted({repr(row.fields[column]) for row in told})[:10])
        raise DataError(f"{name} has no rows of the split {split!r}; it has {there}.")
    return kept


def save(items: Iterable[Item], path: str | Path) -> Path:
    """Writes items as `items.jsonl` with their images, as they are sent, in `images/`; `load` gives them back."""
    folder = Path(path)
    file = folder / "items.jsonl"
    if file.exists():
        raise DataError(f"{file} is there already. Give an empty folder, or remove it first.")
    create_folder(folder / "images")
    with written_whole(file) as out:
        for item in items:
            lent = [{"images": _write_images(each.images, folder), "shows": each.shows} for each in item.substitutes]
            out.write(item_line(item, _write_images(item.images, folder), lent))
    return file


def _collect(row: Row, collector: Collector, gallery: Gallery, keys: Keys) -> tuple[Dropped, ...]:
    """Take a row's item; what is known of a row that cannot be used is given back."""
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
        collector.refuse(row.where, _known_as(row), str(error))
    if len(collector.broken) == before:
        return ()
    return (Dropped(key_of(row.fields, keys), str(row.fields.get("category") or ""), by_image=by_image),)


def _known_as(row: Row) -> str:
    """What a row that cannot be read is called: its id, where that can be read."""
    with suppress(DataError):
        return id_of(row.fields, row.number)
    return f"row-{row.number}"


def _check_images_given(item: Item) -> None:
    """Raise where the words have a place for an image, as MMMU's `<image 2>`, that the row does not give."""
    words = [item.question, *[option.text for option in item.options]]
    if "<" not in "".join(words):
        return
    for place in chain.from_iterable(map(_PLACE.finditer, words)):
        if int(place.group(1) or 1) > len(item.images):
            said = f"its words hold {place.group()!r}, and it has {len(item.images)} images; add the image"
            raise DataError(said)


def _sha256(files: Sequence[Path]) -> str:
    """The hash of a file, or of the hashes of its shards."""
    found = []
    for file in files:
        with file.open("rb") as opened:
            found.append(hashlib.file_digest(opened, "sha256").hexdigest())
    return found[0] if len(found) == 1 else hashlib.sha256("\n".join(found).encode()).hexdigest()


def _write_images(images: Iterable[Image], folder: Path) -> list[str | dict[str, str]]:
    """How a line refers to images that are written: by their path, with their role where they have one."""
    written = ((_write_image(image.encoded(), folder), image.role) for image in images)
    return [{"image": name, "role": role} if role else name for name, role in written]


def _write_image(image: EncodedImage, folder: Path) -> str:
    """An image under its own hash, so that one shown by many questions is written once."""
    name = f"images/{image.sha256[:32]}.{image.media_type.removeprefix('image/')}"
    if not (folder / name).exists():
        write_whole(folder / name, image.data)
    return name


def item_line(item: Item, images: Sequence[str | dict[str, str]], substitutes: Sequence[dict[str, Any]] = ()) -> bytes:
    """An item as the line of a file that `load` reads, with how it refers to its images."""
    fields: dict[str, Any] = {name: getattr(item, name) for name in _FIELDS}
    fields["options"] = [
        {"text": option.text, "abstains": True} if option.abstains else option.text for option in item.options
    ]
    fields["answer"] = item.letter if isinstance(item.answer, int) else item.answer
    fields.update(images=list(images), metadata=dict(item.metadata))
    if substitutes:
        fields["substitutes"] = list(substitutes)
    try:
        return orjson.dumps(fields, default=_plain, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise DataError(f"Item {item.id!r} cannot be written as JSON: {error}.") from error


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no JSON for {type(value).__name__}")


class Dropped(NamedTuple):
    """What is known of a row that was left out: the letter of its right option, its category, its image's fault."""

    key: str = ""
    category: str = ""
    by_image: bool = False


def bias(kept: Sequence[Item], dropped: Sequence[Dropped]) -> list[str]:
    """In which ways the rows that were left out are not like those that were kept, in sentences with their test."""
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
    """The sentence for the value that is too common among the dropped, if the two differ by more than chance."""
    if len(dropped) < FEWEST or len(kept) < FEWEST:
        return []
    names = sorted({*kept, *dropped})
    of_kept, of_dropped = (_counts(names, each) for each in (kept, dropped))
    p = unlike_p(of_kept, of_dropped)
    if p > LEVEL:
        return []
    most = int(np.argmax(of_dropped / len(dropped) - of_kept / len(kept)))
    said, least = words.format(names[most]), 1 / (DRAWS + 1)
    return [
        f"{said} in {of_dropped[most] / len(dropped):.0%} of the {counted(len(dropped), 'row')} left out and in "
        f"{of_kept[most] / len(kept):.0%} of the {counted(len(kept), 'row')} kept (permutation test, p "
        f"{'≤' if p <= least else '='} {p:.2g}): what is kept is no fair part of the file"
    ]


def _counts(names: Sequence[str], values: Iterable[str]) -> np.ndarray:
    found = Counter(values)
    return np.array([found[name] for name in names], dtype=np.int64)


def unlike_p(first: Sequence[int] | np.ndarray, second: Sequence[int] | np.ndarray) -> float:
    """The p of Pearson's chi-square for two rows of counts, by drawing the second row anew from both together.

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
