"""Draws: which token comes next in each row of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from snellen.prompts import Settings


@dataclass
class Draws:
    """Chooses each token of each row: the likeliest, or one drawn by the row's own generator; keeps what it saw.

    The largest of log-probabilities plus Gumbel noise is a draw by these probabilities. Log-probabilities are told as
    they are before temperature and top_p.
    """

    warpers: Sequence[Any]
    seeds: Sequence[int]
    top: int | None
    tokenizer: Any
    watched: int = 0
    """The scores of so many first tokens are kept, to be held against those of another way to compute them."""
    seen: list[tuple[Any, Any]] = field(default_factory=list)
    """Those scores, each with the tokens that were chosen."""
    _generators: list[Any] = field(default_factory=list)
    _kept: list[tuple[list[int], list[float], list[list[int]], list[list[float]]]] = field(default_factory=list)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores with all but the chosen token of each row ruled out."""
        import torch

        if not self.seeds and self.top is None and len(self.seen) >= self.watched:
            return scores
        known = torch.log_softmax(scores.float(), dim=-1)
        chosen = self._drawn(input_ids, known) if self.seeds else known.argmax(dim=-1)
        if len(self.seen) < self.watched:
            self.seen.append((known, chosen))
        if self.top is not None:
            best = known.topk(max(self.top, 1), dim=-1)
            own = known.gather(1, chosen[:, None])[:, 0]
            self._kept.append((chosen.tolist(), own.tolist(), best.indices.tolist(), best.values.tolist()))
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen[:, None], 0.0)

    def _drawn(self, input_ids: Any, known: Any) -> Any:
        import torch

        if not self._generators:
            self._generators = [torch.Generator(known.device).manual_seed(seed) for seed in self.seeds]
        for warp in self.warpers:
            known = warp(input_ids, known)
        noise = [
            torch.empty_like(row).exponential_(generator=own) for row, own in zip(known, self._generators, strict=True)
        ]
        return (known - torch.stack(noise).log()).argmax(dim=-1)

    def told(self, row: int) -> Callable[[int], str]:
        """The log-probabilities of a row's first tokens as JSON in the form of chat completions."""
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
    """What makes some tokens more or less likely before one is drawn."""
    from transformers.generation import logits_process as by

    heat = config.temperature if settings.temperature is None else settings.temperature
    share = config.top_p if settings.top_p is None else settings.top_p
    return [
        *([by.TemperatureLogitsWarper(float(heat))] if heat and heat != 1 else []),
        *([by.TopKLogitsWarper(config.top_k)] if config.top_k else []),
        *([by.TopPLogitsWarper(float(share))] if share is not None and share < 1 else []),
        *([by.MinPLogitsWarper(config.min_p)] if config.min_p is not None else []),
    ]


def agree(one: Draws, other: Draws, *, tolerance: float) -> bool:
    """Whether two ways to compute the same rows give the same scores, as long as they chose the same tokens.

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
