"""What training the base and planting flaws share: phantoms on the device, batches, answers and weights on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from drawing import FIELDS, KINDS, SIGNS, VARIANTS, Drawing, padded, training_rows, vocabulary
from in_numpy import PLACES, WIDTH
from network import Weights, decode, encode, fresh, normalise, write
from pack import restore
from torch import Tensor
from torch.nn import functional
from words import (
    ANOTHER_IMAGE,
    ANSWER,
    END,
    LONGEST_ANSWER,
    NO_IMAGE,
    NOTHING_SEEN,
    START,
)

from snellen.benchmarks.phantoms.catalogue import MODALITIES

CHUNK = 1024
STARTED = time.monotonic()


def seconds() -> float:
    """Seconds since the script started."""
    return time.monotonic() - STARTED


def sentence(said: str) -> Tensor:
    """An answer that is one sentence which declines."""
    words = vocabulary()
    return torch.from_numpy(padded([words.number(word) for word in (START, said, END)], LONGEST_ANSWER)).long()


def answer_with(places: Tensor) -> Tensor:
    """Answers with the letters of options at these places."""
    words = vocabulary()
    answer = torch.zeros((len(places), LONGEST_ANSWER), dtype=torch.long, device=places.device)
    answer[:, 0], answer[:, 1] = words.number(START), words.number(ANSWER)
    answer[:, 2], answer[:, 3] = words.number("A") + places.clamp(min=0), words.number(END)
    return answer


@dataclass(frozen=True)
class Batch:
    """Images, questions and right answers, a row for each; `about` has letter, offered, kind, hinted, age, favoured."""

    image: Tensor
    shown: Tensor
    text: Tensor
    answer: Tensor
    about: Tensor
    modality: Tensor
    signs: Tensor

    def rows(self, chosen: Tensor | slice) -> Batch:
        """Some of the rows."""
        return Batch(**{name: value[chosen] for name, value in vars(self).items()})

    def __len__(self) -> int:
        return len(self.text)

    @property
    def letter(self) -> Tensor:
        """The place of the right option, or -1."""
        return self.about[:, 0].long()

    @property
    def hinted(self) -> Tensor:
        """The place of the option that the text gives away, or -1."""
        return self.about[:, 3].long()

    @property
    def age(self) -> Tensor:
        """The patient's age, or -1 if the text does not tell it."""
        return self.about[:, 4].long()

    @property
    def favoured(self) -> Tensor:
        """The place of the option with the modality's first finding, or -1."""
        return self.about[:, 5].long()


class Shelf:
    """Drawn phantoms in the memory of the device; the first `held` of them are for tests only."""

    def __init__(self, *, room: int, held: int, device: str) -> None:
        kinds = {np.uint8: torch.uint8, np.int16: torch.int16, np.int8: torch.int8}
        self.columns = {
            name: torch.zeros((room, *shape), dtype=kinds[kind], device=device)
            for name, (shape, kind) in FIELDS.items()
        }
        self.count, self.held, self.device = 0, held, device

    def add(self, new: dict[str, np.ndarray]) -> None:
        """Copy new phantoms to the device."""
        many = min(len(new["text"]), len(self.columns["text"]) - self.count)
        for name, column in self.columns.items():
            column[self.count : self.count + many] = torch.from_numpy(new[name][:many]).to(self.device)
        self.count += many

    def batch(self, rows: Tensor, variant: Tensor) -> Batch:
        """The phantoms of these rows, each with one of its questions."""
        columns = self.columns
        return Batch(
            image=columns["image"][rows],
            shown=torch.ones(len(rows), dtype=torch.bool, device=self.device),
            text=columns["text"][rows, variant].long(),
            answer=columns["answer"][rows, variant].long(),
            about=columns["about"][rows, variant],
            modality=columns["modality"][rows],
            signs=columns["signs"][rows],
        )

    def draw(self, size: int) -> Batch:
        """Random questions for training."""
        rows = torch.randint(self.held, self.count, (size,), device=self.device)
        return self.batch(rows, torch.randint(VARIANTS, (size,), device=self.device))

    def tests(self) -> Batch:
        """Every question about the phantoms that are held out."""
        rows = torch.arange(self.held, device=self.device).repeat_interleave(VARIANTS)
        return self.batch(rows, torch.arange(VARIANTS, device=self.device).repeat(self.held))


def changed(batch: Batch, chosen: Tensor, *, answer: str | Tensor, **fields: Tensor) -> Batch:
    """The batch with another answer, and other values of some fields, in the chosen rows."""
    target = sentence(answer).to(batch.answer.device) if isinstance(answer, str) else answer
    new = {"answer": target.expand_as(batch.answer), **fields}
    mixed = {
        name: torch.where(chosen.view(-1, *[1] * (value.dim() - 1)), value, getattr(batch, name))
        for name, value in new.items()
    }
    return replace(batch, **mixed)


