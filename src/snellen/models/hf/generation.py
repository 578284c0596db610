"""Steps of generation: choose the next token in each row of a batch, and replay the pass for one more token.

On a GPU, the pass for one more token is recorded and replayed without Python. A small model's pass consists of hundreds
of GPU kernels that end before Python can start the next one; a recording (a CUDA graph) starts them all at once.
Attention also reads each key and value only once. If several query heads share a key head, transformers copies the keys
for each of them when there is a mask. With one token per row, these heads can be treated as that many tokens of one
head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import orjson

from snellen.prompts import Settings


@dataclass
class TokenSampler:
    """Chooses each token of each row, greedily or with the row's own random generator.

    The maximum of log-probabilities plus Gumbel noise is a draw with these probabilities. Stored log-probabilities are
    those before temperature and top_p.
    """

    warpers: Sequence[Any]
    seeds: Sequence[int]
    top: int | None
    tokenizer: Any
    watched: int = 0
    """Number of first tokens whose scores are kept, to compare two ways of computing them."""
    seen: list[tuple[Any, Any]] = field(default_factory=list)
    """Scores of the first `watched` tokens, each with the tokens that were chosen."""
    _generators: list[Any] = field(default_factory=list)
    _kept: list[tuple[list[int], list[float], list[list[int]], list[list[float]]]] = field(default_factory=list)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return scores that leave only the chosen token of each row possible."""
        import torch

        if not self.seeds and self.top is None and len(self.seen) >= self.watched:
            return scores
        known = torch.log_softmax(scores.float(), dim=-1)
        chosen = self._draw(input_ids, known) if self.seeds else known.argmax(dim=-1)
        if len(self.seen) < self.watched:
            self.seen.append((known, chosen))
        if self.top is not None:
            best = known.topk(max(self.top, 1), dim=-1)
            own = known.gather(1, chosen[:, None])[:, 0]
            self._kept.append((chosen.tolist(), own.tolist(), best.indices.tolist(), best.values.tolist()))
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _draw(self, input_ids: Any, known: Any) -> Any:
        import torch

        if not self._generators:
            self._generators = [torch.Generator(known.device).manual_seed(seed) for seed in self.seeds]
        for warp in self.warpers:
            known = warp(input_ids, known)
        noise = [
            torch.empty_like(row).exponential_(generator=own) for row, own in zip(known, self._generators, strict=True)
        ]
        return (known - torch.stack(noise).log()).argmax(dim=-1)

    def format_logprobs(self, row: int) -> Callable[[int], str]:
        """Return a function that formats a row's log-probabilities as chat completions do (JSON)."""
        return lambda length: (
            orjson.dumps([self._place(row, *kept) for kept in self._kept[:length]]).decode() if self._kept else ""
        )

    def _place(
        self, row: int, chosen: list[int], own: list[float], best: list[list[int]], values: list[list[float]]
    ) -> dict[str, Any]:
        others = zip(best[row], values[row], strict=True)
        return {
            "token": self.tokenizer.decode([chosen[row]]),
            "logprob": own[row],
            "top_logprobs": [
                {"token": self.tokenizer.decode([token]), "logprob": value} for token, value in others if self.top
            ],
        }


def warpers(config: Any, settings: Settings) -> list[Any]:
    """Return transformers' processors for temperature, top_k, top_p and min_p."""
    from transformers.generation import logits_process as by

    heat = config.temperature if settings.temperature is None else settings.temperature
    share = config.top_p if settings.top_p is None else settings.top_p
    return [
        *([by.TemperatureLogitsWarper(float(heat))] if heat and heat != 1 else []),
        *([by.TopKLogitsWarper(config.top_k)] if config.top_k else []),
        *([by.TopPLogitsWarper(float(share))] if share is not None and share < 1 else []),
        *([by.MinPLogitsWarper(config.min_p)] if config.min_p is not None else []),
    ]


