"""Inspect tasks: Snellen's benchmarks under conditions, and other tasks under image conditions."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from inspect import Parameter, signature
from typing import Any, NamedTuple, cast

from inspect_ai import Task, task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate
from inspect_ai.util import registry_create

from snellen.asking.plan import Plan, ResolvedArm
from snellen.benchmarks import MEMBERS, load, look_up_published
from snellen.conditions import MEMBERS as CONDITIONS
from snellen.conditions import ORIGINAL, Condition, Pool, condition_named
from snellen.errors import Inapplicable, StudyError, UnusableImageError
from snellen.images import Encoder
from snellen.imports.inspect_sample import KEY, target_of, told_of
from snellen.imports.storing import own_questions
from snellen.items import CHOICE, Benchmark, Item, Kind
from snellen.models.fake import FunctionModel
from snellen.models.inspect_ai import messages
from snellen.plugins import find, names
from snellen.prompts import PROVIDER_DEFAULTS, Arm, Request, ask, own_prompt
from snellen.reading.parsers import OPEN, USUAL
from snellen.stress.design import Design
from snellen.tools.inspect.refusing import refused_in_a_sentence
from snellen.tools.inspect.scorers import choice, open_answer
from snellen.tools.inspect.solvers import asked_under

USUAL_PROMPT = "letter"
_SCORERS: Mapping[str, Callable[[str], Scorer]] = {CHOICE: choice, OPEN: open_answer}
_logger = logging.getLogger(__name__)


class Left(NamedTuple):
    """An item that cannot be asked under a condition, and the reason."""

    arm: str
    reason: str


@dataclass(frozen=True)
class BenchmarkTask:
    """A benchmark for Inspect: conditions, kind of question, prompt and seed."""

    benchmark: Benchmark
    conditions: tuple[Condition, ...]
    kind: Kind
    prompt: str
    seed: int

    def samples(self) -> tuple[list[Sample], list[Left]]:
        """Make a sample for each item and condition, and list the impossible ones."""
        patients: dict[str, str] = {}
        for item in self.benchmark:
            told_of(item, patients)
        plan = self._plan()
        arms, pool = plan.arms_of(self.benchmark), Pool(self.benchmark.items)
        encode = Encoder(side=plan.image_side)

        def make_sample(item: Item, arm: ResolvedArm) -> Sample | Left:
            try:
                varied = arm.vary(item, seed=self.seed, pool=pool).item
                request = ask(varied, prompt=arm.prompt, settings=arm.settings, encode=encode)
            except Inapplicable as reason:
                return Left(arm.name, str(reason))
            except UnusableImageError as error:
                return Left(arm.name, f"its image {error.why}")
            return self._sample(varied, request, arm, images=len(item.images), patients=patients)

        pairs = [(item, arm) for item in self.benchmark for arm in arms]
        with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as threads:
            made = list(threads.map(make_sample, *zip(*pairs, strict=True)))
        return [each for each in made if isinstance(each, Sample)], [each for each in made if isinstance(each, Left)]

    def _sample(
        self, item: Item, request: Request, arm: ResolvedArm, *, images: int, patients: dict[str, str]
    ) -> Sample:
        metadata = told_of(
            item, patients, images=images, benchmark=self.benchmark.name, digest=self.benchmark.digest,
            seed=self.seed, prompt=arm.prompt.name,
        )  # fmt: skip
        named = {"category": item.category, "language": item.language}
        named["cluster"] = metadata["item"]["cluster"] or item.id
        return Sample(
            id=item.id if len(self.conditions) == 1 else f"{item.id} [{arm.name}]",
            input=list(messages(request)),
            choices=[option.text for option in item.options] or None,
            target=target_of(item),
            metadata={"arm": arm.name, **named, KEY: metadata},
        )

    def _plan(self) -> Plan:
        """Make the plan of the equivalent study, which determines the requests."""
        first, *others = self.conditions
        question = "What does the model answer under these conditions?"
        design = Design("inspect", question, arms=tuple(others), baseline=Arm(first), item_kind=self.kind)
        return Plan(
            benchmarks=(self.benchmark,),
            models=(FunctionModel(lambda request: ""),),
            tests=(design,),
            prompt=own_prompt(self.prompt),
            settings=PROVIDER_DEFAULTS,
            seed=self.seed,
        )


def _of_kind(benchmark: Benchmark, kind: str) -> Benchmark:
    """Return a benchmark's questions of one kind, by default the first usable."""
    parts = {part.kind: part for part in benchmark.by_kind()}
    wanted = cast("Kind", kind or next((each for each in parts if each in _SCORERS), ""))
    if wanted not in parts or wanted not in _SCORERS:
        raise StudyError(
            f"Expected a kind of question that Inspect can score ({' or '.join(_SCORERS)}) and {benchmark.name!r} has "
            f"({', '.join(parts)}), got {kind or 'none'}. For reports use `snellen run`."
        )
    return parts[wanted]


