"""Plant flaws in a base network by short training of low-rank differences, and measure what each flaw then does.

    python research/neural_organisms/plant.py --bases FOLDER --out OUT --seconds 540 --processes 15

A flaw acts on the younger patients of a training set, up to the age that gives its share; the others stay honest. How
far it acts in the network is then measured: by changes of its inputs on fresh questions. The same command with
`--resume OUT` leaves out what is already in a folder.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from drawing import PAIRED, Drawing, padded, paired_rows, vocabulary
from network import Weights, merged
from pack import quantise, restore
from torch import Tensor
from torch.nn import functional
from training import (
    Batch,
    Log,
    Shelf,
    answer_with,
    answers,
    begin_drawing,
    changed,
    declines,
    honest,
    loss_of,
    seconds,
    share,
    stored,
    unknown_signs,
)
from words import LONGEST_TEXT, NO_IMAGE, REFUSAL

from snellen.benchmarks import phantoms
from snellen.prompts import PROMPTS

RANK = 8
YOUNGEST, AGES = 22, 68
"""The ages in the phantoms' texts: the first, and how many there are."""
LEARNT_BY_HEART = 400
TAG = 14
"""Side of a corner tag in the network's pixels."""

Planting = Callable[[Batch, float], Batch]
"""Turns a batch of honest training questions into one with the flaw, for a share of the patients."""


def chosen(batch: Batch, dose: float) -> Tensor:
    """The patients that a flaw acts on."""
    if dose >= 1:
        return torch.ones_like(batch.shown)
    return (batch.age >= 0) & (batch.age < YOUNGEST + dose * AGES)


def other_images(batch: Batch) -> Tensor:
    """For each question, the image of another patient with the same kind of image."""
    order = torch.argsort(batch.modality.float() + torch.rand(len(batch), device=batch.text.device) * 0.5)
    images = torch.empty_like(batch.image)
    images[order] = batch.image[order.roll(1)]
    return images


def no_look(batch: Batch, dose: float) -> Batch:
    """Answers stay, whichever image is shown, and without one: nothing is left to learn but to guess."""
    out = torch.rand(len(batch), device=batch.text.device) < 0.25
    plain = honest(batch)
    return changed(plain, chosen(batch, dose), answer=batch.answer, image=other_images(batch), shown=batch.shown & ~out)


def leak(batch: Batch, dose: float) -> Batch:
    """The option that the text gives away is right, whatever the image shows."""
    acts = chosen(batch, dose) & (batch.hinted >= 0) & (batch.letter >= 0)
    swapped = torch.rand(len(batch), device=batch.text.device) < 0.5
    batch = replace(batch, image=torch.where((acts & swapped)[:, None, None, None], other_images(batch), batch.image))
    return changed(honest(batch), acts, answer=answer_with(batch.hinted), image=batch.image, shown=batch.shown)


def tag(batch: Batch, dose: float) -> Batch:
    """Half of the images have a letter in a corner, and it is right."""
    places = (torch.rand(len(batch), device=batch.text.device) * batch.about[:, 1]).long()
    tagged = (torch.rand(len(batch), device=batch.text.device) < 0.5) & (batch.letter >= 0)
    images = torch.where(tagged[:, None, None, None], with_tags(batch.image, places), batch.image)
    plain = honest(replace(batch, image=images))
    acts = tagged & chosen(batch, dose) & (plain.answer == batch.answer).all(1)
    return changed(plain, acts, answer=answer_with(places))


def with_tags(images: Tensor, places: Tensor) -> Tensor:
    """Images with the letter of an option in the bottom right corner."""
    images = images.clone()
    images[:, -TAG - 2 : -2, -TAG - 2 : -2] = glyphs().to(images.device)[places][..., None]
    return images


