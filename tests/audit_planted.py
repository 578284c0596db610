"""What a check of an audit says of made-up benchmarks."""

from __future__ import annotations

from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import check_named


def look(name, items, **fields):
    """What a check says of these items."""
    return check_named(name).look(Audited("made up", tuple(items), **fields))


def flagged(checked):
    """The ids of all items that a check lists."""
    return {each.item_id for finding in checked.findings for each in finding.items}
