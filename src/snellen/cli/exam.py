"""The command `snellen exam`."""

from __future__ import annotations

from typing import Any

import click

from snellen.cli.options import DRY_RUN, ON, VERBOSELY, FilePath, name_option, option, study_options


@click.command("exam")
@option("--model PROVIDER/MODEL...", "models", help="Model to examine.")
@option("--benchmark BENCHMARK...", "benchmarks", help="phantoms, vqa-rad:DIR, classes:DIR, or a folder of your own.")
@option(
    "--tests TESTS...",
    help="Stress tests, or suites of them (standard, readiness, pathway, mirage, artefacts); see `snellen list`.",
)
@option("--base-url URL", help="Address of the models' server [default: the provider's own].")
@option("--api-key-env VARIABLE", help="Environment variable that holds the key [default: the provider's].")
@option("--out", type=FilePath(), default="exam", help="Folder for responses, results and report.")
@name_option("study-1, study-2 and so on")
@study_options
@ON
@DRY_RUN
@VERBOSELY
def exam_command(models: tuple[str, ...], benchmarks: tuple[str, ...], tests: tuple[str, ...], **options: Any) -> None:
    """Examine models on benchmarks and write the report.

    Without --model, the bundled organisms are examined: small models with known behaviour. Without --benchmark, models
    are asked about bundled phantoms (synthetic images); to show what organisms do, half of the texts give them the
    answer. Neither needs a key or a network.

    \b
    snellen exam
    snellen exam --model openai/gpt-5 --benchmark my-benchmark/ --limit 100
    snellen exam --model openai/gpt-5 --benchmark my-benchmark/ --tests readiness
    OPENAI_BASE_URL=http://localhost:8000/v1 snellen exam --model openai/my-model
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.cli.asking import conduct, split_tests, study_fields
    from snellen.study import Study

    dry_run = options.pop("dry_run")
    asked = split_tests(tests)
    if tests and not asked:
        raise click.BadParameter("it names no test; see `snellen list tests`.", param_hint="--tests")
    reach = {name: value for name in ("base_url", "api_key_env") if (value := options.pop(name))}
    models = tuple(dict.fromkeys((*models, *options["text_only"])))
    if reach and not models:
        raise click.UsageError("--base-url and --api-key-env say how a --model is reached. Name one.")
    entries = [{"name": each, **reach} for each in models] if reach else models
    named: dict[str, Any] = {"models": entries, "benchmarks": benchmarks, "tests": asked}
    given = {name: value for name, value in named.items() if value}
    conduct(Study(**given, **study_fields(options)), dry_run=dry_run)
