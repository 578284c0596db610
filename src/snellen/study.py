"""Study: what is to be done, in one record or one TOML file; plan it, run it, report it."""

from __future__ import annotations

import gzip
import platform
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, BinaryIO

from snellen import report
from snellen.asking.batch import ask_in_batches, check_batching
from snellen.asking.bill import ModelBill, Spent, bill, prices_as_json, spent
from snellen.asking.consent import PART, Departure, Question, Shown, ask_in_terminal, departures, obtain, shown_by
from snellen.asking.consent import remembered as remembered_consents
from snellen.asking.examples import Asked, chosen_examples
from snellen.asking.examples import Given as GivenExample
from snellen.asking.identity import recognise, recognise_moved
from snellen.asking.looking import look_at_images
from snellen.asking.plan import Plan, total
from snellen.asking.progress import Bar
from snellen.asking.requests import PlanSource, answered
from snellen.asking.run import Progress, Source, Watch, ask_all
from snellen.asking.sampling import allotted, sampled, spread_out
from snellen.asking.settled import SettledSource
from snellen.asking.study_source import StudySource
from snellen.cluster import Need, Place, address_of, unsendable
from snellen.comparison.two_studies import TwoStudies, two_studies
from snellen.datasets import load, takes_map
from snellen.datasets.columns import checked_map
from snellen.errors import PluginError, StudyError, UndeliveredError
from snellen.files import written_whole
from snellen.grading.parsers import parser_named, parser_of
from snellen.images import USUAL_SIDE
from snellen.items import CHOICE, Benchmark, Item
from snellen.judging import OPINIONS
from snellen.judging.source import JudgeSource
from snellen.models import open_model
from snellen.models.base import Model
from snellen.models.client.budget import Account, Budget
from snellen.models.client.client import Client, open_client
from snellen.models.entry import ModelEntry
from snellen.models.prices import LOCAL_SERVER, UNBILLED, Price, own_price, own_prices, price_of, unknown_price
from snellen.models.replicated import Replicated, itself
from snellen.planner.claims import Assumptions
from snellen.planner.constants import given_assumptions, gpu_named, usual_assumptions, usual_gpu
from snellen.planner.frontier import Frontier, Wanted
from snellen.planner.planned import PlannedStudy
from snellen.plugins import did_you_mean, parse_settings
from snellen.prompts import (
    PROVIDER_DEFAULTS,
    PlainText,
    Prompt,
    Settings,
    list_files,
    own_prompt,
    prompt_named,
    with_system,
    words_or_file,
)
from snellen.protocols import Suite, suite_named
from snellen.report.figures.folder import check_format
from snellen.runtime import ALL_KEPT, few_collections
from snellen.schemas import check_replaceable
from snellen.scoring import EXPORTS
from snellen.scoring.dataset import export_folder
from snellen.scoring.gate import Gate, check, parse
from snellen.scoring.pairing import Side, shared_parsers
from snellen.scoring.pilot import estimated
from snellen.scoring.portions import Watch as ScoringWatch
from snellen.scoring.portions import unwatched
from snellen.scoring.responses import COLUMNS as RESPONSE_COLUMNS
from snellen.scoring.responses import stored_responses
from snellen.scoring.results import RECORD, Results, planned_record, score, study_record
from snellen.scoring.results import SCHEMA as RESULTS_SCHEMA
from snellen.scoring.settled import still_needed
from snellen.scoring.sharding import export_shards
from snellen.scoring.writing import arrow_and_parquet, write_csv, write_parquet
from snellen.sight.witness import ImageWitness
from snellen.stats import Human, human
from snellen.store import Store, check_name
from snellen.store.viewing import served_as
from snellen.stress import stress_test
from snellen.stress.base import StressTest
from snellen.stress.design import USUAL_THRESHOLDS, Design, Thresholds, asked_of, concerned

if TYPE_CHECKING:
    from snellen.imports.importing import Imported
    from snellen.imports.importing import Watch as ImportWatch

ORGANISMS = tuple(f"organism/{name}" for name in ("grounded", "blind", "mirage", "positional", "refuser", "random"))
USUAL_BENCHMARK, DEMONSTRATION = "phantoms", "phantoms:leak=0.5"
"""The benchmark of a study that names none, and the one that shows what organisms do."""
USUAL_PROMPT = "letter"
SMALLEST_SIDE = 32
"""Pixels: no image is scaled down to less."""

KINDS: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(
        ("seed", "epochs", "limit", "sample", "max_connections", "image_side"), (Integral, "a whole number")
    ),
    **dict.fromkeys(("name", "parser"), (str, "a name")),
    "on": (str, "ray or ray://HOST:PORT"),
    "prompt": (str | Path | Mapping | Prompt, "a name, a file, a template or a table"),
    "system": (str | Path, "a text or a file"),
    "timeout": (Real, "a number of seconds"),
    "budget": (Real, "a number of dollars"),
    **dict.fromkeys(("image_dependence", "margin"), (Real, "a share between 0 and 1")),
    "out": (str | Path, "a folder"),
    **dict.fromkeys(
        ("allow_broken", "canary", "accept_blind", "batch", "yes", "until_settled", "repeat"), (bool, "true or false")
    ),
}
MOST_EPOCHS = 2**20
LISTED: dict[str, tuple[Any, str]] = {
    "models": (str | Model | ModelEntry, '"openai/gpt-5", {"name": "openai/gpt-5"} or FunctionModel(function)'),
    "benchmarks": (str | Path | Benchmark, '"phantoms", a folder or Benchmark("mine", items)'),
    "tests": (str | StressTest, '"image-needed" or StressTest(…)'),
    "text_only": (str, '"openai/deepseek-r1"'),
    "examples": (
        str | Path | Mapping | Item,
        'a file, a row, or {"benchmark": "vqa-rad:DIR,split=train", "number": 4}',
    ),
}


