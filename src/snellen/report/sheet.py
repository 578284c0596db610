"""Sheet: what every page is made of: our style and script inside it, a policy that allows nothing else, templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from pybase64 import b64encode

from snellen.report.words import numbers as wording


class _Templates(Environment):
    """Templates by `package:file`, or by file alone for those of the report; `./file` is one beside its parent."""

    def join_path(self, template: str, parent: str) -> str:
        """The name of a template that another names."""
        return f"{parent.partition(':')[0]}:{template[2:]}" if template.startswith("./") else template


def templates() -> Environment:
    """Where templates come from: all text in them is made visible and escaped, and a missing name is an error."""
    made = _Templates(
        loader=FunctionLoader(_source),
        autoescape=True,
        finalize=wording.printed,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(count=wording.count)
    return made


def _source(name: str) -> str | None:
    package, _, file = name.rpartition(":")
    found = files(package or "snellen.report").joinpath(file)
    return found.read_text(encoding="utf-8") if found.is_file() else None


def styles(names: Sequence[str]) -> Markup:
    """Our style sheets of these names, as one."""
    return _own("style", "css", names)


def scripts(names: Sequence[str]) -> Markup:
    """Our scripts of these names, as one."""
    return _own("script", "js", names)


def _own(folder: str, ending: str, names: Sequence[str]) -> Markup:
    texts = (
        files("snellen.report").joinpath(f"{folder}/{name}.{ending}").read_text(encoding="utf-8") for name in names
    )
    return Markup("\n".join(texts))  # noqa: S704 - files of ours


def policy(style: str, script: str) -> str:
    """Only our own style and script count, and only embedded images: text that slipped through stays text."""
    allowed = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (style, script)]
    return (
        f"default-src 'none'; img-src data: blob:; style-src {allowed[0]}; script-src {allowed[1]}; "
        "base-uri 'none'; form-action 'none'"
    )


# Files inside the page -----------------------------------------------------------------------------------------------


PACKED = frozenset({"png", "jpg", "jpeg", "webp"})
"""Endings of files that hold compressed pixels, which another compression makes no smaller."""
DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every file: equal files make an equal archive."""


def archived(files: Mapping[str, bytes]) -> str:
    """The files by their names as one zip, in base64."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in files.items():
            info = ZipInfo(name, DAY)
            info.compress_type = ZIP_STORED if name.rpartition(".")[2] in PACKED else ZIP_DEFLATED
            archive.writestr(info, data)
    return b64encode(packed.getvalue()).decode()
