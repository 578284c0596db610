"""The command `snellen benchmark clean`: clean the benchmarks of a stored study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snellen.cli.options import (
    FOLDER,
    OUT,
    PARSER,
    STUDY,
    UNPACKED,
    FilePath,
    FiniteRange,
    Int64Range,
    option,
    tell,
)
from snellen.errors import StudyError
from snellen.runtime import provenance, visible

if TYPE_CHECKING:
    from snellen.items import Benchmark
    from snellen.scoring.results import Results
    from snellen.tools.audit.bclean import Bclean, BcleanResponses


@click.command("clean")
@OUT
@option(
    "--benchmark BENCHMARK...", "specs", help="The benchmark that was asked, to copy the text and images of kept items."
)
@option("--to FOLDER", type=FOLDER, help="Folder for the results, one subfolder per benchmark [default: OUT/bclean].")
@option(
    "--threshold",
    type=FiniteRange(0, 1, min_open=True),
    help="Instead of the paper's rule, remove items that are compromised (answerable without the image) with at least "
    "this probability.",
)
@option(
    "--train-on-compromised",
    "teach",
    is_flag=True,
    help="Also remove items that a text-only model, trained on compromised items, answers correctly (paper's Step 3).",
)
@option("--train BENCHMARK", help="Training split of the benchmark, for --train-on-compromised.")
@option(
    "--superguesser DIR",
    type=FilePath(exists=True, path_type=Path),
    help="Use the scores in this folder of `snellen benchmark guess` instead of --train-on-compromised.",
)
@option("--resamples", type=Int64Range(40), default=200, help="Resamples behind each 95% CI.")
@option("--seed", default=0, help="Seed of the resamples.")
@STUDY
@PARSER
@UNPACKED
def clean_command(folder: str, **how: Any) -> None:
    """Remove questions that models answer correctly without the image. This is B-Clean. It sends nothing.

    The study has responses with the image and without it (snellen exam --tests image-needed; several with --epochs 5).
    The Mirage paper's rule removes every item that any model answers right without the image. Guesses are right now and
    then: it also prints how many items guesses alone would remove, how many items are compromised after correcting for
    luck, and each model's accuracy on the others, with ranks and 95% CIs.

    \b
    snellen benchmark clean exam
    snellen benchmark clean exam --benchmark my-benchmark/ --to cleaned
    snellen benchmark clean exam --threshold 0.9
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if how["train"] and not how["teach"]:
        raise click.UsageError("--train needs --train-on-compromised: it adds questions for the text-only model.")
    if how["superguesser"] and how["teach"]:
        raise click.UsageError("Choose --superguesser or --train-on-compromised, not both: each is the paper's Step 3.")
    clean_study(folder, **how)


def clean_study(
    folder: str,
    *,
    specs: Sequence[str],
    to: Path | None,
    train: str | None,
    teach: bool,
    superguesser: Path | None,
    threshold: float | None,
    **how: Any,
) -> None:
    """Clean every benchmark of a study that was also asked without the image."""
    from snellen.benchmarks import load
    from snellen.cli.terminal import say_study, say_unscored, working
    from snellen.scoring.results import rescore
    from snellen.tools.audit import bclean
    from snellen.tools.audit.cleaned import as_given, write

    draws = {name: how.pop(name) for name in ("resamples", "seed")}
    with working("reading the responses"):
        results = rescore(folder, **how)
    if results.stops:
        raise StudyError(
            "This study stopped asking once its verdicts were settled, so many questions have no responses. "
            "Run it again without until_settled, with the same folder."
        )
    asked = bclean.collect_responses(results)
    homes = _choose_folders(asked, Path(to or Path(folder) / "bclean"))
    study_seed = int(results.study.get("seed") or 0) % 2**64
    given = _match(asked, [load(spec, seed=study_seed, allow_broken=True) for spec in specs])
    training = load(train, seed=study_seed, allow_broken=True).items if train else ()
    light = bclean.text_only(training, seed=draws["seed"]) if teach else None
    taught_by = bclean.use_scores(superguesser) if superguesser else light
    say_study(results.study["name"], results.others, results.out)
    say_unscored(results)
    for each, home in zip(asked, homes, strict=True):
        source = given.get(each.benchmark)
        with working("cleaning the benchmark"):
            whole = as_given(each, source) if source else each
            cleaned = bclean.clean(whole, threshold=threshold, teach=taught_by, **draws)
        show_cleaned(cleaned)
        items = cleaned.kept_items if source else None
        write(cleaned, home, {**_describe(results, cleaned), **draws}, items)
        what = "Items, card and ids" if items else "Ids and card (no items: name them with --benchmark)"
        tell(f"{what}: {home.resolve()}\nPage: {home.resolve() / 'bclean.html'}")


def _choose_folders(asked: Sequence[BcleanResponses], to: Path) -> list[Path]:
    """Return an empty folder for each benchmark; raise if one is not empty."""
    from snellen.tools.audit.cleaned import folder_name, free_folder

    names: dict[str, int] = {}
    homes = []
    for each in asked:
        name = folder_name(each.benchmark)
        names[name] = names.get(name, 0) + 1
        homes.append(to / (name if names[name] == 1 else f"{name}-{names[name]}"))
    return [free_folder(home) for home in homes]


def _match(asked: Sequence[BcleanResponses], whole: Sequence[Benchmark]) -> dict[str, Benchmark]:
    """Return the benchmarks given by the user, by their name in the study."""
    loaded = [part for each in whole for part in (*each.by_kind(), each)]  # a study may ask all kinds together
    found = {}
    for each in asked:
        same = [part for part in loaded if part.name == each.benchmark]
        holds = [part for part in loaded if part.by_id.keys() >= {item.id for item in each.items}]
        if fitting := [part for part in same if part in holds] or same or holds:
            found[each.benchmark] = fitting[0]
    if loaded and not found:
        names = ", ".join(each.benchmark for each in asked)
        raise StudyError(f"The study asked none of the benchmarks given with --benchmark. It asked: {names}.")
    return found


def _describe(results: Results, cleaned: Bclean) -> dict[str, Any]:
    study, made = results.study, provenance()
    return {
        "created": made["created"],
        "study": study["name"],
        "asked": study.get("created", ""),
        "models": ", ".join(f"{name} {revision}".strip() for name, revision in study["models"]),
        "prompt": study.get("prompt", ""),
        "settings": study.get("settings", {}),
        "parser": study["parser"],
        "condition with the image": cleaned.asked.arms[0],
        "condition without the image": cleaned.asked.arms[1],
        "responses to an item without the image": cleaned.asked.draws,
        "rule": "the paper's" if cleaned.threshold is None else f"posterior of at least {cleaned.threshold:g}",
        "versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items()),
    }


def show_cleaned(cleaned: Bclean) -> None:
    """Print how many items each model compromised, and accuracies and ranks before and after."""
    from snellen.cli.terminal import out
    from snellen.report.components import Note
    from snellen.report.text import draw_text
    from snellen.tools.audit.bclean import sentences
    from snellen.tools.audit.cleaned import draw_accuracies, draw_models

    out.print(f"\n{visible(cleaned.asked.benchmark)}", style="bold", soft_wrap=True)
    said = (Note(each) for each in (*sentences(cleaned), *cleaned.notes))
    tell(draw_text([draw_models(cleaned), *draw_accuracies(cleaned), *said], out.width))
