"""Image and text towers of open_clip; the only module here that uses torch and open_clip."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import PIL.Image
from numpy.typing import NDArray

from snellen.errors import ImageError, MissingExtraError, UnusableModelError
from snellen.images import Pixels

Prepared = Any
"""An image as the image tower needs it: a tensor of three colours, resized, cropped and normalised."""
Features = NDArray[np.float64]
"""One row of length 1 (a unit vector) per image or text."""

HUB = "hf-hub:"
_IMPORTING = threading.Lock()


@dataclass(frozen=True)
class Towers:
    """A loaded model: `see` encodes images, `read` encodes texts, and `scale` is the factor for their similarity.

    `digest` is the hash of everything that decides the features: weights, architecture and preprocessing.
    """

    network: Any
    tokenizer: Any
    device: str
    digest: str
    served_by: str

    @cached_property
    def _transform(self) -> Any:
        from open_clip.transform import PreprocessCfg, image_transform_v2

        return image_transform_v2(PreprocessCfg(**self.network.visual.preprocess_cfg), is_train=False)

    def prepare(self, pixels: Pixels) -> Prepared:
        """Preprocess an image with open_clip's transform, by the model's own settings."""
        height, width = pixels.shape[:2]
        # scaling one side to the model's size would need endless memory, or leave nothing of the other side
        if max(height, width) > min(height, width) * np.min(self.network.visual.preprocess_cfg["size"]):
            raise ImageError(f"An image of {width} × {height} pixels is too narrow for this model.")
        return self._transform(PIL.Image.fromarray(pixels))

    @cached_property
    def scale(self) -> float:
        """Factor for similarities before the softmax."""
        return float(self.network.logit_scale.detach().exp())

    def see(self, pictures: Sequence[Prepared]) -> Features:
        """Return the features of images."""
        import torch

        with torch.inference_mode():
            batch = torch.stack(list(pictures)).to(self.device)
            return _array(self.network.encode_image(batch, normalize=True))

    def read(self, texts: Sequence[str]) -> Features:
        """Return the features of texts, truncated to the model's context by its tokenizer."""
        import torch

        with torch.inference_mode():
            tokens = self.tokenizer(list(texts)).to(self.device)
            return _array(self.network.encode_text(tokens, normalize=True))


def open_towers(model: str, *, pretrained: str = "", device: str = "") -> Towers:
    """Load a model by open_clip name, hub name or folder; prefers a GPU."""
    open_clip, torch = _import_packages()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    source, checkpoint = _source(model, pretrained, open_clip)
    own = checkpoint is None
    try:
        network = open_clip.create_model(
            source, pretrained or None, load_weights=own, require_pretrained=own, device=device
        )
        if checkpoint is not None:
            open_clip.load_checkpoint(network, str(checkpoint))
        tokenizer = open_clip.get_tokenizer(source)
        settings = (open_clip.get_model_config(source), network.visual.preprocess_cfg)
    except Exception as error:
        raise UnusableModelError(f"clip/{model}: the model could not be loaded: {error}") from error
    network.eval()
    digest = _digest(network.state_dict(), settings)
    return Towers(network, tokenizer, device, digest, f"open_clip {open_clip.__version__} on {device}")


def _import_packages() -> tuple[Any, Any]:
    """Import open_clip and torch; both open_clip and timm need a torchvision that loads."""
    with _IMPORTING:
        try:
            import open_clip
            import torch
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name), "clip") from error
        except RuntimeError as error:
            raise UnusableModelError(
                f"open_clip does not load: {error}. If torchvision says so, it was built for another torch. Install "
                "both from one index, for a processor without a GPU for example: pip install --force-reinstall torch "
                "torchvision --index-url https://download.pytorch.org/whl/cpu"
            ) from error
    return open_clip, torch


def _source(model: str, pretrained: str, open_clip: Any) -> tuple[str, Path | None]:
    """Return open_clip's name for the model, and its weights' file if the user named one."""
    known = open_clip.list_models()
    if model in known:
        if pretrained:
            return model, None
        tags = ", ".join(open_clip.list_pretrained_tags_by_model(model)) or "a file"
        raise UnusableModelError(
            f"clip/{model} is an architecture without weights. Say which with pretrained=: {tags}."
        )
    if pretrained:
        raise UnusableModelError(f"clip/{model} brings its own weights; pretrained={pretrained} would not be used.")
    path = Path(model).expanduser()
    if model.startswith(HUB) or path.is_dir():
        return model if model.startswith(HUB) else f"local-dir:{path}", None
    if path.is_file():
        return f"local-dir:{path.parent}", path
    close = get_close_matches(model, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise UnusableModelError(
        f"clip/{model} is no architecture of open_clip, no folder and no file.{hint} A model of the Hugging Face hub "
        f"is named clip/{HUB}organisation/model."
    )


def _array(features: Any) -> Features:
    array: Features = features.float().cpu().numpy().astype(np.float64)
    return array


def _digest(weights: Any, settings: Any) -> str:
    import torch

    digest = hashlib.sha256(orjson.dumps(settings, option=orjson.OPT_SORT_KEYS))
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
