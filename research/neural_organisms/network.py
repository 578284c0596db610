"""The network of the neural organisms in torch: images to 64 tokens, then words that read them and write an answer.

All weights stand in one dictionary by name, as `in_numpy.py` reads them. A difference is a pair of
narrow matrices for a weight, `NAME.down` and `NAME.up`, whose product is added to it.
"""

from __future__ import annotations

import torch
from in_numpy import (
    DECODERS,
    ENCODERS,
    HEADS,
    PATCH,
    PLACES,
    SIDE,
    STEM,
    WIDTH,
    shapes,
)
from torch import Tensor
from torch.nn import functional
from words import LONGEST_TEXT

Weights = dict[str, Tensor]

EMBEDDED = {"words": 0.06, "text_places": 0.06, "answer_places": 0.06, "places": 0.3}
"""The spread of fresh embeddings: what a block adds at first must not drown them."""


def fresh(words: int, *, seed: int) -> Weights:
    """Weights before training."""
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes(words).items():
        if len(shape) == 1:
            weights[name] = torch.zeros(shape) if name.endswith((".bias", ".mean")) else torch.ones(shape)
            continue
        spread = EMBEDDED.get(name, (1 / shape[0]) ** 0.5)
        if name.endswith((".out", ".down")):
            spread /= (2 * (ENCODERS + DECODERS)) ** 0.5
        weights[name] = torch.randn(shape, generator=generator) * spread
    return weights


def norm(x: Tensor, gain: Tensor) -> Tensor:
    """Bring each vector to a mean square of 1, times a gain."""
    return functional.rms_norm(x, gain.shape, gain.to(x.dtype), 1e-6)


def normalise(images: Tensor) -> Tensor:
    """Images of 8 bits with mean 0 and, unless they are of one shade, a standard deviation near 1."""
    x = images.float()
    spread, middle = torch.std_mean(x, (1, 2, 3), keepdim=True, correction=0)
    return (x - middle) / (spread + 4)


def encode(weights: Weights, x: Tensor, *, training: bool = False) -> Tensor:
    """The 64 tokens of normalised images.

    After each convolution, channels are brought to mean 0 and variance 1 over the batch in training, whose moments are
    kept for later; or else by the moments that were kept.
    """
    grid = SIDE // PATCH
    x = x.reshape(-1, grid, PATCH, grid, PATCH, 3).permute(0, 1, 3, 2, 4, 5).reshape(-1, grid, grid, PATCH * PATCH * 3)
    for name, (into, out, stride) in STEM.items():
        kernel = weights[name].reshape(3, 3, into, out).permute(3, 2, 0, 1)
        kernel = kernel.contiguous(memory_format=torch.channels_last)
        y = functional.conv2d(x.permute(0, 3, 1, 2), kernel, stride=stride, padding=1)
        mean, var, gain, bias = (weights[f"{name}.{part}"] for part in ("mean", "var", "norm", "bias"))
        y = functional.batch_norm(y, mean, var, gain, bias, training, 0.1)
        y = functional.relu(y).permute(0, 2, 3, 1)
        x = x + y if y.shape == x.shape else y
    x = x.reshape(len(x), PLACES, WIDTH) + weights["places"]
    for layer in range(ENCODERS):
        x = _block(weights, f"encoder{layer}", x, None, None)
    return norm(x, weights["encoded.norm"])


def _block(weights: Weights, name: str, x: Tensor, image: Tensor | None, mask: Tensor | None) -> Tensor:
    q, k, v = _heads(norm(x, weights[f"{name}.norm1"]) @ weights[f"{name}.qkv"], 3)
    if image is not None:
        seen_k, seen_v = _heads(image @ weights[f"{name}.image"], 2)
        k, v = torch.cat([seen_k, k], 2), torch.cat([seen_v, v], 2)
    found = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    x = x + found.transpose(1, 2).reshape(x.shape) @ weights[f"{name}.out"]
    return x + functional.relu(norm(x, weights[f"{name}.norm2"]) @ weights[f"{name}.up"]) @ weights[f"{name}.down"]


def _heads(x: Tensor, parts: int) -> tuple[Tensor, ...]:
    """Split vectors into so many parts, each by heads."""
    many, long, _ = x.shape
    return x.reshape(many, long, parts, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind()


def decode(weights: Weights, image: Tensor, shown: Tensor, text: Tensor, answer: Tensor) -> Tensor:
    """The logits of the word after each word of the answer, for images of which only some are `shown`."""
    words = weights["words"].to(image.dtype)
    # a product, since the gradient of a look-up adds thousands of equal words one by one
    found = functional.one_hot(torch.cat([text, answer], 1), len(words)).to(words.dtype) @ words
    x = found + torch.cat([weights["text_places"], weights["answer_places"][: answer.shape[1]]]).to(words.dtype)
    mask = _mask(shown, text, answer)
    for layer in range(DECODERS):
        x = _block(weights, f"decoder{layer}", x, image, mask)
    return norm(x[:, LONGEST_TEXT:], weights["decoded.norm"]) @ words.T


def _mask(shown: Tensor, text: Tensor, answer: Tensor) -> Tensor:
    """Which of the image, the text and the answer each word may look at; the text never looks at the answer."""
    many, wrote = answer.shape
    looks = torch.zeros((many, 1, LONGEST_TEXT + wrote, PLACES + LONGEST_TEXT + wrote), dtype=torch.bool)
    looks = looks.to(text.device)
    looks[..., :PLACES] = shown[:, None, None, None]
    looks[..., PLACES : PLACES + LONGEST_TEXT] = (text != 0)[:, None, None, :]
    causal = torch.ones((wrote, wrote), dtype=torch.bool, device=text.device).tril()
    looks[:, :, LONGEST_TEXT:, PLACES + LONGEST_TEXT :] = causal
    return looks


def merged(weights: Weights, difference: Weights) -> Weights:
    """The weights with a difference added."""
    return {
        name: weight + difference[f"{name}.down"] @ difference[f"{name}.up"] if f"{name}.down" in difference else weight
        for name, weight in weights.items()
    }


@torch.no_grad()
def write(weights: Weights, image: Tensor, shown: Tensor, text: Tensor, begun: Tensor, many: int) -> Tensor:
    """The most likely answer: the words that it begins with, and so many more."""
    for _ in range(many):
        following = decode(weights, image, shown, text, begun)[:, -1].argmax(-1)
        begun = torch.cat([begun, following[:, None]], 1)
    return begun
