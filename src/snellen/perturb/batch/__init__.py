"""The same artefacts for many pictures at once, by torch, on a GPU where there is one."""

from __future__ import annotations

from snellen.perturb.batch.degrade import degrade_batch
from snellen.perturb.batch.members import ONE_BY_ONE, STAGES
from snellen.perturb.batch.stage import Stage

__all__ = ["ONE_BY_ONE", "STAGES", "Stage", "degrade_batch"]
