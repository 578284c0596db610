"""Degraded copies of a folder of images, with a manifest."""

from snellen.tools.degrade.copies import Task, artefact_named
from snellen.tools.degrade.folder import Degraded, Progress, degrade_folder

__all__ = ["Degraded", "Progress", "Task", "artefact_named", "degrade_folder"]