@dataclass(frozen=True, kw_only=True)
class Study:
    """What is to be done: which models, on which benchmarks, under which tests. Names, or the things themselves.

    With no argument it is the embedded exam: the bundled organisms on the bundled phantoms.
    """

    models: Sequence[str | Model | ModelEntry | Mapping[str, Any]] = ORGANISMS
    text_only: Sequence[str] = ()
    """Models that take no images, whether they are among `models` or not: asked only what comes without one."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Models that are compared as a group, as in {"medical": ["hf/llava-med"]}."""
    benchmarks: Sequence[str | Path | Benchmark] | None = None
    """By default those of the tests' protocols, or else the bundled phantoms. If all models are organisms, the text of
    every second phantom gives the answer away, to show what organisms make of it."""
    tests: Sequence[str | StressTest] = ("standard",)
    out: str | Path = "exam"
    name: str = ""
    """What the study is called in `out`, which may hold several; by default its file's name, or study-1 and so on."""
    seed: int = 0
    epochs: int = 1
    limit: int | None = None
    """So many items of each benchmark are asked, spread over its kinds of question, categories and answers in
    proportion; the first 10 of them are among the first 20, whatever the seed. The line of a benchmark may say its own
    (`vqa-rad:PATH,limit=60`)."""
    sample: int | None = None
    """So many items of each benchmark are asked, drawn by category; the same for the same seed."""
    budget: float | None = None
    """Dollars that the study may cost, what is stored of it included; a request that may exceed them is not sent."""
    prices: Mapping[str, Any] | str | Path = field(default_factory=dict)
    """Dollars per million tokens, as in {"openai/mine": {"input": 2.5, "output": 10}}, or a TOML file with them."""
    prompt: str | Path | Mapping[str, Any] | Prompt = ""
    """How questions are worded: the name of a prompt, a file, a template with {question} in it, or a table; by default
    as the tests' protocol does, or else our own way."""
    system: str | Path | None = None
    """The system prompt, or its file, in place of the prompt's own; "" sends none."""
    examples: Sequence[GivenExample] = ()
    """Solved questions that are shown before each question (few-shot): rows, items, a file, or a benchmark with `ids`
    or the `number` to be drawn. None may be asked, or share an image or a patient with what is."""
    parser: str = "lenient"
    settings: Settings = PROVIDER_DEFAULTS
    max_connections: int = 64
    timeout: float | None = None
    """Seconds one call of a named model may take; None leaves it to the model (openai/…: 600)."""
    image_side: int | None = None
    """Images with more pixels on the longer side are scaled down to so many; 0 sends all in their own size. By default
    2,048, or what a model's provider takes without scaling, if that is less: all models see the same image."""
    allow_broken: bool = False
    map: Mapping[str, Any] | str = field(default_factory=dict)
    """Which columns of your own tables are read as which field, as in {"question": "Q", "images": "image_path"}."""
    batch: bool = False
    """Whether questions are handed in to the providers' batch APIs: half the price, answered within a day."""
    canary: bool = True
    """Whether models are shown a few fresh letters before the first image goes out: who reads them gets the images."""
    accept_blind: bool = False
    """Whether a model that images do not reach is asked all the same; no verdict is drawn from its responses."""
    repeat: bool = True
    """Whether, with one epoch, both orders of the options are asked twice on up to 200 items (test `option-order`)."""
    until_settled: bool = False
    """Whether nothing more is asked of a model and a benchmark once all their verdicts are settled."""
    yes: bool = False
    """Whether nobody is asked before images go to hosts that are not this machine, or before a study file uses what is
    not its own. A study file cannot set it."""
    on: str = ""
    """Where models that run in this process and the preparing of requests go instead: `ray` starts a Ray cluster on
    this machine, `ray://HOST:PORT` joins one. No part of what a response is known by."""
    human: Human | None = None
    image_dependence: float = USUAL_THRESHOLDS.image_dependence
    """The share of the accuracy above chance that may be kept without the image before a score does not need it."""
    margin: float = USUAL_THRESHOLDS.margin
    """A change of accuracy smaller than this does not matter."""
    stem: str = field(default="", repr=False, compare=False)
    """The name of the file that it was read from, without its ending."""
    _folder: Path = field(default=Path(), repr=False, compare=False)
    """Where the images of its examples are."""
    source: StudySource | None = field(default=None, repr=False, compare=False)
    """The file that it was read from, which may come from anybody."""

    def __post_init__(self) -> None:
        given: dict[str, Any] = vars(self)
        object.__setattr__(self, "models", _entries(given["models"]))
        for name in LISTED:
            if name != "benchmarks" or given[name] is not None:
                object.__setattr__(self, name, _listed(name, given[name]))
        object.__setattr__(self, "settings", _settings(given["settings"], where="settings"))
        if isinstance(given["human"], str | float | int):
            object.__setattr__(self, "human", human_reference(given["human"]))
        for name, (kind, words) in KINDS.items():
            value = given[name]
            if value is None and name in ("limit", "sample", "budget", "timeout", "image_side", "system"):
                continue
            if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
                raise StudyError(f"Expected {name} to be {words}, got {value!r}.")
            if kind is Integral:  # NumPy's numbers are whole too, and no JSON
                most = MOST_EPOCHS if name == "epochs" else 2**63 - 1
                if not -(2**63) <= value <= most:
                    raise StudyError(f"Expected {name} to be at most {most:,}, got {str(value)[:40]}.")
                object.__setattr__(self, name, int(value))
        try:
            parser_of(CHOICE, self.parser)
        except PluginError as error:
            raise StudyError(str(error)) from error
        for name in ("image_dependence", "margin"):
            if not 0 < given[name] < 1:
                raise StudyError(f"Expected {name} to be a share between 0 and 1, got {given[name]}.")
        _check_groups(self.groups)
        object.__setattr__(self, "map", checked_map(self.map))
        if unnamed := [name for name in self.text_only if name not in map(_named, self.models)]:
            object.__setattr__(self, "models", (*self.models, *unnamed))
        if self.name:
            check_name(self.name)
        if "\0" in str(self.out):
            raise StudyError(f"Expected out to be a folder, got {str(self.out)!r:.80}: no name has a null byte.")
        if self.max_connections < 1:
            raise StudyError(f"Expected at least one connection, got max_connections={self.max_connections}.")
        if self.image_side is not None and self.image_side and self.image_side < SMALLEST_SIDE:
            raise StudyError(
                f"Expected an image_side of at least {SMALLEST_SIDE} pixels, or 0 for images in their own size, got "
                f"{self.image_side}."
            )
        if self.on:
            address_of(self.on)
            if self.batch:
                raise StudyError(
                    "A batch is computed by its provider, and `on` is for models of your own. Leave out one."
                )
        object.__setattr__(self, "prices", own_prices(self.prices))
        if self.budget is not None and not 0 < self.budget < inf:
            raise StudyError(f"Expected a budget of more than 0 dollars, got {self.budget}.")
        if self.sample is not None and (self.sample < 1 or self.limit is not None):
            raise StudyError(
                f"Expected a sample or a limit, of at least one item, got sample={self.sample}, limit={self.limit}."
            )
        if self.timeout is not None and not 0 < self.timeout < inf:
            raise StudyError(f"Expected a timeout of more than 0 seconds, got {self.timeout}.")

    @classmethod
    def from_toml(cls, path: str | Path, **changes: Any) -> Study:
        """The study a file describes, with some of it changed.

        A file may come from anybody: before anything is sent, a new host, a variable that is not the provider's own,
        or a file outside its folder is asked for (`ask`). `yes=True` allows all of it; `yes` in the file does not.
        """
        try:
            record = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise StudyError(f"The study {path} cannot be read: {error}.") from error
        if large := _find_large(record):
            raise StudyError(f"The study {path} cannot be read: {large}, and a number in TOML has at most 64 bits.")
        try:
            own = _settings(record.pop("settings", {}), where="[settings]")
            settings = _settings(changes.pop("settings", {}), where="settings").over(own)
            says_yes = bool(record.pop("yes", False))
            chosen = {
                name: value for name, value in _known(cls, record, where="the study").items() if name not in changes
            }
            folder, read = Path(path).parent, dict(chosen)
            if "human" in read:
                read["human"] = human_reference(read["human"])
            with list_files() as files:
                if isinstance(read.get("prompt"), str | Mapping):
                    read["prompt"] = own_prompt(read["prompt"], folder)
                if isinstance(read.get("system"), str):
                    read["system"] = PlainText(words_or_file(read["system"], folder))
            source = StudySource(Path(path), chosen, tuple(files), says_yes)
            return cls(stem=Path(path).stem, _folder=folder, source=source, **{**read, **changes, "settings": settings})
        except StudyError as error:
            raise StudyError(f"{path}: {error}") from error

    def plan(self) -> Plan:
        """What will be asked; loads the benchmarks, sends nothing."""
        return self._plan

    def answered(self) -> int:
        """How many of the plan's requests are answered in `out` already; writes nothing there."""
        if not Store.is_in(self.out):
            return 0
        with Store.open(self.out) as store:
            return answered(self.plan(), store)

    @property
    def billed(self) -> bool:
        """Whether any of its models costs something, or may."""
        return any(price not in UNBILLED for price in self._prices().values())

    @property
    def served_locally(self) -> list[str]:
        """Its models that a server on this machine answers for, which may be a gateway that bills."""
        return [name for name, price in self._prices().items() if price == LOCAL_SERVER]

    def bill(self) -> list[ModelBill]:
        """What each model will cost, of what is not answered in `out` yet; sends nothing and writes nothing."""
        plan, prices = self.plan(), self._prices(batch=self.batch)
        if not Store.is_in(self.out):
            return bill(plan, prices)
        with Store.open(self.out) as store:
            return bill(plan, prices, store)

    def frontier(self, *, gpu: str = "", assumed: Mapping[str, float] | None = None, **wanted: Any) -> Frontier:
        """What the study costs and what can be dropped with no verdict losing its power; sends and writes nothing.

        `wanted` are `power`, `change`, `by` and `family`. How models answer is estimated from what is stored in `out`,
        if anything is; `assumed` sets it (`accuracy`, `within`, `rerun`, `moved`), and the rest is assumed as usual.
        """
        rates, plan = gpu_named(gpu) if gpu else usual_gpu(), self.plan()
        asked = {test.name: test for test in self._asked_tests(plan)}
        source = PlannedStudy(plan, asked, self._prices(batch=self.batch), rates)
        return Frontier(source, Wanted(given_assumptions(self._stored_assumptions(), assumed or {}), **wanted))

    def _stored_assumptions(self) -> Assumptions:
        """How models answered in `out`; as usual where nothing is stored."""
        usual = usual_assumptions()
        if not Store.is_in(self.out):
            return usual
        with Store.open(self.out) as store:
            if not store.studies.all():
                return usual
            results = score(store)
        tests = list(dict.fromkeys(finding.test for finding in results.findings))
        return estimated(tests, results.tables, usual, folder=str(self.out))

    def _prices(self, *, batch: bool = False) -> dict[str, Price | None]:
        """What each model costs: as the study says, or else by the table; None where neither knows."""
        own: dict[str, Price] = dict(self.prices)  # type: ignore[arg-type]
        for entry in self.models:
            if isinstance(entry, ModelEntry) and entry.price:
                own[entry.called] = own_price(entry.price, of=entry.called)
        found: dict[str, Price | None] = {}
        for model in self.plan().models:
            spec = model.spec or model.name
            price = own.get(model.name) or own.get(spec) or price_of(spec, model.host, at=model.at, batch=batch)
            if price is None and Store.is_in(self.out):
                with Store.open(self.out) as store:
                    served = served_as(store, model.name, model.revision)
                    price = price_of(spec, model.host, at=model.at, batch=batch, served_by=served)
            found[model.name] = price
        return found

    @cached_property
    def _plan(self) -> Plan:
        self._check_sendable()
        tests = tuple(test.design for test in self._tests())
        benchmarks = tuple(self._benchmarks(tests))
        tests = tuple(self._applicable(tests, benchmarks))
        models = tuple(self._models())
        if Store.is_in(self.out):
            with Store.open(self.out) as store:
                recognise(models, store)
        return Plan(
            benchmarks=benchmarks,
            models=models,
            tests=tests,
            prompt=self._prompt(),
            settings=self.settings,
            protocol=self._settings_of_tests(),
            seed=self.seed,
            epochs=self.epochs,
            limit=self.limit,
            parser=self.parser,
            human=self.human,
            thresholds=Thresholds(self.image_dependence, self.margin),
            image_side=self._image_side(models),
            groups=self.groups,
            until_settled=self.until_settled,
            repeat=self.repeat,
            examples=self._examples(benchmarks, tests),
        )

    def _models(self) -> Iterator[Model]:
        for entry in self.models:
            model = self._opened(entry)
            model.text_only = model.text_only or model.name in self.text_only
            yield model

    def _opened(self, entry: Any) -> Client:
        if isinstance(entry, ModelEntry):
            return entry.client_of(self._replicated(partial(entry.itself, timeout=self.timeout), entry))
        opens = partial(open_model, entry, timeout=self.timeout) if isinstance(entry, str) else partial(itself, entry)
        return open_client(self._replicated(opens, ModelEntry(name=_named(entry))))

    def _replicated(self, opens: Callable[[], Model], entry: ModelEntry) -> Model:
        """The model, or what stands for its replicas on a cluster; one that is asked elsewhere has some on demand."""
        model = opens()
        if self._place is None or (model.address and not entry.placed):
            return model
        need = Need(model.name, entry.replicas or 1, entry.num_cpus or 0, entry.num_gpus or 0)
        self._place.needs.append(need)
        each = model.connections or self.max_connections
        return Replicated(model, opens, self._place, need, connections=each)

    def _check_sendable(self) -> None:
        """Refuse a model of the user's own that no replica can be made of."""
        own = [each for each in self.models if isinstance(each, Model) and not each.address]
        for model in own if self.on else ():
            if why := unsendable(model):
                raise StudyError(
                    f"{model.name} cannot be sent to its replicas on the cluster: {why.rstrip('.')}. Make such things "
                    "when they are first used, in `answer`, and not before; or leave out `on`."
                )

    @cached_property
    def _place(self) -> Place | None:
        return Place(self.on) if self.on else None

    def _image_side(self, models: Sequence[Model]) -> int | None:
        """The longer side that no image may exceed: as the study says, else the least that a model's provider takes."""
        if self.image_side is not None:
            return self.image_side or None
        return min((USUAL_SIDE, *(each.largest_side or USUAL_SIDE for each in models if not each.text_only)))

    def _tests(self) -> Iterator[StressTest]:
        """Every test once, suites taken apart."""
        seen = set()
        for entry in self.tests:
            suite = suite_named(entry) if isinstance(entry, str) else None
            for each in suite.tests if suite else [entry]:
                test = stress_test(each) if isinstance(each, str) else each
                # One of the user's own is never dropped in silence: the plan refuses a name that is taken.
                if test.name not in seen or isinstance(each, StressTest):
                    yield test
                seen.add(test.name)

    def _asked_tests(self, plan: Plan) -> Iterator[StressTest]:
        """The tests of a plan, with how they are analysed."""
        names = {test.name for test in plan.tests}
        return (test for test in self._tests() if test.name in names)

    def _suites(self) -> Iterator[Suite]:
        return filter(None, (suite_named(entry) for entry in self.tests if isinstance(entry, str)))

    def _examples(self, benchmarks: Sequence[Benchmark], tests: Sequence[Design]) -> tuple[Item, ...]:
        """The examples, apart from what is asked; a test that brings its questions asks them as they are."""
        if not self.examples:
            return ()
        brought = {test.questions for test in tests}
        asked = Asked(each for each in benchmarks if each.name not in brought)
        return chosen_examples(self.examples, asked, load=self._load, seed=self.seed, folder=self._folder)

    def _prompt(self) -> Prompt:
        """The prompt that was chosen, or that of the tests, under the system prompt that was chosen."""
        prompt = own_prompt(self.prompt) if self.prompt else prompt_named(self._prompt_of_tests())
        return prompt if self.system is None else with_system(prompt, words_or_file(self.system))

    def _prompt_of_tests(self) -> str:
        return next((suite.prompt for suite in self._suites() if suite.prompt), USUAL_PROMPT)

    def _settings_of_tests(self) -> Settings:
        own = (suite.settings for suite in self._suites() if suite.settings != PROVIDER_DEFAULTS)
        return next(own, PROVIDER_DEFAULTS)

    def _benchmarks(self, tests: Sequence[Design]) -> Iterator[Benchmark]:
        """Those that were named, then the questions that tests bring; the usual one only if some test asks it."""
        if any(not test.questions for test in tests) or self.benchmarks is not None:
            kinds = {test.item_kind for test in tests if not test.questions}
            named = self._benchmarks_of_tests()
            if self.map and not any(isinstance(each, str | Path) and takes_map(each) for each in named):
                raise StudyError("A map says how the columns of your own tables are read, and this study names none.")
            for entry in named:
                benchmark = entry if isinstance(entry, Benchmark) else self._load(entry)
                parts = benchmark.by_kind() if kinds - {"choice"} else (benchmark,)
                asked = [concerned(tests, each) for each in parts if len(parts) == 1 or each.kind in kinds]
                yield from self._sample_parts(asked, tests)
        given = [entry.name if isinstance(entry, Benchmark) else str(entry) for entry in self.benchmarks or ()]
        for questions in dict.fromkeys(test.questions for test in tests if test.questions):
            if questions not in given:
                yield load(questions)

    def _sample_parts(self, parts: Sequence[Benchmark], tests: Sequence[Design]) -> Iterator[Benchmark]:
        """The kinds of question of one benchmark, each with its share of the limit or sample, unless needed whole."""
        limit = next((part.limit for part in parts), None) or self.limit
        wanted = limit or self.sample
        whole = {part.name for part in parts if any(test.whole for test in asked_of(tests, part.name, part.kind))}
        sizes = {part.name: len(part) for part in parts if part.name not in whole}
        shares = allotted(sizes, wanted) if wanted is not None and wanted < sum(sizes.values()) else sizes
        for part in parts:
            share = max(1, shares.get(part.name, 0))
            if part.name in whole:
                yield part
            elif wanted is None:
                yield self._in_stored_order(part)
            else:
                yield spread_out(part, share) if limit is not None else sampled(part, share, seed=self.seed)

    def _in_stored_order(self, benchmark: Benchmark) -> Benchmark:
        """The benchmark as a limit has ordered it, where the folder has answers in that order and in no other."""
        if not Store.is_in(self.out):
            return benchmark
        spread = spread_out(benchmark)
        with Store.open(self.out) as store:
            return (
                spread
                if store.studies.holds_benchmark(spread.digest) and not store.studies.holds_benchmark(benchmark.digest)
                else benchmark
            )

    def _applicable(self, tests: Sequence[Design], benchmarks: Sequence[Benchmark]) -> Iterator[Design]:
        """The tests without those of a suite whose kind of question no benchmark has; what is named alone stays."""
        brought = {test.questions for test in tests}
        kinds = {benchmark.kind for benchmark in benchmarks if benchmark.name not in brought}
        alone = {(each if isinstance(each, str) else each.name).partition(":")[0] for each in self.tests}
        for test in tests:
            if test.questions or test.item_kind in kinds or test.name.partition(":")[0] in alone:
                yield test

    def _load(self, spec: str | Path) -> Benchmark:
        """A benchmark that draws something draws by the study's seed, unless it names its own."""
        # what is drawn by a loader counts from 0; a seed below that is the same 64 bits
        named: dict[str, Any] = {"map": self.map} if self.map and takes_map(spec) else {}
        return load(spec, seed=self.seed % 2**64, allow_broken=self.allow_broken, takes_limit=True, **named)

    def _benchmarks_of_tests(self) -> Sequence[str | Path | Benchmark]:
        """Those that were named, or where none was, those that the tests' protocols are for."""
        if self.benchmarks is not None:
            return self.benchmarks
        suites = list(self._suites())
        if len(suites) == len(self.tests):
            own = [suite.benchmark for suite in suites]
        else:
            own = [test.benchmark for test in self._tests() if not test.questions]
        demonstrated = all(str(getattr(each, "name", each)).startswith("organism/") for each in self.models)
        usual = DEMONSTRATION if demonstrated else USUAL_BENCHMARK
        return tuple(dict.fromkeys(each or usual for each in own)) or (usual,)

    def run(self, watch: Watch | None = None) -> Results:
        """Ask what is missing, then score it and draw the report. Stopped, it goes on where it was the next time.

        A model that was given up or failed throughout is warned of; what others answered is scored.
        """
        progress = self.ask(watch)
        for model, why in progress.silent.items():
            warnings.warn(f"{model} gave no response or was given up: {why}", stacklevel=2)
        return self.score()

    def ask(self, watch: Watch | None = None, consent: Question = ask_in_terminal) -> Progress:
        """Ask what is missing; nothing is graded yet. UndeliveredError where images reach none of the models.

        Before images go to a host for the first time, or a study file uses what is not its own, `consent` is asked;
        ConsentError where it is not given. With `on`, ClusterError where the cluster does not answer, has other
        versions, or is too small.
        """
        self._check_budget(self._prices(batch=self.batch))
        plan = self.plan()
        if self.batch:
            if plan.until_settled:
                raise StudyError("A batch takes hours, and until_settled looks after every round. Leave out one.")
            check_batching(plan.models)
        if self._is_answered(plan):
            return self._ask(plan, watch, ())
        if not self.allow_broken:
            look_at_images(plan)
        allowed = self._allowed(plan, consent)
        if self._place is None:
            return self._ask(plan, watch, allowed)
        with self._place.connected():
            return self._ask(plan, watch, (*allowed, *self._allowed(plan, consent, allowed)))

    def _ask(self, plan: Plan, watch: Watch | None, allowed: Sequence[Departure]) -> Progress:
        prices, in_batch, budget = self._prices(), self._prices(batch=True), Budget(self.budget)
        with Store.open(self.out, write=True) as store:
            for departure in allowed:
                store.studies.add_consent(departure.record)
            moved = recognise_moved(plan.models, store)
            for each in plan.models:
                if isinstance(each, Client):
                    known = in_batch[each.name]
                    each.account = Account(each.spec or each.name, budget, prices[each.name], in_batch=known)
            told = {"prices": prices_as_json(prices), "batch_prices": prices_as_json(in_batch)}
            record = {**study_record(plan, store, provenance()), **told}
            name = store.studies.add(record, name=self.name, stem=self.stem)
            budget.before = self._spent_before(plan, prices, spent(store, store.studies.record(name)))
            settings = plan.settings.over(plan.protocol)
            witness = ImageWitness(store, canary=self.canary, accept_blind=self.accept_blind, settings=settings)
            shown = Bar(spent=lambda: self._state(budget)) if watch is None else nullcontext(watch)
            with shown as seen:
                if self.batch:
                    source = PlanSource(plan, store)
                    progress = ask_in_batches(plan.models, source, store, watch=seen, witness=witness)
                else:
                    progress = ask_all(
                        plan.models,
                        self._source(plan, store),
                        store,
                        connections=self.max_connections,
                        watch=seen,
                        witness=witness,
                    )
        for said in (moved, witness.remarks, self._of_one_machine()):
            for model, remark in said.items():
                progress.remark(model, remark)
        for remark in self._place.remarks if self._place else ():
            progress.remark("--on ray", remark)
        if witness.stopped.keys() == {model.name for model in plan.models}:
            raise UndeliveredError(witness.stopped)
        return progress

    def _source(self, plan: Plan, store: Store) -> Source:
        if plan.until_settled:
            return SettledSource(plan, store, partial(self._needed, plan), self._place)
        return PlanSource(plan, store, self._place)

    def _state(self, budget: Budget) -> str:
        """What a line of progress says beside how far it is: money, tokens, and replicas that are not there."""
        return " · ".join(filter(None, (budget.words, self._place.state if self._place else "")))

    def _of_one_machine(self) -> dict[str, str]:
        """Of models with settings for a cluster that none was used for, by name."""
        placed = [each.called for each in self.models if isinstance(each, ModelEntry) and each.placed and not self.on]
        return dict.fromkeys(placed, "replicas, num_cpus and num_gpus count with --on ray; it ran in one process.")

    def _needed(self, plan: Plan, model: str, benchmark: str) -> frozenset[str]:
        """The arms of a benchmark that some verdict on a model still needs, by what is stored."""
        revision = next(each.revision for each in plan.models if each.name == model)
        items = next(each for each in plan.benchmarks if each.name == benchmark)
        tests = [test.with_settings(thresholds=plan.thresholds) for test in self._asked_tests(plan)]
        with Store.open(self.out) as store:
            return still_needed(store, planned_record(plan, store.folder), tests, (model, revision), items)

    def _spent_before(self, plan: Plan, prices: Mapping[str, Price | None], stored: Sequence[Spent]) -> float:
        """What the stored responses have cost; under a budget, one whose tokens nobody counted cost what it may."""
        known = sum(each.cost or 0.0 for each in stored)
        uncounted = {each.model: each.uncounted for each in stored if each.uncounted and each.price}
        if self.budget is None or not uncounted:
            return known
        most = {each.model: each.cost.high / max(1, each.requests) for each in bill(plan, prices) if each.cost}
        return known + sum(count * most.get(model, 0.0) for model, count in uncounted.items())

    def _check_budget(self, prices: Mapping[str, Price | None]) -> None:
        """Refuse a budget that nobody could keep to."""
        unknown = [name for name, price in prices.items() if price is None]
        if self.budget is not None and unknown:
            raise StudyError(f"A budget cannot be kept to. {' '.join(map(unknown_price, unknown))}")

    def _allowed(self, plan: Plan, consent: Question, before: Sequence[Departure] = ()) -> Sequence[Departure]:
        """The images that may leave this machine from now on, beside those that could before.

        The same question asks for what the study file uses that is not its own, unless the cluster is there already.
        """
        cluster, known = self._place.host if self._place else "", remembered_consents()
        departing = departures(plan.models, shown_by(plan), known | {each.key for each in before}, cluster=cluster)
        connected = self._place is not None and self._place.cluster is not None
        source = None if connected else self.source
        uses = [] if source is None else list(source.list_uses(self.models, plan.models))
        file = "" if source is None else f"{source.path}{', whose `yes` does not count,' if source.says_yes else ''}"
        new = [each for each in dict.fromkeys(uses) if each.key not in known]
        return obtain(departing, yes=self.yes, ask=consent, uses=new, file=file)

    def _is_answered(self, plan: Plan) -> bool:
        """Whether nothing is left to ask, for all that was counted and not estimated."""
        if not Store.is_in(self.out):
            return False
        counts = list(plan.counts())
        return all(each.counted_on is None for each in counts) and self.answered() >= total(counts)

    def score(self) -> Results:
        """Grade and measure what is stored; write results.csv, results.json and report.html."""
        own = [test for test in self.tests if isinstance(test, StressTest)]
        with Store.open(self.out) as store:
            return _publish(store, study=self._stored_in(store), tests=own)

    def _stored_in(self, store: Store) -> str | None:
        """The name by which a store knows this study; of a store that holds one study, that one is meant."""
        if self.name or len(store.studies.all()) < 2:
            return self.name or None
        if found := store.studies.find(planned_record(self.plan(), store.folder)):
            return found.name
        names = ", ".join(each.name for each in store.studies.all())
        raise StudyError(
            f"None of the studies in {store.folder} asks for the same as this one: {names}. Run it first, or name one "
            "of them with publish(out, study=...)."
        )


