"""Prompt: a wording that makes a request of an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from snellen.errors import StudyError
from snellen.items import LETTERS, Item, Option

PLACE = "{dataset}"


class Rendered(NamedTuple):
    """The words of a request."""

    system: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """A wording: `{question}` holds context and question, `{options}` the lettered options.

    `{choices_or}` and `{choices_and}` name the options in a sentence instead: "tumour" or "normal". Where a report is
    asked for, `{indication}` holds the item's context, which `{question}` then does not.

    `{dataset}` in `system` is where the benchmark is named. `translations` are the same words in other languages, by
    the language's code; an item whose language is not among them is asked in `user`.

    >>> Prompt("bare", "{question}").render(Item(id="1", question="Is {this} normal?", kind="open", answer="yes")).text
    'Is {this} normal?'
    """

    name: str
    user: str
    system: str = ""
    source: str = "ours"
    parser: str = ""
    """The parser that its source used, shown beside the study's own."""
    steps: str = ""
    """The prompt that asks the same and for reasoning aloud before the answer."""
    translations: Mapping[str, str] = field(default_factory=dict, hash=False)
    dataset: str = ""
    """The benchmark it was written for, by the name that stands for `{dataset}` in `system`."""
    in_words: bool = False
    """Whether it asks for the answer in words, without listing the options."""
    kin: Mapping[str, Prompt] = field(default_factory=dict, hash=False)
    """The prompts that stand in for it where a benchmark has one of its own, by the benchmark's name."""
    tasks: Mapping[str, Prompt] = field(default_factory=dict, hash=False)
    """The prompts of questions that are worded otherwise, by the item's `metadata["task"]` or its kind."""

    def __post_init__(self) -> None:
        for language, wording in self.translations.items():
            for place in ("{question}", "{options}"):
                if wording.count(place) != self.user.count(place):
                    raise StudyError(f"The prompt {self.name!r} has {place} in {language!r} not as often as in `user`.")

    def render(self, item: Item) -> Rendered:
        """The item in these words; the answer is not among them."""
        if (own := self.for_item(item)) is not self:
            return own.render(item)
        told = "" if item.kind == "report" else item.context
        question = f"{told}\n\n{item.question}" if told else item.question
        options = "\n".join(f"{LETTERS[i]}. {option.text}" for i, option in enumerate(item.options))
        wording = self.translations.get(_code(item.language), self.user)
        choices = {f"choices_{word}": _in_a_sentence(item, word) for word in ("and", "or")}
        indication = " ".join(item.context.split()) or NO_INDICATION
        words = wording.format(question=question, options=options, indication=indication, **choices)
        return Rendered(self.naming("").system, words)

    def for_item(self, item: Item) -> Prompt:
        """The prompt that words an item: by its task, by its kind, or else this one.

        An open question is never asked with an empty list of options, and a choice never without its options.
        """
        if item.kind == "report":
            return self if self.of_reports else self.tasks.get("report", REPORT)
        own = self.tasks.get(str(item.metadata.get("task", "")), self.tasks.get(item.kind))
        if own is not None and (item.kind != "choice" or own.shows_options or own.in_words):
            return own
        return WORDS_ALONE if item.kind == "open" and "{options}" in self.user else self

    @property
    def of_reports(self) -> bool:
        """Whether it asks for a report."""
        return "{indication}" in self.user

    @property
    def shows_options(self) -> bool:
        """Whether the options of a question stand in the words."""
        return any(place in self.user for place in ("{options}", "{choices_and}", "{choices_or}"))

    def spoken(self, languages: Iterable[str]) -> Prompt:
        """The prompt with the translations that items of these languages are asked in, and no others."""
        codes = set(map(_code, languages))
        kept = {code: wording for code, wording in self.translations.items() if code in codes}
        tasks = {name: prompt.spoken(codes) for name, prompt in self.tasks.items()}
        return replace(self, translations=kept, tasks=tasks)

    def worded(self, tasks: Mapping[str, Mapping[str, str]]) -> Prompt:
        """The prompt with the words that a benchmark has of its own for some tasks."""
        own = {name: Prompt(name, words["user"], words.get("system", "")) for name, words in tasks.items()}
        return replace(self, tasks={**self.tasks, **own}) if own else self

    def for_benchmark(self, name: str) -> Prompt:
        """The prompt by which the questions of a benchmark are asked."""
        return self.kin.get(name.lower(), self)

    @property
    def names_dataset(self) -> bool:
        """Whether it has a place for the benchmark's name."""
        return PLACE in self.system

    def naming(self, dataset: str) -> Prompt:
        """The prompt with the benchmark's name in its place, or with nothing there."""
        if not self.names_dataset:
            return self
        named = f" from the {dataset} dataset" if dataset else ""
        return replace(self, system=self.system.replace(PLACE, named))


WORDS_ALONE = Prompt("words-alone", "{question}")
NO_INDICATION = "not given"
REPORT = Prompt(
    "report",
    "{question}\n\nIndication: {indication}\n\nWrite the FINDINGS and the IMPRESSION of the report, and nothing else.",
)
"""How a report is asked for, unless a prompt has words of its own for it."""


def _in_a_sentence(item: Item, word: str) -> str:
    *others, last = (f'"{option.text}"' for option in item.options or (Option(""),))
    return f"{', '.join(others)} {word} {last}" if others else last


def _code(language: str) -> str:
    """The language without its region: "it" for "it-CH"."""
    return language.replace("_", "-").partition("-")[0].lower()
