"""Token sampling: choose the next token in each row of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
    """These scores, each with the tokens that were chosen."""
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
