"""The same artefacts for many pictures at once, by torch, on a GPU where there is one; the one door to torch here."""

from __future__ import annotations

from importlib.util import find_spec

from snellen.errors import MissingExtraError

if find_spec("torch") is None:
    raise MissingExtraError("torch", "gpu")

from snellen.perturb.artefacts.batch.degrade import degrade_batch
from snellen.perturb.artefacts.batch.members import ONE_BY_ONE, STAGES
from snellen.perturb.artefacts.batch.stage import Stage

__all__ = ["ONE_BY_ONE", "STAGES", "Stage", "degrade_batch"]
