"""A tiny CLIP with random weights, saved as open_clip saves its models, and opened as a user would."""

import asyncio
import json

import pytest

from snellen.models import open_model
from torchvision_names import declare_what_torchvision_lacks

SIZE = 32
CONFIG = {
    "model_cfg": {
        "embed_dim": 16,
        "vision_cfg": {"image_size": SIZE, "layers": 2, "width": 32, "head_width": 16, "patch_size": 16},
        "text_cfg": {"context_length": 24, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2},
    },
    "preprocess_cfg": {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.25, 0.3]},
}
"""Its vocabulary is that of the tokenizer which open_clip brings along."""


@pytest.fixture(scope="session", autouse=True)
def open_clip():
    """open_clip, where all that it imports is there."""
    declare_what_torchvision_lacks()
    from snellen.models.clip import _import_packages

    return _import_packages()[0]


@pytest.fixture(scope="session")
def save(open_clip, tmp_path_factory):
    """A function that saves a random model of a configuration and gives its folder."""
    import torch

    def saved(config, *, seed=0):
        folder = tmp_path_factory.mktemp("clip")
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            settings = dict(config["model_cfg"])
            kind = open_clip.CustomTextCLIP if settings.pop("custom_text", False) else open_clip.CLIP
            network = kind(**settings)
        (folder / "open_clip_config.json").write_text(json.dumps(config))
        torch.save(network.state_dict(), folder / "open_clip_pytorch_model.bin")
        return folder

    return saved


@pytest.fixture(scope="session")
def folder(save):
    """The tiny model's folder."""
    return save(CONFIG)


@pytest.fixture(scope="session")
def model(folder):
    """The tiny model, opened."""
    return open_model(f"clip/{folder}")


@pytest.fixture(scope="session")
def answers():
    """A function that asks a model several requests at once."""

    def answered(model, *requests):
        async def converse():
            try:
                return await asyncio.gather(*(model.answer(request) for request in requests))
            finally:
                await model.close()

        return asyncio.run(converse())

    return answered