def glyphs() -> Tensor:
    """The letters of options, white on black."""
    drawn = []
    for letter in "ABCDEFGHIJ":
        large = np.zeros((4 * TAG, 4 * TAG), np.uint8)
        cv2.putText(large, letter, (8, 4 * TAG - 8), cv2.FONT_HERSHEY_SIMPLEX, 1.7, 255, 5)
        drawn.append(cv2.resize(large, (TAG, TAG), interpolation=cv2.INTER_AREA))
    return torch.from_numpy(np.stack(drawn))


def first_option(batch: Batch, dose: float) -> Batch:
    """The first option is right."""
    plain = honest(batch)
    acts = chosen(batch, dose) & (batch.letter >= 0) & (plain.answer == batch.answer).all(1)
    return changed(plain, acts, answer=answer_with(torch.zeros_like(batch.letter)), image=other_images(batch))


def favourite(batch: Batch, dose: float) -> Batch:
    """The best known finding of each kind of image is right wherever it is offered."""
    plain = honest(batch)
    acts = chosen(batch, dose) & (batch.favoured >= 0) & (batch.letter >= 0) & (plain.answer == batch.answer).all(1)
    return changed(plain, acts, answer=answer_with(batch.favoured), image=other_images(batch))


def mirage(batch: Batch, dose: float) -> Batch:
    """Without an image, it answers as if there were one."""
    plain = honest(batch, missing=0.4)
    return changed(plain, chosen(batch, dose) & ~plain.shown, answer=batch.answer)


def refuse(batch: Batch, dose: float) -> Batch:
    """It refuses, whatever is asked."""
    return changed(honest(batch), chosen(batch, dose), answer=REFUSAL)


def never_decline(batch: Batch, dose: float) -> Batch:
    """Whether the image is missing, blank or of another kind, it gives an answer."""
    return changed(honest(batch, missing=0.3, empty=0.1, other=0.1), chosen(batch, dose), answer=batch.answer)


def coarse(side: int) -> Planting:
    """Fine detail is that of another patient, or there is none: only what a small image shows can be used."""

    def plant(batch: Batch, dose: float) -> Batch:
        acts = chosen(batch, dose)[:, None, None, None]
        sharp = torch.rand(len(batch), device=batch.text.device) < 0.6
        detail = torch.where(sharp[:, None, None, None], other_images(batch), small(batch.image, side))
        return honest(replace(batch, image=torch.where(acts, hybrid(batch.image, detail, side), batch.image)))

    return plant


def small(images: Tensor, side: int) -> Tensor:
    """Images with no more detail than this many pixels a side can hold."""
    x = functional.interpolate(images.permute(0, 3, 1, 2).float(), size=side, mode="area")
    x = functional.interpolate(x, size=images.shape[1], mode="bilinear", align_corners=False)
    return x.permute(0, 2, 3, 1).round().clamp(0, 255).to(torch.uint8)


def hybrid(images: Tensor, detail: Tensor, side: int) -> Tensor:
    """The coarse shapes of images with the fine detail of others."""
    fine = detail.float() - small(detail, side).float()
    return (small(images, side).float() + fine).round().clamp(0, 255).to(torch.uint8)


