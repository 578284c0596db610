"""Train the small network the organisms see with, from freshly drawn phantoms, and store it as float16 in vision.npz.

    pip install -e '.[train]' && python research/organisms/train_vision.py --minutes 11

One process draws, one trains, each on one core. Benchmarks draw phantoms with seeds up to LAST_SEED only; training uses
larger ones, so no picture of any benchmark is ever trained on.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from snellen.benchmarks.phantoms.catalogue import COUNTS, MODALITIES, SIZES
from snellen.benchmarks.phantoms.patients import LAST_SEED, draw_patient, round_of_patients
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.models.organisms.sight import NOTHING
from snellen.models.organisms.vision import HEADS, SIDE, STRIDES, WEIGHTS, small

CHANNELS = (48, 48, 80, 112, 32)
KERNELS = (7, 3, 3, 3, 1)
HIDDEN = 192
UNKNOWN = -100
BATCH = 64
HARD = {"count": 2.0}
NOISE = torch.randn((2 * BATCH, 1, SIDE, SIDE), generator=torch.Generator().manual_seed(0))
LABELS: dict[str, tuple[str, ...]] = {
    "finding": (*(f"{m.name}|{name}" for m in MODALITIES for name in m.names), f"{NOTHING}|{NOTHING}"),
    "side": ("both", "left", "neither", "right"),
    "location": tuple(f"{m.name}|{place}" for m in MODALITIES for place in m.locations),
    "count": tuple(str(count) for count in COUNTS),
    "size": SIZES,
}


def labelled(phantom: Phantom) -> list[int]:
    """The index of each head's right label, or UNKNOWN where the phantom has none."""
    words = (
        f"{phantom.modality}|{phantom.finding}",
        phantom.side,
        f"{phantom.modality}|{phantom.location}",
        str(phantom.count),
        phantom.size,
    )
    return [_index(LABELS[head], word) for head, word in zip(HEADS, words, strict=True)]


def _index(labels: tuple[str, ...], word: str) -> int:
    return labels.index(word) if word in labels else UNKNOWN


def mirrored_labels() -> list[torch.Tensor]:
    """For each head, what every label becomes when the picture is mirrored: left and right change places.

    Nasal and temporal stay, since a mirrored right eye is a left eye.
    """
    swap = {"left": "right", "right": "left"}
    tables = []
    for head in HEADS:
        turned = [" ".join(swap.get(word, word) for word in label.split(" ")) for label in LABELS[head]]
        turned = [_swapped_place(label, swap) for label in turned] if head == "location" else turned
        tables.append(torch.tensor([LABELS[head].index(label) for label in turned]))
    return tables


def _swapped_place(label: str, swap: dict[str, str]) -> str:
    """The place's first word follows the bar, so it is swapped on its own."""
    modality, place = label.split("|")
    first, *rest = place.split(" ")
    return f"{modality}|{' '.join([swap.get(first, first), *rest])}"