def publish(
    out: str | Path,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    human: Human | None = None,
    figures: str = "svg",
    unqualified: bool = False,
    watch: ScoringWatch = unwatched,
) -> Results:
    """Score a stored study and write results.csv, results.json, report.html and figures/; asks nothing.

    They lie in `out`, or in a folder there if `out` held another study first. `study` is a name, by default that of the
    latest study. `tests` are those of your own that no package registers. With `figures="png"` or `"pdf"`, figures are
    there in that form too. What judges say that are not qualified is held back, unless `unqualified` lets it in.
    """
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    check_format(figures)
    with Store.open(out) as store:
        how: dict[str, Any] = {"study": study, "tests": tests, "parsers": parsers, "human": human}
        return _publish(store, figures, **how, unqualified=unqualified, watch=watch)


def _publish(store: Store, figures: str = "svg", *, watch: ScoringWatch = unwatched, **how: Any) -> Results:
    check_replaceable(store.studies.results_folder(store.studies.record(how["study"])["name"]) / RECORD, RESULTS_SCHEMA)
    results = score(store, watch=watch, **how)
    watch("drawing the report", 0, 0)
    report.write(results, store, figures=figures)
    return results


def rescore(
    out: str | Path,
    *,
    study: str | None = None,
    tests: Sequence[StressTest] = (),
    parsers: Sequence[str] = (),
    unqualified: bool = False,
) -> Results:
    """The results of a stored study, by default the latest; asks nothing and writes nothing."""
    for parser in parsers:
        parser_named(parser)
    with Store.open(out) as store:
        return score(store, study=study, tests=tests, parsers=parsers, unqualified=unqualified)


