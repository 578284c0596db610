"""The command line: parse, call one function, print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import click
from rich.table import Table as Grid

from snellen.asking.progress import Count
from snellen.asking.run import Progress
from snellen.commands.arguments import FilePath, Finite, FiniteRange, Int64, Int64Range, Words
from snellen.commands.env_file import describe_unread, load_env_file
from snellen.commands.listing import LISTS, studies
from snellen.commands.terminal import (
    complain,
    grading,
    hold_against_people,
    hold_judge,
    not_sent,
    out,
    say_failures,
    say_held_back,
    say_study,
    say_unanswered,
    say_unread,
    say_unscored,
    show_bill,
    show_gate,
    show_how_read,
    show_imported,
    show_labels,
    show_left_out,
    show_papers,
    show_plan,
    show_published,
    show_results,
    show_studies,
)
from snellen.comparison.two_studies import FLIPS_SHOWN
from snellen.errors import RequirementError, SnellenError
from snellen.files import write_whole
from snellen.imports.recognising import TITLES
from snellen.judging import OPINIONS
from snellen.plugins import names
from snellen.prompts import PROMPTS, Settings
from snellen.protocols import papers, suites
from snellen.qualify import QUESTIONS, THRESHOLD, as_text, qualify_file
from snellen.report.figures.folder import FIGURE_FORMATS
from snellen.runtime import counted, few_collections, visible
from snellen.scoring.responses import list_held_back
from snellen.scoring.results import Results
from snellen.store import Store
from snellen.stress import MEMBERS
from snellen.study import EXPORTS, Study, bring, compare, export, gate, human_reference, judge, publish, rescore
from snellen.unpacking import allow_unpacked, parse_size


def main() -> None:
    """Run the command line; our own errors are one message and exit status 1, Ctrl-C is 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # half a character in the name of a file is shown, too
            stream.reconfigure(errors="backslashreplace")
    try:
        if unread := load_env_file(Path.cwd() / ".env"):
            complain(describe_unread(unread))
        with few_collections():
            cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show(told := StringIO())
        click.echo(visible(told.getvalue()), err=True, nl=False)
        sys.exit(error.exit_code)
    except SnellenError as error:
        complain("\n".join((str(error), *getattr(error, "__notes__", ()))))
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        complain(f"{error.filename!s:.200} cannot be used: {error.strerror}. Check this path.")
        sys.exit(1)
    except (KeyboardInterrupt, click.Abort):
        kept = {
            **dict.fromkeys(("audit", "bclean", "guard"), "Nothing was kept"),
            "degrade": "All copies so far are kept; the same command goes on",
            "deidentify": "The copy is not complete: remove its folder",
        }.get("".join(sys.argv[1:2]), "All responses so far are stored; the same command resumes")
        click.echo(f"\nStopped. {kept}.", err=True)
        sys.exit(130)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="snellen")
def cli() -> None:
    """An eye exam for medical vision-language models, and an audit of their benchmarks.

    Every option but --yes can also be set as SNELLEN_<OPTION> in the environment. Keys of model providers
    (OPENAI_API_KEY) are read from there, or from a file named .env, which may set a few numbers too (SNELLEN_LIMIT).
    Addresses (OPENAI_BASE_URL) are read from the environment alone.
    """


def _option(name: str, *names: str, **settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    variable = "SNELLEN_" + name.split("/")[0].lstrip("-").upper().replace("-", "_")
    if not settings.get("is_flag") and "/" not in name:
        settings.setdefault("type", Words())
    return click.option(name, *names, envvar=variable, **settings)


HUMAN = _option("--human", help="Human score, drawn as a line: 0.71, or points=56.9,questions=60,right=1.5,wrong=-0.4.")


ALLOW_HOST = _option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another name by which clients without a key may call this server; repeat for more.",
)
TIMEOUT = _option(
    "--timeout",
    type=FiniteRange(0, min_open=True),
    metavar="SECONDS",
    help="Longest time that one request may take [default: 600].",
)


MAP = _option(
    "--map",
    metavar="FIELD=COLUMN,…",
    help="How columns of your own table are read, such as question=Q,answer=label,images=image_path; images=none reads "
    "no images [default: by their names].",
)
YES = click.option(  # no variable sets it: consent is given on the command line, or when asked
    "--yes",
    is_flag=True,
    default=None,
    help="Allow, without being asked, that images go to other machines and that a study file uses hosts, variables "
    "and files that are not its own.",
)
ON = _option(
    "--on",
    metavar="ray|ray://HOST:PORT",
    help="Run models of your own (hf/…, vllm/…) and prepare requests on a Ray cluster: ray starts one on this machine, "
    "ray://HOST:PORT or ray://auto joins one. `replicas`, `num_cpus`, `num_gpus` in [[models]] say how much of it.",
)
DRY_RUN = _option("--dry-run", is_flag=True, help="Show what would be asked; send nothing.")


def _allow_unpacked(context: click.Context, _: click.Parameter, size: str | None) -> None:
    """Let packed files unpack to this size while the command runs."""
    if size is not None:
        try:
            context.with_resource(allow_unpacked(parse_size(size)))
        except ValueError as error:
            raise click.BadParameter(visible(str(error))) from error


UNPACKED = _option(
    "--max-unpacked",
    metavar="SIZE",
    callback=_allow_unpacked,
    expose_value=False,
    help="Let packed files that you trust (.gz, .zip, .xlsx, .eval, .parquet) unpack to this size, such as 4GB "
    "[default: 2GB, and at most 200 times their own size].",
)


VERBOSE = f"{__name__}.verbose"


def _set_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Remember for this command that every test is to be printed."""
    context.meta[VERBOSE] = value


VERBOSELY = _option(
    "--verbose",
    is_flag=True,
    callback=_set_verbose,
    expose_value=False,
    help="Print every test with its numbers and reason, not only a line for each model.",
)


def _name(usual: str, *names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option that names a study, with what it is called without it."""
    return _option("--name", *names, metavar="NAME", help=f"Name of the study in --out [default: {usual}].")


