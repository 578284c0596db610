"""clip/…: contrastive image–text models, asked which of the offered choices lies nearest to the image.

They give probabilities and no words, so that they can neither flag a poor image nor refuse. A model is an architecture
that open_clip knows (with `pretrained`), a model on the Hugging Face hub, or a saved folder:

clip/ViT-B-32,pretrained=openai
clip/hf-hub:microsoft/BiomedCLIP-PubMedBERT_256-vit_base_patch16_224
clip/models/my-clip
"""

from __future__ import annotations

from typing import Any

from snellen.errors import StudyError
from snellen.models.clip.zero_shot import ZeroShot
from snellen.plugins import parse_settings

SETTINGS = ("pretrained", "template", "device", "batch")


def open_clip_line(line: str, **settings: Any) -> ZeroShot:
    """Open a contrastive image–text model, such as `ViT-B-32,pretrained=openai`. Arguments override this text."""
    bare, named = parse_settings(line)
    named |= settings
    unknown = [name for name in named if name not in SETTINGS]
    if len(bare) != 1 or unknown:
        raise StudyError(
            f"A model with its settings ({', '.join(SETTINGS)}) is named as in clip/ViT-B-32,pretrained=openai. "
            f"Got clip/{line}" + (f" and {', '.join(unknown)}." if unknown else ".")
        )
    return ZeroShot(bare[0], **named)