def nothing_to_see(rng: np.random.Generator, picture: np.ndarray) -> np.ndarray:
    """A picture that shows no patient: one shade, noise, clouds, shapes, or a picture cut up and shuffled."""
    kind = rng.integers(5)
    if kind == 0:
        return np.full_like(picture, rng.integers(0, 256, 3 if rng.random() < 0.3 else 1))
    if kind == 1:
        spread = rng.uniform(2, 90)
        grey = rng.random() < 0.5
        noise = rng.normal(rng.uniform(0, 255), spread, (SIDE, SIDE, 1 if grey else 3))
        return np.clip(np.broadcast_to(noise, picture.shape), 0, 255).astype(np.uint8)
    if kind == 2:
        cells = int(rng.integers(2, 24))
        coarse = rng.uniform(0, 255, (cells, cells, 3)).astype(np.uint8)
        if rng.random() < 0.5:
            coarse = coarse[:, :, :1].repeat(3, axis=2)
        return cv2.resize(coarse, (SIDE, SIDE), interpolation=int(rng.choice([cv2.INTER_CUBIC, cv2.INTER_NEAREST])))
    if kind == 3:
        canvas = np.full_like(picture, rng.integers(0, 256, 3))
        for _ in range(int(rng.integers(1, 12))):
            colour = tuple(int(tone) for tone in rng.integers(0, 256, 3))
            corner = rng.integers(0, SIDE, 4)
            if rng.random() < 0.5:
                cv2.rectangle(canvas, corner[:2].tolist(), corner[2:].tolist(), colour, int(rng.choice([-1, 2])))
            else:
                cv2.circle(canvas, corner[:2].tolist(), int(rng.integers(3, 50)), colour, int(rng.choice([-1, 2])))
        return canvas
    cuts = int(rng.choice([4, 8, 16]))
    edge = SIDE // cuts
    tiles = picture.reshape(cuts, edge, cuts, edge, 3).swapaxes(1, 2).reshape(cuts * cuts, edge, edge, 3)
    tiles = tiles[rng.permutation(cuts * cuts)]
    return tiles.reshape(cuts, cuts, edge, edge, 3).swapaxes(1, 2).reshape(picture.shape)


def phantoms(rng: np.random.Generator) -> Iterator[Phantom]:
    """Phantoms as a benchmark has them, with seeds that no benchmark uses; more to be counted, which is hardest."""
    while True:
        for modality in MODALITIES:
            counted = [draw_patient(modality, ("count", "size"), rng) for _ in range(2)]
            for patient in (*round_of_patients(modality, rng), *counted):
                yield replace(patient.phantom, seed=LAST_SEED + 1 + int(rng.integers(LAST_SEED)))


def render(folder: Path, room: int, made: Any, seed: int) -> None:
    """Fill the folder's two arrays with pictures and labels, until there is no more room."""
    cv2.setNumThreads(1)
    pictures, labels = _arrays(folder, room)
    rng = np.random.default_rng(seed)
    for place, phantom in zip(range(room), phantoms(rng), strict=False):
        picture = np.rint(small(phantom.draw())).astype(np.uint8)
        pictures[place] = picture
        labels[place] = labelled(phantom)
        if place % 16 == 15:
            pictures[place] = nothing_to_see(rng, picture)
            labels[place] = [len(LABELS["finding"]) - 1] + [UNKNOWN] * (len(HEADS) - 1)
        made.value = place + 1


def _arrays(folder: Path, room: int) -> tuple[np.memmap, np.memmap]:
    pictures = np.memmap(
        folder / "pictures", np.uint8, "r+" if (folder / "pictures").exists() else "w+", shape=(room, SIDE, SIDE, 3)
    )
    labels = np.memmap(
        folder / "labels", np.int64, "r+" if (folder / "labels").exists() else "w+", shape=(room, len(HEADS))
    )
    return pictures, labels


class Seeing(nn.Module):
    """The network as it is trained: each convolution followed by a normalisation that is folded into it at the end."""

    def __init__(self) -> None:
        super().__init__()
        wide = (3, *CHANNELS)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(wide[i], wide[i + 1], KERNELS[i], STRIDES[i], KERNELS[i] // 2, bias=False)
            for i in range(len(CHANNELS))
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in CHANNELS)
        self.joint = nn.Linear(CHANNELS[-1] * (8 * 8 + 2), HIDDEN)
        self.heads = nn.ModuleDict({head: nn.Linear(HIDDEN, len(LABELS[head])) for head in HEADS})
        self.drop = nn.Dropout(0.2)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        """The logits of each head."""
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            x = functional.relu(norm(convolution(x)))
        flat = x.permute(0, 2, 3, 1).flatten(1)
        hidden = functional.relu(self.joint(self.drop(torch.cat([flat, x.mean((2, 3)), x.amax((2, 3))], dim=1))))
        return {head: layer(hidden) for head, layer in self.heads.items()}

    def stored(self) -> dict[str, np.ndarray]:
        """The arrays that the NumPy network reads."""
        arrays: dict[str, np.ndarray] = {}
        for number, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            arrays[f"kernel{number}"] = _half((convolution.weight * scale[:, None, None, None]).permute(2, 3, 1, 0))
            arrays[f"shift{number}"] = _half(norm.bias - norm.running_mean * scale)
        arrays |= {"joint": _half(self.joint.weight.T), "joint_bias": _half(self.joint.bias)}
        for head, layer in self.heads.items():
            arrays |= {head: _half(layer.weight.T), f"{head}_bias": _half(layer.bias)}
            arrays[f"{head}_labels"] = np.array(LABELS[head])
        return arrays


