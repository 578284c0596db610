"""Degraded copies of a folder of images, with a manifest of what was done to each."""

from snellen.degrading.copies import Task, artefact_named
from snellen.degrading.folder import Degraded, Progress, degrade_folder

__all__ = ["Degraded", "Progress", "Task", "artefact_named", "degrade_folder", "folder"]
