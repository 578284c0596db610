"""Arms: ways of asking a question.

An arm is a condition, and optionally a prompt, a change of its words, and settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple, get_args

from snellen.conditions import ORIGINAL, Condition, Effects
from snellen.conditions.labels import find_ways, read_label
from snellen.errors import StudyError
from snellen.prompts.named import PROMPTS, prompt_named
from snellen.prompts.ours import BRIEF
from snellen.prompts.prompt import PLACE, Prompt
from snellen.prompts.settings import PROVIDER_DEFAULTS, Effort, Settings, effort_in_words


class Rewording(NamedTuple):
    """Named change to the words of a prompt.

    `in_words` describes it in a verdict, `about` in a list; `of` makes the change.
    """

    name: str
    in_words: str
    about: str
    of: Callable[[Prompt], Prompt]


def _with_steps(prompt: Prompt) -> Prompt:
    if not prompt.steps:
        with_steps = ", ".join(name for name, each in PROMPTS.items() if each.steps)
        raise StudyError(
            f"The prompt {prompt.name!r} has no wording that asks for steps. Those that do: {with_steps}. In a prompt "
            "of your own, put in {answer_format}, or give `steps`."
        )
    return prompt.steps if isinstance(prompt.steps, Prompt) else prompt_named(prompt.steps)


def _told_to_guess(prompt: Prompt) -> Prompt:
    told = (
        "However, the image has been removed for this question. Take your best guess based on your knowledge and write "
        "your reason for the chosen answer."
    )
    return prompt.with_each_system(lambda system: f"{system} {told}".strip())


def _with_place(prompt: Prompt) -> Prompt:
    return prompt.with_each_system(
        lambda system: system if PLACE in system else f"{system} The question is{PLACE}.".strip()
    )


def _without_place(prompt: Prompt) -> Prompt:
    return prompt.naming("")


def _without_options(prompt: Prompt) -> Prompt:
    """Return the prompt for questions with hidden options: its own open wording, or ours."""
    words = prompt if prompt.in_words else prompt.tasks.get("open", BRIEF)
    return replace(words, name=prompt.name, tasks={}, in_words=True)


WITH_STEPS = Rewording(
    "cot", "reasoning step by step", "It is asked to reason step by step before it answers.", _with_steps
)
TOLD_TO_GUESS = Rewording(
    "guess",
    "told to guess",
    "It is told that the image has been removed, and asked for its best guess.",
    _told_to_guess,
)
NAMED = Rewording(
    "named", "with the benchmark named", "The prompt says which benchmark the question is from.", _with_place
)
UNNAMED = Rewording(
    "unnamed",
    "with the benchmark not named",
    "The prompt does not say which benchmark the question is from.",
    _without_place,
)
REWORDINGS = (WITH_STEPS, TOLD_TO_GUESS, NAMED, UNNAMED)
STEPS = WITH_STEPS.name
"""Name of arms that ask for step-by-step reasoning."""


@dataclass(frozen=True)
class Arm:
    """One way of asking: a condition, a prompt, a change of its words, settings.

    None leaves a part to the study.
    """

    condition: Condition
    prompt: Prompt | None = None
    settings: Settings | None = None
    rewording: Rewording | None = None

    @property
    def name(self) -> str:
        """Label of the condition, followed by the arm's own prompt, change of words and effort."""
        prompt = self.prompt.name if self.prompt else None
        words = self.rewording.name if self.rewording else None
        return "+".join(part for part in (self.condition.label, prompt, words, self.effort) if part)

    @property
    def in_words(self) -> str:
        """Description for a verdict, such as "without the image, reasoning step by step"."""
        words = [self.rewording.in_words] if self.rewording else []
        if self.effort:
            words.append(f"at {effort_in_words(self.effort)}")
        plain = words and self.condition == ORIGINAL
        return ", ".join(words if plain else [self.condition.in_words, *words])

    @property
    def effects(self) -> Effects:
        """Effects of the arm's condition on an item."""
        return self.condition.effects

    @property
    def effort(self) -> Effort | None:
        """Reasoning effort that the arm sets, or None."""
        return self.settings.reasoning_effort if self.settings else None

    def asked_with(self, settings: Settings, protocol: Settings) -> Settings:
        """Return the settings of this arm in a study.

        The user's settings replace the arm's, and the arm's replace the protocol's. An arm that sets a reasoning effort
        keeps it.
        """
        own = self.settings or PROVIDER_DEFAULTS
        return Settings(reasoning_effort=own.reasoning_effort).with_defaults(
            settings.with_defaults(own.with_defaults(protocol))
        )

    def asked_by(
        self, prompt: Prompt, dataset: str = "", tasks: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    ) -> Prompt:
        """Return the wording of this arm for a benchmark, given the study's prompt.

        `tasks` are the benchmark's own wordings for some of its tasks.
        """
        own = (self.prompt or prompt).for_benchmark(dataset).with_tasks(tasks)
        reworded = (self.rewording.of(own) if self.rewording else own).naming(own.dataset or dataset)
        return _without_options(reworded) if self.condition.hides_options else reworded


WAYS = frozenset((*PROMPTS, STEPS, *get_args(Effort)))
"""Parts of an arm's name that change how a question is asked, but not the question."""


def asked_under(condition: str, arms: Iterable[str]) -> str:
    """Return the arm with this condition, or else the first with another wording or effort.

    "" if there is none.

    >>> asked_under("original", ["original+cot+high", "image-blank+cot+high"]), asked_under("original", ["no-image"])
    ('original+cot+high', '')
    >>> asked_under("image-removed", ["image-removed+options-shuffled", "image-removed+guess"])
    ''
    """
    there = list(arms)
    others = (arm for arm in there if WAYS.issuperset(find_ways(arm, condition) or {""}))
    return condition if condition in there else next(others, "")


def asked_blind(arms: Iterable[str], *, images: Sequence[str] = ("none", "blank"), like: str = "") -> str:
    """Return an arm without the image, or else with a blank one; "" if none.

    The question's text must be complete. Arms that ask in the same way as `like` come first, then those with the
    study's own prompt.

    >>> asked_blind(["image-blank", "image-removed+cot", "image-removed"], like="original+cot")
    'image-removed+cot'
    >>> asked_blind(["image-blank", "no-image", "image-removed+options-shuffled", "image-removed+guess"])
    'image-blank'
    """
    ways = read_label(like).ways
    found = [
        (label.ways != ways, images.index(label.effects.image), bool(label.ways), place, arm)
        for place, arm in enumerate(arms)
        if (label := read_label(arm)).takes_image
        and label.effects[:4] == Effects(label.effects.image)[:4]
        and label.effects.image in images
        and (label.ways == ways or WAYS.issuperset(label.ways))
    ]
    return min(found)[-1] if found else ""
