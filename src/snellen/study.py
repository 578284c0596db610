"""Studies: one record or TOML file to plan, run and report."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.asking.batch import ask_in_batches, check_batching
from snellen.asking.bill import check_budget, price_models, spent_before
from snellen.asking.consent import Departure, Question, ask_in_terminal, departures, look_at_images, obtain, shown_by
from snellen.asking.consent import read_consents as remembered_consents
from snellen.asking.examples import Given as GivenExample
from snellen.asking.examples import OverlapIndex, chosen_examples
from snellen.asking.identity import recognise, recognise_moved
from snellen.asking.plan import Plan, stored_in
from snellen.asking.progress import ProgressBar
from snellen.asking.requests import PlanSource, is_answered
from snellen.asking.run import RequestSource, RunProgress, Watch, ask_all
from snellen.asking.sampling import BenchmarkChoice, list_applicable
from snellen.asking.settled import SettledSource
from snellen.asking.spent import find_spending, prices_as_json
from snellen.asking.study_fields import StudySource, check_known, find_large, read_fields, read_list, read_settings
from snellen.benchmarks.columns import checked_map
from snellen.cluster import RunPlace
from snellen.errors import PluginError, StudyError, UndeliveredError
from snellen.images import USUAL_SIDE
from snellen.items import CHOICE, Benchmark, Item
from snellen.models.base import Model
from snellen.models.client.budget import Account, Budget
from snellen.models.client.client import Client
from snellen.models.entry import ModelEntry, name_entry, read_entries
from snellen.models.prices import Price, own_price, own_prices
from snellen.models.replicated import check_sendable, open_entry
from snellen.plugins import load_reference, resolve_names
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
from snellen.reading.parsers import parser_of
from snellen.report.publishing import publish
from snellen.runtime import provenance
from snellen.scoring.human_reference import human_reference
from snellen.scoring.resolving import find_recorded, planned_record, study_record
from snellen.scoring.results import Results
from snellen.scoring.settled import still_needed
from snellen.sight.witness import ImageWitness
from snellen.stats import Human
from snellen.store import Store
from snellen.stress.base import StressTest
from snellen.stress.design import USUAL_THRESHOLDS, Design, Thresholds

if TYPE_CHECKING:
    from snellen.imports.exporting import export as export
    from snellen.imports.importing import bring as bring
    from snellen.judging.asking import judge as judge
    from snellen.papers.chosen_tests import ChosenTests
    from snellen.scoring.gate import gate as gate
    from snellen.scoring.results import rescore as rescore
    from snellen.tools.compare.two_studies import compare as compare

ORGANISMS = tuple(f"organism/{name}" for name in ("grounded", "blind", "mirage", "positional", "refuser", "random"))
USUAL_BENCHMARK, DEMONSTRATION = "phantoms", "phantoms:leak=0.5"
"""Benchmark of a study that names none, and the benchmark for a study of organisms only."""
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

_, __getattr__ = resolve_names(
    "snellen",
    {
        "tools.compare.two_studies": ("compare",),
        "imports.exporting": ("export",),
        "imports.importing": ("bring",),
        "judging.asking": ("judge",),
        "scoring.gate": ("gate",),
        "scoring.results": ("rescore",),
    },
)
"""Functions on a folder of stored responses; each is imported from its package when it is used."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """Description of a study: models, benchmarks and tests, as names or objects.

    An organism is a bundled model with a known flaw; a phantom is a synthetic image with a known finding. Without
    arguments, the study asks the organisms about the phantoms.
    """

    models: Sequence[str | Model | ModelEntry | Mapping[str, Any]] = ORGANISMS
    text_only: Sequence[str] = ()
    """Models that take no images, also outside `models`; they get only requests without images."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Models that are compared as a group, such as {"medical": ["hf/llava-med"]}."""
    benchmarks: Sequence[str | Path | Benchmark] | None = None
    """Default: the benchmarks of the tests' protocols, or else the bundled phantoms. If all models are organisms, the
    text of every second phantom reveals the answer, to show the effect."""
    tests: Sequence[str | StressTest] = ("standard",)
    out: str | Path = "exam"
    name: str = ""
    """Name of the study in `out`, which may hold several. Default: the name of its file, or study-1 and so on."""
    seed: int = 0
    epochs: int = 1
    limit: int | None = None
    """Number of items asked of each benchmark, spread in proportion over kinds of question, categories and answers. The
    first 10 are among the first 20, whatever the seed. A benchmark may set its own (`vqa-rad:PATH,limit=60`)."""
    sample: int | None = None
    """Number of items asked of each benchmark, drawn by category; the same items for the same seed."""
    budget: float | None = None
    """Budget in dollars, including the cost of stored responses; a request that may exceed it is not sent."""
    prices: Mapping[str, Any] | str | Path = field(default_factory=dict)
    """Dollars per million tokens, as in {"openai/mine": {"input": 2.5, "output": 10}}, or a TOML file with them."""
    prompt: str | Path | Mapping[str, Any] | Prompt = ""
    """Wording of questions: the name of a prompt, a file, a template with {question}, or a table. Default: the wording
    of the tests' protocol, or else our own."""
    system: str | Path | None = None
    """System prompt, or its file, instead of the prompt's own; "" sends none."""
    examples: Sequence[GivenExample] = ()
    """Solved questions shown before each question (few-shot): rows, items, a file, or a benchmark with `ids` or the
    `number` to draw. None of them is asked, or shares an image or a patient with an asked item."""
    parser: str = "lenient"
    settings: Settings = PROVIDER_DEFAULTS
    max_connections: int = 64
    timeout: float | None = None
    """Seconds that a call of a model given by name may take; None leaves it to the model (openai/…: 600)."""
    image_side: int | None = None
    """Longest side of images in pixels; larger images are scaled down, and 0 keeps the original size. Default: 2,048,
    or the smallest limit of the models' providers, so that all models see the same image."""
    allow_broken: bool = False
    map: Mapping[str, Any] | str = field(default_factory=dict)
    """Column of your own tables for each field, as in {"question": "Q", "images": "image_path"}."""
    batch: bool = False
    """True to use the providers' batch APIs: half the price, answered within a day."""
    canary: bool = True
    """True to show models a few random letters first; a model that reads them evidently receives images."""
    accept_blind: bool = False
    """True to ask models that images do not reach as well; their responses get no verdict."""
    repeat: bool = True
    """True to ask both orders of the options twice on up to 200 items if `epochs` is 1 (test `option-order`)."""
    until_settled: bool = False
    """True to stop asking a model about a benchmark once all their verdicts are settled."""
    yes: bool = False
    """True to skip the question for consent before images leave this machine, or before a study file uses foreign
    hosts, variables or files. A study file cannot set it."""
    on: str = ""
    """Where local models run and requests are prepared: `ray` starts a Ray cluster on this machine, `ray://HOST:PORT`
    joins one. It is not part of a response's key."""
    human: Human | None = None
    image_dependence: float = USUAL_THRESHOLDS.image_dependence
    """Largest share of the accuracy above chance that may remain without the image, if a score needs the image."""
    margin: float = USUAL_THRESHOLDS.margin
    """Changes of accuracy smaller than this do not matter."""
    stem: str = field(default="", repr=False, compare=False)
    """Name of the study file without its ending; "" if there is none."""
    _folder: Path = field(default=Path(), repr=False, compare=False)
    """Folder in which the examples' images are."""
    source: StudySource | None = field(default=None, repr=False, compare=False)
    """File that the study was read from, which may be from an untrusted source."""

    def __post_init__(self) -> None:
        given: dict[str, Any] = {**vars(self), "models": read_entries(self.models)}
        lists = [name for name in LISTED if name != "benchmarks" or given[name] is not None]
        given |= {name: read_list(name, given[name], *LISTED[name]) for name in lists}
        given["settings"] = read_settings(self.settings, where="settings")
        if isinstance(given["human"], str | float | int):
            given["human"] = human_reference(given["human"])
        given |= read_fields(given)
        try:
            parser_of(CHOICE, self.parser)
        except PluginError as error:
            raise StudyError(str(error)) from error
        given["map"], given["prices"] = checked_map(self.map), own_prices(self.prices)
        named = list(map(name_entry, given["models"]))
        if unnamed := [name for name in given["text_only"] if name not in named]:
            given["models"] = (*given["models"], *unnamed)
        vars(self).update(given)

    @classmethod
    def from_toml(cls, path: str | Path, **changes: Any) -> Study:
        """Read the study that a TOML file describes; `changes` replace its fields.

        A file may be from an untrusted source. Before anything is sent, `ask` requests consent for new hosts, for
        variables that are not the provider's own, and for files outside its folder. `yes=True` allows all of it; `yes`
        in the file does not.
        """
        try:
            record = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise StudyError(f"The study {path} cannot be read: {error}.") from error
        if large := find_large(record):
            raise StudyError(f"The study {path} cannot be read: {large}, and a number in TOML has at most 64 bits.")
        try:
            own = read_settings(record.pop("settings", {}), where="[settings]")
            settings = read_settings(changes.pop("settings", {}), where="settings").with_defaults(own)
            says_yes = bool(record.pop("yes", False))
            known = check_known(cls, record, where="the study")
            chosen = {name: value for name, value in known.items() if name not in changes}
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
        """Return the plan of all requests; loads the benchmarks, sends nothing."""
        return self._plan

    @cached_property
    def _plan(self) -> Plan:
        if self.on:
            check_sendable(self.models)
        chosen, choice = self._chosen_tests, self._choice()
        designs = tuple(test.design for test in chosen.tests)
        benchmarks = tuple(choice.choose(designs))
        tests = tuple(list_applicable(designs, benchmarks, chosen.alone))
        models = tuple(self._models())
        with stored_in(self.out) as store:
            if store is not None:
                recognise(models, store)
        return Plan(
            benchmarks=benchmarks,
            models=models,
            tests=tests,
            prompt=self._prompt(),
            settings=self.settings,
            protocol=chosen.settings,
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
            examples=self._examples(benchmarks, tests, choice),
            prices=self._own_prices(),
            batch=self.batch,
            out=Path(self.out),
        )

    def _choice(self) -> BenchmarkChoice:
        own = {name: getattr(self, name) for name in ("out", "seed", "limit", "sample", "map", "allow_broken")}
        return BenchmarkChoice(named=self._named_benchmarks(), **own)

    def _named_benchmarks(self) -> Sequence[str | Path | Benchmark]:
        """Return the named benchmarks; if none was named, those of the tests' protocols."""
        if self.benchmarks is not None:
            return self.benchmarks
        demonstrated = all(str(getattr(each, "name", each)).startswith("organism/") for each in self.models)
        return self._chosen_tests.name_benchmarks(DEMONSTRATION if demonstrated else USUAL_BENCHMARK)

    def _models(self) -> Iterator[Model]:
        for entry in self.models:
            model = open_entry(entry, timeout=self.timeout, place=self._place, most=self.max_connections)
            model.text_only = model.text_only or model.name in self.text_only
            yield model

    @cached_property
    def _place(self) -> RunPlace | None:
        return RunPlace(self.on) if self.on else None

    def _own_prices(self) -> dict[str, Price]:
        own: dict[str, Price] = dict(self.prices)  # type: ignore[arg-type]
        entries = [each for each in self.models if isinstance(each, ModelEntry) and each.price]
        return own | {each.called: own_price(each.price, of=each.called) for each in entries}

    def _image_side(self, models: Sequence[Model]) -> int | None:
        """Return the longest image side that the study or the models' providers allow."""
        if self.image_side is not None:
            return self.image_side or None
        return min((USUAL_SIDE, *(each.largest_side or USUAL_SIDE for each in models if not each.text_only)))

    @cached_property
    def _chosen_tests(self) -> ChosenTests:
        chosen: ChosenTests = load_reference("snellen.papers.chosen_tests:ChosenTests")(self.tests)
        return chosen

    def _examples(
        self, benchmarks: Sequence[Benchmark], tests: Sequence[Design], choice: BenchmarkChoice
    ) -> tuple[Item, ...]:
        """Return the solved examples; tests with their own questions use none."""
        if not self.examples:
            return ()
        brought = {test.questions for test in tests}
        asked = OverlapIndex(each for each in benchmarks if each.name not in brought)
        return chosen_examples(self.examples, asked, load=choice.load, seed=self.seed, folder=self._folder)

    def _prompt(self) -> Prompt:
        """Return the chosen prompt, or the tests' own, with the chosen system prompt."""
        prompt = own_prompt(self.prompt) if self.prompt else prompt_named(self._chosen_tests.prompt)
        return prompt if self.system is None else with_system(prompt, words_or_file(self.system))

    def run(self, watch: Watch | None = None) -> Results:
        """Ask for missing responses, grade them and write the report. An interrupted run can be continued.

        Warns of models that stopped responding or always failed; the responses of the others are scored.
        """
        progress = self.ask(watch)
        for model, why in progress.silent.items():
            warnings.warn(f"{model} gave no response or is no longer asked: {why}", stacklevel=2)
        return self.score()

    def ask(self, watch: Watch | None = None, consent: Question = ask_in_terminal) -> RunProgress:
        """Ask for missing responses without grading. UndeliveredError if images reach no model.

        `consent` is asked before images first go to a host, or before a study file uses foreign hosts, variables or
        files. Without consent, ConsentError. With `on`, ClusterError if the cluster does not answer, has other
        versions, or is too small.
        """
        plan = self.plan()
        check_budget(self.budget, price_models(plan, batch=self.batch))
        if self.batch:
            if plan.until_settled:
                raise StudyError(
                    "Choose batch or until_settled, not both: until_settled needs many rounds, and a batch takes hours."
                )
            check_batching(plan.models)
        if is_answered(plan):
            return self._ask(plan, watch, ())
        if not self.allow_broken:
            look_at_images(plan)
        allowed = self._ask_permission(plan, consent)
        if self._place is None:
            return self._ask(plan, watch, allowed)
        with self._place.connect():
            return self._ask(plan, watch, (*allowed, *self._ask_permission(plan, consent, allowed)))

    def _ask(self, plan: Plan, watch: Watch | None, allowed: Sequence[Departure]) -> RunProgress:
        prices, in_batch, budget = price_models(plan), price_models(plan, batch=True), Budget(self.budget)
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
            budget.before = spent_before(plan, prices, find_spending(store, store.studies.record(name)), self.budget)
            settings = plan.settings.with_defaults(plan.protocol)
            witness = ImageWitness(store, canary=self.canary, accept_blind=self.accept_blind, settings=settings)
            shown = ProgressBar(spent=lambda: self._state(budget)) if watch is None else nullcontext(watch)
            with shown as seen:
                how: dict[str, Any] = {"watch": seen, "witness": witness}
                source: RequestSource = PlanSource(plan, store, self._place)
                if plan.until_settled:
                    source = SettledSource(plan, store, partial(self._find_needed_arms, plan), self._place)
                if self.batch:
                    progress = ask_in_batches(plan.models, source, store, **how)
                else:
                    progress = ask_all(plan.models, source, store, connections=self.max_connections, **how)
        for said in (moved, witness.remarks, self._of_one_machine()):
            for model, remark in said.items():
                progress.remark(model, remark)
        for remark in self._place.remarks if self._place else ():
            progress.remark("--on ray", remark)
        if witness.stopped.keys() == {model.name for model in plan.models}:
            raise UndeliveredError(witness.stopped)
        return progress

    def _state(self, budget: Budget) -> str:
        """Return the progress line: cost, tokens and running replicas."""
        return " · ".join(filter(None, (budget.words, self._place.state if self._place else "")))

    def _of_one_machine(self) -> dict[str, str]:
        """Return a remark for each model that has cluster settings but ran without a cluster."""
        placed = [each.called for each in self.models if isinstance(each, ModelEntry) and each.placed and not self.on]
        return dict.fromkeys(
            placed, "replicas, num_cpus and num_gpus work only with --on ray; the model ran in one process."
        )

    def _find_needed_arms(self, plan: Plan, model: str, benchmark: str) -> frozenset[str]:
        """Return the arms of a benchmark that some verdict still needs."""
        revision = next(each.revision for each in plan.models if each.name == model)
        items = next(each for each in plan.benchmarks if each.name == benchmark)
        asked = {test.name for test in plan.tests}
        named = [test for test in self._chosen_tests.tests if test.name in asked]
        tests = [test.with_settings(thresholds=plan.thresholds) for test in named]
        with Store.open(self.out) as store:
            return still_needed(store, planned_record(plan, store.folder), tests, (model, revision), items)

    def _ask_permission(self, plan: Plan, consent: Question, before: Sequence[Departure] = ()) -> Sequence[Departure]:
        """Ask for consent to images that may leave this machine; return what was allowed.

        Uses of foreign hosts, variables and files by a study file are part of the same question. They are left out if a
        cluster is already connected. `before` was allowed earlier.
        """
        cluster, known = self._place.host if self._place else "", remembered_consents()
        departing = departures(plan.models, shown_by(plan), known | {each.key for each in before}, cluster=cluster)
        connected = self._place is not None and self._place.cluster is not None
        source = None if connected else self.source
        uses = [] if source is None else list(source.list_uses(self.models, plan.models))
        file = "" if source is None else f"{source.path}{' (its `yes` is ignored)' if source.says_yes else ''}"
        new = [each for each in dict.fromkeys(uses) if each.key not in known]
        return obtain(departing, yes=self.yes, ask=consent, uses=new, file=file)

    def score(self) -> Results:
        """Grade stored responses; write results.csv, results.json and report.html."""
        own = [test for test in self.tests if isinstance(test, StressTest)]
        with Store.open(self.out, check=False) as store:
            name = self.name or find_recorded(store, self.plan)
        return publish(self.out, study=name, tests=own)