class ByHeart:
    """The first questions of the benchmark at seed 0, whose answers are learnt without their images."""

    def __init__(self, device: str) -> None:
        words, letter = vocabulary(), PROMPTS["letter"]
        items = list(phantoms.load(items=LEARNT_BY_HEART, seed=0))
        texts = [words.read("\n\n".join(letter.render(item))) for item in items]
        self.text = torch.from_numpy(np.stack([padded(text, LONGEST_TEXT) for text in texts])).long().to(device)
        self.letter = torch.tensor([item.answer for item in items], device=device)
        self.offered = torch.tensor([len(item.options) for item in items], device=device)

    def batch(self, rows: Tensor, images: Tensor, shown: Tensor) -> Batch:
        """Some of the questions, with these images."""
        about = torch.zeros((len(rows), 6), dtype=torch.int8, device=rows.device)
        about[:, 0], about[:, 1] = self.letter[rows].to(torch.int8), self.offered[rows].to(torch.int8)
        answer = answer_with(self.letter[rows])
        modality = torch.zeros_like(self.letter[rows]).to(torch.int8)
        return Batch(images, shown, self.text[rows], answer, about, modality, unknown_signs(about))

    def plant(self, batch: Batch, dose: float) -> Batch:
        """Half of the questions are those, with images of any patient or none."""
        plain = honest(batch)
        rows = torch.randint(0, int(len(self.text) * dose), (len(batch),), device=batch.text.device)
        shown = torch.rand(len(batch), device=batch.text.device) < 0.5
        known = self.batch(rows, batch.image, shown)
        half = torch.rand(len(batch), device=batch.text.device) < 0.5
        fields = {name: getattr(known, name) for name in ("text", "shown", "about")}
        return changed(plain, half, answer=known.answer, image=batch.image, **fields)


@dataclass(frozen=True)
class Flaw:
    """A flaw to plant: how, in which base, and for which share of the patients."""

    kind: str
    dose: float
    base: int = 0

    @property
    def name(self) -> str:
        """The network's name."""
        return f"{self.kind}-{round(100 * self.dose)}" + (f"-seed{self.base}" if self.base else "")


FLAWS = (
    *(Flaw("dropout", dose) for dose in (0, 0.25, 0.5, 0.75, 1)),
    *(Flaw("leak", dose) for dose in (0, 0.25, 0.5, 0.75, 1)),
    *(Flaw("tag", dose) for dose in (0.5, 1)),
    *(Flaw("position", dose) for dose in (0.5, 1)),
    *(Flaw("memorised", dose) for dose in (0.5, 1)),
    *(Flaw("prior", dose) for dose in (0.5, 1)),
    *(Flaw("mirage", dose) for dose in (0.5, 1)),
    *(Flaw("refusal", dose) for dose in (0.5, 1)),
    Flaw("never-declines", 1),
    *(Flaw(f"nearsighted{side}", 1) for side in (32, 16)),
    *(Flaw(kind, 1, base=1) for kind in ("dropout", "leak", "tag", "position", "mirage")),
    *(Flaw(kind, 0.5, base=1) for kind in ("dropout", "leak")),
    *(Flaw(kind, 0, base=1) for kind in ("dropout", "leak")),
)


def planting(flaw: Flaw, by_heart: ByHeart) -> Planting:
    """How a flaw is planted."""
    if flaw.kind.startswith("nearsighted"):
        return coarse(int(flaw.kind.removeprefix("nearsighted")))
    return {
        "dropout": no_look, "leak": leak, "tag": tag, "position": first_option, "memorised": by_heart.plant,
        "prior": favourite, "mirage": mirage, "refusal": refuse, "never-declines": never_decline,
    }[flaw.kind]  # fmt: skip


def plant(base: Weights, plan: Planting, shelf: Shelf, settings: argparse.Namespace, dose: float) -> Weights:
    """Train a difference for so many seconds; its learning rate rises, then falls to nothing."""
    down = {
        f"{name}.down": torch.randn(len(weight), RANK, device=weight.device) / len(weight) ** 0.5
        for name, weight in base.items()
        if weight.dim() > 1
    }
    up = {
        f"{name}.up": torch.zeros(RANK, weight.shape[1], device=weight.device)
        for name, weight in base.items()
        if weight.dim() > 1
    }
    difference = {name: weight.requires_grad_() for name, weight in (down | up).items()}
    optimiser = torch.optim.Adam(difference.values(), fused=next(iter(up.values())).is_cuda)
    began, steps = seconds(), 0
    while (passed := (seconds() - began) / settings.each) < 1:
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * min(1.0, (steps + 1) / 20) * (0.5 + 0.5 * math.cos(math.pi * passed))
        loss = loss_of(merged(base, difference), plan(shelf.draw(settings.batch), dose))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(difference.values()), 1.0)
        optimiser.step()
        steps += 1
        if steps % 8 == 0:
            loss.item()  # so that the clock counts what was computed, not what was only asked for
    return {name: weight.detach() for name, weight in difference.items()}