def study_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options that change a study, for every command that has one."""
    for option in reversed(
        (
            _option(
                "--limit",
                type=Int64Range(1),
                metavar="N",
                help="Ask N items of each benchmark, spread over its kinds of question, categories and answers; the "
                "same for any seed. One benchmark has its own limit in its line: vqa-rad:PATH,limit=60.",
            ),
            _option(
                "--sample",
                type=Int64Range(1),
                metavar="N",
                help="Ask N items of each benchmark, drawn by category; the same for the same seed.",
            ),
            _option(
                "--budget",
                type=FiniteRange(0, min_open=True),
                metavar="DOLLARS",
                help="Stop before the study costs more; what is stored of it counts.",
            ),
            _option(
                "--prices",
                type=FilePath(exists=True, dir_okay=False),
                metavar="FILE.toml",
                help="Prices of your own, in dollars per million tokens.",
            ),
            _option("--seed", type=Int64(), help="Seed of every random draw, including the phantoms."),
            _option("--epochs", type=Int64Range(1), help="Ask every question N times."),
            _option(
                "--repeat/--no-repeat",
                default=None,
                help="With one epoch, ask both orders of the options twice on up to 200 items [default: --repeat].",
            ),
            _option(
                "--until-settled/--ask-all",
                default=None,
                help="Ask in a random order and stop once every verdict on a model and benchmark is settled.",
            ),
            _option("--max-connections", type=Int64Range(1), help="Requests in flight for each model."),
            TIMEOUT,
            _option(
                "--image-side",
                type=Int64Range(0),
                metavar="PIXELS",
                help="Scale images down to so many pixels on the longer side; 0 for their own size [default: 2048].",
            ),
            _option(
                "--prompt",
                metavar="NAME|FILE",
                help="Prompt (see `snellen list prompts`), or a file with one of your own, with places such as "
                "{question} and {options} [default: the suite's own, else letter].",
            ),
            _option(
                "--examples",
                multiple=True,
                metavar="FILE.jsonl|BENCHMARK",
                help="Solved questions to show before each question; repeat for more. None of them may be asked.",
            ),
            _option("--shots", type=Int64Range(1), help="Draw N examples from each of --examples, by the seed."),
            _option("--system", metavar="TEXT|FILE", help="System prompt in place of the prompt's own."),
            _option(
                "--parser",
                metavar="NAME",
                help="How answers are read from responses; see `snellen list parsers` [default: lenient].",
            ),
            _option(
                "--temperature",
                type=Finite(),
                help="Sampling temperature [default: the suite's own, else the provider's].",
            ),
            _option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's]."),
            _option(
                "--reasoning-effort",
                type=click.Choice(["none", "minimal", "low", "medium", "high"]),
                help="How long a reasoning model may think [default: the provider's].",
            ),
            HUMAN,
            _option(
                "--text-only",
                multiple=True,
                metavar="PROVIDER/MODEL",
                help="Model to examine that takes no images: it is asked only what comes without one; repeat for more.",
            ),
            _option(
                "--group",
                "groups",
                multiple=True,
                metavar="NAME=MODEL,MODEL",
                help="Models that are compared as a group, such as medical=hf/llava-med; repeat for more.",
            ),
            _option("--allow-broken/--no-broken", default=None, help="Leave out broken rows instead of stopping."),
            UNPACKED,
            MAP,
            _option(
                "--batch/--no-batch",
                default=None,
                help="Hand the questions in to the providers' batch APIs: half the price, answered within a day.",
            ),
            _option(
                "--canary/--no-canary",
                default=None,
                help="Show each model a few fresh letters before the first image goes out [default: canary].",
            ),
            _option(
                "--accept-blind/--no-blind",
                default=None,
                help="Ask a model all the same that images do not reach; no verdict is drawn from its responses.",
            ),
            YES,
        )
    ):
        command = option(command)
    return command


@cli.command()
@_option("--model", "models", multiple=True, metavar="PROVIDER/MODEL", help="Model to examine; repeat for more.")
@_option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    help="phantoms, vqa-rad:DIR, classes:DIR, or a folder of your own; repeat for more.",
)
@_option(
    "--tests",
    multiple=True,
    help="Stress tests, or suites of them (standard, readiness, pathway, mirage, artefacts); see `snellen list`.",
)
@_option("--base-url", metavar="URL", help="Address of the models' server [default: the provider's own].")
@_option("--api-key-env", metavar="VARIABLE", help="Environment variable that holds the key [default: the provider's].")
@_option("--out", type=FilePath(), default="exam", show_default=True, help="Folder for responses, results and report.")
@_name("study-1, study-2 and so on")
@study_options
@ON
@DRY_RUN
@VERBOSELY
def exam(models: tuple[str, ...], benchmarks: tuple[str, ...], tests: tuple[str, ...], **options: Any) -> None:
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
    dry_run = options.pop("dry_run")
    if tests and not _split(tests):
        raise click.BadParameter("it names no test; see `snellen list tests`.", param_hint="--tests")
    reach = {name: value for name in ("base_url", "api_key_env") if (value := options.pop(name))}
    models = tuple(dict.fromkeys((*models, *options["text_only"])))
    if reach and not models:
        raise click.UsageError("--base-url and --api-key-env say how a --model is reached. Name one.")
    entries = [{"name": each, **reach} for each in models] if reach else models
    named: dict[str, Any] = {"models": entries, "benchmarks": benchmarks, "tests": _split(tests)}
    given = {name: value for name, value in named.items() if value}
    _conduct(Study(**given, **_changes(options)), dry_run=dry_run)


@cli.command("plan")
@click.argument("study", metavar="[STUDY.toml]", required=False, type=FilePath(exists=True, dir_okay=False))
@_option("--labels", is_flag=True, help="Show how many labels by people are enough to rely on a judge, instead.")
@_option(
    "--kappa",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="Cohen's κ that you expect between judge and people  [default: 0.8].",
)
@_option(
    "--agreement",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    help="The share of responses on which they agree, instead of --kappa.",
)
@_option(
    "--correct",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    show_default=True,
    help="The share of responses that people call correct.",
)
@_option(
    "--threshold",
    type=FiniteRange(0, 1, max_open=True),
    default=THRESHOLD,
    show_default=True,
    help="What κ must be shown to exceed.",
)
@_option(
    "--width",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="How precisely κ and accuracy are to be known: ± so much.",
)
@_option("--responses", type=Int64Range(2), help="Responses that the judge grades  [default: the study's, else 1000].")
@_option(
    "--frontier",
    is_flag=False,
    flag_value="",
    metavar="[NAME=VALUE,...]",
    help="Show what a large study costs and what to drop first with no verdict losing its power, instead.",
)
@_option(
    "--out", type=FilePath(), help="Folder whose stored responses are not asked for again [default: the study's own]."
)
@study_options
def plan_command(study: str | None, labels: bool, responses: int | None, frontier: str | None, **options: Any) -> None:
    """Show how many requests a study takes, per test; shared requests count once. Sends nothing.

    With --labels, show how many labels by people are enough to rely on a judge of answers in words. No study is needed
    for that; with one, the number of responses of a model to each benchmark is taken from it.

    With --frontier, show requests, tokens, GPU hours, money and storage of a study, the items and repeats that each
    verdict needs, what to drop first, and the least cost of finding smaller and larger changes. Responses in --out are
    taken for a pilot. No study file is needed: models, benchmarks, conditions, items and epochs say how large it is,
    tests=readiness+artefacts which tests it has, chance what a guess scores, price=openai/gpt-5 or price=1.25/10
    (dollars for a million tokens read and written) and gpu=NAME what a model costs. With or without a file: power
    (0.8), change=0.05 (the change of accuracy to find), by=requests, money or gpu (what is to be small), family (the
    number of comparisons corrected together), and accuracy, within, rerun and moved (how models answer).

    \b
    snellen plan study.toml
    snellen plan study.toml --frontier power=0.9,by=money
    snellen plan --frontier models=100,benchmarks=20,conditions=30,items=1000,epochs=3
    snellen plan --labels --agreement 0.9 --correct 0.7 --responses 2000
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.frontier import frontier_of, show_frontier

    expected = {name: options.pop(name) for name in ("kappa", "agreement", "correct", "threshold", "width")}
    if frontier and study is None and "=" not in frontier:  # snellen plan --frontier study.toml
        study, frontier = frontier, ""
    planned = Study.from_toml(study, **_changes(options)) if study else None
    if frontier is not None:
        show_frontier(frontier_of(frontier, planned))
        return
    if labels:
        show_labels(_graded_by_judge(planned, responses), **expected)
        return
    if planned is None:
        raise click.UsageError(
            "Which study? snellen plan STUDY.toml, snellen plan --frontier, or snellen plan --labels."
        )
    _conduct(planned, dry_run=True)


def _graded_by_judge(study: Study | None, responses: int | None) -> dict[str, int]:
    """How many responses a judge would grade of one model under one condition, by benchmark."""
    if responses is not None or study is None:
        return {"": 1000 if responses is None else responses}
    plan = study.plan()
    return {each.name: len(each.items[: plan.limit_of(each)]) * plan.epochs_of(each) for each in plan.benchmarks}


@cli.command("run")
@click.argument("study", type=FilePath(exists=True, dir_okay=False))
@_option("--out", type=FilePath(), help="Folder for responses, results and report [default: the study's own].")
@_name("the study's own, else its file's")
@study_options
@ON
@DRY_RUN
@VERBOSELY
def run_command(study: str, dry_run: bool, **options: Any) -> None:
    """Run a study from its TOML file. Resumes where an earlier run stopped."""
    _conduct(Study.from_toml(study, **_changes(options)), dry_run=dry_run)


UNQUALIFIED = _option(
    "--unqualified-judges",
    "unqualified",
    is_flag=True,
    help="Publish also what judges say whose agreement with people is unknown or too low.",
)
OUT = click.argument("folder", metavar="OUT", type=FilePath(exists=True, file_okay=False))
PARSER = _option(
    "--parser",
    "parsers",
    multiple=True,
    metavar="NAME",
    help="Use this parser instead of the study's; repeat to compare others with the first.",
)
STUDY = _option("--study", metavar="NAME", help="Which study of OUT; see `snellen list studies OUT` [default: latest].")


@cli.command()
@OUT
@STUDY
@PARSER
@HUMAN
@UNQUALIFIED
@VERBOSELY
def score(folder: str, **how: Any) -> None:
    """Grade the stored responses again; write results and report. Sends nothing."""
    _leave(results=_publish(folder, **how))


@cli.command()
@OUT
@STUDY
@PARSER
@HUMAN
@UNQUALIFIED
@_option(
    "--figures",
    type=click.Choice(FIGURE_FORMATS),
    default="svg",
    show_default=True,
    help="Write all figures to OUT/figures as SVG, or as PNG or PDF too (needs the extra `figures`).",
)
@VERBOSELY
def report(folder: str, **how: Any) -> None:
    """Write the report of the stored responses and its figures again. Sends nothing."""
    _leave(results=_publish(folder, **how))


