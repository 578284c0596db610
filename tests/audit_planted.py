"""The made-up benchmarks of studies/audit, for the tests of the audit's checks."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import check_named

_FILE = Path(__file__).parents[1] / "studies" / "audit" / "planted.py"


def _loaded():
    spec = spec_from_file_location("snellen_studies_audit_planted", _FILE)
    module = sys.modules.setdefault(spec.name, module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


planted = _loaded()


def look(name, items, **fields):
    """What a check says of these items."""
    return check_named(name).look(Audited("made up", tuple(items), **fields))


def flagged(checked):
    """The ids of all items that a check lists."""
    return {each.item_id for finding in checked.findings for each in finding.items}
