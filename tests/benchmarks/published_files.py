"""Published benchmarks as their authors lay them out: small files written from `published/NAME.json`.

Each holds `files` by their path, `loads` (settings and the items that they give), and `broken` and `refused`: what is
changed in the files, or which settings are given, and what the error says. A picture is a number. Of a benchmark that
is published in two forms the second is called after an `@`.
"""

import csv
import io
import json
import tarfile
import zipfile
from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow
from pyarrow import parquet

from films import film
from medical_files import dicom
from snellen.images import encode

FOLDER = Path(__file__).parent / "published"
NAMES = tuple(path.stem for path in sorted(FOLDER.glob("*.json")))
_PICTURES = (".png", ".jpg")


@cache
def told(name):
    """What the file of a benchmark holds."""
    return json.loads((FOLDER / f"{name}.json").read_text())


@cache
def png(number):
    """A small picture that no other number has."""
    return encode(np.array([[number % 256, number // 256], [3, 4]], np.uint8)).data


NUMBERS = {png(number): number for number in range(300)}


def write_benchmark(name, folder, changes=()):
    """The files of a benchmark with some changes, `[path, row, columns]` each; the line that loads them."""
    files = deepcopy(told(name)["files"])
    for path, row, columns in changes:
        if row is None:
            files |= {path: columns}
        else:
            files[path][row].update(columns)
            files[path][row] = {key: value for key, value in files[path][row].items() if value != "GONE"}
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        (folder / path).unlink(missing_ok=True)
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            _write(folder / path, content)
    return f"{name.partition('@')[0]}:{folder}"


def _write(path, content):
    if path.suffix in _PICTURES:
        path.write_bytes(_picture(content))
    elif path.suffix == ".parquet":
        rows = [{key: _cell(value) for key, value in row.items()} for row in content]
        parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=2)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(key for row in content for key in row)))
            writer.writeheader()
            writer.writerows(content)
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for title, rows in content.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(path)
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name, picture in content.items():
                packed.writestr(name, _picture(picture))
    elif path.suffix == ".tgz":
        with tarfile.open(path, "w:gz") as archive:
            for name, text in content.items():
                member = tarfile.TarInfo(name)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
    elif path.suffix == ".mp4":
        film(path)
    elif path.suffix == ".dicom":
        dicom(path, np.full((4, 4), content, np.uint16))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def _picture(content):
    """The bytes of a picture by its number; `{"cut": 1}` is a damaged one."""
    return png(content["cut"])[:-9] if isinstance(content, dict) else png(content)


def _cell(value):
    """A cell of a Parquet file: `{"picture": 1}` is the bytes of one, as the hub keeps them."""
    if isinstance(value, list):
        return [_cell(each) for each in value]
    if isinstance(value, dict) and "picture" in value:
        return {"bytes": _picture(value["picture"]), "path": "0.png"}
    return value


def describe(item):
    """An item as the file of its benchmark writes it: what is not the usual, pictures by their number."""
    found = {
        "id": item.id,
        "question": item.question,
        "options": [option.text for option in item.options],
        "answer": item.letter if isinstance(item.answer, int) else item.answer,
        "kind": item.kind if item.kind != "choice" else "",
        "context": item.context,
        "category": item.category,
        "language": item.language if item.language != "en" else "",
        "cluster": "by its image" if item.cluster.startswith("image-") else item.cluster,
        "images": [_name(image) for image in item.images],
        "metadata": json.loads(json.dumps(dict(item.metadata))),
        "regions": [
            [at, region.finding, list(region.bounds), region.reader]
            for at, image in enumerate(item.images)
            for region in image.regions
        ],
        "substitutes": [[each.shows, *map(_name, each.images), each.lent_by] for each in item.substitutes],
    }
    return {key: value for key, value in found.items() if value not in ("", [], {}, None)}


def _name(image):
    number = NUMBERS.get(image.read() if image.is_file else b"")
    return image.role if number is None else f"{number} {image.role}" if image.role else number
