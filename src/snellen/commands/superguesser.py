"""What `snellen benchmark guess` does: trains a language model on questions without images, and tests it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from snellen.asking.progress import LINE_EVERY, duration
from snellen.benchmarks import load
from snellen.commands.complaining import complain
from snellen.commands.console import Terminal, out
from snellen.prompts import prompt_named
from snellen.runtime import counted, time_left, visible
from snellen.tools.audit.audited import Audited, audited
from snellen.tools.audit.superguesser.division import Division
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.results import SCORES, SUMMARY, SuperGuess
from snellen.tools.audit.superguesser.superguesser import SuperGuesser, Watching, super_guess
from snellen.tools.audit.superguesser.training import OptimizerStep

RECIPE = ("epochs", "learning_rate", "batch", "max_length", "precision", "seed")
HARDWARE = ("device", "micro_batch", "micro_tokens", "checkpointing", "compiled", "save_every")


def train_super_guesser(
    benchmark: str,
    *,
    base: str,
    train: str | None,
    folder: str,
    prompt: str,
    folds: int | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Train and test the super-guesser of a benchmark, and print what came of it."""
    given = {name: value for name, value in options.items() if value is not None}
    recipe = Recipe(**{name: given[name] for name in RECIPE if name in given})
    guesser = SuperGuesser(
        _loaded(benchmark, train, recipe.seed),
        Path(base).expanduser(),
        Path(folder),
        recipe=recipe,
        hardware=Hardware(**{name: given[name] for name in HARDWARE if name in given}),
        prompt=prompt_named(prompt),
        folds=folds or 0,
        questions=given.get("questions"),
    )
    show_divisions(guesser.divisions(), recipe)
    if dry_run:
        return
    with _watched() as watching:
        done = super_guess(guesser, watching)
    show_guess(done, guesser.out)


def _loaded(benchmark: str, train: str | None, seed: int) -> Audited:
    loaded = load(benchmark, seed=seed, allow_broken=True)
    training = load(train, seed=seed, allow_broken=True) if train else None
    for each in filter(None, (loaded, training)):
        if each.broken:
            complain(f"{each.name}: {counted(len(each.broken), 'row')} cannot be used and are left out.")
    return audited(loaded, training, seed=seed)


def show_divisions(divisions: Sequence[Division], recipe: Recipe) -> None:
    """Print what is learnt from, what is tested, and what was left out."""
    if len(divisions) > 1:
        out.print(f"{len(divisions)} folds: {len(divisions)} trainings, one after another.", soft_wrap=True)
    for number, each in enumerate(divisions):
        name = f"Fold {number + 1}: " if len(divisions) > 1 else ""
        left = f" {counted(each.shared, 'training question')} left out: patient or image is tested." * bool(each.shared)
        left += f" {counted(each.not_drawn, 'training question')} not drawn." * bool(each.not_drawn)
        out.print(
            f"{name}{counted(len(each.training), 'question')} to learn from in {recipe.steps(len(each.training)):,} "
            f"steps, {len(each.validation):,} for validation, {len(each.tested):,} tested.{left}",
            soft_wrap=True,
        )


def show_guess(done: SuperGuess, folder: Path) -> None:
    """Print the result, what was cut, and where the files are."""
    out.print(visible(done.sentence()), soft_wrap=True)
    cut = sum(each.truncated for each in done.guesses)
    learnt = sum(each.truncated for each in done.trainings)
    if cut or learnt:
        length = done.about["recipe"]["max_length"]
        out.print(
            f"Longer than {length:,} tokens, so that their beginning was cut off: {cut:,} tested, {learnt:,} training "
            "and validation questions.",
            soft_wrap=True,
        )
    out.print(f"Scores of every question: {(folder / SCORES).resolve()}", soft_wrap=True)
    out.print(f"How it was trained: {(folder / SUMMARY).resolve()}", soft_wrap=True)


@contextmanager
def _watched() -> Iterator[Watching]:
    """A bar with loss, speed and time left in a terminal; elsewhere a line now and then."""
    console = Terminal(stderr=True)
    bar = Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}", markup=False),
        console=console,
        disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}
    said = [time.monotonic()]

    def show(name: str, done: int, of: int, state: str) -> None:
        if name not in tasks:
            tasks[name] = bar.add_task(name, total=of, state="")
        bar.update(tasks[name], completed=done, state=state)
        if not console.is_terminal and (time.monotonic() >= said[0] + LINE_EVERY or done == of):
            said[0] = time.monotonic()
            console.print(f"{name} {done:,} of {of:,} {state}".rstrip(), markup=False, highlight=False, soft_wrap=True)

    def step(number: int, taken: OptimizerStep) -> None:
        show(f"training {number + 1}", taken.number, taken.of, step_in_words(taken))

    def answered(number: int, done: int, of: int) -> None:
        show(f"testing {number + 1}", done, of, "")

    with bar:
        yield Watching(step, answered)


def step_in_words(step: OptimizerStep) -> str:
    """Loss, speed and time left after a step."""
    rate = step.tokens / step.seconds if step.seconds else 0.0
    watched = f" · validation loss {step.validation_loss:.3f}" if step.validation_loss is not None else ""
    left = time_left(step.number, step.of, step.number * step.seconds)
    told = f" · {duration(left)} left" if left is not None else ""
    return f"loss {step.loss:.3f}{watched} · {rate:,.0f} tokens/s{told}"