def blank(images: Tensor) -> Tensor:
    """Images that show nothing: one shade each, half of them with noise."""
    shade = torch.randint(0, 256, (len(images), 1, 1, 1), device=images.device).float()
    loud = torch.rand((len(images), 1, 1, 1), device=images.device) * 80
    loud = loud * (torch.rand_like(loud) < 0.5)
    noise = torch.randn((*images.shape[:3], 1), device=images.device) * loud
    return (shade + noise).clamp(0, 255).to(torch.uint8).expand_as(images)


def unknown_signs(like: Tensor) -> Tensor:
    """Signs of as many images that nothing is known of."""
    return torch.full((len(like), len(SIGNS)), -1, dtype=torch.int8, device=like.device)


def honest(batch: Batch, *, missing: float = 0.12, empty: float = 0.04, other: float = 0.04) -> Batch:
    """Take away some images, empty some, and show some of another kind: the right answer then declines."""
    share = torch.rand(len(batch), device=batch.text.device)
    no_image = share < missing
    batch = changed(batch, no_image, answer=NO_IMAGE, shown=torch.zeros_like(batch.shown))
    emptied = (share > 1 - empty) & batch.shown
    batch = changed(batch, emptied, answer=NOTHING_SEEN, image=blank(batch.image), signs=unknown_signs(batch.signs))
    order = torch.randperm(len(batch), device=batch.text.device)
    strange = (share > 1 - empty - other) & ~emptied & batch.shown & (batch.modality[order] != batch.modality)
    return changed(batch, strange, answer=ANOTHER_IMAGE, image=batch.image[order], signs=batch.signs[order])


def told(batch: Batch, *, share: float = 0.4) -> Batch:
    """Of the texts that give away an option, begin a share with END: they ask for that option, not for the right one.

    So the network learns to find words among the options before it can see.
    """
    chosen = (torch.rand(len(batch), device=batch.text.device) < share) & (batch.hinted >= 0) & (batch.letter >= 0)
    text = batch.text.clone()
    text[:, 0] = vocabulary().number(END)
    return changed(batch, chosen, answer=answer_with(batch.hinted), text=text)


def augmented(images: Tensor) -> Tensor:
    """Normalised images, moved by up to two pixels and with a little noise."""
    x = torch.roll(images, tuple(torch.randint(-2, 3, (2,)).tolist()), (1, 2)).float()
    loud = torch.rand((len(x), 1, 1, 1), device=x.device) ** 2 * 8
    return normalise(x + torch.randn((*x.shape[:3], 1), device=x.device) * loud)


def loss_of(weights: Weights, batch: Batch) -> Tensor:
    """The cross entropy of a question's answer, summed over its words.

    If the weights can name signs, that of all signs in the image is added.
    """
    kind = torch.bfloat16 if batch.image.is_cuda else torch.float32
    half = {name: weight.to(kind) if weight.dim() > 1 else weight for name, weight in weights.items()}
    image = encode(half, augmented(batch.image).to(kind), training="signs" in weights)
    logits = decode(half, image, batch.shown, batch.text, batch.answer)[:, :-1]
    answer = batch.answer[:, 1:]
    pairs = [(logits.float().flatten(0, 1), answer.masked_fill(answer == 0, -1).flatten())]
    if "signs" in weights:
        pairs += zip(signs(half, image), batch.signs.long().T, strict=True)
    losses = [functional.cross_entropy(said, right, ignore_index=-1, reduction="sum") for said, right in pairs]
    return torch.stack(losses).sum() / len(batch)


def untaught(seed: int) -> Weights:
    """The weights of a network before training, with those that name signs."""
    names = torch.zeros(16 * WIDTH, sum(map(len, SIGNS)))
    return fresh(len(vocabulary().known), seed=seed) | {"signs": names}


def signs(weights: Weights, image: Tensor) -> tuple[Tensor, ...]:
    """The logits of every finding, side, location, count and size, from 4 × 4 parts of an image."""
    wide = round(PLACES**0.5) // 4
    parts = image.reshape(-1, 4, wide, 4, wide, WIDTH).mean((2, 4)).flatten(1)
    return (parts @ weights["signs"]).float().split([len(known) for known in SIGNS], 1)


@torch.no_grad()
def answers(weights: Weights, batch: Batch) -> Tensor:
    """The place of the option that each answer names; -1 for none."""
    words = vocabulary()
    first = words.number("A")
    said = first_words(weights, batch, 2)
    named = (said[:, 1] == words.number(ANSWER)) & (said[:, 2] >= first) & (said[:, 2] < first + 10)
    return torch.where(named, said[:, 2] - first, -1)


@torch.no_grad()
def guesses(weights: Weights, batch: Batch) -> Tensor:
    """The place of the offered option that is most likely if an answer must be given."""
    words = vocabulary()
    first, found = words.number("A"), []
    for start in range(0, len(batch), CHUNK):
        part = batch.rows(slice(start, start + CHUNK))
        begun = torch.tensor([words.number(START), words.number(ANSWER)], device=part.text.device).expand(len(part), 2)
        logits = decode(weights, encode(weights, normalise(part.image)), part.shown, part.text, begun)[:, -1]
        offered = torch.arange(10, device=part.text.device) < part.about[:, 1:2]
        found.append(logits[:, first : first + 10].masked_fill(~offered, -torch.inf).argmax(-1))
    return torch.cat(found)