def _half(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().contiguous().numpy().astype(np.float16)


def batch_of(pictures: np.ndarray, labels: np.ndarray, mirror: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Pictures as the network sees them, half of them mirrored, each with a little noise, moved by a few pixels."""
    x = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()
    y = torch.from_numpy(labels)
    turn = torch.rand(len(x)) < 0.5
    x[turn] = x[turn].flip(3)
    for head, table in enumerate(mirror):
        known = turn & (y[:, head] != UNKNOWN)
        y[known, head] = table[y[known, head]]
    x = torch.roll(x, tuple(torch.randint(-2, 3, (2,)).tolist()), (2, 3))
    first = int(torch.randint(0, len(NOISE) - len(x), ()))
    x += NOISE[first : first + len(x)] * (torch.rand(len(x), 1, 1, 1) ** 2 * 8)
    spread, middle = torch.std_mean(x, (1, 2, 3), keepdim=True, correction=0)
    return (x - middle) / (spread + 4), y


def loss_of(logits: dict[str, torch.Tensor], y: torch.Tensor) -> torch.Tensor:
    """The cross entropy of all heads together, each over the pictures that have its label."""
    losses = [
        HARD.get(head, 1.0)
        * functional.cross_entropy(logits[head].float(), y[:, column], ignore_index=UNKNOWN, label_smoothing=0.03)
        for column, head in enumerate(HEADS)
        if (y[:, column] != UNKNOWN).any()
    ]
    return torch.stack(losses).sum()


def train(folder: Path, room: int, made: Any, minutes: float) -> Seeing:
    """Train while pictures are still being drawn; the learning rate follows the clock."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    pictures, labels = _arrays(folder, room)
    net, mirror = Seeing().to(memory_format=torch.channels_last), mirrored_labels()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.02)
    rng, start, step = np.random.default_rng(0), time.monotonic(), 0
    while (passed := (time.monotonic() - start) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2.5e-3 * min(1.0, 25 * passed + 0.05) * 0.5 * (1 + np.cos(np.pi * passed))
        chosen = np.sort(rng.integers(0, made.value, BATCH))
        x, y = batch_of(pictures[chosen], labels[chosen], mirror)
        with torch.autocast("cpu", torch.bfloat16):
            logits = net(x.contiguous(memory_format=torch.channels_last))
        loss = loss_of(logits, y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step += 1
        if step % 400 == 0:
            print(f"{passed:4.0%} step {step} of {made.value} pictures: loss {loss.item():.3f}", flush=True)
    return net.eval()


def main() -> None:
    """Draw, train and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=11.0)
    parser.add_argument("--pictures", type=int, default=64_000)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), multiprocessing.Value("l", 0)
        _arrays(folder, settings.pictures)
        painter = multiprocessing.Process(target=render, args=(folder, settings.pictures, made, 1), daemon=True)
        painter.start()
        while made.value < 2_000:
            time.sleep(0.5)
        net = train(folder, settings.pictures, made, settings.minutes)
        painter.terminate()
    np.savez_compressed(settings.out, **net.stored())
    print(f"{settings.out}: {settings.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
