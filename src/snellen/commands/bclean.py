"""What `snellen benchmark clean` does: cleans the benchmarks of a stored study, prints and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snellen.benchmarks import load
from snellen.commands.console import out
from snellen.commands.terminal import grading, say_study, say_unscored
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.report.components import Note, Part
from snellen.report.text import draw_text
from snellen.runtime import provenance, visible
from snellen.scoring.results import Results, rescore
from snellen.tools.audit.bclean import Asked, Bclean, clean, gathered, scored, sentences, text_only
from snellen.tools.audit.bclean_page import draw_accuracies, draw_models
from snellen.tools.audit.cleaned import as_given, folder_name, free_folder, write


def clean_study(
    folder: str,
    *,
    specs: Sequence[str],
    to: Path | None,
    study: str | None,
    parsers: Sequence[str],
    threshold: float | None,
    teach: bool,
    train: str | None,
    superguesser: Path | None,
    resamples: int,
    seed: int,
) -> list[Bclean]:
    """Clean every benchmark of a study that was asked without the image, print and write what was found."""
    with grading("reading the responses"):
        results = rescore(folder, study=study, parsers=parsers)
    if results.stops:
        raise StudyError(
            "This study stopped asking once its verdicts were settled, so that many questions have no responses. "
            "Run it again without until_settled, with the same folder."
        )
    asked = gathered(results)
    homes = _homes(asked, Path(to or Path(folder) / "bclean"))
    study_seed = int(results.study.get("seed") or 0) % 2**64
    given = _given(asked, specs, study_seed)
    training = load(train, seed=study_seed, allow_broken=True).items if train else ()
    light = text_only(training, seed=seed) if teach else None
    taught_by = scored(superguesser) if superguesser else light
    say_study(results.study["name"], results.others, results.out)
    say_unscored(results)
    done = []
    for each, home in zip(asked, homes, strict=True):
        source = given.get(each.benchmark)
        whole = as_given(each, source) if source else each
        with grading("cleaning the benchmark"):
            cleaned = clean(whole, threshold=threshold, teach=taught_by, resamples=resamples, seed=seed)
        items = cleaned.kept_items if source else None
        show(cleaned)
        write(cleaned, home, _about(results, cleaned, resamples, seed), items)
        what = "Items, card and ids" if items else "Ids and card (no items: name them with --benchmark)"
        out.print(f"{what}: {home.resolve()}\nPage: {home.resolve() / 'bclean.html'}", soft_wrap=True)
        done.append(cleaned)
    return done


def _homes(asked: Sequence[Asked], to: Path) -> list[Path]:
    """A folder for each benchmark; none of them may hold anything yet."""
    names: dict[str, int] = {}
    homes = []
    for each in asked:
        name = folder_name(each.benchmark)
        names[name] = names.get(name, 0) + 1
        homes.append(to / (name if names[name] == 1 else f"{name}-{names[name]}"))
    return [free_folder(home) for home in homes]


def _given(asked: Sequence[Asked], specs: Sequence[str], seed: int) -> dict[str, Benchmark]:
    """The benchmarks that were named, by the name that the study has for them."""
    whole = [load(spec, seed=seed, allow_broken=True) for spec in specs]
    loaded = [part for each in whole for part in (*each.by_kind(), each)]  # a study may ask the kinds together
    found = {}
    for each in asked:
        same = [part for part in loaded if part.name == each.benchmark]
        holds = [part for part in loaded if part.by_id.keys() >= {item.id for item in each.items}]
        if fitting := [part for part in same if part in holds] or same or holds:
            found[each.benchmark] = fitting[0]
    if loaded and not found:
        names = ", ".join(each.benchmark for each in asked)
        raise StudyError(f"No benchmark given with --benchmark is one that the study asked: {names}.")
    return found


def _about(results: Results, cleaned: Bclean, resamples: int, seed: int) -> dict[str, Any]:
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
        "resamples": resamples,
        "seed": seed,
        "versions": ", ".join(f"{name} {number}" for name, number in made["versions"].items()),
    }


def show(cleaned: Bclean) -> None:
    """Print who compromised how many items, accuracies and ranks before and after, and what that means."""
    out.print(f"\n{visible(cleaned.asked.benchmark)}", style="bold", soft_wrap=True)
    said = [Note(each) for each in (*sentences(cleaned), *cleaned.notes)]
    parts: list[Part] = [draw_models(cleaned), *draw_accuracies(cleaned), *said]
    out.print(draw_text(parts, out.width), soft_wrap=True)