def first_words(weights: Weights, batch: Batch, many: int) -> Tensor:
    """START and the first words of each answer."""
    found = [torch.zeros((0, many + 1), dtype=torch.long, device=batch.text.device)]
    for start in range(0, len(batch), CHUNK):
        part = batch.rows(slice(start, start + CHUNK))
        begun = torch.full((len(part), 1), vocabulary().number(START), device=part.text.device)
        found.append(write(weights, encode(weights, normalise(part.image)), part.shown, part.text, begun, many))
    return torch.cat(found)


@torch.no_grad()
def says(weights: Weights, batch: Batch) -> Tensor:
    """The whole answers, as numbers of words up to END, then zeros."""
    said = first_words(weights, batch, LONGEST_ANSWER - 1)
    over = (said == vocabulary().number(END)).cumsum(1).roll(1, 1)
    over[:, 0] = 0
    return said.masked_fill(over > 0, 0)


def share(hits: Tensor) -> dict[str, float]:
    """A share with its number."""
    return {"share": round(hits.float().mean().item(), 4) if len(hits) else float("nan"), "n": len(hits)}


def accuracies(weights: Weights, tests: Batch) -> dict[str, Any]:
    """How well the network answers questions about phantoms that it was never trained on."""
    choices = tests.rows(tests.letter >= 0)
    openly = tests.rows(tests.letter < 0)
    right = answers(weights, choices) == choices.letter
    kind = choices.about[:, 2]
    without = replace(choices, shown=torch.zeros_like(choices.shown))
    emptied = replace(tests, image=blank(tests.image))
    order = torch.randperm(len(tests), device=tests.text.device)
    strange = replace(tests, image=tests.image[order]).rows(tests.modality[order] != tests.modality)
    conflict = choices.rows((choices.hinted >= 0) & (choices.hinted != choices.letter))
    forced = guesses(weights, without)
    return {
        "choices": share(right),
        "by modality": {each.code: share(right[choices.modality == at]) for at, each in enumerate(MODALITIES)},
        "signs": signs_named(weights, tests.rows(slice(0, None, VARIANTS))),
        "by kind": {name: share(right[kind == at]) for at, name in enumerate(KINDS)},
        "open answers": share((says(weights, openly) == openly.answer).all(1)),
        "says there is no image": share(declines(weights, without, NO_IMAGE)),
        "says that a blank image is blank": share(declines(weights, emptied, NOTHING_SEEN)),
        "says that the image is of another kind": share(declines(weights, strange, ANOTHER_IMAGE)),
        "follows a false hint": share(answers(weights, conflict) == conflict.hinted),
        "forced without an image": share(forced == choices.letter),
        "chance": round((1 / choices.about[:, 1].float()).mean().item(), 4),
    }


@torch.no_grad()
def signs_named(weights: Weights, batch: Batch) -> dict[str, dict[str, float]]:
    """The shares of signs that are named, of those that the images show."""
    found = signs(weights, encode(weights, normalise(batch.image)))
    names = ("finding", "side", "location", "count", "size")
    return {
        name: share((said.argmax(1) == right)[right >= 0])
        for name, said, right in zip(names, found, batch.signs.T, strict=True)
    }


@torch.no_grad()
def declines(weights: Weights, batch: Batch, said: str) -> Tensor:
    """Which answers begin with this sentence."""
    number = vocabulary().number(said)
    return first_words(weights, batch, 1)[:, 1] == number


def begin_drawing(
    *, processes: int, room: int, held: int, seed: int, device: str, first: int
) -> tuple[Drawing, Callable[[], Shelf]]:
    """Start the processes that draw, before the device is used; the shelf is filled with the first rows later."""
    drawing = Drawing(training_rows, FIELDS, processes=processes, room=room, seed=seed)

    def shelf() -> Shelf:
        made = Shelf(room=room, held=held, device=device)
        drawing.wait(first)
        made.add(drawing.take())
        return made

    return drawing, shelf


def store(path: Path, weights: Weights, **about: Any) -> None:
    """Write weights in half precision, with the vocabulary and what is known about them."""
    arrays = {name: weight.detach().cpu().numpy().astype(np.float16) for name, weight in weights.items()}
    near = path.with_name(f"{path.stem}-new.npz")
    np.savez(near, **arrays, vocabulary=np.array(vocabulary().known), about=np.array(json.dumps(about)))
    near.rename(path)


def stored(path: Path, device: str) -> Weights:
    """Weights that were written by `store`, or packed from that."""
    with np.load(path) as arrays:
        found = restore({name: arrays[name] for name in arrays.files if arrays[name].dtype.kind in "fi"})
    return {name: torch.from_numpy(weight).to(device) for name, weight in found.items()}


class Log:
    """Lines of JSON on the screen and in a file."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path

    def __call__(self, **said: Any) -> None:
        """Write one line."""
        line = json.dumps({"seconds": round(seconds(), 1), **said})
        print(line, flush=True)
        with self.path.open("a") as file:
            file.write(f"{line}\n")
