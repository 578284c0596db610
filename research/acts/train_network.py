"""Train the network of `snellen.reading.acts` on the rows and on what teachers say of them. It needs torch.

    python research/acts/train_network.py ROWS.npz OUT.npz --teachers T0.npy T1.npy

ROWS.npz is of `arrays.py`, the teachers are of `teacher.py`; without them it learns from labels alone. It prints κ by
act on the rows apart, and writes the weights as the package reads them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

BUCKETS, WIDTH, HIDDEN, FLAGS, ABOUT, REACHES = 1 << 16, 48, 64, 9, 8, (1, 2, 4)
BATCH, ALPHA = 384, 0.5
"""Rows of a batch, and how much of a label is what the teachers say."""
WRITTEN = ("responses", "second_responses", "third_responses")
SENTENCES = ("sentences", "filled")


class Network(nn.Module):
    """Words, sentences, response."""

    def __init__(self, acts: int) -> None:
        super().__init__()
        self.words = nn.Embedding(BUCKETS, WIDTH, padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.3)
        self.words.weight.data[0] = 0
        self.flags, self.about = nn.Linear(FLAGS, WIDTH, bias=False), nn.Linear(ABOUT, HIDDEN, bias=False)
        self.enter, self.drop = nn.Linear(WIDTH, HIDDEN), nn.Dropout(0.15)
        self.steps = nn.ModuleList(nn.Conv1d(HIDDEN, HIDDEN, 3, padding=each, dilation=each) for each in REACHES)
        self.norm = nn.LayerNorm(HIDDEN)
        self.sentence = nn.Sequential(
            nn.Linear(2 * HIDDEN + ABOUT, 64), nn.ReLU(), nn.Dropout(0.15), nn.Linear(64, acts)
        )
        self.response = nn.Sequential(nn.Linear(5 * acts + ABOUT, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, acts))

    def forward(self, parts: Tensor, flags: Tensor, sentences: Tensor, there: Tensor, about: Tensor) -> Any:
        """Log-odds of each act for the response, and for its strongest sentence."""
        rows, length = there.shape
        vectors = self.words(parts)
        if self.training:
            vectors = vectors * (torch.rand(rows, length, 6, 1, device=parts.device) > 0.1)
            vectors = vectors * (torch.rand(rows, length, 1, 1, device=parts.device) > 0.06)
        bits = (flags[..., None] >> torch.arange(FLAGS, device=flags.device) & 1).float()
        state = self.enter(self.drop(vectors.sum(2) + self.flags(bits))) + self.about(about)[:, None]
        mask = there[:, None].float()
        state = state.transpose(1, 2) * mask
        for step in self.steps:
            state = (state + self.drop(functional.relu(step(state)))) * mask
        state = self.norm(state.transpose(1, 2))
        most_sentences = int((sentences * there).max()) + 1
        places = (torch.arange(rows, device=parts.device)[:, None] * most_sentences + sentences)[there]
        words, size = state[there], rows * most_sentences
        spread = places[:, None].expand(-1, HIDDEN)
        strongest = torch.full((size, HIDDEN), -9.0, device=parts.device).scatter_reduce(0, spread, words, "amax")
        counts = torch.zeros(size, device=parts.device).index_add(0, places, torch.ones_like(places, dtype=torch.float))
        mean = torch.zeros(size, HIDDEN, device=parts.device).index_add(0, places, words) / counts.clamp(1)[:, None]
        known = torch.cat([strongest, mean, about.repeat_interleave(most_sentences, 0)], 1)
        each, real = self.sentence(known).view(rows, most_sentences, -1), (counts > 0).view(rows, most_sentences)
        most = each.masked_fill(~real[..., None], -12).amax(1)
        chances, last = torch.sigmoid(each) * real[..., None], real.sum(1) - 1
        ends = (chances[:, 0], chances[torch.arange(rows, device=parts.device), last])
        joined = [torch.sigmoid(most), most.clamp(-8, 8) / 8, chances.sum(1) / (last + 1)[:, None], *ends, about]
        return most + self.response(torch.cat(joined, 1)), most


class Rows:
    """The arrays on a device."""

    def __init__(self, file: Path, device: str) -> None:
        stored = np.load(file)
        self.arrays = {name: stored[name] for name in stored.files}
        self.ends = torch.from_numpy(self.arrays["ends"].astype(np.int64)).to(device)
        names = ("parts", "words", "flags", "sentences")
        self.parts, self.words, self.flags, self.sentences = (
            torch.from_numpy(self.arrays[name].astype(np.int64)).to(device) for name in names
        )
        self.about = torch.from_numpy(self.arrays["about"].astype(np.float32)).to(device)
        self.targets = torch.from_numpy(self.arrays["targets"].astype(np.float32)).to(device)

    def batch(self, chosen: Tensor) -> list[Tensor]:
        """The rows, padded to the longest."""
        lengths = self.ends[chosen + 1] - self.ends[chosen]
        places = torch.arange(int(lengths.max()), device=chosen.device)[None]
        flat = (self.ends[chosen][:, None] + places).clamp(max=len(self.words) - 1)
        there = places < lengths[:, None]
        return [self.parts[self.words[flat]], self.flags[flat], self.sentences[flat], there, self.about[chosen]]

    def places(self, *sources: str) -> np.ndarray:
        """The rows of some sources that may be trained on, as they were labelled."""
        names, apart = self.arrays["sources"].tolist(), self.arrays["apart"]
        inside = np.isin(self.arrays["source"], [names.index(name) for name in sources])
        return np.flatnonzero(inside & ~apart & (self.arrays["kinds"] == 0))


def store(network: Network, file: Path) -> None:
    """Write the weights as the package reads them: vectors of words in 8 bits, the others in 16."""
    weights = {name: each.cpu().numpy() for name, each in network.state_dict().items()}
    words = weights.pop("words.weight")
    scale = np.abs(words).max(0) / 127
    kept: dict[str, Any] = {"words": np.round(words / scale).astype(np.int8), "scale": scale.astype(np.float16)}
    for number in range(len(REACHES)):
        step = weights.pop(f"steps.{number}.weight")
        kept[f"steps.{number}"] = np.concatenate([step[:, :, place].T for place in range(3)]).astype(np.float16)
    kept |= {name: each.astype(np.float16) for name, each in weights.items()}
    np.savez_compressed(file, **kept)


def kappa(labels: np.ndarray, read: np.ndarray) -> float:
    """Cohen's κ; NaN if both say the same of every row."""
    by_luck = labels.mean() * read.mean() + (1 - labels.mean()) * (1 - read.mean())
    return float(((labels == read).mean() - by_luck) / (1 - by_luck)) if by_luck < 1 else float("nan")


