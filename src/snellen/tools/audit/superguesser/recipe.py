"""Training settings of the super-guesser (by default the paper's), and hardware settings."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, pi
from typing import Literal, get_args

from snellen.errors import StudyError

Precision = Literal["bf16", "fp32"]


@dataclass(frozen=True)
class Recipe:
    """All settings that decide the trained weights. Defaults: Mirage, section 7.8.

    LoRA on all linear layers except the output head, supervised on the answer alone. The paper does not state Adam's
    moments and the weight decay: they are the defaults of the library that it used.
    """

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    lora_plus_ratio: float = 16.0
    """How much faster the matrices B learn than A (LoRA+)."""
    epochs: int = 3
    learning_rate: float = 5e-5
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    batch: int = 256
    """Questions in one step of the optimizer: the paper's 32 × 8."""
    max_length: int = 2048
    """Maximum tokens of a question with its answer; a longer one loses its beginning."""
    validation_share: float = 0.1
    validate_every: int = 100
    """Steps between two validations."""
    precision: Precision = "bf16"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.dropout:
            raise StudyError(f"The super-guesser is trained without dropout, as in the paper. Got {self.dropout}.")
        if self.precision not in get_args(Precision):
            raise StudyError(f"The precision is bf16 or fp32. Got {self.precision!r}.")
        if min(self.rank, self.epochs, self.batch, self.validate_every) < 1 or self.max_length < 16:
            raise StudyError("Rank, epochs, batch and validate_every are at least 1, and max_length at least 16.")
        if not 0 <= self.validation_share <= 0.5:
            raise StudyError(f"The validation split takes 0 to 0.5 of the questions. Got {self.validation_share}.")

    def steps(self, questions: int) -> int:
        """Count the steps of a training; the last batch of an epoch may be smaller.

        >>> Recipe().steps(100_000)
        1173
        """
        return self.epochs * ceil(questions / self.batch)

    def learning_rate_at(self, step: int, steps: int) -> float:
        """Compute the learning rate of A at a step: a cosine to 0 without warm-up.

        >>> [round(Recipe().learning_rate_at(step, 100) * 1e5, 2) for step in (0, 50, 99)]
        [5.0, 2.5, 0.0]
        """
        return self.learning_rate * 0.5 * (1 + cos(pi * step / steps))


@dataclass(frozen=True)
class Hardware:
    """Settings for the machine, which change the trained weights only by rounding."""

    device: str = ""
    """A device name of torch; "" is the first GPU, if any."""
    micro_batch: int = 32
    """Questions that go through the network together."""
    micro_tokens: int = 16_384
    """Tokens, padding included, that go through the network together."""
    checkpointing: bool = False
    """Whether activations are computed again instead of kept: a third of the memory or less, 30% slower."""
    compiled: bool = False
    """Whether torch.compile makes the layers faster; it takes half a minute at the start."""
    save_every: int = 50
    """Steps between two checkpoints."""

    def __post_init__(self) -> None:
        if min(self.micro_batch, self.micro_tokens, self.save_every) < 1:
            raise StudyError("micro_batch, micro_tokens and save_every are at least 1.")


PAPER = Recipe()
USUAL = Hardware()
