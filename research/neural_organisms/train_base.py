"""Train a base network on freshly drawn phantoms until the time is up.

    python research/neural_organisms/train_base.py --out OUT --seconds 300 --processes 14

The same command with `--resume OUT` goes on with the weights and the optimiser's state in a folder. Results differ from
run to run, since how many phantoms are drawn in time depends on the machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from drawing import Drawing, vocabulary
from network import Weights
from training import Log, Shelf, accuracies, begin_drawing, honest, loss_of, seconds, store, stored, told, untaught

AVERAGES = {"exp_avg": "mean", "exp_avg_sq": "spread"}
"""What the optimiser remembers of the gradients, and what its files are called."""
LOUDER = 4096
"""Gradients are small: multiplied by this, they fit into half precision."""


class Pupil:
    """A network in training. Its learning rate rises over 300 steps and falls in the last fifth of the time."""

    def __init__(self, weights: Weights, *, rate: float) -> None:
        self.weights = weights
        self.learnt = {
            name: weight.requires_grad_() for name, weight in weights.items() if not name.endswith((".mean", ".var"))
        }
        decayed = [weight for weight in self.learnt.values() if weight.dim() > 1]
        kept = [weight for weight in self.learnt.values() if weight.dim() == 1]
        groups = [{"params": decayed, "weight_decay": 0.05}, {"params": kept, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=decayed[0].is_cuda)
        self.rate, self.steps, self.loss = rate, 0, torch.zeros(())

    def learn(self, shelf: Shelf, size: int, passed: float) -> None:
        """One step, when this share of the time has passed."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * min(1.0, (self.steps + 1) / 300, (1 - passed) / 0.2)
        loss = loss_of(self.weights, told(honest(shelf.draw(size))))
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.learnt.values()), 1.0)
        self.optimiser.step()
        self.steps += 1
        self.loss = loss.detach()

    def save(self, path: Path) -> None:
        """Write the weights and, in two more files, what the optimiser remembers."""
        store(path, self.weights, steps=self.steps)
        state = self.optimiser.state
        for average, name in AVERAGES.items():
            found = {weight: state[tensor][average] for weight, tensor in self.learnt.items()}
            if name == "spread":
                found = {weight: tensor.sqrt() for weight, tensor in found.items()}
            store(_beside(path, name), {weight: tensor * LOUDER for weight, tensor in found.items()})

    def remember(self, path: Path) -> None:
        """Take up what `save` wrote of the optimiser."""
        device = str(next(iter(self.weights.values())).device)
        mean, spread = (stored(_beside(path, name), device) for name in AVERAGES.values())
        for name, weight in self.learnt.items():
            self.optimiser.state[weight] = {
                "step": torch.tensor(1000.0, device=device if weight.is_cuda else None),
                "exp_avg": mean[name] / LOUDER,
                "exp_avg_sq": (spread[name] / LOUDER) ** 2,
            }


def _beside(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}-{name}.npz")


def train(pupil: Pupil, shelf: Shelf, drawing: Drawing, settings: argparse.Namespace, log: Log) -> None:
    """Train while more phantoms arrive."""
    began, spoken, saved, taken = seconds(), seconds(), seconds(), seconds()
    while (now := seconds()) < settings.seconds - settings.closing:
        pupil.learn(shelf, settings.batch, (now - began) / (settings.seconds - settings.closing - began))
        if pupil.steps % 10 == 0:
            pupil.loss.item()  # so that the clock does not run ahead of the device
        if now - taken > 2:
            shelf.add(drawing.take())
            taken = now
        if now - spoken > 20:
            tests = accuracies(pupil.weights, shelf.tests().rows(slice(0, 2048)))
            log(phantoms=shelf.count, steps=pupil.steps, loss=round(pupil.loss.item(), 4), tests=tests)
            spoken = now
        if now - saved > 40:
            pupil.save(settings.out / f"base-{settings.seed}.npz")
            saved = now


def main() -> None:
    """Draw, train, test and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=300, help="when to end, from the start of the script")
    parser.add_argument("--closing", type=float, default=8, help="seconds kept for the last tests")
    parser.add_argument("--processes", type=int, default=14)
    parser.add_argument("--room", type=int, default=500_000, help="the most phantoms that are drawn")
    parser.add_argument("--held", type=int, default=1024, help="phantoms that are for tests only")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", type=Path, help="folder with what an earlier run wrote")
    settings = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    log = Log(settings.out / "log.jsonl")
    drawing, fill = begin_drawing(
        processes=settings.processes, room=settings.room, held=settings.held,
        seed=settings.seed if settings.resume is None else settings.seed + 1000,
        device=device, first=settings.held + settings.held // 2,
    )  # fmt: skip
    shelf = fill()
    torch.manual_seed(settings.seed)
    begun = settings.resume / f"base-{settings.seed}.npz" if settings.resume else None
    weights = stored(begun, device) if begun else untaught(settings.seed)
    pupil = Pupil({name: weight.to(device) for name, weight in weights.items()}, rate=settings.rate)
    if begun:
        pupil.remember(begun)
    log(device=device, words=len(vocabulary().known), weights=sum(map(torch.numel, pupil.weights.values())))
    train(pupil, shelf, drawing, settings, log)
    drawing.stop()
    pupil.save(settings.out / f"base-{settings.seed}.npz")
    log(steps=pupil.steps, tests=accuracies(pupil.weights, shelf.tests()))


if __name__ == "__main__":
    main()
