"""The super-guesser of a benchmark: divide its questions, train on some, and answer the others."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from snellen.errors import MissingExtraError, StudyError, UnusableModelError
from snellen.files import create_folder
from snellen.images import Image
from snellen.items import Item
from snellen.prompts import MIRAGE, Prompt
from snellen.tools.audit.audited import Audited, Floats, groups_of
from snellen.tools.audit.superguesser.lora import AdaptedModel, load_base, save_adapters, with_adapters
from snellen.tools.audit.superguesser.recipe import PAPER, USUAL, Hardware, Recipe
from snellen.tools.audit.superguesser.results import Guess, SuperGuess, Training
from snellen.tools.audit.superguesser.training import Lessons, OptimizerStep, train
from snellen.tools.audit.superguesser.wording import (
    Lesson,
    QuestionTokenizer,
    Tokens,
    Worded,
    micro_batches,
    pad_sequences,
    paths,
    prompt_for,
)


@dataclass(frozen=True)
class SuperGuesser:
    """A super-guesser to train: questions, base model, settings and output folder."""

    audited: Audited
    base: Path
    out: Path
    recipe: Recipe = PAPER
    hardware: Hardware = USUAL
    prompt: Prompt = MIRAGE
    folds: int = 0
    questions: int | None = None
    """Number of training questions to draw; None for all. The paper drew 100,000."""

    def divisions(self) -> list[Division]:
        """Divide the questions for each training."""
        return divide(
            self.audited,
            folds=self.folds,
            validation_share=self.recipe.validation_share,
            questions=self.questions,
            seed=self.recipe.seed,
        )

    def folder(self, number: int) -> Path:
        """Return the folder of one training."""
        return self.out / (f"fold-{number + 1}" if self.folds else "training")


@dataclass(frozen=True)
class Watching:
    """Callbacks for progress: training steps, then answered sequences."""

    step: Callable[[int, OptimizerStep], None] | None = None
    answered: Callable[[int, int, int], None] | None = None


UNWATCHED = Watching()


def super_guess(guesser: SuperGuesser, watching: Watching = UNWATCHED) -> SuperGuess:
    """Train the super-guesser and let it answer. After an interruption, the same call continues."""
    divisions = guesser.divisions()
    open_door()
    create_folder(guesser.out)
    wording = QuestionTokenizer(
        prompt_for(guesser.audited.name, guesser.prompt),
        _read(guesser.base, _load_tokenizer),
        guesser.recipe.max_length,
    )
    places = {item.id: place for place, item in enumerate(guesser.audited.choices)}
    groups = group_items(guesser.audited.choices)
    guesses: list[Guess] = []
    trainings = []
    for number, division in enumerate(divisions):
        training, answered = _train_and_answer(guesser, number, division, wording, watching)
        trainings.append(training)
        guesses += [_guess(worded, given, groups[places[worded.item.id]], number) for worded, given in answered]
    done = SuperGuess(
        guesser.audited.name,
        tuple(sorted(guesses, key=lambda each: places[each.item_id])),
        tuple(trainings),
        _describe_training(guesser, wording),
    )
    done.write(guesser.out)
    return done


def _train_and_answer(
    guesser: SuperGuesser, number: int, division: Division, wording: QuestionTokenizer, watching: Watching
) -> tuple[Training, list[tuple[Worded, Sequence[float]]]]:
    learnt, watched, tested = (
        wording.ask(items) for items in (division.training, division.validation, division.tested)
    )
    base = _read(guesser.base, lambda folder: load_base(folder, guesser.recipe, guesser.hardware))
    network = with_adapters(base, guesser.recipe, guesser.hardware)
    folder = guesser.folder(number)
    create_folder(folder)
    lessons = Lessons([each.lesson for each in learnt], [each.lesson for each in watched])
    step, answered = watching.step, watching.answered
    history = train(
        network,
        lessons,
        guesser.recipe,
        guesser.hardware,
        folder,
        base=str(_identity(guesser.base)),
        watch=(lambda done: step(number, done)) if step else None,
    )
    save_adapters(network, folder / "adapter")
    given = probabilities(
        network, tested, guesser.hardware, (lambda count, of: answered(number, count, of)) if answered else None
    )
    training = Training(
        questions=len(learnt),
        validation=len(watched),
        tested=len(tested),
        shared=division.shared,
        not_drawn=division.not_drawn,
        truncated=sum(each.truncated for each in (*learnt, *watched)),
        steps=len(history),
        tokens=sum(each.tokens for each in history),
        seconds=sum(each.seconds for each in history),
        loss=history[-1].loss,
        validation_loss=history[-1].validation_loss,
    )
    return training, list(zip(tested, (each.tolist() for each in given), strict=True))


def _guess(worded: Worded, given: Sequence[float], group: int, fold: int) -> Guess:
    by_option: list[float | None] = [None] * len(worded.item.options)
    for place, share in zip(worded.places, given, strict=True):
        by_option[place] = share
    best = worded.places[max(range(len(given)), key=lambda at: given[at])]
    right = int(worded.item.answer or 0)
    return Guess(
        item_id=worded.item.id,
        score=by_option[right] or 0.0,
        right=best == right,
        chosen=best,
        probabilities=tuple(by_option),
        chance=worded.item.chance,
        group=group,
        fold=fold,
        truncated=worded.truncated,
    )


def _describe_training(guesser: SuperGuesser, wording: QuestionTokenizer) -> dict[str, Any]:
    of = guesser.audited
    return {
        "recipe": asdict(guesser.recipe),
        "hardware": asdict(guesser.hardware),
        "base": _identity(guesser.base),
        "prompt": wording.prompt.name,
        "chat_template": bool(getattr(wording.tokenizer, "chat_template", None)),
        "folds": guesser.folds,
        "without_options": len(of.items) - len(of.choices),
        "training_without_options": len(of.training) - len(of.training_choices),
        "versions": {name: version(name) for name in (*PACKAGES, "snellen")},
    }


def _identity(base: Path) -> dict[str, Any]:
    """Describe the base model: name, hashes of configuration and tokenizer, sizes of weights."""
    small = [file for file in sorted(base.glob("*.json")) if file.name in ("config.json", "tokenizer.json")]
    hashes = {f"{file.stem}_sha256": hashlib.sha256(file.read_bytes()).hexdigest() for file in small}
    weights = [*sorted(base.glob("*.safetensors")), *sorted(base.glob("*.bin"))]
    return {"name": base.name, **hashes, "weights_bytes": {file.name: file.stat().st_size for file in weights}}


def _load_tokenizer(base: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(base, local_files_only=True, trust_remote_code=False)


def _read(base: Path, read: Callable[[Path], Any]) -> Any:
    if not (base / "config.json").is_file():
        raise UnusableModelError(
            f"{base} is not the folder of a language model: it has no config.json. Download one first, for example "
            "hf download Qwen/Qwen2.5-3B-Instruct --local-dir qwen2.5-3b-instruct."
        )
    try:
        return read(base)
    except Exception as error:
        raise UnusableModelError(f"{base}: the language model cannot be loaded: {error}") from error


EXTRA = "superguesser"
PACKAGES = ("torch", "transformers", "peft")


def open_door() -> None:
    """Import torch, transformers and peft, or explain what to install. peft may import torchvision."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), EXTRA) from error
    try:
        import peft
    except ModuleNotFoundError as error:
        if error.name == "peft":
            raise MissingExtraError("peft", EXTRA) from error
        cause = error.__cause__ or error
        beside = f"torch {torch.__version__} and transformers {transformers.__version__}"
        raise UnusableModelError(
            f"peft does not load with {beside}: {cause}. If the error comes from torchvision, torchvision was built "
            "for another torch. Remove it, as it is not needed (pip uninstall torchvision), or install both from one "
            "index."
        ) from error
    assert peft


