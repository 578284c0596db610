"""The command `snellen benchmark guess`."""

from __future__ import annotations

import sys
from typing import Any

import click

from snellen.cli.options import UNPACKED, option
from snellen.commands.arguments import FilePath, FiniteRange, Int64, Int64Range
from snellen.prompts import PROMPTS


@click.command("guess")
@click.argument("benchmark", metavar="BENCHMARK")
@option("--base", required=True, metavar="DIR", help="Folder of a language model, such as Qwen2.5-3B-Instruct.")
@option("--train", metavar="BENCHMARK", help="The training split, where that is a benchmark of its own.")
@option(
    "--folds",
    type=Int64Range(2),
    metavar="K",
    help="Learn from other questions of the same benchmark: K folds of patients and images, K trainings.",
)
@option("--questions", type=Int64Range(1), metavar="N", help="Draw N training questions [default: all].")
@option(
    "--out",
    "folder",
    type=FilePath(),
    default="superguesser",
    show_default=True,
    help="Folder for checkpoints and scores.",
)
@option("--prompt", type=click.Choice(list(PROMPTS)), default="mirage", show_default=True, help="Prompt template.")
@option("--epochs", type=Int64Range(1), help="Times that every question is learnt from [default: 3].")
@option("--learning-rate", type=FiniteRange(0, min_open=True), help="At the start [default: 5e-5].")
@option("--batch", type=Int64Range(1), help="Questions in one step of the optimizer [default: 256].")
@option("--max-length", type=Int64Range(16), help="Tokens; longer questions lose their beginning [default: 2048].")
@option("--precision", type=click.Choice(["bf16", "fp32"]), help="Of the base model [default: bf16].")
@option("--seed", type=Int64(), default=0, show_default=True, help="Seed of all random draws, including the phantoms.")
@option("--device", metavar="NAME", help="Such as cuda:1 or cpu [default: the first GPU, else the CPU].")
@option("--micro-batch", type=Int64Range(1), help="Most questions in the network at once [default: 32].")
@option("--micro-tokens", type=Int64Range(1), help="Most tokens in the network at once [default: 16384].")
@option("--checkpointing", is_flag=True, help="Compute activations again to save memory; slower by 30%.")
@option(
    "--compile",
    "compiled",
    is_flag=True,
    help="Compile the layers: half a minute first, then a quarter faster or more.",
)
@option("--save-every", type=Int64Range(1), help="Steps between two checkpoints [default: 50].")
@option("--dry-run", is_flag=True, help="Show how many questions and steps there are; train nothing.")
@UNPACKED
def guess_command(benchmark: str, **options: Any) -> None:
    """Train a language model on questions without their images. Then test it on others.

    What it gets right can be answered without eyes. It is trained as in the Mirage paper: LoRA of rank 8 on all linear
    layers, LoRA+, three epochs, 256 questions a step. No patient and no image is both learnt from and tested. Ctrl-C
    stops it; the same command goes on. It writes scores.jsonl (a row for every question) and superguesser.json.

    The base is a folder; nothing is fetched. A GPU is needed for one of three billion parameters. It needs the extra
    superguesser: pip install 'snellen[superguesser]'.

    \b
    snellen benchmark guess my-benchmark/ --base qwen2.5-3b-instruct
    snellen benchmark guess test/ --train train/ --questions 100000 --base qwen2.5-3b-instruct --compile
    snellen benchmark guess my-benchmark/ --folds 5 --base qwen2.5-3b-instruct --dry-run
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.superguesser import train_super_guesser

    try:
        train_super_guesser(benchmark, **options)
    except KeyboardInterrupt:
        click.echo("\nStopped. The training is kept; the same command goes on.", err=True)
        sys.exit(130)
