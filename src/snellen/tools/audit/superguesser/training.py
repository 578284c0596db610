"""Train a network on questions and answers, and resume after an interruption."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.errors import StudyError
from snellen.files import written_whole
from snellen.tools.audit.superguesser.lora import AdaptedModel, parameter_groups
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.wording import Lesson, batch_at, micro_batches, pad_sequences

STATE = "state.pt"


class OptimizerStep(NamedTuple):
    """One completed step of the optimizer."""

    number: int
    of: int
    loss: float
    """The mean −log p of the answers' tokens in this batch, before the step."""
    learning_rate: float
    tokens: int
    """Tokens of the batch's questions and answers, without padding."""
    seconds: float
    validation_loss: float | None = None
    """The same loss on the validation questions after the step; None if it was not computed."""


Watch = Callable[[OptimizerStep], None]


@dataclass(frozen=True)
class Lessons:
    """Questions for training, and questions for validation."""

    training: Sequence[Lesson]
    validation: Sequence[Lesson] = ()

    def digest(self, recipe: Recipe, base: str) -> str:
        """Hash all that decides the trained weights."""
        made = hashlib.sha256(f"{json.dumps(asdict(recipe), sort_keys=True)}\n{base}".encode())
        for part in (self.training, self.validation):
            made.update(f"\n{len(part)}".encode())
            for each in part:
                made.update(np.array([len(each.tokens), each.answer, *each.tokens], dtype="<i8").tobytes())
        return made.hexdigest()


@dataclass
class _State:
    """State of a training, as saved in a checkpoint."""

    network: AdaptedModel
    optimizer: Any
    digest: str
    history: list[OptimizerStep] = field(default_factory=list)

    def save(self, path: Path) -> None:
        import torch

        kept = {
            "digest": self.digest,
            "history": [list(step) for step in self.history],
            "adapters": self.network.adapters(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "random_cuda": torch.cuda.get_rng_state_all() if self.network.device.type == "cuda" else [],
        }
        with written_whole(path) as file:
            torch.save(kept, file)

    def resume(self, path: Path) -> None:
        """Take over what a checkpoint holds, down to the random state."""
        import torch

        kept = torch.load(path, map_location="cpu", weights_only=True)
        if kept["digest"] != self.digest:
            raise StudyError(
                f"{path.parent} holds a training with other questions, settings or base model. "
                "Choose another --out, or remove that folder."
            )
        with torch.no_grad():
            for name, parameter in self.network.adapters().items():
                parameter.copy_(kept["adapters"][name])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.history = [OptimizerStep(*step) for step in kept["history"]]
        torch.set_rng_state(kept["random"])
        if kept["random_cuda"] and self.network.device.type == "cuda":
            torch.cuda.set_rng_state_all(kept["random_cuda"])


def train(
    network: AdaptedModel,
    lessons: Lessons,
    recipe: Recipe,
    hardware: Hardware,
    folder: Path,
    *,
    base: str = "",
    watch: Watch | None = None,
) -> list[OptimizerStep]:
    """Train the adapters and return every step.

    A checkpoint is written every `save_every` steps and on Ctrl-C. The same call resumes from it and ends at the same
    weights as an uninterrupted one. `base` names the base model: a checkpoint of another base model is refused.
    """
    import torch

    steps = recipe.steps(len(lessons.training))
    optimizer = torch.optim.AdamW(
        parameter_groups(network, recipe), lr=recipe.learning_rate, betas=recipe.betas, weight_decay=recipe.weight_decay
    )
    state = _State(network, optimizer, lessons.digest(recipe, base))
    path = folder / STATE
    with torch.random.fork_rng(devices=[network.device] if network.device.type == "cuda" else []):
        torch.manual_seed(recipe.seed)
        if path.exists():
            state.resume(path)
        network.model.train()
        for number in range(len(state.history), steps):
            begun = time.perf_counter()
            batch = [lessons.training[place] for place in batch_at(number, len(lessons.training), recipe)]
            try:
                total = _accumulate(network, batch, hardware)
            except KeyboardInterrupt:
                state.save(path)
                raise
            loss, rate = float(total), recipe.learning_rate_at(number, steps)
            if not isfinite(loss):
                raise StudyError(f"The loss is {loss} at step {number + 1}: the base model cannot be trained.")
            _take_step(network, optimizer, rate, recipe)
            tokens, seconds = sum(len(each.tokens) for each in batch), time.perf_counter() - begun
            step = OptimizerStep(number + 1, steps, loss, rate, tokens, seconds)
            if (number + 1) % recipe.validate_every == 0 or number + 1 == steps:
                step = step._replace(validation_loss=mean_loss(network, lessons.validation, hardware))
            state.history.append(step)
            if (number + 1) % hardware.save_every == 0 or number + 1 == steps:
                state.save(path)
            if watch:
                watch(step)
    network.model.eval()
    return state.history


def mean_loss(network: AdaptedModel, questions: Sequence[Lesson], hardware: Hardware) -> float | None:
    """Compute the mean −log p of the answers' tokens; None without questions."""
    import torch

    if not questions:
        return None
    before = network.model.training
    network.model.eval()
    total = 0.0
    with torch.no_grad():
        for part in micro_batches([len(each.tokens) for each in questions], hardware):
            total += float(network.loss(pad_sequences([questions[place] for place in part])))
    network.model.train(before)
    return total / sum(each.answer for each in questions)


def _accumulate(network: AdaptedModel, batch: Sequence[Lesson], hardware: Hardware) -> Any:
    """Return a batch's mean loss over all answer tokens, and accumulate its gradient."""
    import torch

    answers = sum(each.answer for each in batch)
    total = torch.zeros((), device=network.device)
    for parameter in network.adapters().values():
        parameter.grad = None
    for part in micro_batches([len(each.tokens) for each in batch], hardware):
        loss = network.loss(pad_sequences([batch[place] for place in part])) / answers
        loss.backward()
        total += loss.detach()
    return total


def _take_step(network: AdaptedModel, optimizer: Any, rate: float, recipe: Recipe) -> None:
    """Take one step of the optimizer, with the gradient clipped."""
    import torch

    for group in optimizer.param_groups:
        group["lr"] = rate * group["faster"]
    torch.nn.utils.clip_grad_norm_(list(network.adapters().values()), recipe.max_grad_norm)
    optimizer.step()