@dataclass(frozen=True)
class Division:
    """The questions of one training."""

    training: tuple[Item, ...]
    validation: tuple[Item, ...]
    tested: tuple[Item, ...]
    shared: int = 0
    """Training questions left out, since their patient or image is among the tested ones."""
    not_drawn: int = 0
    """Training questions left out, since fewer were asked for."""


def divide(
    audited: Audited, *, folds: int = 0, validation_share: float = 0.1, questions: int | None = None, seed: int = 0
) -> list[Division]:
    """Divide the questions for each training: one for a training split, or one per fold.

    In folds, `folds` networks are trained. Each learns from the training split and the other folds, and is tested on
    its own fold.
    """
    if not audited.choices:
        raise StudyError(f"{audited.name} has no question with two or more options, so there is nothing to guess.")
    if not folds and not audited.training_choices:
        raise StudyError(
            f"{audited.name} has no training split: no item's `split` says train. Name one with --train BENCHMARK, or "
            "train on the benchmark's other questions with --folds 5, which trains five times."
        )
    items = (*audited.training_choices, *audited.choices)
    groups = group_items(items)
    first = len(audited.training_choices)
    dealt = _assign_folds(items[first:], groups[first:], folds, seed) if folds else [0] * len(audited.choices)
    made = []
    for fold in range(max(folds, 1)):
        tested = {first + place for place, own in enumerate(dealt) if own == fold}
        others = [place for place in range(len(items) if folds else first) if place not in tested]
        held = {groups[place] for place in tested}
        kept = [place for place in others if groups[place] not in held]
        drawn = sorted(sorted(kept, key=lambda place: _rank(seed, items[place].id))[:questions])
        learnt, learnt_groups = [items[place] for place in drawn], [groups[place] for place in drawn]
        watched = _select_validation(learnt, learnt_groups, validation_share, seed)
        training, validation = (
            tuple(item for item, aside in zip(learnt, watched, strict=True) if aside is kind) for kind in (False, True)
        )
        asked = tuple(items[place] for place in sorted(tested))
        made.append(Division(training, validation, asked, len(others) - len(kept), len(kept) - len(drawn)))
    if not all(each.training for each in made):
        raise StudyError(
            f"{audited.name}: no question is left to learn from, since the patients or images of all training "
            "questions are tested, too."
        )
    return made