def gate(out: str | Path, require: str | Sequence[str], *, point: bool = False, **how: Any) -> Gate:
    """Check requirements such as `image-needed=pass` or `invents<=5%` on a stored study; asks and writes nothing.

    `passed` says whether every requirement is met, for every model and benchmark that it concerns; `checks` has them
    one by one. A number meets its limit if its whole 95% CI does, or with `point` if the number itself does. `how` are
    the arguments of `rescore`.
    """
    required = parse([require] if isinstance(require, str) else require)
    return check(rescore(out, **how), required, point=point)


def compare(
    out1: str | Path,
    out2: str | Path,
    *,
    study1: str | None = None,
    study2: str | None = None,
    model1: str | None = None,
    model2: str | None = None,
    parsers: Sequence[str] = (),
    tests: Sequence[StressTest] = (),
) -> TwoStudies:
    """Compare two stored studies on the questions that both asked and answered; asks nothing and writes nothing.

    `study1` and `study2` are names, by default those of the latest studies. Where each study has one model, these are
    compared; else those of the same name, or `model1` and `model2`. Both are read by the same parsers. `tests` are
    those of your own that no package registers.
    """
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    with Store.open(out1) as first, Store.open(out2) as second:
        for store, name in ((first, study1), (second, study2)):
            if store.studies.record(name).get("until_settled"):
                raise StudyError(
                    f"The study in {store.folder} stopped asking once its verdicts were settled, so that its responses "
                    "cannot be compared with others. Run it again without until_settled, with the same folder."
                )
        read_by = shared_parsers(first.studies.record(study1), second.studies.record(study2), parsers)
        sides = [
            Side(store, score(store, study=study, parsers=read_by, tests=tests), model)
            for store, study, model in ((first, study1, model1), (second, study2, model2))
        ]
        return two_studies(*sides)


