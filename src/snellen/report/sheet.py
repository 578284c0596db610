"""Basis of all HTML pages: styles, scripts, content security policy and templates."""

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
    """Template environment; templates are named `package:file`, or `file` for the report's own."""

    def join_path(self, template: str, parent: str) -> str:
        """Resolve the name of a template that another one includes."""
        return f"{parent.partition(':')[0]}:{template[2:]}" if template.startswith("./") else template


def templates() -> Environment:
    """Return the template environment. Text is escaped, and hidden characters become visible."""

    def source(name: str) -> str | None:
        package, _, file = name.rpartition(":")
        found = files(package or "snellen.report").joinpath(file)
        return found.read_text(encoding="utf-8") if found.is_file() else None

    made = _Templates(
        loader=FunctionLoader(source),
        autoescape=True,
        finalize=wording.make_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(count=wording.count)
    return made


def styles(names: Sequence[str]) -> Markup:
    """Join our style sheets of these names."""
    return _own("style", "css", names)


def scripts(names: Sequence[str]) -> Markup:
    """Join our scripts of these names."""
    return _own("script", "js", names)


def _own(folder: str, ending: str, names: Sequence[str]) -> Markup:
    texts = (
        files("snellen.report").joinpath(f"{folder}/{name}.{ending}").read_text(encoding="utf-8") for name in names
    )
    return Markup("\n".join(texts))  # noqa: S704 - files of ours


def policy(style: str, script: str) -> str:
    """Return the content security policy: only this style, this script and embedded images."""
    allowed = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (style, script)]
    return (
        f"default-src 'none'; img-src data: blob:; style-src {allowed[0]}; script-src {allowed[1]}; "
        "base-uri 'none'; form-action 'none'"
    )


# Files inside the page -----------------------------------------------------------------------------------------------


PACKED = frozenset({"png", "jpg", "jpeg", "webp"})
"""File endings of compressed images, which are not compressed again."""
DAY = (1980, 1, 1, 0, 0, 0)
"""Date of every file in an archive, so that equal files give equal archives."""


def zip_files(files: Mapping[str, bytes]) -> str:
    """Return files as one zip in base64."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, data in files.items():
            info = ZipInfo(name, DAY)
            info.compress_type = ZIP_STORED if name.rpartition(".")[2] in PACKED else ZIP_DEFLATED
            archive.writestr(info, data)
    return b64encode(packed.getvalue()).decode()
