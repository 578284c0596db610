"""Old module paths of version 0.2, which still work with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

MOVED = {
    "audit": "tools.audit",
    "chart": "tools.chart",
    "commands.bclean": "cli.clean",
    "commands.calibration": "cli.guard",
    "commands.cli": "cli",
    "commands.listing": "cli.list",
    "commands.serve": "tools.serve",
    "commands.superguesser": "cli.guess",
    "commands.view": "tools.view",
    "comparison": "tools.compare",
    "datasets": "benchmarks",
    "degrading": "tools.degrade",
    "grading": "reading",
    "guard": "tools.guard",
    "images.dicom": "images.formats.dicom",
    "images.nifti": "images.formats.nifti",
    "images.slides": "images.formats.slides",
    "images.stacks": "images.formats.stacks",
    "images.video": "images.formats.video",
    "imports.lm_eval": "imports.samples",
    "imports.lmms_eval": "imports.samples",
    "inspect_extension": "tools.inspect",
    "planner": "tools.planner",
    "protocols": "papers",
    "qualify": "judging.qualify",
    "review": "tools.review",
    "scoring.pilot": "tools.planner.pilot",
    "tools.planner.constants": "tools.planner.claims",
    "tools.planner.on_paper": "tools.planner.planned",
    "stress.verdicts.labels": "stress.verdicts.responses",
}
"""Old paths of packages and modules below `snellen`, with their new paths."""
JOINED = {
    "asking.chosen_benchmarks": "asking.sampling",
    "asking.looking": "asking.consent",
    "asking.study_source": "asking.study_fields",
    "audit.answered": "tools.audit.answers",
    "audit.bclean_page": "tools.audit.cleaned",
    "audit.superguesser.answering": "tools.audit.superguesser.superguesser",
    "audit.superguesser.batches": "tools.audit.superguesser.wording",
    "audit.superguesser.division": "tools.audit.superguesser.superguesser",
    "audit.superguesser.door": "tools.audit.superguesser.superguesser",
    "degrading.sources": "tools.degrade.copies",
    "grading.claims.contradictions": "reading.claims.columns",
    "grading.detection.conclusions": "reading.detection.parser",
    "grading.detection.options": "reading.detection.parser",
    "grading.detection.reasoning": "reading.detection.parser",
    "grading.diagnoses.statements": "reading.diagnoses.parser",
    "grading.language.acts.describing": "reading.missing_image.parser",
    "grading.open.answers": "reading.open.reading",
    "grading.open.steps": "reading.open.reading",
    "grading.wording.parser": "reading.wording.columns",
    "images.colours": "images.depth",
    "imports.given": "imports.fields",
    "judging.qualify.choices": "judging.qualify.held",
    "models.openai_responses": "models.openai",
    "perturb.artefacts.distances": "perturb.artefacts.degradation",
    "perturb.artefacts.members": "perturb.artefacts",
    "perturb.artefacts.movements": "perturb.artefacts.k_space",
    "perturb.artefacts.noise_field": "perturb.artefacts.noise",
    "perturb.modalities": "perturb.topics",
    "perturb.regions": "perturb.topics",
    "report.evidence.people": "report.evidence.evidence",
    "report.sections.limits": "report.sections.account",
    "report.sections.many_models": "report.sections.benchmark",
    "sight.showing": "sight.witness",
    "stats.answer_counts": "stats.grounding",
    "stats.effect_size": "stats.paired",
    "stats.luck": "stats.one_sided",
    "stats.mean_ratio": "stats.ratios",
    "stats.median": "stats.intervals",
    "testing.datasets": "testing.benchmark",
    "tools.review.estimates": "tools.review.profiles",
}
"""Old modules that are now part of another one. Image fingerprints contain the other one's path."""
EMPTIED = {"commands": "cli"}
"""Old packages that remain importable but empty, with the new path of their modules."""


def find_new_path(name: str) -> str:
    """Return the new path of a module; "" if it has not moved.

    >>> find_new_path("snellen.datasets.folder"), find_new_path("snellen.stats")
    ('snellen.benchmarks.folder', '')
    """
    own = name.removeprefix("snellen.")
    for old, new in (*JOINED.items(), *MOVED.items(), *EMPTIED.items()):
        if own == old or own.startswith(f"{old}."):
            return f"snellen.{new}{own.removeprefix(old)}"
    return ""


def find_first_path(name: str) -> str:
    """Return a module's path in version 0.2, which image fingerprints contain.

    >>> find_first_path("snellen.benchmarks.phantoms.fundus"), find_first_path("numpy")
    ('snellen.datasets.phantoms.fundus', 'numpy')
    """
    own = name.removeprefix("snellen.")
    for old, new in MOVED.items():
        if own == new or own.startswith(f"{new}."):
            return f"snellen.{old}{own.removeprefix(new)}"
    return name


class MovedModules(MetaPathFinder, Loader):
    """Importer that loads a moved module by its old path, as the same module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return an import spec if the name is an old path, else None."""
        if not fullname.startswith("snellen.") or not find_new_path(fullname):
            return None
        return spec_from_loader(fullname, self, is_package=fullname.removeprefix("snellen.") in EMPTIED)

    def exec_module(self, module: ModuleType) -> None:
        """Register the moved module under its old name, with a warning."""
        old = module.__name__
        new = find_new_path(old)
        warnings.warn(f"{old} is now {new}; import it from there.", DeprecationWarning, stacklevel=2)
        if old.removeprefix("snellen.") not in EMPTIED:
            sys.modules[old] = import_module(new)
