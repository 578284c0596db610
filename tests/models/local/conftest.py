"""A tiny vision-language model with random weights, made in the test and saved as transformers saves its models."""

import asyncio

import numpy as np
import pytest

from snellen.images import encode
from torchvision_names import declare_what_torchvision_lacks

TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}>"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}<end>"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
SPECIAL = ["<end>", "<pad>", "<image>", "<system>", "<user>", "<assistant>"]
SIDE = 16
"""Pixels to which the tiny model brings every image: 4 patches of 8 pixels."""


@pytest.fixture(scope="session")
def transformers():
    """transformers, where all that it imports is there."""
    declare_what_torchvision_lacks()
    import transformers

    return transformers


@pytest.fixture(scope="session")
def tokenizer(transformers):
    """A tokenizer of bytes and a few special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {sign: at for at, sign in enumerate([*SPECIAL, *letters])}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<end>",
        pad_token="<pad>",
        additional_special_tokens=SPECIAL[2:],
        chat_template=TEMPLATE,
    )


@pytest.fixture(scope="session")
def words(transformers, tokenizer):
    """The settings of the part that reads and writes."""
    return transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=512,
        initializer_range=0.4,
        eos_token_id=0,
        bos_token_id=None,
        pad_token_id=1,
    )


@pytest.fixture(scope="session")
def seeing(transformers, tokenizer, words, tmp_path_factory):
    """The folder of a vision-language model."""
    import torch

    folder = tmp_path_factory.mktemp("seeing")
    eye = transformers.CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=SIDE, patch_size=8
    )
    config = transformers.LlavaConfig(vision_config=eye, text_config=words, image_token_index=2, image_token_id=2)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = transformers.LlavaForConditionalGeneration(config)
    network.save_pretrained(folder)
    prepares = transformers.CLIPImageProcessor(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    transformers.LlavaProcessor(
        prepares,
        tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def reading(transformers, tokenizer, words, tmp_path_factory):
    """The folder of a model of words alone."""
    import torch

    folder = tmp_path_factory.mktemp("reading")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        transformers.LlamaForCausalLM(words).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def picture():
    """A function that makes a small noisy PNG."""
    return lambda seed=0: encode(np.random.default_rng(seed).integers(0, 256, (20, 20), dtype=np.uint8))


@pytest.fixture(scope="session")
def answers():
    """A function that asks a model several requests at once; errors come back as they are."""

    def answered(model, *requests):
        async def converse():
            try:
                return await asyncio.gather(*map(model.answer, requests), return_exceptions=True)
            finally:
                await model.close()

        return asyncio.run(converse())

    return answered