def bring(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    study: str = "",
    benchmarks: Sequence[str | Benchmark] = (),
    allow_broken: bool = False,
    new_conditions: Sequence[str] = (),
    accept_contradictions: bool = False,
    human: str | None = None,
    watch: ImportWatch = lambda doing, count: None,
    **how: Any,
) -> Imported:
    """Store answers that somebody already has, so that they can be scored and reported; asks nothing.

    A file may be a folder: then every log in it is taken. `how` are the settings of `snellen.imports.sources`:
    `format` (recognised if it is not given), and `arm`, `name`, `model` and `fields` where the rows do not say.
    A condition that Snellen does not know is declared in `new_conditions`. What was sent must agree with the name of
    its condition, unless `accept_contradictions`: then no verdict is drawn on the benchmark. `study` names the study;
    without a name, the answers are added to the study that was imported last.
    """
    from snellen.imports.importing import import_answers, sources  # loaded for no other command

    known = [load(each, allow_broken=allow_broken) if isinstance(each, str) else each for each in benchmarks]
    about = {**provenance(), "human": human_reference(human) if human else None}
    left_out: list[str] = []
    brought = sources(files, benchmarks=known, note=left_out.append, **how)
    with few_collections(ALL_KEPT):
        imported = import_answers(
            brought,
            out,
            study=study,
            allow_broken=allow_broken,
            new_conditions=new_conditions,
            accept_contradictions=accept_contradictions,
            about=about,
            watch=watch,
        )
    unusable = (*imported.broken, *(row for each in known for row in each.broken))
    return replace(imported, broken=unusable, notes=(*left_out, *imported.notes))


