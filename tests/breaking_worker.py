"""A worker whose process one file ends."""

import os

from snellen.tools.degrade.copies import copy_sources as whole


def copied(task, sources):
    """The copies, unless a source is poison."""
    if any(source.path == "poison.png" for source in sources):
        os._exit(9)
    return whole(task, sources)
