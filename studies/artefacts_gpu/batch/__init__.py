"""The same artefacts for many pictures at once, by torch, on a GPU where there is one."""

from __future__ import annotations

from batch.degrade import degrade_batch
from batch.members import ONE_BY_ONE, STAGES
from batch.stage import Stage

__all__ = ["ONE_BY_ONE", "STAGES", "Stage", "degrade_batch"]