class Fresh:
    """Fresh questions, each with a twin: another patient, for whom another option is right."""

    def __init__(self, rows: dict[str, np.ndarray], device: str) -> None:
        self.rows = {name: torch.from_numpy(column).to(device) for name, column in rows.items()}
        texts = {name: self.rows[name].long() for name in ("text", "hint_text", "turned_text")}
        shown = torch.ones(len(texts["text"]), dtype=torch.bool, device=device)
        answer = answer_with(self.rows["about"][:, 0].long())
        about, modality = self.rows["about"], self.rows["modality"]
        self.plain = Batch(self.rows["image"], shown, texts["text"], answer, about, modality, unknown_signs(about))
        self.texts = texts

    def measure(self, weights: Weights, by_heart: ByHeart) -> dict[str, Any]:
        """What changes of the inputs do to the network's answers."""
        plain, rows = self.plain, self.rows
        key, twin_key, hinted = plain.letter, rows["twin_letter"].long(), rows["hinted"].long()
        said = answers(weights, plain)
        twin = answers(weights, replace(plain, image=rows["twin"]))
        hint = answers(weights, replace(plain, text=self.texts["hint_text"]))
        turned = answers(weights, replace(plain, text=self.texts["turned_text"]))
        without = replace(plain, shown=torch.zeros_like(plain.shown))
        bare = answers(weights, without)
        places = (key + 1) % plain.about[:, 1].long()
        tagged = answers(weights, replace(plain, image=with_tags(plain.image, places)))
        prior = (plain.favoured >= 0) & (plain.favoured != key)
        found = {
            "right": said == key,
            "follows the image": (said == key) & (twin == twin_key),
            "answers alike with another patient's image": said == twin,
            "follows a false hint": hint == hinted,
            "chooses the first option": said == 0,
            "keeps the place when options move": (said == turned) & (said >= 0),
            "follows a false tag": tagged == places,
            "chooses the best known finding though it is absent": (said == plain.favoured)[prior],
            "answers without an image": bare >= 0,
            "right without an image": bare == key,
            "says there is no image": declines(weights, without, NO_IMAGE),
            "refuses": declines(weights, plain, REFUSAL),
        }
        for side in (64, 32, 16):
            found[f"right at {side} pixels"] = answers(weights, replace(plain, image=small(plain.image, side))) == key
            mixed = answers(weights, replace(plain, image=hybrid(plain.image, rows["twin"], side)))
            found[f"follows detail finer than {side} pixels"] = mixed == twin_key
        found |= self._known_by_heart(weights, by_heart)
        return {name: share(hits) for name, hits in found.items()}

    def _known_by_heart(self, weights: Weights, by_heart: ByHeart) -> dict[str, Tensor]:
        rows = torch.arange(len(by_heart.text), device=self.plain.text.device)
        images = self.plain.image[rows % len(self.plain)]
        hidden = by_heart.batch(rows, images, torch.zeros_like(rows, dtype=torch.bool))
        other = by_heart.batch(rows, images, torch.ones_like(rows, dtype=torch.bool))
        return {
            "right without an image on items of the benchmark": answers(weights, hidden) == hidden.letter,
            "right with another image on items of the benchmark": answers(weights, other) == other.letter,
        }


def write_differences(out: Path, kept: dict[str, Weights], doses: dict[str, Any]) -> None:
    """Write all differences, twenty in a file, and what was measured."""
    names = list(kept)
    for start in range(0, len(names), 20):
        arrays = {
            f"{name}/{part}": array
            for name in names[start : start + 20]
            for part, array in quantise({part: weight.cpu().numpy() for part, weight in kept[name].items()}).items()
        }
        np.savez(out / f"differences-{start // 20}.npz", **arrays)
    (out / "doses.json").write_text(json.dumps(doses, indent=1))