def export(
    out: str | Path,
    file: str | Path,
    *,
    format: str = "jsonl",  # noqa: A002 - the word people use
    parsers: Sequence[str] = (),
    study: str | None = None,
    unqualified: bool = False,
    watch: ScoringWatch = unwatched,
) -> int:
    """Write every stored response of a study to a file, a row each; returns how many rows.

    `jsonl` is our own format, as `snellen import` takes it. `csv` and `parquet` are for analysis: graded by these
    parsers, or without any by the study's own, with a row too for each response that failed or is missing. For
    `parquet`, a name without an ending is a folder: then there is a file for each model and condition. `study` is a
    name, by default that of the latest study. `shards` writes all studies of `out` to a folder that can be scored as
    `out` can, with the responses of each model in an SQLite file of its own. Grades by judges that are not qualified
    are left out, unless `unqualified` lets them in.
    """
    from snellen.imports.jsonl import jsonl_line  # loaded for no other command
    from snellen.imports.storing import stored_answers

    path = Path(file)
    if format not in EXPORTS:
        raise StudyError(f"Expected one of the formats {', '.join(EXPORTS)}, got {format!r}.")
    if format != "shards" and not any(path.name.endswith(end) if end else not path.suffix for end in EXPORTS[format]):
        ends = [
            f"a file that ends in {end}" if end else "a folder, whose name has no ending" for end in EXPORTS[format]
        ]
        raise StudyError(f"Expected {' or '.join(ends)}, got {path.name!r}.")
    if format in ("jsonl", "shards") and unqualified:
        raise StudyError(f"Responses in the format {format} are not graded. Choose csv or parquet.")
    if format in ("jsonl", "shards") and parsers:
        raise StudyError(f"Responses in the format {format} are not graded. Name no parser, or choose csv or parquet.")
    if format == "shards" and study is not None:
        raise StudyError("Shards hold every study of the folder, since studies share responses. Name no study.")
    for parser in parsers:
        parser_named(parser)  # a slip of the pen is told before anything is read
    if format == "parquet":
        arrow_and_parquet()  # what is not installed is told before anything is graded
    with Store.open(out) as store:
        if format == "parquet" and not path.suffix:
            return export_folder(store, path, parsers, study=study, watch=watch, unqualified=unqualified)
        if format == "shards":
            return export_shards(store, path, watch=watch)
        if format != "jsonl":
            rows = stored_responses(store, parsers, study=study, unqualified=unqualified)
            if format == "csv":
                return write_csv(path, tuple(RESPONSE_COLUMNS), rows)
            return write_parquet(path, RESPONSE_COLUMNS, rows)
        with written_whole(path) as plain, _zipped(plain, path) as written:
            count = 0
            for count, answer in enumerate(stored_answers(store, study=study, images=False), 1):  # noqa: B007
                written.write(jsonl_line(answer))
            return count


