"""The command `snellen benchmark guess`: train a language model on questions without images, and test it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import UNPACKED, FilePath, FiniteRange, Int64Range, LateChoice, complain, option, tell
from snellen.runtime import counted, time_left

if TYPE_CHECKING:
    from snellen.tools.audit.audited import Audited
    from snellen.tools.audit.superguesser.recipe import Recipe
    from snellen.tools.audit.superguesser.results import SuperGuess
    from snellen.tools.audit.superguesser.superguesser import Division
    from snellen.tools.audit.superguesser.training import OptimizerStep

RECIPE = ("epochs", "learning_rate", "batch", "max_length", "precision", "seed")
HARDWARE = ("device", "micro_batch", "micro_tokens", "checkpointing", "compiled", "save_every")


@click.command("guess")
@click.argument("benchmark", metavar="BENCHMARK")
@option("--base DIR", required=True, help="Folder of a language model, such as Qwen2.5-3B-Instruct.")
@option("--train BENCHMARK", help="The training split, if it is a separate benchmark.")
@option(
    "--folds K",
    type=Int64Range(2),
    help="Learn from the same benchmark by cross-validation: K folds of patients and images, K trainings.",
)
@option("--questions N", type=Int64Range(1), help="Draw N training questions [default: all].")
@option("--out", "folder", type=FilePath(), default="superguesser", help="Folder for checkpoints and scores.")
@option("--prompt", type=LateChoice("snellen.prompts:PROMPTS"), default="mirage", help="Prompt template.")
@option("--epochs", type=Int64Range(1), help="Passes over the training questions [default: 3].")
@option("--learning-rate", type=FiniteRange(0, min_open=True), help="Learning rate at the start [default: 5e-5].")
@option("--batch", type=Int64Range(1), help="Questions in one step of the optimizer [default: 256].")
@option(
    "--max-length",
    type=Int64Range(16),
    help="Most tokens per question; longer ones lose their beginning [default: 2048].",
)
@option("--precision", type=click.Choice(["bf16", "fp32"]), help="Precision of the base model [default: bf16].")
@option("--seed", default=0, help="Seed of all random draws, including the phantoms.")
@option("--device NAME", help="Device for training, such as cuda:1 or cpu [default: the first GPU, else the CPU].")
@option("--micro-batch", type=Int64Range(1), help="Most questions in the network at once [default: 32].")
@option("--micro-tokens", type=Int64Range(1), help="Most tokens in the network at once [default: 16384].")
@option("--checkpointing", is_flag=True, help="Recompute activations to save memory; slower by 30%.")
@option(
    "--compile",
    "compiled",
    is_flag=True,
    help="Compile the layers: takes half a minute, then training is at least a quarter faster.",
)
@option("--save-every", type=Int64Range(1), help="Steps between two checkpoints [default: 50].")
@option("--dry-run", is_flag=True, help="Show how many questions and steps there are; train nothing.")
@UNPACKED
def guess_command(benchmark: str, **options: Any) -> None:
    """Train a language model on questions without their images. Then test it on others.

    Questions that it answers correctly need no image. It is trained as in the Mirage paper: LoRA of rank 8 on all
    linear layers, LoRA+, three epochs, 256 questions a step. No patient and no image is in both training and test.
    Ctrl-C stops it; run the same command to continue. It writes scores.jsonl (a row for every question) and
    superguesser.json.

    The base is a folder; nothing is fetched. A model of three billion parameters needs a GPU. The command needs the
    extra superguesser: pip install 'snellen[superguesser]'.

    \b
    snellen benchmark guess my-benchmark/ --base qwen2.5-3b-instruct
    snellen benchmark guess test/ --train train/ --questions 100000 --base qwen2.5-3b-instruct --compile
    snellen benchmark guess my-benchmark/ --folds 5 --base qwen2.5-3b-instruct --dry-run
    """  # noqa: D301 - the backslash keeps the lines below it apart
    try:
        train_super_guesser(benchmark, **options)
    except KeyboardInterrupt:
        click.echo("\nStopped. Run the same command to continue training.", err=True)
        sys.exit(130)


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
    """Train and test the super-guesser of a benchmark, and print the result.

    A super-guesser is a language model that is trained to answer without the images.
    """
    from snellen.cli.terminal import ProgressBars
    from snellen.prompts import prompt_named
    from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
    from snellen.tools.audit.superguesser.superguesser import SuperGuesser, Watching, super_guess

    given = {name: value for name, value in options.items() if value is not None}
    recipe = Recipe(**{name: given[name] for name in RECIPE if name in given})
    guesser = SuperGuesser(
        _load(benchmark, train, recipe.seed),
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
    with ProgressBars(each=True) as bars:
        watching = Watching(
            lambda at, step: bars(f"training {at + 1}", step.number, step.of, describe_step(step)),
            lambda at, done, of: bars(f"testing {at + 1}", done, of),
        )
        done = super_guess(guesser, watching)
    show_guess(done, guesser.out)


def _load(benchmark: str, train: str | None, seed: int) -> Audited:
    from snellen.benchmarks import load
    from snellen.tools.audit.audited import prepare_benchmark

    loaded = load(benchmark, seed=seed, allow_broken=True)
    training = load(train, seed=seed, allow_broken=True) if train else None
    for each in filter(None, (loaded, training)):
        if each.broken:
            complain(f"{each.name}: {counted(len(each.broken), 'row')} cannot be used and are left out.")
    return prepare_benchmark(loaded, training, seed=seed)


def show_divisions(divisions: Sequence[Division], recipe: Recipe) -> None:
    """Print the numbers of training, validation, test and omitted questions."""
    if len(divisions) > 1:
        tell(f"{len(divisions)} folds: {len(divisions)} trainings, one after another.")
    for number, each in enumerate(divisions):
        name = f"Fold {number + 1}: " if len(divisions) > 1 else ""
        left = f" {counted(each.shared, 'training question')} left out: their patient or image is tested." * bool(
            each.shared
        )
        left += f" {counted(each.not_drawn, 'training question')} not drawn." * bool(each.not_drawn)
        tell(
            f"{name}{counted(len(each.training), 'question')} to learn from in {recipe.steps(len(each.training)):,} "
            f"steps, {len(each.validation):,} for validation, {len(each.tested):,} tested.{left}"
        )


def show_guess(done: SuperGuess, folder: Path) -> None:
    """Print the result, the number of truncated questions, and the paths of the files."""
    from snellen.tools.audit.superguesser.results import SCORES, SUMMARY

    tell(done.sentence())
    cut = sum(each.truncated for each in done.guesses)
    learnt = sum(each.truncated for each in done.trainings)
    if cut or learnt:
        length = done.about["recipe"]["max_length"]
        tell(
            f"Cut off at the beginning, because longer than {length:,} tokens: {cut:,} tested questions, {learnt:,} "
            "for training and validation."
        )
    tell(f"Scores of every question: {(folder / SCORES).resolve()}")
    tell(f"Record of the training: {(folder / SUMMARY).resolve()}")


def describe_step(step: OptimizerStep) -> str:
    """Describe the loss, speed and time left after a training step."""
    from snellen.asking.progress import duration

    rate = step.tokens / step.seconds if step.seconds else 0.0
    watched = f" · validation loss {step.validation_loss:.3f}" if step.validation_loss is not None else ""
    left = time_left(step.number, step.of, step.number * step.seconds)
    told = f" · {duration(left)} left" if left is not None else ""
    return f"loss {step.loss:.3f}{watched} · {rate:,.0f} tokens/s{told}"
