"""An importer of the logs of the ward's own tool."""

import json
from collections.abc import Iterator
from pathlib import Path

from snellen import Item, Option, Response
from snellen.errors import BrokenRow
from snellen.imports import Answer, Given, Importer


def recognises(path: Path) -> bool:
    """A log begins with the tool's name."""
    return path.suffix == ".json" and path.read_text().startswith('{"ward"')


def read(path: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    """Each response of a log."""
    for number, row in enumerate(json.loads(path.read_text())["answers"], start=1):
        options = tuple(map(Option, row["options"]))
        yield Answer(
            model=given.model or row["model"],
            benchmark=given.name or "ward",
            arm=given.arm_of(row.get("condition")),
            item=Item(row["id"], row["question"], options, row["options"].index(row["key"])),
            response=Response(row["said"], finish=""),
            where=f"{path.name}, answer {number}",
        )


IMPORTER = Importer("a log of the ward's own tool", read, ("*.json",), recognises=recognises)