def _zipped(file: BinaryIO, path: Path) -> AbstractContextManager[Any]:
    """What lines are written to: the file, compressed if its name says so."""
    return gzip.GzipFile(fileobj=file, mode="wb") if path.suffix == ".gz" else nullcontext(file)


def judge(
    out: str | Path,
    model: str | Model | Sequence[str | Model],
    *,
    study: str | None = None,
    limit: int | None = None,
    epochs: int | None = None,
    unsure: bool = False,
    opinions: int = OPINIONS,
    max_connections: int = 64,
    timeout: float | None = None,
    yes: bool = False,
    watch: Watch | None = None,
    consent: Question = ask_in_terminal,
) -> Progress:
    """Ask a judge, or several, about the stored responses; then `publish` shows what they say.

    There is one request for each run of each item with options, and `opinions` requests for each open answer. `epochs`
    is how many runs of each item are judged, by default one, of open questions all. With `unsure`, the judge is asked
    instead which option each response states whose reading is unsure, by default in all runs; that then counts.
    Before images go to a judge on another machine, `consent` is asked for, unless `yes`.
    """
    named = [model] if isinstance(model, str | Model) else list(model)
    judges = [open_client(each, timeout=timeout) for each in named]
    Store.open(out).close()  # a folder without a study is not made into one
    with Store.open(out, write=True) as store, Bar() if watch is None else nullcontext(watch) as seen:
        record = store.studies.record(study)
        source = JudgeSource(store, record, limit=limit, epochs=epochs, unsure=unsure, opinions=opinions)
        part = "" if limit is None else f"{PART}{limit}"
        shown = (Shown(name, record["benchmarks"][name] + part, count) for name, count in source.images())
        for departure in obtain(departures(judges, shown, remembered_consents()), yes=yes, ask=consent):
            store.studies.add_consent(departure.record)
        return ask_all(judges, source, store, connections=max_connections, watch=seen)


