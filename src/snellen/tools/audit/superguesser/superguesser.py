"""The super-guesser of a benchmark: divide its questions, train on some, and answer the others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from snellen.errors import UnusableModelError
from snellen.files import create_folder
from snellen.prompts import MIRAGE, Prompt
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.superguesser.answering import probabilities
from snellen.tools.audit.superguesser.division import Division, divide, group_items
from snellen.tools.audit.superguesser.door import PACKAGES, open_door
from snellen.tools.audit.superguesser.lora import load_base, save_adapters, with_adapters
from snellen.tools.audit.superguesser.recipe import PAPER, USUAL, Hardware, Recipe
from snellen.tools.audit.superguesser.results import Guess, SuperGuess, Training
from snellen.tools.audit.superguesser.training import Lessons, OptimizerStep, train
from snellen.tools.audit.superguesser.wording import QuestionTokenizer, Worded, prompt_for


@dataclass(frozen=True)
class SuperGuesser:
    """What is trained, how, and where it is kept."""

    audited: Audited
    base: Path
    out: Path
    recipe: Recipe = PAPER
    hardware: Hardware = USUAL
    prompt: Prompt = MIRAGE
    folds: int = 0
    questions: int | None = None
    """How many training questions are drawn; None: all. The paper drew 100,000."""

    def divisions(self) -> list[Division]:
        """The questions of each training."""
        return divide(
            self.audited,
            folds=self.folds,
            validation_share=self.recipe.validation_share,
            questions=self.questions,
            seed=self.recipe.seed,
        )

    def folder(self, number: int) -> Path:
        """Where one training is kept."""
        return self.out / (f"fold-{number + 1}" if self.folds else "training")


@dataclass(frozen=True)
class Watching:
    """Callbacks for progress: training steps, then answered sequences."""

    step: Callable[[int, OptimizerStep], None] | None = None
    answered: Callable[[int, int, int], None] | None = None


UNWATCHED = Watching()


def super_guess(guesser: SuperGuesser, watching: Watching = UNWATCHED) -> SuperGuess:
    """Train the super-guesser and let it answer. An interrupted call goes on where it was when it is made again."""
    divisions = guesser.divisions()
    open_door()
    create_folder(guesser.out)
    wording = QuestionTokenizer(
        prompt_for(guesser.audited.name, guesser.prompt), _tokenizer(guesser.base), guesser.recipe.max_length
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
    network = with_adapters(_base(guesser), guesser.recipe, guesser.hardware)
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


def _tokenizer(base: Path) -> Any:
    from transformers import AutoTokenizer

    return _read(base, lambda: AutoTokenizer.from_pretrained(base, local_files_only=True, trust_remote_code=False))


def _base(guesser: SuperGuesser) -> Any:
    return _read(guesser.base, lambda: load_base(guesser.base, guesser.recipe, guesser.hardware))


def _read(base: Path, read: Callable[[], Any]) -> Any:
    if not (base / "config.json").is_file():
        raise UnusableModelError(
            f"{base} is not the folder of a language model: it has no config.json. Download one first, for example "
            "hf download Qwen/Qwen2.5-3B-Instruct --local-dir qwen2.5-3b-instruct."
        )
    try:
        return read()
    except Exception as error:
        raise UnusableModelError(f"{base}: the language model cannot be loaded: {error}") from error