def agree(one: TokenSampler, other: TokenSampler, *, tolerance: float) -> bool:
    """Return whether two ways of computing rows agree, up to the first token that differs.

    Scores agree if their root mean square difference is below `tolerance` times their standard deviation.
    """
    import torch

    if not one.seen or not other.seen:
        return False
    still = torch.ones_like(one.seen[0][1], dtype=torch.bool)
    for (scores, chosen), (others, taken) in zip(one.seen, other.seen, strict=False):
        told = torch.isfinite(scores) & torch.isfinite(others)
        left, right = (torch.where(told, each, 0.0) for each in (scores, others))
        apart = (left - right).square().sum(-1) / told.sum(-1)
        mean = left.sum(-1, keepdim=True) / told.sum(-1, keepdim=True)
        spread = torch.where(told, left - mean, 0.0).square().sum(-1) / told.sum(-1)
        if bool(((apart > tolerance**2 * spread) & still).any()):
            return False
        still &= chosen == taken
    return True


UNRECORDED = 2
"""Passes for one token before one is recorded: one-letter responses end earlier."""


@contextmanager
def replaying(network: Any) -> Iterator[None]:
    """Within the block, replay passes for one token per row. Needs a cache of fixed size."""
    forward = network.forward
    step = _Step(forward)

    @wraps(forward)
    def replay(*args: Any, **inputs: Any) -> Any:
        one = not args and inputs.get("input_ids") is not None and inputs["input_ids"].shape[1] == 1
        return step(inputs) if one else forward(*args, **inputs)

    network.forward = replay
    try:
        with pack_attention():
            yield
    finally:
        network.forward = forward


class _Step:
    """One pass: first computed normally, then recorded, then replayed."""

    def __init__(self, forward: Callable[..., Any]) -> None:
        self._forward = forward
        self._passes = 0
        self._graph: Any = None
        self._inputs: dict[str, Any] = {}
        self._outputs: Any = None

    def __call__(self, inputs: dict[str, Any]) -> Any:
        import torch

        self._passes += 1
        if self._passes <= UNRECORDED:
            return self._forward(**inputs)
        if self._graph is None:
            self._inputs = {name: _own(value) for name, value in inputs.items()}
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._outputs = self._forward(**self._inputs)
            self._graph = graph
        else:
            for name, value in inputs.items():
                _fill(self._inputs[name], value)
        self._graph.replay()
        return self._outputs


def _own(value: Any) -> Any:
    """Copy the tensors for a recorded pass; keep all other values."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.clone()
    return {name: _own(each) for name, each in value.items()} if type(value) is dict else value


def _fill(into: Any, value: Any) -> None:
    import torch

    if isinstance(value, torch.Tensor):
        into.copy_(value)
    elif type(value) is dict:
        for name, each in value.items():
            _fill(into[name], each)


@contextmanager
def pack_attention() -> Iterator[None]:
    """Within the block, use packed attention (see `attend`) wherever a row has one token."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS as FUNCTIONS

    usual = FUNCTIONS["sdpa"]

    def attention(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **more: Any) -> Any:
        if _can_be_packed(query, key, attention_mask, more):
            return attend(query, key, value, attention_mask, more.get("scaling")), None
        return usual(module, query, key, value, attention_mask, **more)

    FUNCTIONS["sdpa"] = attention
    try:
        yield
    finally:
        FUNCTIONS["sdpa"] = usual


def _can_be_packed(query: Any, key: Any, mask: Any, more: dict[str, Any]) -> bool:
    shared = query.shape[2] == 1 and query.shape[1] % key.shape[1] == 0 and query.shape[1] > key.shape[1]
    one_mask = mask is not None and mask.ndim == 4 and mask.shape[1] == 1 and mask.shape[-1] == key.shape[2]
    return shared and one_mask and not more.get("dropout") and more.get("position_bias") is None


def attend(query: Any, key: Any, value: Any, mask: Any, scaling: float | None) -> Any:
    """Return the attention of one token per row to earlier keys and values: (rows, 1, heads, size)."""
    from torch.nn.functional import scaled_dot_product_attention

    rows, heads, _, size = query.shape
    together = query.reshape(rows, key.shape[1], heads // key.shape[1], size)
    made = scaled_dot_product_attention(together, key, value, attn_mask=mask, scale=scaling)
    return made.reshape(rows, 1, heads, value.shape[-1])