def group_items(items: Sequence[Item]) -> list[int]:
    """Group the items that share a patient or an image.

    An item of the same id and the same words is the same item, with an image or without.
    """
    marked = []
    for item in items:  # its id and words stand for it as a further image
        words = (item.id, item.context, item.question, *(option.text for option in item.options))
        digest = hashlib.sha256("\x1f".join(words).encode()).digest()
        marked.append(replace(item, images=(*item.images, Image(digest))))
    return [int(group) for group in groups_of(marked)]


def _assign_folds(items: Sequence[Item], groups: Sequence[int], folds: int, seed: int) -> list[int]:
    """Assign groups to folds, the largest first, to the smallest fold."""
    members = _members(items, groups, seed)
    if folds < 2 or len(members) < folds:
        raise StudyError(f"{len(members)} patients or images are too few for {folds} folds.")
    sizes = [0] * folds
    fold_of: dict[int, int] = {}
    for group in sorted(members, key=lambda each: -members[each]):
        fold_of[group] = sizes.index(min(sizes))
        sizes[fold_of[group]] += members[group]
    return [fold_of[group] for group in groups]


def _select_validation(items: Sequence[Item], groups: Sequence[int], share: float, seed: int) -> list[bool]:
    """Set aside whole groups of training items for validation, up to a share."""
    members = _members(items, groups, seed)
    aside: set[int] = set()
    held = 0
    for group in list(members)[:-1]:
        if held < share * len(items) and held + members[group] <= max(share * len(items), 1):
            aside.add(group)
            held += members[group]
    return [group in aside for group in groups]


def _members(items: Sequence[Item], groups: Sequence[int], seed: int) -> dict[int, int]:
    """Count the items of each group, in an order set by seed and ids."""
    ranked = sorted(zip((_rank(seed, item.id) for item in items), groups, strict=True))
    return Counter(group for _, group in ranked)


def _rank(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{item_id}".encode()).digest()


Watch = Callable[[int, int], None]
"""Callback with the number of sequences that are done, and of all sequences."""


def probabilities(
    network: AdaptedModel, questions: Sequence[Worded], hardware: Hardware, watch: Watch | None = None
) -> list[Floats]:
    """Compute the probability of each answer of each question; they add up to 1.

    An answer counts up to its first token that differs from the question's other answers: for [[A]], [[B]] and so on,
    up to the letter. Answers that begin alike share one pass through the network.
    """
    import torch

    rows, where = _rows(questions)
    logs: list[dict[Tokens, float]] = [{} for _ in questions]
    done = 0
    network.model.eval()
    with torch.no_grad():
        for part in micro_batches([len(each.tokens) for each in rows], hardware):
            scores = torch.log_softmax(network.logits(pad_sequences([rows[place] for place in part])), dim=-1)
            begin = 0
            for place in part:
                question, ways = where[place]
                for way in ways:
                    at = range(begin, begin + len(way))
                    logs[question][way] = float(scores[list(at), list(way)].sum())
                begin += rows[place].answer
            done += len(part)
            if watch:
                watch(done, len(rows))
    found = []
    for own, each in zip(logs, questions, strict=True):
        of_answers = np.array([own[way] for way in paths(each.answers)])
        likely = np.exp(of_answers - of_answers.max())
        found.append(np.asarray(likely / likely.sum(), dtype=np.float64))
    return found


def _rows(questions: Sequence[Worded]) -> tuple[list[Lesson], list[tuple[int, list[Tokens]]]]:
    """Build the sequences for the network, with the question and answers of each."""
    rows: list[Lesson] = []
    where: list[tuple[int, list[Tokens]]] = []
    for number, question in enumerate(questions):
        beginnings: dict[Tokens, list[Tokens]] = {}
        for way in paths(question.answers):
            beginnings.setdefault(way[:-1], []).append(way)
        for ways in beginnings.values():
            rows.append(Lesson((*question.tokens, *ways[0]), len(ways[0])))
            where.append((number, ways))
    return rows, where