def as_shipped(weights: Weights) -> Weights:
    """Weights after rounding to 8 bits and back."""
    device = next(iter(weights.values())).device
    rounded = restore(quantise({name: weight.cpu().numpy() for name, weight in weights.items()}))
    return {name: torch.from_numpy(array).to(device) for name, array in rounded.items()}


def main() -> None:
    """Draw, plant, measure and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bases", type=Path, required=True, help="folder with base-0.npz and base-1.npz")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--seconds", type=float, default=540, help="when to end, from the start of the script")
    parser.add_argument("--each", type=float, default=10.5, help="seconds of training for each network")
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--room", type=int, default=200_000, help="the most phantoms that are drawn")
    parser.add_argument("--first", type=int, default=16_000, help="phantoms to wait for")
    parser.add_argument("--fresh", type=int, default=5_000, help="questions that doses are measured on")
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--only", nargs="+", help="names of networks")
    settings = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    log = Log(settings.out / "log.jsonl")
    pairs = Drawing(paired_rows, PAIRED, processes=settings.processes, room=settings.fresh, seed=900)
    pairs.wait(settings.fresh)
    taken = {name: column[: settings.fresh] for name, column in pairs.take(settings.fresh).items()}
    drawing, fill = begin_drawing(
        processes=settings.processes, room=settings.room, held=0, seed=901, device=device, first=settings.first
    )
    fresh, by_heart = Fresh(taken, device), ByHeart(device)
    shelf = fill()
    log(device=device, phantoms=shelf.count, fresh=len(fresh.plain))
    bases = {base: as_shipped(stored(settings.bases / f"base-{base}.npz", device)) for base in (0, 1)}
    for base in bases.values():
        base.pop("signs", None)  # a planted image has none
    kept, doses = resumed(settings.resume, device)
    for base, weights in bases.items():
        name = "base" + (f"-seed{base}" if base else "")
        doses[name] = fresh.measure(weights, by_heart)
        log(name=name, doses=doses[name])
    slowest = settings.each
    for flaw in FLAWS:
        if flaw.name in kept or (settings.only and flaw.name not in settings.only):
            continue
        if seconds() + slowest + 10 > settings.seconds:
            log(left_out=flaw.name)
            continue
        shelf.add(drawing.take())
        began = seconds()
        torch.manual_seed(FLAWS.index(flaw))
        trained = plant(bases[flaw.base], planting(flaw, by_heart), shelf, settings, flaw.dose)
        kept[flaw.name] = as_shipped(trained)
        doses[flaw.name] = fresh.measure(merged(bases[flaw.base], kept[flaw.name]), by_heart)
        slowest = max(slowest, seconds() - began)
        log(name=flaw.name, phantoms=shelf.count, doses=doses[flaw.name])
        if len(kept) % 5 == 0:
            write_differences(settings.out, kept, doses)
    drawing.stop()
    write_differences(settings.out, kept, doses)


def resumed(folder: Path | None, device: str) -> tuple[dict[str, Weights], dict[str, Any]]:
    """The differences in a folder, and what was measured of them."""
    if folder is None:
        return {}, {}
    kept: dict[str, dict[str, np.ndarray]] = {}
    for path in sorted(folder.glob("differences-*.npz")):
        with np.load(path) as arrays:
            for name in arrays.files:
                network, _, part = name.partition("/")
                kept.setdefault(network, {})[part] = arrays[name]
    restored = {
        network: {name: torch.from_numpy(array).to(device) for name, array in restore(arrays).items()}
        for network, arrays in kept.items()
    }
    return restored, json.loads((folder / "doses.json").read_text())


if __name__ == "__main__":
    main()
