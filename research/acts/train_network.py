"""A small network that reads acts sentence by sentence, trained on seen and written rows. It needs torch.

    python research/acts/train_network.py --steps 2500

A word is the sum of the vectors of its hashed word and parts, with flags (does the question tell it, an option, ...).
Three convolutions read a sentence; the strongest sentence of a response, the mean, the first and the last one decide
for the response, together with what the rules read of it. It prints κ of the rules and of the network, with and
without the rules' readings, on the third of the written rows that is kept apart and on the older rows kept apart.
"""

from __future__ import annotations

import argparse
import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from labelled_rows import ACTS, Row, all_rows, kept_apart_rows, training_rows
from torch import Tensor, nn
from torch.nn import functional
from written import APART, read_acts, written_rows

BUCKETS, WIDTH, HIDDEN, PARTS = 1 << 16, 48, 64, 6
LONGEST, FIRST, LAST = 64, 16, 8
"""Of a sentence so many words are read; of a response so many sentences of its beginning and of its end."""
SPLIT = re.compile(r"(?<=[.!?])(?=\s|[\u4e00-\u9fff])|\n+|(?<=[。！？])")
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[.!?;:,。！？，；：()/*-]")
ENDS = frozenset(".!?。！？")
COMMON = frozenset([
    "the", "a", "an", "of", "is", "are", "in", "on", "and", "to", "this", "it", "that", "la", "il", "el", "le", "der",
    "die", "das", "de", "di", "und", "et", "e", "y",
])  # fmt: skip
FLAGS, OTHERS = 10, 8
BATCH, SMOOTHING = 384, 0.01


class Sentence(NamedTuple):
    """The hashed parts of each word, its flags, and what else is known of the sentence."""

    words: np.ndarray
    flags: np.ndarray
    others: np.ndarray


class Example(NamedTuple):
    """A response as the network reads it; targets are 1, 0, or −1 if unknown."""

    sentences: Sequence[Sentence]
    targets: np.ndarray
    rules: np.ndarray


@lru_cache(1 << 18)
def hash_parts(word: str) -> tuple[int, ...]:
    """The buckets of a word and of its beginnings and endings, filled with 0."""
    whole = f"<{word}>"
    parts = [whole[:4], whole[:5], whole[-4:], whole[-5:]] if len(word) > 3 else []
    parts += [whole[1:7]] if len(word) > 6 else []
    hashed = [zlib.crc32(each.encode()) % BUCKETS for each in (word, *(f"_{part}" for part in parts))]
    return tuple((hashed + [0] * PARTS)[:PARTS])


def split_sentences(text: str) -> list[str]:
    """The sentences and lines of a response; of very many, the first and last."""
    found = [each.strip() for each in SPLIT.split(text) if each.strip()] or ["."]
    return found if len(found) <= FIRST + LAST else found[:FIRST] + found[-LAST:]


def _content(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower())) - COMMON - ENDS


def read_sentences(row: Row) -> Iterator[Sentence]:
    """The sentences of a response as numbers."""
    told = [_content(text) for text in (row.question, " ".join(row.options))]
    told += [_content(str(row.facts.get(name, ""))) for name in ("premise", "body_part", "shown_body_part")]
    found = split_sentences(row.response)
    for place, sentence in enumerate(found):
        words = WORD.findall(sentence.lower())[:LONGEST] or ["."]
        flags = np.array(
            [[*(word in each for each in told), word in ENDS, at == 0, *map(bool, (told[0], told[2], told[3]))]
             for at, word in enumerate(words)], np.float32)  # fmt: skip
        others = [
            place == 0, place == len(found) - 1, len(found) > 1, len(words) <= 5, bool(row.question),
            bool(row.options), row.finish == "length", sentence.strip(" .*").lower() in map(str.lower, row.options),
        ]  # fmt: skip
        yield Sentence(np.array([hash_parts(word) for word in words]), flags, np.array(others, np.float32))


def make_example(row: Row, rules: bool = True) -> Example:
    """A row as the network reads it; of acts that are not known to the rules nothing is told."""
    targets = np.array([-1.0 if row.acts[act] is None else float(bool(row.acts[act])) for act in ACTS], np.float32)
    read = read_acts(row) if rules else {}
    told = np.array([[read.get(act) is False, read.get(act) is True] for act in ACTS], np.float32).ravel()
    return Example(tuple(read_sentences(row)), targets, told)


def join_sentences(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """Responses joined from written sentences of one language: each performs all that its sentences perform."""
    rng, joined = random.Random(seed), []
    by_language: dict[str, list[Row]] = {}
    for row in rows:
        by_language.setdefault(row.language, []).append(row)
    for number in range(count):
        language = rng.choices(list(by_language), [len(each) for each in by_language.values()])[0]
        parts = rng.choices(by_language[language], k=rng.choice((2, 2, 3, 5, 9)))
        acts = {act: any(part.acts[act] for part in parts) for act in ACTS}
        # A premise or a contradiction is about the facts of its own sentence.
        acts |= {act: parts[0].acts[act] or None for act in ACTS[-2:] if acts[act]}
        text = rng.choice((" ", " ", "\n")).join(part.response for part in parts)
        joined.append(parts[0]._replace(id=f"joined/{number}", response=text, acts=acts))
    return joined


class Network(nn.Module):
    """Words, sentences, response."""

    def __init__(self) -> None:
        super().__init__()
        acts = len(ACTS)
        self.words = nn.Embedding(BUCKETS, WIDTH, padding_idx=0)
        nn.init.normal_(self.words.weight, std=0.3)
        self.flags, self.enter, self.drop = nn.Linear(FLAGS, WIDTH), nn.Linear(WIDTH, HIDDEN), nn.Dropout(0.15)
        self.steps = nn.ModuleList(nn.Conv1d(HIDDEN, HIDDEN, 3, padding=each, dilation=each) for each in (1, 2, 4))
        self.norm = nn.LayerNorm(HIDDEN)
        self.sentence = nn.Sequential(
            nn.Linear(3 * HIDDEN + OTHERS, 64), nn.ReLU(), nn.Dropout(0.15), nn.Linear(64, acts)
        )
        self.response = nn.Sequential(nn.Linear(6 * acts, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, acts))

    def read_sentences(self, words: Tensor, flags: Tensor, others: Tensor, there: Tensor) -> Tensor:
        """Log-odds of each act for each sentence."""
        parts = self.words(words)
        if self.training:
            parts = parts * (torch.rand(*parts.shape[:3], 1, device=parts.device) > 0.1)
        mask = there[:, None].float()
        state = self.enter(self.drop(parts.sum(2) + self.flags(flags))).transpose(1, 2) * mask
        for step in self.steps:
            state = (state + self.drop(functional.relu(step(state)))) * mask
        state = self.norm(state.transpose(1, 2))
        most = state.masked_fill(~there[..., None], -9).amax(1)
        mean = (state * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        return self.sentence(torch.cat([most, mean, state[:, 0], others], 1))

    def forward(self, batch: Batch) -> Tensor:
        """Log-odds of each act for each response."""
        each, (owner, first, last) = self.read_sentences(*batch.inputs), batch.owners
        shape, spread = (len(batch.rules), len(ACTS)), owner[:, None].expand(-1, len(ACTS))
        most = torch.full(shape, -12.0, device=each.device).scatter_reduce(0, spread, each, "amax")
        chance = torch.sigmoid(each)
        mean = torch.zeros(shape, device=each.device).scatter_add(0, spread, chance) / batch.counts[:, None]
        rules = batch.rules[:, 1::2] - batch.rules[:, ::2]
        known = [torch.sigmoid(most), most.clamp(-8, 8) / 8, mean, chance[first], chance[last], rules]
        return most + self.response(torch.cat(known, 1))


class Batch(NamedTuple):
    """Responses as tensors: their sentences, whose each sentence is, how many each response has, and the rules."""

    inputs: tuple[Tensor, Tensor, Tensor, Tensor]
    owners: tuple[Tensor, Tensor, Tensor]
    counts: Tensor
    rules: Tensor
    targets: Tensor


def make_batch(examples: Sequence[Example], device: str) -> Batch:
    """The examples, padded to the longest sentence."""
    flat = [sentence for example in examples for sentence in example.sentences]
    longest = max(len(each.words) for each in flat)
    words = np.zeros((len(flat), longest, PARTS), np.int64)
    flags, there = np.zeros((len(flat), longest, FLAGS), np.float32), np.zeros((len(flat), longest), bool)
    for place, each in enumerate(flat):
        words[place, : len(each.words)], flags[place, : len(each.words)] = each.words, each.flags
        there[place, : len(each.words)] = True
    counts = np.array([len(example.sentences) for example in examples])
    ends = np.cumsum(counts)

    def send(array: Any) -> Tensor:
        return torch.as_tensor(np.asarray(array)).to(device)

    return Batch(
        (send(words), send(flags), send(np.stack([each.others for each in flat])), send(there)),
        (send(np.repeat(np.arange(len(examples)), counts)), send(ends - counts), send(ends - 1)),
        send(counts),
        send(np.stack([example.rules for example in examples])),
        send(np.stack([example.targets for example in examples])),
    )


class Share(NamedTuple):
    """Examples of one kind, their share of each batch, and how often the rules' readings are hidden."""

    examples: Sequence[Example]
    share: float
    hidden: float


def train(shares: Sequence[Share], steps: int, seed: int, device: str) -> Network:
    """The network after some steps; the same seed draws the same batches."""
    torch.manual_seed(seed)
    rng, network = np.random.default_rng(seed), Network().to(device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, steps, pct_start=0.1)
    for _ in range(steps):
        loss = torch.zeros((), device=device)
        for examples, share, hidden in shares:
            drawn = [examples[place] for place in rng.integers(0, len(examples), int(BATCH * share))]
            batch = make_batch(drawn, device)
            shown = (torch.rand(len(drawn), 1, device=device) >= hidden).float()
            odds, known = network(batch._replace(rules=batch.rules * shown)), batch.targets >= 0
            wanted = batch.targets.clamp(0) * (1 - 2 * SMOOTHING) + SMOOTHING
            each = functional.binary_cross_entropy_with_logits(odds, wanted, reduction="none")
            loss = loss + (each * known).sum() / known.sum()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return network.eval()


def predict(network: Network, examples: Sequence[Example], device: str, rules: bool) -> np.ndarray:
    """The probability of each act in each response."""
    found = []
    with torch.no_grad():
        for start in range(0, len(examples), 256):
            batch = make_batch(examples[start : start + 256], device)
            found.append(torch.sigmoid(network(batch._replace(rules=batch.rules * rules))).cpu().numpy())
    return np.concatenate(found)


def kappa(labels: np.ndarray, read: np.ndarray) -> float:
    """Cohen's κ; NaN if both say the same of every row."""
    by_luck = labels.mean() * read.mean() + (1 - labels.mean()) * (1 - read.mean())
    return float(((labels == read).mean() - by_luck) / (1 - by_luck)) if by_luck < 1 else float("nan")


def show(name: str, network: Network, examples: Sequence[Example], device: str) -> None:
    """κ by act: rules, network with the rules' readings, network alone."""
    stacked, alone = (predict(network, examples, device, rules) for rules in (True, False))
    for place, act in enumerate(ACTS):
        known = np.array([example.targets[place] >= 0 for example in examples])
        labels = np.array([example.targets[place] > 0 for example in examples])[known]
        by_rules = np.array([example.rules[2 * place + 1] > 0 for example in examples])[known]
        if labels.any():
            read = (by_rules, *(each[known, place] > 0.5 for each in (stacked, alone)))
            scores = " ".join(f"{kappa(labels, each):.2f}" for each in read)
            print(f"{name:12} {act:20} {labels.sum():4} of {len(labels):4}  {scores}", flush=True)


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    written = written_rows()
    learned = [row for row in written if row.split != APART]
    sentences = [row for row in learned if row.source == "sentences"]
    whole = [row for row in learned if row.source == "responses"]
    joined = join_sentences(sentences, 20_000, given.seed)

    def examples(rows: Sequence[Row], rules: bool = True) -> list[Example]:
        return [make_example(row, rules) for row in rows]

    # The rules were made from seen rows and are right there: were they shown, the network would rely on them.
    shares = [
        Share(examples(training_rows(all_rows())), 0.35, 0.6),
        Share(examples(sentences), 0.25, 0.2),
        Share(examples(joined, rules=False), 0.2, 1.0),
        Share(examples(whole), 0.2, 0.2),
    ]
    network = train(shares, given.steps, given.seed, device)
    sets: dict[str, Callable[[], list[Row]]] = {
        "sentences": lambda: [row for row in written if row.split == APART and row.source == "sentences"],
        "responses": lambda: [row for row in written if row.split == APART and row.source == "responses"],
        "kept apart": lambda: kept_apart_rows(all_rows()),
    }
    for name, rows in sets.items():
        show(name, network, examples(rows()), device)


if __name__ == "__main__":
    main()