def main() -> None:
    """Train, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs=2, type=Path)
    parser.add_argument("--teachers", nargs="*", type=Path, default=[])
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(given.seed)
    rng, rows = np.random.default_rng(given.seed), Rows(given.files[0], device)
    kinds, names = rows.arrays["kinds"], rows.arrays["sources"].tolist()
    older = [name for name in names if name not in (*WRITTEN, *SENTENCES)]
    pools = [(rows.places(*older), 0.3), (rows.places(*SENTENCES), 0.2), (rows.places(*WRITTEN), 0.3)]
    pools.append((np.flatnonzero(kinds == 1), 0.15))
    taught = None
    if given.teachers:
        taught = torch.from_numpy(np.mean([np.load(each).astype(np.float32) for each in given.teachers], 0)).to(device)
        pools.append((np.flatnonzero(kinds == 2), 0.35))
    acts = rows.targets.shape[1]
    network = Network(acts).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, given.steps, pct_start=0.1)
    for _ in range(given.steps):
        drawn = [rng.choice(pool, int(BATCH * share)) for pool, share in pools if len(pool)]
        chosen = torch.from_numpy(np.concatenate(drawn)).to(device)
        targets = rows.targets[chosen]
        known, wanted = targets >= 0, targets.clamp(0) * 0.98 + 0.01
        weights = known.float()
        if taught is not None:
            said = taught[chosen]
            wanted = torch.where(known, (1 - ALPHA) * wanted + ALPHA * said, said)
            weights = torch.where(known, 1.0, 0.5)
            # Without the facts that an act is about, nobody can tell it.
            weights[:, 6:8] = torch.where(known[:, 6:8], 1.0, 0.1)
        losses = [
            (functional.binary_cross_entropy_with_logits(odds, wanted, reduction="none") * weights).sum()
            / weights.sum()
            for odds in network(*rows.batch(chosen))
        ]
        optimiser.zero_grad()
        (losses[0] + 0.3 * losses[1]).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    network.eval()
    apart = np.flatnonzero(rows.arrays["apart"])
    with torch.no_grad():
        read = np.concatenate([
            torch.sigmoid(network(*rows.batch(torch.from_numpy(part).to(device)))[0]).cpu().numpy()
            for part in np.array_split(apart, len(apart) // 256 + 1)
        ])  # fmt: skip
    labels = rows.arrays["targets"][apart]
    for act in range(acts):
        known_rows = labels[:, act] >= 0
        print(act, int((labels[:, act] > 0).sum()), kappa(labels[known_rows, act] > 0, read[known_rows, act] > 0.5))
    store(network, given.files[1])


if __name__ == "__main__":
    main()
