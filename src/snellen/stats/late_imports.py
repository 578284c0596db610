"""Late imports: parts of numpy that no statistic needs, and that take a third of the time to load scipy.special."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

import numpy as np


def delay_import(part: str) -> None:
    """Import a part of numpy when something in it is first used, unless it is there already."""
    name = f"numpy.{part}"
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(np, part, module)
