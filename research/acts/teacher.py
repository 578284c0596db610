"""Fine-tune sentence embeddings on the rows, to label what nobody labelled. It needs torch, better with a GPU.

    python research/acts/teacher.py ROWS.npz MINILM.npz OUT.npy --seed 0

OUT.npy has the probability of each act for every row of ROWS.npz (`arrays.py`). `--frozen` trains the last layer alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, BATCH = 384, 12, 6, 64
PARTS_OF_LAYER = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "join": "attention.output.dense", "norm": "attention.output.LayerNorm", "widen": "intermediate.dense",
    "narrow": "output.dense", "last": "output.LayerNorm",
}  # fmt: skip


class Layer(nn.Module):
    """A layer of the transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.join = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm, self.last = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, state: Tensor, there: Tensor) -> Tensor:
        """The state after the layer."""
        rows, length, _ = state.shape
        split = [
            each(state).view(rows, length, HEADS, -1).transpose(1, 2) for each in (self.query, self.key, self.value)
        ]
        seen = functional.scaled_dot_product_attention(*split, attn_mask=there[:, None, None])
        state = self.norm(state + self.drop(self.join(seen.transpose(1, 2).reshape(rows, length, WIDTH))))
        found: Tensor = self.last(state + self.drop(self.narrow(functional.gelu(self.widen(state)))))
        return found


class Teacher(nn.Module):
    """The transformer with a last layer for the acts."""

    def __init__(self, file: Path, acts: int) -> None:
        super().__init__()
        stored = np.load(file)
        weights = {name: stored[name] for name in stored.files if "|" not in name}
        for name in stored.files:
            if name.endswith("|rounded"):
                own = name.removesuffix("|rounded")
                weights[own] = stored[name].astype(np.float32) * stored[f"{own}|scale"]

        def table(name: str) -> nn.Embedding:
            return nn.Embedding.from_pretrained(torch.tensor(weights[f"embeddings.{name}.weight"]), freeze=False)

        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        self.tokens, self.places, self.kinds = map(table, names)
        self.norm, self.drop = nn.LayerNorm(WIDTH, eps=1e-12), nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.decide = nn.Linear(2 * WIDTH, acts)
        own = [(self.norm, "embeddings.LayerNorm")]
        own += [
            (getattr(layer, part), f"encoder.layer.{number}.{name}")
            for number, layer in enumerate(self.layers)
            for part, name in PARTS_OF_LAYER.items()
        ]
        for module, name in own:
            module.weight.data = torch.tensor(weights[f"{name}.weight"])
            module.bias.data = torch.tensor(weights[f"{name}.bias"])

    def forward(self, tokens: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        """Log-odds of each act."""
        places = self.places(torch.arange(tokens.shape[1], device=tokens.device))
        state = self.drop(self.norm(self.tokens(tokens) + places + self.kinds(kinds)))
        for layer in self.layers:
            state = layer(state, there)
        mask = there[..., None]
        mean = (state * mask).sum(1) / mask.sum(1)
        most = state.float().masked_fill(~mask, -1e4).amax(1)
        found: Tensor = self.decide(torch.cat([mean.float(), most], 1))
        return found


def make_batch(rows: Any, chosen: np.ndarray, device: str) -> list[Tensor]:
    """Question and response of rows as tokens, padded to the longest."""
    pad, start, end = rows["special"].tolist()
    pairs = [
        tuple(rows[name][rows[f"{name}_ends"][row] : rows[f"{name}_ends"][row + 1]] for name in ("asked", "tokens"))
        for row in chosen
    ]
    shape = (len(pairs), max(len(asked) + len(said) + 3 for asked, said in pairs))
    tokens, kinds, there = np.full(shape, pad, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool)
    for row, (asked, said) in enumerate(pairs):
        whole = [start, *asked, end, *said, end]
        tokens[row, : len(whole)], there[row, : len(whole)] = whole, True
        kinds[row, len(asked) + 2 : len(whole)] = 1
    return [torch.from_numpy(each).to(device) for each in (tokens, kinds, there)]


def main() -> None:
    """Train, and label every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs=3, type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--frozen", action="store_true")
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(given.seed)
    rng, stored = np.random.default_rng(given.seed), np.load(given.files[0])
    rows = {name: stored[name] for name in stored.files}
    targets = torch.from_numpy(rows["targets"].astype(np.float32)).to(device)
    count = len(targets)
    usable = [row for row in range(count) if (rows["kinds"][row] == 0 or row % 2 == 0) and not rows["apart"][row]]
    usable = [row for row in usable if rows["kinds"][row] < 2]
    lengths = np.diff(rows["token_ends"]) + np.diff(rows["asked_ends"])
    network = Teacher(given.files[1], targets.shape[1]).to(device)
    for name, weights in network.named_parameters():
        weights.requires_grad = not given.frozen or name.startswith("decide")
    slow = [weights for name, weights in network.named_parameters() if not name.startswith("decide")]
    groups = [{"params": slow}, {"params": network.decide.parameters()}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = given.epochs * (len(usable) // BATCH + 60)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [1e-4, 1e-3], steps, pct_start=0.1)
    for _ in range(given.epochs):
        order = rng.permutation(usable)
        batches: list[np.ndarray] = []
        for start in range(0, len(order), 50 * BATCH):
            part = order[start : start + 50 * BATCH]
            part = part[np.argsort(lengths[part], kind="stable")]
            batches += [part[place : place + BATCH] for place in range(0, len(part), BATCH)]
        for place in rng.permutation(len(batches)):
            network.train()
            with torch.autocast(device, dtype=torch.bfloat16):
                odds = network(*make_batch(rows, batches[place], device))
            wanted = targets[torch.from_numpy(batches[place]).to(device)]
            each = functional.binary_cross_entropy_with_logits(
                odds.float(), wanted.clamp(0) * 0.98 + 0.01, reduction="none"
            )
            loss = (each * (wanted >= 0)).sum() / (wanted >= 0).sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    network.eval()
    found, order = np.zeros(targets.shape, np.float16), np.argsort(lengths, kind="stable")
    with torch.no_grad():
        for start in range(0, count, 256):
            chosen = order[start : start + 256]
            with torch.autocast(device, dtype=torch.bfloat16):
                odds = network(*make_batch(rows, chosen, device))
            found[chosen] = torch.sigmoid(odds.float()).cpu().numpy()
    np.save(given.files[2], found)


if __name__ == "__main__":
    main()