@cli.command("gate")
@OUT
@_option(
    "--require",
    multiple=True,
    required=True,
    metavar="REQUIREMENTS",
    help="What is required, apart by commas; repeat for more.",
)
@STUDY
@PARSER
@UNQUALIFIED
@_option("--point", is_flag=True, help="Judge a number by itself instead of by its whole 95% CI.")
@_option(
    "--junit",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE.xml",
    help="Write the checks to this file as JUnit XML, too.",
)
def gate_command(folder: str, require: tuple[str, ...], point: bool, junit: Path | None, **how: Any) -> None:
    """Check what is required of the stored responses, for CI. Sends nothing.

    \b
    Exit status 0  every requirement is met, for every model and benchmark
                1  one is not met or cannot be decided
                2  one cannot be read, or names nothing in the study

    \b
    standard                        follows, honest and steady pass, nothing less
    TEST=pass                       the test, or one of these three, ends in this verdict
    TEST=pass|reported              in one of these
    TEST!=fail                      in any other; withheld is not decided
    MEASURE<=0.05                   also >=, <, > and 5%; under every condition that has it
    TEST.MEASURE<=0.05              of this test alone
    TEST.MEASURE@CONDITION<=0.05    under this condition alone

    Tests, measures and conditions have the names that results.csv has. A number meets its limit if its whole 95% CI
    does; if the CI lies on both sides, nothing is decided. The worst condition decides. Short names of measures:

    \b
    invents    describes an image where none was shown (rationale)
    admits     says that there is no image where none was shown (rationale, mirage-rate)
    accuracy   with the original image, unless a test or a condition is named
    unsure     responses whose reading is unsure

    \b
    snellen gate exam --require standard
    snellen gate exam --require 'follows=pass,steady!=fail,invents<=5%'
    snellen gate exam --require 'accuracy>=0.8' --point --junit gate.xml
    """  # noqa: D301 - the backslash keeps the lines below it apart
    try:
        done = gate(folder, require, point=point, **how)
    except RequirementError as error:
        raise click.BadParameter(visible(str(error)), param_hint="--require") from error
    say_study(done.results.study["name"], done.results.others, done.results.out)
    say_unscored(done.results)
    say_held_back(done.results.held_back)
    if note := done.results.rules_note:
        out.print(note, soft_wrap=True)
    show_gate(done)
    if junit:
        write_whole(junit, done.junit())
    if not done.passed:
        sys.exit(1)


@cli.command("import")
@click.argument("files", metavar="PATH...", nargs=-1, required=True, type=FilePath(exists=True))
@_option(
    "--from", "format", type=click.Choice(list(TITLES)), help="Format of the files [default: as their contents show]."
)
@_option("--out", required=True, type=FilePath(), help="Folder for the responses; a second import adds to the first.")
@_name("the study that was imported last, else study-1", "study")
@_option("--condition", "arm", help="The condition of all rows that do not name one [default: original].")
@_option(
    "--new-condition",
    "new_conditions",
    multiple=True,
    metavar="NAME",
    help="Declare a condition that Snellen does not know; repeat for more.",
)
@_option("--as", "name", help="Name of the benchmark, where the rows do not say it.")
@_option("--model", help="Name of the model, where the files do not say it.")
@_option(
    "--map",
    "fields",
    default="",
    metavar="OURS=THEIRS,…",
    help="Fields that hold the question, its options and its answer: question=Q,answer=label. "
    "Without it they are guessed, and the guess is printed.",
)
@_option(
    "--benchmark", "benchmarks", multiple=True, help="Benchmark with the questions, if the rows hold only their ids."
)
@_option("--allow-broken", is_flag=True, help="Leave out broken rows instead of stopping.")
@UNPACKED
@_option(
    "--accept-contradictions",
    is_flag=True,
    help="Import also what contradicts the name of its condition; no verdict is drawn on that benchmark.",
)
@HUMAN
def import_command(files: tuple[str, ...], out: str, human: str | None, **options: Any) -> None:
    """Import responses you already have; then run `snellen report OUT`. Sends nothing.

    A PATH is a file, or a folder with every log in it. jsonl: one row per response, with model, benchmark, item_id,
    arm (the condition), replicate and response; also question, options and answer where no --benchmark holds them.
    inspect: logs of Inspect AI, .eval or .json. lmms-eval, lm-eval: the samples files that --log_samples writes, with
    the results file beside them. vlmevalkit: MODEL_DATASET.xlsx or .tsv. promptfoo: the JSON of `promptfoo eval -o`.
    helm: folders of runs.

    Conditions have the names that `snellen list conditions` prints, such as original, image-removed, image-blank and
    options-shuffled. Declare any other name with --new-condition. A condition whose images contradict its name is
    refused, unless you accept it.

    \b
    snellen import answers.jsonl.gz --out imported
    snellen import with.eval --out imported
    snellen import without.eval --condition image-removed --out imported
    snellen import logs/my-model --from lmms-eval --benchmark my-benchmark/ --out imported
    """  # noqa: D301 - the backslash keeps the lines below it apart
    with Count() as count:
        imported = bring(files, out, human=human, watch=count, **options)
    show_imported(imported)


@cli.command("export")
@OUT
@STUDY
@_option("--to", "format", type=click.Choice(list(EXPORTS)), required=True, help="Format of the file.")
@_option("--file", required=True, type=FilePath(), help="The file to write; for shards, and maybe parquet, a folder.")
@PARSER
@UNQUALIFIED
def export_command(
    folder: str,
    study: str | None,
    format: str,  # noqa: A002 - the word people use
    file: str,
    parsers: tuple[str, ...],
    unqualified: bool,
) -> None:
    """Write the stored responses to a file.

    jsonl: one row per response, as `snellen import` takes them. csv, parquet: one graded row per response and parser,
    for analysis, with the right answer; responses that failed or are missing are rows too, by their state. After
    `snellen judge` each judge is a parser, too. The mean of `right` is the accuracy that the report prints. A Parquet
    name without an ending is a folder with a file for each model and condition (model=…/arm=…), for large studies.

    shards: a folder that is scored and reported like OUT, with an SQLite file for the responses of each model.

    \b
    snellen export exam --to csv --file responses.csv
    snellen export exam --to parquet --file responses.parquet --parser lenient --parser double-brackets
    snellen export exam --to parquet --file responses
    snellen export exam --to shards --file exam-in-shards
    """  # noqa: D301 - the backslash keeps the lines below it apart
    with grading("reading the responses") as watch:
        how: dict[str, Any] = {"parsers": parsers, "study": study, "unqualified": unqualified}
        rows = export(folder, file, format=format, watch=watch, **how)
    out.print(
        f"{counted(rows, 'response' if format in ('jsonl', 'shards') else 'row')}: {Path(file).resolve()}",
        soft_wrap=True,
    )
    with Store.open(folder) as store:
        taken = store.study(study)["name"]
        say_study(taken, [each.name for each in store.studies() if each.name != taken], folder)
        if format in ("csv", "parquet") and not unqualified:
            say_held_back(list_held_back(store, study))


@cli.command("compare")
@click.argument("out1", type=FilePath(exists=True, file_okay=False))
@click.argument("out2", type=FilePath(exists=True, file_okay=False))
@_option("--study1", metavar="NAME", help="Which study of OUT1; see `snellen list studies OUT1` [default: latest].")
@_option("--study2", metavar="NAME", help="Which study of OUT2 [default: latest].")
@_option("--model1", metavar="PROVIDER/MODEL", help="Which model of the first study [default: see above].")
@_option("--model2", metavar="PROVIDER/MODEL", help="Which model of the second study [default: see above].")
@_option(
    "--parser",
    "parsers",
    multiple=True,
    metavar="NAME",
    help="Read both studies by this parser instead of their own; repeat to see others too.",
)
@_option("--to", "file", metavar="FILE.csv", help="Write every number, every verdict and every flip to this file.")
@_option(
    "--flips",
    type=Int64Range(0),
    default=FLIPS_SHOWN,
    show_default=True,
    help="Show so many of the questions that flipped, with both responses.",
)
@_option("--page", metavar="FILE.html", help="Write it as a page to this file.")
def compare_command(out1: str, out2: str, file: str | None, flips: int, page: str | None, **which: Any) -> None:
    """Compare two studies question by question: two versions of a model, two dates, two prompts. Sends nothing.

    OUT1 and OUT2 are the --out of two exams; one folder may be named twice. Only questions that are the same in both
    (id, text, options, key, image) and that both answered are compared. For each condition that both studies have, it
    prints accuracy and rates in each, and the difference, second minus first, with its 95% CI and its p after
    correction over the conditions (Holm). Then come the verdicts of both, and questions that flipped: right in one
    study and not in the other.

    Where each study has one model, these two are compared, whatever their names; else the models of the same name, or
    --model1 and --model2.

    \b
    snellen compare gpt-5-june gpt-5-july
    snellen compare exam exam --study1 letter --study2 readiness --to comparison.csv --page comparison.html
    snellen compare exam exam --model1 organism/blind --model2 organism/grounded --flips 20
    """  # noqa: D301 - the backslash keeps the lines below it apart
    for given, option, ending in ((file, "--to", ".csv"), (page, "--page", ".html")):
        if given and not given.endswith(ending):
            raise click.BadParameter(f"expected a file that ends in {ending}.", param_hint=option)
    with grading("reading the responses of both studies"):
        found = compare(out1, out2, **which)
    out.print(found.text(flips, out.width), soft_wrap=True)
    if file:
        rows = found.save(file)
        out.print(f"{counted(rows, 'row')}: {Path(file).resolve()}", soft_wrap=True)
    if page:
        out.print(f"Page: {found.save_page(page).resolve()}", soft_wrap=True)
    for results in (found.first, found.second):
        _leave(results=results)


