"""Import existing responses from files in several formats, to score them here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.plugins import Members, resolve_names

if TYPE_CHECKING:
    from snellen.imports.answer import Answer as Answer
    from snellen.imports.fields import Given as Given
    from snellen.imports.importer import Importer as Importer

MEMBERS: Members = {
    "jsonl": "snellen.imports.jsonl:IMPORTER",
    "inspect": "snellen.imports.inspect_log:IMPORTER",
    "lmms-eval": "snellen.imports.samples:LMMS_EVAL",
    "lm-eval": "snellen.imports.samples:LM_EVAL",
    "vlmevalkit": "snellen.imports.vlmevalkit:IMPORTER",
    "promptfoo": "snellen.imports.promptfoo:IMPORTER",
    "helm": "snellen.imports.helm:IMPORTER",
}
"""Importers by their name, as given with `--from`."""

__all__, __getattr__ = resolve_names(__name__, {"answer": ("Answer",), "fields": ("Given",), "importer": ("Importer",)})
__all__ += ["MEMBERS", "asked", "exporting", "importer", "importing", "inspect_sample", "storing"]
