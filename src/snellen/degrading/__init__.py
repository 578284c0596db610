"""Degraded copies of a folder of images, with a manifest of what was done to each."""

from snellen.degrading.copies import Task as Task
from snellen.degrading.copies import artefact_named as artefact_named
from snellen.degrading.folder import Degraded as Degraded
from snellen.degrading.folder import Progress as Progress
from snellen.degrading.folder import degrade_folder as degrade_folder
