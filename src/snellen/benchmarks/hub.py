"""Hugging Face hub: snapshots of datasets, or their local copies.

The only module that imports huggingface_hub. The hub is asked only for missing files, and receives no other data.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from snellen.errors import DataError
from snellen.plugins import import_extra

ON_HUB = "hf:"
_REFERENCE = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")


def snapshot(reference: str, *, get: str = "") -> Path:
    """Return the folder of the snapshot `hf:OWNER/NAME` or `hf:OWNER/NAME@REVISION`.

    `get` tells the user, in messages, how to get the files without the hub.
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise DataError(f"Expected hf:OWNER/NAME or hf:OWNER/NAME@REVISION, got {reference!r}.")
    owner_and_name, revision = match.groups()
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    hub = import_extra("huggingface_hub", "huggingface_hub", "hub")
    errors = import_extra("huggingface_hub.errors", "huggingface_hub", "hub")
    wanted = {"repo_id": owner_and_name, "repo_type": "dataset", "revision": revision}
    try:
        return Path(hub.snapshot_download(**wanted, local_files_only=True))
    except errors.LocalEntryNotFoundError:
        pass
    otherwise = f" Or by hand: {get}" if get else ""
    try:
        return Path(hub.snapshot_download(**wanted))
    except errors.GatedRepoError as error:
        raise DataError(
            f"{owner_and_name} is gated: accept its terms on its page of the hub, log in with `hf auth login`, and "
            f"start again.{otherwise}"
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise DataError(
            f"The hub has no dataset {owner_and_name!r} that you may see. Check the name; a private one needs "
            f"`hf auth login`.{otherwise}"
        ) from error
    except errors.RevisionNotFoundError as error:
        raise DataError(f"{owner_and_name} has no revision {revision!r} on the hub.") from error
    except (OSError, errors.HfHubHTTPError, ValueError) as error:
        raise DataError(
            f"{owner_and_name} is not on this machine, and the hub cannot be reached "
            f"({type(error).__name__}). Download it on a machine with a network (`hf download --repo-type dataset "
            f"{owner_and_name}`) and give the folder, or set HF_HOME to its cache.{otherwise}"
        ) from error


def blobs_beside(folder: Path) -> Path | None:
    """Return the folder to which a snapshot's links point; None for other folders."""
    for place in folder.parents:
        if place.name == "snapshots" and place.parent.name.startswith("datasets--"):
            return place.parent / "blobs"
    return None