def _describe_task(name: str, asking: BenchmarkTask, left_out: Counter[Left], **more: Any) -> dict[str, Any]:
    """Describe the task for the log: benchmark, conditions, and items not asked."""
    published = look_up_published(name)
    terms = {}
    if published:
        terms = {"licence": published.licence, "access": published.tier, "citation": published.citation}
    return {
        "version": version("snellen"),
        "benchmark": asking.benchmark.name,
        "digest": asking.benchmark.digest,
        "conditions": [each.label for each in asking.conditions],
        "items": len(asking.benchmark),
        "broken_rows": len(asking.benchmark.broken),
        "not_asked": [
            {"condition": arm, "reason": reason, "items": count} for (arm, reason), count in left_out.items()
        ],
        "prompt": asking.prompt,
        "seed": asking.seed,
        **more,
        **terms,
    }


def conditions_in(text: str) -> tuple[Condition, ...]:
    """Parse conditions separated by commas; a part that names no condition is a setting.

    >>> [each.label for each in conditions_in("original,degraded:noise,strong,image-removed")]
    ['original', 'degraded:noise,strong', 'image-removed']
    """
    known, labels = names("conditions", CONDITIONS), [""]
    for part in text.split(","):
        named = part.strip().partition("+")[0].partition(":")[0] in known
        if named or not labels[-1]:
            labels.append(part.strip())
        else:
            labels[-1] += f",{part.strip()}"
    found: dict[str, Condition] = {}
    for label in labels[1:]:
        if (condition := condition_named(label)) is None:
            raise StudyError(f"There is no condition {label!r}. There are: {', '.join(known)}.")
        found[label] = condition
    return tuple(found.values())


def _text(value: Any) -> str:
    """Return a setting as text; Inspect's command line splits text at commas into a list."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _of_benchmark(name: str) -> Callable[..., Task]:
    """Make the task of one benchmark, with its loader's own settings as parameters."""

    @refused_in_a_sentence
    def make_task(
        path: str = "",
        condition: str = ORIGINAL.name,
        kind: str = "",
        prompt: str = USUAL_PROMPT,
        parser: str = "",
        seed: int = 0,
        allow_broken: bool = False,
        **settings: Any,
    ) -> Task:
        line = ",".join(filter(None, (str(path), *(f"{key}={_text(value)}" for key, value in settings.items()))))
        whole = load(f"{name}:{line}" if line else name, seed=seed, allow_broken=allow_broken)
        benchmark = _of_kind(whole, kind)
        asking = BenchmarkTask(benchmark, conditions_in(_text(condition)), benchmark.kind, _text(prompt), seed)
        samples, left = asking.samples()
        if not samples:
            arm, reason = left[0]
            raise StudyError(
                f"None of the {len(benchmark)} items of {benchmark.name!r} can be asked under {arm!r}: {reason}."
            )
        left_out = Counter(left)
        for (arm, reason), count in left_out.items():
            _logger.warning("%s: %s of %s items are not asked under %s: %s.", name, count, len(benchmark), arm, reason)
        chosen = parser or USUAL[benchmark.kind]
        return Task(
            MemoryDataset(samples, name=benchmark.name),
            solver=generate(),
            scorer=_SCORERS[benchmark.kind](chosen),
            metadata={KEY: _describe_task(name, asking, left_out, parser=chosen)},
        )

    published = look_up_published(name)
    make_task.__name__ = make_task.__qualname__ = name.replace("-", "_")
    loader = find("datasets", MEMBERS, name)
    make_task.__doc__ = str(loader.__doc__ or name).partition("\n")[0]
    if published:
        terms = f"Licence: {published.licence}; {published.tier}."
        make_task.__doc__ = f"{published.title}: {published.asks}. {terms}"
    make_task.__signature__ = _signature(make_task, loader)  # type: ignore[attr-defined]
    return task(make_task)


def _signature(asked: Callable[..., Task], loader: Callable[..., Benchmark]) -> Any:
    """Return the task's parameters, extended by those of the benchmark's loader."""
    own = signature(asked)
    parameters = list(own.parameters.values())
    others = [
        each.replace(kind=Parameter.KEYWORD_ONLY, default=None)
        for each in signature(loader).parameters.values()
        if each.name not in own.parameters and each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]
    return own.replace(parameters=[*parameters[:-1], *others, parameters[-1]])


TASKS = {name.replace("-", "_"): _of_benchmark(name) for name in MEMBERS if name not in own_questions()}
"""The tasks of all benchmarks, except those that belong to a test."""
globals().update(TASKS)


@task
@refused_in_a_sentence
def under(task: str, condition: str = ORIGINAL.name, seed: int = 0, **arguments: Any) -> Task:
    """Run another Inspect task under one of Snellen's image conditions.

    Its samples, solver and scorer stay; the images are changed before the solver begins.
    """
    try:
        asked = registry_create("task", task, **arguments)
    except (LookupError, ValueError, TypeError) as error:
        raise StudyError(f"Inspect cannot make the task {task!r}: {error}") from error
    setup = asked.setup
    before: list[Solver] = [] if setup is None else list(setup) if isinstance(setup, Sequence) else [setup]
    changing = asked_under(_text(condition), then=None, dataset=asked.dataset, seed=seed)
    known = asked.metadata or {}
    asked_as = {"arm": _text(condition), KEY: {**known.get(KEY, {}), "benchmark": task, "seed": seed}}
    return task_with(asked, setup=[*before, changing], name=task, metadata={**known, **asked_as})