def human_reference(given: object) -> Human:
    """What people score, from `0.71` or `71%`, or an exam's points: `points=56.9,questions=60,right=1.5,wrong=-0.4`."""
    try:
        settings = _settings_of_human(given)
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise ValueError(f"expected a number for {name}, got {value!r}.")
        return human(**settings)
    except ValueError as error:
        raise StudyError(f"The human reference {given!r} cannot be used: {error}") from error


def _settings_of_human(given: object) -> Mapping[str, Any]:
    if isinstance(given, Mapping):
        return given
    if not isinstance(given, str | int | float) or isinstance(given, bool):
        raise ValueError("expected a share, or an exam's points and rules.")
    bare, named = parse_settings(str(given))
    if len(bare) > 1:
        raise ValueError(f"expected one share, got {', '.join(bare)}.")
    if not bare:
        return named
    share = bare[0].strip()
    try:
        number = float(share.rstrip("%"))
    except ValueError:
        raise ValueError("expected a share such as 0.71 or 71%, or an exam's points and rules.") from None
    return {"accuracy": number / (100 if share.endswith("%") else 1), **named}


def provenance() -> dict[str, Any]:
    """When, and with which versions."""
    packages = ("snellen", "numpy", "opencv-python-headless", "aiohttp")
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
    }


def _find_large(value: Any, name: str = "a value") -> str:
    """What in a study file is a whole number that nothing can store; empty where nothing is."""
    if isinstance(value, Mapping):
        return next(filter(None, (_find_large(each, field) for field, each in value.items())), "")
    if isinstance(value, list):
        return next(filter(None, (_find_large(each, name) for each in value)), "")
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return f"{name} is {str(value)[:40]}…" if is_large else ""


def _settings(given: object, *, where: str) -> Settings:
    if isinstance(given, Settings):
        return given
    if not isinstance(given, Mapping):
        raise StudyError(f"Expected {where} to be names and values, such as temperature = 0.0; got {given!r}.")
    return Settings(**_known(Settings, given, where=where))


def _named(model: Any) -> str:
    if isinstance(model, ModelEntry):
        return model.called
    return model if isinstance(model, str) else str(model.name)


def _entries(given: Any) -> Any:
    """What a study lists as models, each table as an entry."""
    if isinstance(given, Mapping):
        return (ModelEntry.of(given),)
    if not isinstance(given, list | tuple) or not any(isinstance(each, Mapping) for each in given):
        return given
    return tuple(ModelEntry.of(each) if isinstance(each, Mapping) else each for each in given)


def _check_groups(given: object) -> None:
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and isinstance(members, list | tuple) and all(isinstance(each, str) for each in members)
        for name, members in given.items()
    ):
        raise StudyError(f'Expected groups such as {{"medical": ["hf/llava-med"]}}, got {short(given)}.')


def _listed(name: str, given: Any) -> Sequence[Any]:
    """What a study lists, one thing standing for a list of one; StudyError for what can be no part of it."""
    kind, example = LISTED[name]
    if isinstance(given, kind):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
        raise StudyError(f"Expected {name} to be a list, as of {example}; got {short(given)}.")
    entries = given if isinstance(given, list | tuple) else tuple(given)
    for entry in entries:
        if not isinstance(entry, kind):
            raise StudyError(f"Expected each of the {name} to be {example}; got {short(entry)}.")
    return entries


def _known(record: type, values: Mapping[str, Any], *, where: str) -> Mapping[str, Any]:
    """The values, all of which the record has a field for."""
    names = [each.name for each in fields(record) if each.compare]
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f" There are: {', '.join(names)}."
            raise StudyError(f"{where}: there is no setting {name!r}.{hint}")
    return values