@cli.command("published")
@click.argument("paper", metavar="[PAPER]", required=False, type=click.Choice(list(papers())))
@click.argument("folder", metavar="[OUT]", required=False, type=FilePath(exists=True, file_okay=False))
@STUDY
def published_command(paper: str | None, folder: str | None, study: str | None) -> None:
    """Print a paper's figures, recomputed, and those of OUT beside them. Without a paper, list the papers.

    \b
    snellen import answers.jsonl.gz --from jsonl --out italian
    snellen published italian italian
    snellen published readiness
    snellen published mirage
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if not paper:
        show_papers()
        return
    results = rescore(folder, study=study) if folder else None
    show_published(paper, results)
    if results:
        say_study(results.study["name"], results.others, results.out)
        say_unscored(results)
        _leave(results=results)


@cli.command("qualify")
@click.argument("parser", metavar="PARSER|judge")
@click.argument("file", metavar="FILE.jsonl", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@_option(
    "--out",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Write every row to this file, with what the parser read or the judge said.",
)
@_option("--judge", metavar="PROVIDER/MODEL", help="The judge; beside a parser, for comparison.")
@_option(
    "--question",
    type=click.Choice(list(QUESTIONS)),
    help="What the judge is asked, for PARSER judge [default: open-answer].",
)
@_option(
    "--opinions",
    type=Int64Range(1),
    help="How often the judge is asked about each row [default: 3; rationale 1].",
)
@_option(
    "--threshold",
    type=FiniteRange(-1, 1),
    help=f"The κ that its lower 95% bound must reach for the judge to be qualified [default: {THRESHOLD}].",
)
@click.option(
    "--study",
    "kept_in",
    envvar="SNELLEN_QUALIFIED_FOR",
    metavar="OUT",
    type=FilePath(exists=True, file_okay=False),
    help="Keep the judge's qualification, and the labels of stored responses, in this folder of an exam.",
)
@_option("--max-connections", type=Int64Range(1), default=64, show_default=True, help="Requests in flight.")
@TIMEOUT
@UNPACKED
def qualify_command(
    parser: str,
    file: Path,
    out: Path | None,
    judge: str | None,
    question: str | None,
    opinions: int | None,
    threshold: float | None,
    kept_in: str | None,
    **asking: Any,
) -> None:
    """Measure how far a parser, or a judge, agrees with human labels.

    PARSER: rows have `response` and `label` (an option's letter, `none`, or an outcome such as refused or abstained),
    and `options` (their texts) or `n_options`; `question` and `finish` help where they are known. For missing-image,
    labels are missing, hedges, describes, generic, refuses or empty, and no options are needed. For quality, labels are
    0 or normal, 1 or abnormal, 2 or quality, 3 or refuses, or unsaid; `normal` is the text of the normal option. For
    match, rows have `question` and `references`, and labels are correct, incorrect, unclear, abstained or refused.

    judge: rows have `question`, `references` (a list) or `reference`, `response` and `label` (correct, incorrect or
    unclear). `item_id` says which rows belong together, `model` who gave the response; with `benchmark`, `arm` and
    `replicate` the label is kept beside the stored response (--study). The judge is asked about each row several times,
    and once with reply and reference in the other order. It prints κ, agreement, how far the judge agrees with itself,
    and its biases by length, position, own provider and style. It is qualified if the lower 95% bound of κ reaches the
    threshold.

    With --question rationale, rows have `question`, `options`, `answer`, `responses` (texts by condition) and `labels`
    (for each condition a list of tags, or none).

    \b
    snellen qualify lenient labelled.jsonl
    snellen qualify judge labelled.jsonl --judge openai/gpt-4o --study exam
    """  # noqa: D301 - the backslash keeps the lines below it apart
    given = {"question": question, "opinions": opinions, "threshold": threshold}
    how = {name: value for name, value in given.items() if value is not None}
    if parser == "judge":
        if judge is None:
            raise click.UsageError("Which judge? snellen qualify judge FILE.jsonl --judge PROVIDER/MODEL")
        _leave(hold_against_people(file, judge, out=out, kept_in=kept_in, **how, **asking))
        return
    if how or kept_in:
        named = ", ".join(f"--{name}" for name in (*how, *(["study"] if kept_in else [])))
        raise click.UsageError(f"{named} is for judges: snellen qualify judge FILE.jsonl --judge PROVIDER/MODEL")
    done = qualify_file(parser, file, out)
    click.echo(visible(as_text(done)))
    if judge:
        _leave(hold_judge(done, judge, out=out, **asking))


@cli.command("judge")
@OUT
@STUDY
@_option(
    "--model",
    "models",
    required=True,
    multiple=True,
    metavar="PROVIDER/MODEL",
    help="The model that judges; repeat for a panel.",
)
@_option("--limit", type=Int64Range(1), help="Judge only the first N items of each benchmark.")
@_option(
    "--epochs",
    type=Int64Range(1),
    help="Judge N runs of each item.  [default: 1; of open answers and with --unsure all]",
)
@_option(
    "--opinions",
    type=Int64Range(1),
    default=OPINIONS,
    show_default=True,
    help="Independent opinions of each judge on each open answer.",
)
@_option(
    "--unsure",
    is_flag=True,
    help="Ask only which option each response states whose reading is unsure. What the judge reads then counts.",
)
@_option("--max-connections", type=Int64Range(1), default=64, show_default=True, help="Requests in flight.")
@TIMEOUT
@YES
@PARSER
@HUMAN
@UNQUALIFIED
@VERBOSELY
def judge_command(
    folder: str,
    models: tuple[str, ...],
    study: str | None,
    parsers: tuple[str, ...],
    human: str | None,
    *,
    unqualified: bool,
    **options: Any,
) -> None:
    """Let another model judge the stored responses, then write the report again.

    The judge reads the responses to a question side by side: what each claims to see, whether the image supports it,
    and whether the answer follows. It never learns the right answer. The report shows its verdicts as its opinion. For
    questions that were sent without an image, it is asked whether the response says so, in the Mirage paper's words.

    Open answers are graded: the judge sees the reference and says correct, incorrect or unclear. The models are asked
    nothing again, whoever judges.
    """
    progress = judge(folder, models, study=study, **{**options, "yes": bool(options["yes"])})
    say_failures(progress)
    results = _publish(folder, study, parsers, human, unqualified=unqualified)
    say_unread(results)
    _leave(progress)
    _leave(results=results)


def _publish(
    folder: str,
    study: str | None,
    parsers: tuple[str, ...],
    human: str | None,
    figures: str = "svg",
    *,
    unqualified: bool = False,
) -> Results:
    people = human_reference(human) if human else None
    how: dict[str, Any] = {"study": study, "parsers": parsers, "human": people, "unqualified": unqualified}
    with grading() as watch:
        results = publish(folder, figures=figures, watch=watch, **how)
    _show(results)
    return results


def _show(results: Results) -> None:
    context = click.get_current_context(silent=True)
    show_results(results, verbose=bool(context and context.meta.get(VERBOSE)))
    say_study(results.study["name"], results.others, results.out)
    say_unanswered(results)
    say_unscored(results)
    say_held_back(results.held_back)


@cli.command("chart")
@_option("--model", required=True, metavar="MODEL", help="Whom to examine, such as openai/gpt-5; see `snellen list`.")
@_option(
    "--out",
    "folder",
    type=FilePath(),
    default="chart",
    show_default=True,
    help="Folder for the replies, the page and the tables.",
)
@_option(
    "--beside",
    multiple=True,
    type=FilePath(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of another model's chart: its threshold is a line on the page; repeat for more.",
)
@_option("--seed", type=Int64(), help="Seed of the letters and their places [default: a fresh one].")
@_option("--exhaustive", is_flag=True, help="Ask every size, place, contrast, polarity and ground: 867 requests.")
@_option("--max-connections", type=Int64Range(1), default=8, show_default=True, help="Requests in flight.")
@TIMEOUT
@_option("--temperature", type=Finite(), help="Sampling temperature [default: the provider's].")
@_option("--max-tokens", type=Int64Range(1), help="Longest response, in tokens [default: the provider's].")
@_option(
    "--reasoning-effort",
    type=click.Choice(["none", "minimal", "low", "medium", "high"]),
    help="How much the model is to reason [default: the provider's].",
)
@DRY_RUN
def chart_command(
    model: str, temperature: float | None, max_tokens: int | None, reasoning_effort: Any, **options: Any
) -> None:
    """Examine a model with an eye chart: how small, how faint and where in an image it reads letters.

    It shows fresh random letters, at most 60 charts, each of the size that tells most after the replies so far. It says
    down to which size in pixels half of the letters are read, with a 95% CI; whether fainter letters, light letters on
    dark or an X-ray-like ground change that; whether it invents letters that it cannot read; whether a part of the
    image is blind; and whether large images seem to be shrunk on their way.

    Sizes are pixels of the image as sent. There is no viewing distance, so that logMAR is log10 of the stroke, a fifth
    of the letter, in pixels: 0.0 is a stroke of 1 px.

    It writes chart.html (the page), chart.json, trials.csv (a row for every letter) and chart.jsonl (every reply).
    Stopped, the same command goes on.

    \b
    snellen chart --model openai/gpt-5
    snellen chart --model organism/grounded --out chart-grounded
    snellen chart --model organism/nearsighted-4 --out chart-nearsighted --beside chart-grounded
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.chart import examine_and_show, failed

    settings = Settings(temperature=temperature, max_tokens=max_tokens, reasoning_effort=reasoning_effort)
    result = examine_and_show(model, settings=settings, **options)
    if result is not None and failed(result):
        sys.exit(1)


@cli.command("audit")
@click.argument("benchmark", metavar="[BENCHMARK]", required=False)
@_option(
    "--train",
    metavar="BENCHMARK|none",
    help="The split that models may be trained on, if that is a file of its own [default: the one beside BENCHMARK].",
)
@_option(
    "--responses",
    multiple=True,
    type=FilePath(exists=True, file_okay=False),
    metavar="OUT",
    help="Folder of an exam or import whose answers to this benchmark are used to find wrong keys; repeat for more.",
)
@_option(
    "--key-review",
    type=FilePath(exists=True, dir_okay=False),
    metavar="FILE.csv",
    help="Raters' answers to the items that wrong-keys lists, given without the key: columns item_id and answer (a "
    "letter, none or unclear).",
)
@MAP
@_option("--check", "checks", multiple=True, metavar="NAME", help="Run this check alone; repeat for more.")
@_option("--also", multiple=True, metavar="NAME", help="Run this check too, which runs only if it is named.")
@_option(
    "--out", "folder", type=FilePath(), default="audit", show_default=True, help="Folder for the page and the tables."
)
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of all random draws, including the phantoms.")
@_option("--quotes/--no-quotes", default=True, help="Whether the files may quote the benchmark's own words.")
@_option("--list", "listed", is_flag=True, help="List the checks.")
@UNPACKED
def audit_command(benchmark: str | None, listed: bool, **options: Any) -> None:
    """Audit a benchmark: what can be answered without eyes, which items are wrong, and why. Asks no model.

    BENCHMARK is what `snellen exam --benchmark` takes, or the folder of an exam or import: then its items are audited
    as they were asked, without their images, together with the answers that are stored there. Items whose field `split`
    says train, dev or validation are its training split. So is the training split of a published benchmark, if it lies
    beside the one that is audited, or a file or folder of the same name with `train` for `test`. --train names another.
    Rows that cannot be used are problems to mend, not errors.

    It writes audit.html (the page), findings.csv (a row for every item of every problem), items.csv (numbers of every
    item, such as the probability that a guesser without eyes gives to its key) and audit.json.

    \b
    snellen audit my-benchmark/
    snellen audit vqa-rad:DIR
    snellen audit mine/questions.csv --train mine/more.csv
    snellen audit my-benchmark/ --responses exam --responses imported
    snellen audit my-benchmark/ --check near-duplicates --check shared-images
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.audit import audit_and_show, show_checks

    if listed:
        show_checks()
        return
    if benchmark is None:
        raise click.UsageError("Which benchmark? snellen audit BENCHMARK, or snellen audit --list.")
    audit_and_show(benchmark, **options)


@cli.command("deidentify")
@click.argument("cases", metavar="CASES")
@_option(
    "--review",
    "file",
    type=FilePath(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.csv",
    help="List of what may identify a patient, on which a person decides: remove or keep.",
)
@_option("--out", "folder", type=FilePath(path_type=Path), help="Folder for the copy, once all is decided.")
@_option(
    "--without",
    multiple=True,
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="IDS.txt",
    help="Leave out the cases of a list of ids, such as an audit writes; repeat for more.",
)
@UNPACKED
def deidentify_command(cases: str, file: Path, folder: Path | None, without: tuple[Path, ...]) -> None:
    """Make a copy of cases without names, dates and numbers of patients, as a person decides. Asks no model.

    Without --out it writes FILE.csv: each text that rules take for an identifier, with the words around it. A person
    sets each `decision` to remove or keep, and adds rows for what rules missed. With --out it writes the copy as a
    benchmark folder; it refuses if a decision is missing. Texts in the pixels of images are not looked for.

    \b
    snellen deidentify cases/ --review identifiers.csv
    snellen deidentify cases/ --review identifiers.csv --out deidentified
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.deidentify import deidentify

    deidentify(cases, file, folder, without)


@cli.command("degrade")
@click.argument("folder", type=FilePath(path_type=Path))
@_option(
    "--artefacts",
    multiple=True,
    required=True,
    metavar="NAME[,STRENGTH]",
    help="Artefact as the condition `degraded:…` has it, such as noise, motion,strong, crop,0.3 or noise/motion,weak "
    "(one after the other); a folder of copies for each; repeat for more.",
)
@_option("--out", required=True, type=FilePath(file_okay=False, path_type=Path), help="Folder for the copies.")
@_option("--modality", default="", help="What the images are: MRI and OCT have settings of their own [default: X-ray].")
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of every random draw.")
@_option("--workers", type=Int64Range(1), help="Processes on this machine [default: one for each core].")
@_option(
    "--device",
    type=click.Choice(["cpu", "cuda"]),
    default="cpu",
    show_default=True,
    help="Where artefacts are made; cuda needs torch and pays for motion. Its copies differ from those of cpu by at "
    "most one grey level on a few pixels.",
)
@_option(
    "--on",
    metavar="ray[://ADDRESS]",
    help="Do it on a Ray cluster (extra `ray`): ray starts one on this machine, ray://HOST:PORT and ray://auto join "
    "one whose machines share both folders.",
)
def degrade_command(folder: Path, artefacts: tuple[str, ...], out: Path, **settings: Any) -> None:
    """Write degraded copies of the images below FOLDER, with a manifest.

    Copies are PNG files named after their originals (a.jpg.png), in OUT/ARTEFACT-STRENGTH/; a table of questions that
    names the originals serves them too. OUT/manifest.jsonl has what was drawn for each copy, its SSIM and PSNR,
    and the sha256 of both files. The same command goes on where it was stopped; the same seed makes the same copies.
    """
    from snellen.commands.degrade import degrade_and_show

    if settings["on"] and settings["workers"]:
        raise click.UsageError("--workers counts processes on this machine; on a cluster Ray decides: leave one out.")
    degrade_and_show(folder, artefacts, out, **settings)


@cli.command("show")
@click.argument("benchmark", metavar="BENCHMARK")
@MAP
@_option("--items", type=Int64Range(1, 100), default=5, show_default=True, help="Items on the page.")
@_option("--out", "file", type=FilePath(), default="show.html", show_default=True, help="The page to write.")
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of which items, including the phantoms.")
@UNPACKED
def show_command(benchmark: str, **how: Any) -> None:
    """Show a benchmark: counts, options, modalities, and five items with their images on a page. Asks no model.

    BENCHMARK is what `snellen exam --benchmark` takes. The bare name of a published benchmark (`snellen list
    benchmarks`) shows what it is, its licence, and how to get it. It fails if a row or an image cannot be used.

    \b
    snellen show slake
    snellen show vqa-rad:DIR,split=train
    snellen show my-benchmark/ --items 20 --out sheet.html
    snellen show questions.csv --map question=Q,images=image_path
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.show import show_benchmark

    show_benchmark(benchmark, **how)


@cli.command("superguesser")
@click.argument("benchmark", metavar="BENCHMARK")
@_option("--base", required=True, metavar="DIR", help="Folder of a language model, such as Qwen2.5-3B-Instruct.")
@_option("--train", metavar="BENCHMARK", help="The training split, where that is a benchmark of its own.")
@_option(
    "--folds",
    type=Int64Range(2),
    metavar="K",
    help="Learn from other questions of the same benchmark: K folds of patients and images, K trainings.",
)
@_option("--questions", type=Int64Range(1), metavar="N", help="Draw N training questions [default: all].")
@_option(
    "--out",
    "folder",
    type=FilePath(),
    default="superguesser",
    show_default=True,
    help="Folder for checkpoints and scores.",
)
@_option("--prompt", type=click.Choice(list(PROMPTS)), default="mirage", show_default=True, help="Prompt template.")
@_option("--epochs", type=Int64Range(1), help="Times that every question is learnt from [default: 3].")
@_option("--learning-rate", type=FiniteRange(0, min_open=True), help="At the start [default: 5e-5].")
@_option("--batch", type=Int64Range(1), help="Questions in one step of the optimizer [default: 256].")
@_option("--max-length", type=Int64Range(16), help="Tokens; longer questions lose their beginning [default: 2048].")
@_option("--precision", type=click.Choice(["bf16", "fp32"]), help="Of the base model [default: bf16].")
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of all random draws, including the phantoms.")
@_option("--device", metavar="NAME", help="Such as cuda:1 or cpu [default: the first GPU, else the CPU].")
@_option("--micro-batch", type=Int64Range(1), help="Most questions in the network at once [default: 32].")
@_option("--micro-tokens", type=Int64Range(1), help="Most tokens in the network at once [default: 16384].")
@_option("--checkpointing", is_flag=True, help="Compute activations again to save memory; slower by 30%.")
@_option(
    "--compile",
    "compiled",
    is_flag=True,
    help="Compile the layers: half a minute first, then a quarter faster or more.",
)
@_option("--save-every", type=Int64Range(1), help="Steps between two checkpoints [default: 50].")
@_option("--dry-run", is_flag=True, help="Show how many questions and steps there are; train nothing.")
@UNPACKED
def superguesser_command(benchmark: str, **options: Any) -> None:
    """Train a language model on a benchmark's questions without their images, and test it on others.

    What it gets right can be answered without eyes. It is trained as in the Mirage paper: LoRA of rank 8 on all linear
    layers, LoRA+, three epochs, 256 questions a step. No patient and no image is both learnt from and tested. Ctrl-C
    stops it; the same command goes on. It writes scores.jsonl (a row for every question) and superguesser.json.

    The base is a folder; nothing is fetched. A GPU is needed for one of three billion parameters. It needs the extra
    superguesser: pip install 'snellen[superguesser]'.

    \b
    snellen superguesser my-benchmark/ --base qwen2.5-3b-instruct
    snellen superguesser test/ --train train/ --questions 100000 --base qwen2.5-3b-instruct --compile
    snellen superguesser my-benchmark/ --folds 5 --base qwen2.5-3b-instruct --dry-run
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.superguesser import train_super_guesser

    try:
        train_super_guesser(benchmark, **options)
    except KeyboardInterrupt:
        click.echo("\nStopped. The training is kept; the same command goes on.", err=True)
        sys.exit(130)


@cli.command("metrics")
@click.argument("file", metavar="[PAIRS.jsonl | OUT]", required=False, type=FilePath(exists=True, path_type=Path))
@_option(
    "--metric",
    "metric",
    multiple=True,
    metavar="NAME",
    help="Score by this metric; repeat for more [default: all that need no RadEval].",
)
@_option("--list", "listed", is_flag=True, help="List the metrics, their sources, and what each needs to run here.")
@_option(
    "--radeval",
    metavar="PYTHON",
    help="Python of the environment where the package RadEval is installed, for metrics with weights.",
)
@_option("--fetch-weights", is_flag=True, help="Allow RadEval to fetch the weights of a metric over the network.")
@_option(
    "--json",
    "to",
    type=FilePath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all numbers and the value of every pair to this file, too.",
)
@UNPACKED
def metrics_command(
    file: Path | None,
    metric: tuple[str, ...],
    listed: bool,
    radeval: str | None,
    fetch_weights: bool,
    to: Path | None,
) -> None:
    """Score generated reports against their references, with 95% CIs over patients.

    The reports are those of a file, or those of a study: a table for each model and condition. Rows of a file have
    `id`, `reference` and `generated`, and `patient` where several reports are of one. Empty reports, reports in another
    language and reports of over 5,000 words are counted and not scored.

    BLEU, ROUGE and findings F1 run here. BERTScore, CheXbert, RadGraph F1, RadCliQ-v1, GREEN and CRIMSON are computed
    by the package RadEval in an environment of its own, without a network unless --fetch-weights is given.

    \b
    snellen metrics --list
    snellen metrics pairs.jsonl
    snellen metrics pairs.jsonl --metric findings-f1 --metric rouge-l --json scores.json
    snellen metrics pairs.jsonl --metric radgraph-f1 --radeval radeval-env/bin/python
    snellen metrics exam --metric bleu --metric findings-f1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.metrics import score_file, show_metrics
    from snellen.grading.reports.metrics.radeval import Environment

    where = Environment(radeval or "", fetch_weights) if radeval or fetch_weights else None
    if listed:
        show_metrics(where)
    elif file is None:
        raise click.UsageError(
            "Which file? snellen metrics PAIRS.jsonl, snellen metrics OUT, or snellen metrics --list."
        )
    else:
        score_file(file, metric, where, to=to)


@cli.command("bclean")
@OUT
@_option(
    "--benchmark",
    "specs",
    multiple=True,
    help="The benchmark that was asked, for the text and images of what is kept; repeat for more.",
)
@_option(
    "--to",
    type=FilePath(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write a folder for each benchmark in this one [default: OUT/bclean].",
)
@_option(
    "--threshold",
    type=FiniteRange(0, 1, min_open=True),
    help="Remove the items whose posterior of being compromised reaches this, instead of the paper's rule.",
)
@_option(
    "--train-on-compromised",
    "teach",
    is_flag=True,
    help="Also remove what a text-only model answers that learnt from the compromised items (the paper's Step 3).",
)
@_option("--train", metavar="BENCHMARK", help="Training split of the benchmark, for --train-on-compromised.")
@_option(
    "--superguesser",
    type=FilePath(exists=True, path_type=Path),
    metavar="DIR",
    help="The --out of `snellen superguesser`, whose scores are that model's, instead of --train-on-compromised.",
)
@_option("--resamples", type=Int64Range(40), default=200, show_default=True, help="Resamples behind each 95% CI.")
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the resamples.")
@STUDY
@PARSER
@UNPACKED
def bclean_command(folder: str, **how: Any) -> None:
    """Clean a benchmark of what the models of a study answer right without the image (B-Clean). Sends nothing.

    The study has responses with the image and without it (snellen exam --tests image-needed; several with --epochs 5).
    The Mirage paper's rule removes every item that any model answers right without the image. Guesses are right now and
    then: it also prints how many items guesses alone would remove, how many items are compromised after correcting for
    luck, and each model's accuracy on the others, with ranks and 95% CIs.

    \b
    snellen bclean exam
    snellen bclean exam --benchmark my-benchmark/ --to cleaned
    snellen bclean exam --threshold 0.9
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if how["train"] and not how["teach"]:
        raise click.UsageError("--train is what the text-only model learns from, too: add --train-on-compromised.")
    if how["superguesser"] and how["teach"]:
        raise click.UsageError("Either --superguesser or --train-on-compromised: each is the paper's Step 3.")
    from snellen.commands.bclean import clean_study

    clean_study(folder, **how)


@cli.command()
@_option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@_option("--port", type=Int64Range(0, 65535), default=8000, show_default=True, help="Port to listen on.")
@_option("--key", help="Refuse requests that lack this key.")
@ALLOW_HOST
def serve(host: str, port: int, key: str | None, names: tuple[str, ...]) -> None:
    """Serve the organisms at an OpenAI-compatible endpoint, to try out any evaluation tool on them."""
    from snellen.commands.serve import serve as serve_forever

    serve_forever(host, port, key=key, names=names)


@cli.group("guard", invoke_without_command=True)
@_option("--upstream", metavar="openai/MODEL", help="Model to guard, at OPENAI_BASE_URL; openai alone: any there.")
@_option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other needs a key.")
@_option("--port", type=Int64Range(0, 65535), default=8900, show_default=True, help="Port to listen on; 0: any.")
@_option("--key", help="Key that clients must send.")
@_option("--pass-key", is_flag=True, help="Send each client's own key to the upstream, not OPENAI_API_KEY.")
@ALLOW_HOST
@_option(
    "--policy",
    type=click.Choice(["annotate", "warn", "block"]),
    default="annotate",
    show_default=True,
    help="What is done with a reply that the image did not move.",
)
@_option(
    "--rate",
    type=FiniteRange(0, 1),
    default=1.0,
    show_default=True,
    help="Share of the queries with an image that are checked.",
)
@_option("--stand-in", metavar="phantom|DIR", help="Ask about another image as well: a drawn one, or one of a folder.")
@_option("--rephrase", is_flag=True, help="Ask in other words as well, to tell a change from an unsteady reply.")
@_option(
    "--patience",
    type=FiniteRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a reply waits for the extra calls.",
)
@_option(
    "--on-failure",
    type=click.Choice(["open", "closed"]),
    default="open",
    show_default=True,
    help="Pass a reply that could not be checked, or hold it back.",
)
@_option("--withhold", is_flag=True, help="Leave a reply that is held back out of the field snellen as well.")
@_option(
    "--calibration",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Threshold from snellen guard calibrate [default: 0.5].",
)
@_option(
    "--log",
    type=FilePath(dir_okay=False, path_type=Path),
    default=Path("guard.jsonl"),
    show_default=True,
    help="Where decisions are written, without words, images or keys.",
)
@TIMEOUT
@click.pass_context
def guard_command(context: click.Context, /, upstream: str | None, **options: Any) -> None:
    """Stand between a program and its model, and say of every reply whether the image moved it.

    An OpenAI-compatible proxy. A query with an image goes to the upstream as it is; beside it, the same is asked
    without the image. The header X-Snellen and the field `snellen` of the reply say moved, unmoved or undecided, with
    the evidence. `warn` adds a sentence to a reply that was not moved, `block` puts one in its place.

    \b
    snellen guard calibrate --organisms
    snellen guard --upstream openai/gpt-5 --port 8900 --calibration calibration.json
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if context.invoked_subcommand is not None:
        return
    if not upstream:
        raise click.UsageError("Which model? snellen guard --upstream openai/MODEL")
    from snellen.commands.guard import guard
    from snellen.guard.proxy import Conduct

    conduct = Conduct(
        closed=options.pop("on_failure") == "closed",
        **{name: options.pop(name) for name in ("policy", "rate", "patience", "withhold", "rephrase", "key", "names")},
    )
    guard(upstream, options.pop("host"), options.pop("port"), conduct, **_changes(options))


@guard_command.command("calibrate")
@_option("--upstream", metavar="openai/MODEL", help="Model to calibrate on, at OPENAI_BASE_URL.")
@_option(
    "--organisms", is_flag=True, help="Calibrate on organisms in known shares: half of the replies rest on the image."
)
@_option(
    "--false-alarms",
    "rate",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Share of replies that rest on the image and may reach the threshold all the same.",
)
@_option("--items", type=Int64Range(3), default=600, show_default=True, help="Queries to ask, on drawn images.")
@click.option(
    "--stand-in",
    is_flag=True,
    default=lambda: bool(os.environ.get("SNELLEN_STAND_IN")),  # where that names the guard's own stand-ins
    help="Calibrate for a guard that asks about a stand-in image as well.",
)
@_option("--max-connections", "connections", type=Int64Range(1), default=8, show_default=True, help="Queries at once.")
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the images and of who answers.")
@_option(
    "--to",
    type=FilePath(dir_okay=False, path_type=Path),
    default=Path("calibration.json"),
    show_default=True,
    help="Where the calibration is written; its page goes beside it.",
)
def calibrate_command(upstream: str | None, organisms: bool, **how: Any) -> None:
    """Set the guard's threshold to a stated false-alarm rate, on queries with known grounding.

    With --organisms nothing is sent. With --upstream each query is sent three times: once with its drawn image, twice
    without. A right answer counts as one that rests on the image; what the model answers without one does not.

    \b
    snellen guard calibrate --organisms
    snellen guard calibrate --upstream openai/gpt-5 --items 150 --false-alarms 0.1
    """  # noqa: D301 - the backslash keeps the lines below it apart
    if (upstream is None) != organisms:
        raise click.UsageError("On what? Either --organisms or --upstream openai/MODEL.")
    from snellen.commands.calibration import calibrate

    calibrate(upstream=upstream, **how)


@guard_command.command("report")
@click.argument("log", metavar="LOG", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@_option(
    "--to",
    type=FilePath(dir_okay=False, path_type=Path),
    help="Where the page is written [default: beside LOG]; its numbers go beside it.",
)
def guard_report_command(log: Path, to: Path | None) -> None:
    """Show what a guard's log says: verdicts, over time and by model, what was done, latency. Sends nothing.

    \b
    snellen guard report guard.jsonl
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.calibration import show_log
    from snellen.commands.guard import key_file

    show_log(log, key=key_file(), to=to)


@cli.command("view")
@OUT
@STUDY
@_option("--port", type=Int64Range(0, 65535), default=8001, show_default=True, help="Port to listen on; 0: any.")
@_option("--open/--no-open", "show", default=False, show_default=True, help="Open the page in the browser.")
def view_command(folder: str, study: str | None, port: int, show: bool) -> None:
    """Show a study in the browser while it is being asked, and its report once it is finished.

    While a run goes on or after it was interrupted, the page shows progress, running estimates (not final), failures
    and the newest responses, and is up to date within seconds. Once all responses are there, it is the report, drawn
    from the stored responses.

    It listens on 127.0.0.1 only, because it shows questions and responses without a login. It is read-only: nothing is
    asked, and no file of OUT is changed. To look at a run on another computer, use a tunnel:
    ssh -L 8001:127.0.0.1:8001 HOST. Ctrl-C ends it; the run goes on.

    \b
    snellen exam --model openai/gpt-5 --out gpt-5 --yes &
    snellen view gpt-5 --open
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands.view import view

    view(folder, study, port=port, show=show)


class _ReviewGroup(click.Group):
    """A group whose first command may be left out: `snellen review OUT` is `snellen review open OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put in the command that was left out."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["open", *args]
        return super().parse_args(ctx, args)


DATABASE = _option(
    "--database",
    metavar="URL",
    help="PostgreSQL database of its own for the votes, postgresql://USER:PASSWORD@HOST/NAME [default: a file in OUT].",
)


@cli.group("review", cls=_ReviewGroup)
def review_command() -> None:
    """Let clinicians judge responses and rate questions in a browser, without knowing whose they are.

    `snellen review OUT` draws cases from a study, prints a personal link for each rater, and serves them until Ctrl-C
    (the same as `snellen review open OUT`). Votes are saved at once. `results` gives what was said back to the study
    and its report. It needs the extra `review`, and `postgres` for a --database.

    \b
    snellen review --demo
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review status OUT
    snellen review results OUT
    """  # noqa: D301 - the backslash keeps the lines below it apart


@review_command.command("open")
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
@_option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TASK",
    help="What is judged: verdict, rationale, profile, reference, missing-image, quality, mismatch, premise, honest; "
    "repeat for more.",
)
@_option(
    "--benchmark",
    metavar="BENCHMARK",
    help="Open questions to annotate before any model is asked, such as cases without reference answers; OUT is new.",
)
@_option("--rater", "raters", multiple=True, metavar="NAME", help="Who reads; repeat for more.")
@_option("--settler", "settlers", multiple=True, metavar="NAME", help="Who decides where raters disagree.")
@_option("--each", type=Int64Range(1), metavar="N", help="Cases of each stratum [default: the task's own].")
@_option("--raters", "readers", type=Int64Range(1), metavar="N", help="Raters of a case [default: the task's own].")
@_option(
    "--overlap",
    type=FiniteRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="SHARE",
    help="Share of the cases that so many raters read; the others are read by one.",
)
@_option("--seed", type=Int64(), default=0, show_default=True, help="Seed of the draw.")
@STUDY
@_option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; any other needs TLS.")
@_option("--port", type=Int64Range(0, 65535), default=8002, show_default=True, help="Port to listen on; 0: any.")
@_option("--tls-cert", type=FilePath(exists=True, dir_okay=False, path_type=Path), help="Certificate (PEM).")
@_option("--tls-key", type=FilePath(exists=True, dir_okay=False, path_type=Path), help="Its key, if in another file.")
@_option("--insecure", is_flag=True, help="Serve beyond this computer without TLS.")
@DATABASE
@_option(
    "--days",
    type=FiniteRange(0, 3650, min_open=True),
    default=14.0,
    show_default=True,
    metavar="N",
    help="Days for which a link counts.",
)
@_option("--demo", is_flag=True, help="Show what a review comes to: phantoms, organisms and simulated raters.")
def review_open_command(folder: str | None, demo: bool, **options: Any) -> None:
    """Draw cases, invite raters and serve them until Ctrl-C. What is there already is neither drawn nor changed.

    Cases and links of earlier calls stay: without --task and --rater the server just goes on. It listens on 127.0.0.1
    only unless told otherwise. Whoever has a link votes in that rater's name; `snellen review revoke OUT NAME` takes it
    back at once.

    \b
    snellen review OUT --task verdict --rater anna --rater bert --settler carla
    snellen review OUT --benchmark cases/ --task reference --rater anna --rater bert --settler carla
    snellen review OUT --host 0.0.0.0 --tls-cert review.pem --tls-key review.key
    """  # noqa: D301 - the backslash keeps the lines below it apart
    from snellen.commands import review
    from snellen.review.drawing import Plan

    take = options.pop
    plan = Plan(each=take("each"), raters=take("readers"), overlap=take("overlap"), seed=take("seed"))
    invited = review.Invited(raters=take("raters"), settlers=take("settlers"), days=take("days"))
    address = review.Address(
        host=take("host"), port=take("port"), certificate=take("tls_cert"), key=take("tls_key"),
        insecure=take("insecure"),
    )  # fmt: skip
    if demo:
        review.demo(folder or "review-demo", address)
        return
    if folder is None:
        raise click.UsageError("Which study? snellen review OUT, where OUT is the --out of an exam; or --demo.")
    review.review(folder, take("tasks"), plan, invited, address, **options)


FILE_OUT = click.argument("file", metavar="FILE", type=FilePath(dir_okay=False, path_type=Path))


@review_command.command("status")
@OUT
@STUDY
@DATABASE
def review_status_command(folder: str, **where: str | None) -> None:
    """Show how far a review is: cases, raters, and whether enough has been read."""
    from snellen.commands.review import status

    status(folder, **where)


@review_command.command("results")
@OUT
@STUDY
@DATABASE
def review_results_command(folder: str, **where: str | None) -> None:
    """Show agreement and what was settled, give it back to the study, and write its report again. Sends nothing."""
    from snellen.commands.review import results

    results(folder, **where)


@review_command.command("export")
@OUT
@FILE_OUT
@_option("--blind", is_flag=True, help="Leave out what the cases are about, and all votes.")
@STUDY
@DATABASE
def review_export_command(folder: str, file: Path, **how: Any) -> None:
    """Write cases and votes to FILE: .csv, or .json for Label Studio."""
    from snellen.commands.review import export

    export(folder, file, **how)


@review_command.command("import")
@OUT
@click.argument("file", metavar="FILE", type=FilePath(exists=True, dir_okay=False, path_type=Path))
@STUDY
@DATABASE
def review_import_command(folder: str, file: Path, **where: str | None) -> None:
    """Take over votes that were made elsewhere from FILE: .csv, or .json of Label Studio."""
    from snellen.commands.review import import_votes

    import_votes(folder, file, **where)


@review_command.command("revoke")
@OUT
@click.argument("name", metavar="NAME")
@STUDY
@DATABASE
def review_revoke_command(folder: str, name: str, **where: str | None) -> None:
    """Take a rater's link back: it is refused from the next request on. Votes stay."""
    from snellen.commands.review import revoke

    revoke(folder, name, **where)


@review_command.command("subset")
@OUT
@FILE_OUT
@_option("--benchmark", metavar="NAME", help="Items of this benchmark alone.")
@STUDY
@DATABASE
def review_subset_command(folder: str, file: Path, **how: Any) -> None:
    """Write the ids of the items whose image is essential by the median of their raters (task profile) to FILE."""
    from snellen.commands.review import subset

    subset(folder, file, **how)


@review_command.command("labels")
@OUT
@FILE_OUT
@_option("--task", required=True, metavar="TASK", help="The task; profile and honest have no rows for it.")
@STUDY
@DATABASE
def review_labels_command(folder: str, file: Path, task: str, **where: str | None) -> None:
    """Write settled labels to FILE.jsonl as `snellen qualify` reads them; of reference answers, a benchmark file."""
    from snellen.commands.review import labels

    labels(folder, file, task, **where)


@cli.command("list")
@click.argument("family", type=click.Choice([*LISTS, "studies"]), required=False)
@click.argument("folder", metavar="[OUT]", type=FilePath(file_okay=False), required=False)
def list_command(family: str | None, folder: str | None) -> None:
    """List what there is: datasets, published benchmarks, models, tests and the rest, also those of plug-ins.

    `snellen list studies OUT` lists the studies of a folder: what they ask, how much of it is answered, and where their
    reports lie.
    """
    if family == "studies":
        if not folder:
            raise click.UsageError("Which folder? snellen list studies OUT, where OUT is the --out of an exam.")
        show_studies(studies(folder))
        return
    if folder:
        raise click.UsageError(f"Only studies lie in a folder: snellen list studies {folder}.")
    for name, show in LISTS.items():
        if family in (None, name):
            grid = Grid(title=name.capitalize(), title_justify="left", show_header=False, box=None, padding=(0, 2))
            for row in show():
                grid.add_row(*row)
            out.print(grid)


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """Names apart by commas; what follows a name with settings, and names no test, is one more of them."""
    known = {*suites(), *names("stress", MEMBERS)}
    tests: list[str] = []
    for value in values:
        parts = [part.strip() for part in value.split(",") if part.strip()]
        for place, part in enumerate(parts):
            if place and part.partition(":")[0] not in known and (":" in tests[-1] or "=" in part):
                tests[-1] += f",{part}"
            else:
                tests.append(part)
    return tuple(tests)


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were set, as fields of a study."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "shots" in given:
        given["examples"] = _drawn(given.get("examples", ()), given.pop("shots"))
    if "groups" in given:
        given["groups"] = dict(map(_group, given["groups"]))
    if "human" in given:
        given["human"] = human_reference(given["human"])
    settings = {name: given.pop(name) for name in ("temperature", "max_tokens", "reasoning_effort") if name in given}
    return {**given, "settings": Settings(**settings)} if settings else given


def _drawn(examples: tuple[str, ...], shots: int) -> list[dict[str, Any]]:
    if not examples:
        raise click.UsageError("--shots draws from --examples: name a file or a benchmark there.")
    return [{"benchmark": each, "number": shots} for each in examples]


def _group(given: str) -> tuple[str, list[str]]:
    name, _, members = given.partition("=")
    if not name.strip() or not members.strip(" ,"):
        raise click.BadParameter(f"expected NAME=MODEL,MODEL, got {given!r}.", param_hint="--group")
    return name.strip(), [each.strip() for each in members.split(",") if each.strip()]


def _conduct(study: Study, *, dry_run: bool) -> None:
    if dry_run:
        show_plan(study.plan(), out_folder=Path(study.out), answered=study.answered())
        show_bill(study.bill() if study.billed else [], served=study.served_locally, budget=study.budget)
        return
    show_how_read(study.plan().benchmarks)
    show_left_out({benchmark.name: benchmark.broken for benchmark in study.plan().benchmarks})
    for line in not_sent(study.plan()):
        complain(line)
    progress = study.ask()
    say_failures(progress)
    with grading():
        results = study.score()
    _show(results)
    _leave(progress, results)


def _leave(progress: Progress | None = None, results: Results | None = None) -> None:
    """Exit with 1 where a model gave no response at all, or none with an image, or a test was left out."""
    blind = progress is not None and results is not None and any(each.none_answered for each in results.delivery)
    if (progress and progress.silent) or blind or (results and results.unscored):
        sys.exit(1)
