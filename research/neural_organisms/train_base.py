"""Train base networks on freshly drawn phantoms, several seeds side by side, until the time is up.

    python research/neural_organisms/train_base.py --out OUT --seconds 540 --processes 15

The same command with `--resume OUT` goes on with the weights in a folder. Results differ from run to run, since how
many phantoms are drawn in time depends on the machine.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from drawing import Drawing, vocabulary
from network import Weights, fresh
from training import Log, Shelf, accuracies, begin_drawing, honest, loss_of, seconds, store, stored


class Pupil:
    """A network in training. Its learning rate rises, then falls to nothing with the clock."""

    def __init__(self, weights: Weights, *, rate: float) -> None:
        self.weights = {name: weight.requires_grad_() for name, weight in weights.items()}
        decayed = [weight for weight in weights.values() if weight.dim() > 1]
        kept = [weight for weight in weights.values() if weight.dim() == 1]
        groups = [{"params": decayed, "weight_decay": 0.05}, {"params": kept, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=decayed[0].is_cuda)
        self.rate, self.steps, self.loss = rate, 0, torch.zeros(())

    def learn(self, shelf: Shelf, size: int, passed: float) -> None:
        """One step, when this share of the time has passed."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * min(1.0, (self.steps + 1) / 300) * (0.5 + 0.5 * math.cos(math.pi * passed))
        loss = loss_of(self.weights, honest(shelf.draw(size)))
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), 1.0)
        self.optimiser.step()
        self.steps += 1
        self.loss = loss.detach()


def train(pupils: dict[int, Pupil], shelf: Shelf, drawing: Drawing, settings: argparse.Namespace, log: Log) -> None:
    """Train all networks by turns, while more phantoms arrive."""
    began, spoken, saved, taken = seconds(), 0.0, seconds(), seconds()
    while (now := seconds()) < settings.seconds - settings.closing:
        passed = (now - began) / (settings.seconds - settings.closing - began)
        for pupil in pupils.values():
            pupil.learn(shelf, settings.batch, passed)
        if now - taken > 2:
            shelf.add(drawing.take())
            taken = now
        if now - spoken > 20:
            losses = {seed: round(pupil.loss.item(), 4) for seed, pupil in pupils.items()}
            log(phantoms=shelf.count, steps=next(iter(pupils.values())).steps, loss=losses)
            spoken = now
        if now - saved > 60:
            save(pupils, settings.out)
            seed, pupil = next(iter(pupils.items()))
            log(seed=seed, tests=accuracies(pupil.weights, shelf.tests().rows(slice(0, 2048))))
            saved = now


def save(pupils: dict[int, Pupil], out: Path) -> None:
    """Write the weights of every network."""
    for seed, pupil in pupils.items():
        store(out / f"base-{seed}.npz", pupil.weights, seed=seed, steps=pupil.steps)


def main() -> None:
    """Draw, train, test and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=540, help="when to end, from the start of the script")
    parser.add_argument("--closing", type=float, default=20, help="seconds kept for the last tests")
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--room", type=int, default=420_000, help="the most phantoms that are drawn")
    parser.add_argument("--held", type=int, default=1024, help="phantoms that are for tests only")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1.2e-3)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--resume", type=Path)
    settings = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    log = Log(settings.out / "log.jsonl")
    drawing, fill = begin_drawing(
        processes=settings.processes, room=settings.room, held=settings.held, seed=int(settings.seeds[0]),
        device=device, first=settings.held + settings.held // 2,
    )  # fmt: skip
    shelf = fill()
    torch.manual_seed(settings.seeds[0])
    pupils = {}
    for seed in settings.seeds:
        begun = settings.resume and settings.resume / f"base-{seed}.npz"
        weights = stored(begun, device) if begun else fresh(len(vocabulary().known), seed=seed)
        pupils[seed] = Pupil({name: weight.to(device) for name, weight in weights.items()}, rate=settings.rate)
    log(device=device, words=len(vocabulary().known), weights=sum(map(torch.numel, pupils[seed].weights.values())))
    train(pupils, shelf, drawing, settings, log)
    drawing.stop()
    save(pupils, settings.out)
    for seed, pupil in pupils.items():
        log(seed=seed, tests=accuracies(pupil.weights, shelf.tests()))


if __name__ == "__main__":
    main()
