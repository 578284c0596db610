"""Imports torch, transformers and peft, or explains what to install."""

from __future__ import annotations

from snellen.errors import MissingExtraError, UnusableModelError

EXTRA = "superguesser"
PACKAGES = ("torch", "transformers", "peft")


def open_door() -> None:
    """Import the three packages. peft imports models of transformers, which import torchvision where it lies about."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), EXTRA) from error
    try:
        import peft
    except ModuleNotFoundError as error:
        if error.name == "peft":
            raise MissingExtraError("peft", EXTRA) from error
        cause = error.__cause__ or error
        raise UnusableModelError(
            f"peft {_format_versions(torch, transformers)} does not load: {cause}. If torchvision says so, it was "
            "built for another torch. It is not needed: pip uninstall torchvision, or install both from one index."
        ) from error
    assert peft


def _format_versions(*packages: object) -> str:
    named = (f"{getattr(each, '__name__', '')} {getattr(each, '__version__', '')}" for each in packages)
    return f"beside {' and '.join(named)}"
