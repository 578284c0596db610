"""An eye exam for medical vision-language models, and an audit of their benchmarks.

Study ─► Item ─► Variant ─► Request ─► Response ─► Grade ─► Estimate ─► report
      load   vary      ask      answer       grade    compare      show
   benchmarks conditions prompts  models+store reading  stats+stress  report

The public names are below. Each is imported when it is first used, so importing snellen is quick.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from snellen.moved import MovedModules

if TYPE_CHECKING:
    from snellen.benchmarks import load as load
    from snellen.conditions import Condition as Condition
    from snellen.conditions import Pool as Pool
    from snellen.conditions import Variant as Variant
    from snellen.conditions import vary as vary
    from snellen.errors import Inapplicable as Inapplicable
    from snellen.errors import SnellenError as SnellenError
    from snellen.images import Image as Image
    from snellen.items import Benchmark as Benchmark
    from snellen.items import Item as Item
    from snellen.items import Option as Option
    from snellen.models import open_model as open_model
    from snellen.models.base import Model as Model
    from snellen.models.base import Response as Response
    from snellen.models.fake import FakeModel as FakeModel
    from snellen.models.fake import FunctionModel as FunctionModel
    from snellen.prompts import Arm as Arm
    from snellen.prompts import Prompt as Prompt
    from snellen.prompts import Request as Request
    from snellen.prompts import Settings as Settings
    from snellen.reading import Grade as Grade
    from snellen.reading import Outcome as Outcome
    from snellen.reading import grade as grade
    from snellen.stats import Estimate as Estimate
    from snellen.stress.base import Analysis as Analysis
    from snellen.stress.base import Expectation as Expectation
    from snellen.stress.base import StressTest as StressTest
    from snellen.stress.design import Design as Design
    from snellen.stress.design import Presentation as Presentation
    from snellen.study import Study as Study
    from snellen.tools.audit.audit import audit_benchmark as audit_benchmark

_HOME = {
    "benchmarks": ("load",),
    "conditions": ("Condition", "Pool", "Variant", "vary"),
    "errors": ("Inapplicable", "SnellenError"),
    "images": ("Image",),
    "items": ("Benchmark", "Item", "Option"),
    "models": ("open_model",),
    "models.base": ("Model", "Response"),
    "models.fake": ("FakeModel", "FunctionModel"),
    "prompts": ("Arm", "Prompt", "Request", "Settings"),
    "reading": ("Grade", "Outcome", "grade"),
    "stats": ("Estimate",),
    "stress.base": ("Analysis", "Expectation", "StressTest"),
    "stress.design": ("Design", "Presentation"),
    "study": ("Study",),
    "tools.audit.audit": ("audit_benchmark",),
}
_MODULE = {name: f"snellen.{module}" for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)

sys.meta_path.insert(0, MovedModules())  # before the usual finders: they would import a second copy of a moved module


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'snellen' has no attribute {name!r}")
    return getattr(import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
