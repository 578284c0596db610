"""Audit of a benchmark: find questions answerable without the image, and faulty items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snellen.plugins import resolve_names

if TYPE_CHECKING:
    from snellen.tools.audit.audit import audit_benchmark as audit_benchmark
    from snellen.tools.audit.audited import Audited as Audited
    from snellen.tools.audit.checks import Check as Check
    from snellen.tools.audit.finding import Checked as Checked
    from snellen.tools.audit.finding import Finding as Finding
    from snellen.tools.audit.finding import Flagged as Flagged
    from snellen.tools.audit.finding import Number as Number
    from snellen.tools.audit.finding import Severity as Severity

__all__, __getattr__ = resolve_names(
    __name__,
    {
        "audit": ("audit_benchmark",),
        "audited": ("Audited",),
        "checks": ("Check",),
        "finding": ("Checked", "Finding", "Flagged", "Number", "Severity"),
    },
)
__all__ += [
    "audit", "audited", "bclean", "checks", "cleaned", "deidentifying", "files", "judged", "mending", "page",
    "superguesser",
]  # fmt: skip
