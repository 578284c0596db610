"""Prompts: wordings that render an item as the text of a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from snellen.errors import StudyError
from snellen.items import LETTERS, Item, Option
from snellen.perturb.topics import modalities_of, parts_of
from snellen.plugins import did_you_mean
from snellen.prompts import answer_format
from snellen.prompts.answer_format import LETTER_REPLY, USUAL, WORDS_REPLY, Formats, fill_place
from snellen.prompts.places import places_in
from snellen.prompts.told_images import told_images

PLACE = "{dataset}"
OFFERING = ("options", "choices_or", "choices_and")
PLACES = ("question", "options", "context", answer_format.PLACE, "choices_or", "choices_and", "indication")
"""Places that a wording may have for parts of an item."""
REPLY_PLACES = ("letter", "answer", "rationale")
"""Places that an example response may have for parts of an item."""


class Rendered(NamedTuple):
    """System prompt and text of a request."""

    system: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """Wording: `{question}` is filled with context and question, `{options}` with lettered options.

    A wording with `{context}` has the context there, and `{question}` without it. `{answer_format}` is our sentence
    that asks for a letter, or for a few words, in the item's language. `{choices_or}` and `{choices_and}` name the
    options in a sentence: "tumour" or "normal". In a prompt for reports, `{indication}` holds the item's context, and
    `{question}` does not. Plain braces are doubled.

    `{dataset}` in `system` is the place of the benchmark's name. `translations` are the same words by language code; an
    item in any other language gets `user`. If an item has several images with roles, our own wordings name these before
    the question.

    >>> Prompt("bare", "{question}").render(Item(id="1", question="Is {this} normal?", kind="open", answer="yes")).text
    'Is {this} normal?'
    """

    name: str
    user: str
    system: str = ""
    source: str = "ours"
    parser: str = ""
    """Parser that the prompt's authors used; its result is shown beside the study's own."""
    steps: str | Prompt = ""
    """Prompt (or its name) for the same question with reasoning before the answer."""
    translations: Mapping[str, str] = field(default_factory=dict, hash=False)
    dataset: str = ""
    """Benchmark for which the prompt was written; this name replaces `{dataset}` in `system`."""
    in_words: bool = False
    """True if it asks for an open answer, without listing the options."""
    kin: Mapping[str, Prompt] = field(default_factory=dict, hash=False)
    """Prompts that replace this one for certain benchmarks, by the benchmark's name."""
    tasks: Mapping[str, Prompt] = field(default_factory=dict, hash=False)
    """Prompts for certain questions, by the item's `metadata["task"]` or its kind."""
    replies: Formats = field(default_factory=dict, hash=False)
    """Example responses in this prompt's format, by language: `{letter}` or `{answer}`, after `{rationale}`."""
    room: bool = True
    """True if the response may contain more than the answer, such as that the image is missing."""
    images: str = ""
    """Kind of image that the prompt mentions. Its `tasks` have the wording for reports on any other kind of image."""

    def __post_init__(self) -> None:
        places = self._places(self.user, PLACES)
        if not {"question", "indication"} & set(places):
            raise StudyError(f"The prompt {self.name!r} has no place for the question. Put in {{question}}.")
        self._check_translations(places)
        self._check_system()
        self._check_replies()
        if answer_format.PLACE in places:
            self._ask_in_our_form(places)

    def _check_translations(self, places: tuple[str, ...]) -> None:
        for language, wording in self.translations.items():
            others = self._places(wording, PLACES)
            for place in dict.fromkeys((*places, *others)):
                if others.count(place) != places.count(place):
                    raise StudyError(
                        f"The prompt {self.name!r} has {{{place}}} in {language!r} not as often as in `user`."
                    )

    def _check_system(self) -> None:
        for place in PLACES:
            if f"{{{place}}}" in self.system:
                raise StudyError(
                    f"The prompt {self.name!r} has {{{place}}} in `system`, which is sent unchanged. Move it to `user`."
                )

    def _check_replies(self) -> None:
        for reply in self.replies.values():
            if not {"letter", "answer"} & set(self._places(reply, REPLY_PLACES)):
                raise StudyError(
                    f"The prompt {self.name!r} shows answers as {reply!r}, with no place for one. Put in {{letter}}, "
                    "or {answer} for its words."
                )

    def _places(self, template: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """Return the places of a template; StudyError if one is unknown."""
        try:
            found = places_in(template)
        except ValueError as error:
            raise StudyError(
                f"The prompt {self.name!r} has a brace on its own ({error}). Write it twice: {{{{ or }}}}."
            ) from error
        for place in found:
            if place not in known:
                hint = did_you_mean(place, known) or f" There are: {', '.join(f'{{{each}}}' for each in known)}."
                raise StudyError(
                    f"The prompt {self.name!r} has the place {{{place}}}, which nothing can fill.{hint} Write other "
                    "braces twice: {{ and }}."
                )
        return found

    def _ask_in_our_form(self, places: tuple[str, ...]) -> None:
        """Replace `{answer_format}` by our sentences that ask for an answer."""
        formats, replies = answer_format.WORDS, WORDS_REPLY
        if "options" in places:
            formats, replies = answer_format.LETTER, LETTER_REPLY
        elif "indication" in places:
            formats, replies = answer_format.REPORT, {USUAL: "{answer}"}
        user, translations = fill_place(self.user, self.translations, formats)
        object.__setattr__(self, "user", user)
        object.__setattr__(self, "translations", translations)
        object.__setattr__(self, "replies", self.replies or replies)

    def render(self, item: Item) -> Rendered:
        """Render the item in this wording, without its answer key."""
        if (own := self.for_item(item)) is not self:
            return own.render(item)
        wording = self.translations.get(_code(item.language), self.user) if self.translations else self.user
        places = places_in(wording)
        told = "" if item.kind == "report" or "context" in places else item.context
        shown = told_images(item) if len(item.images) > 1 and self.is_ours else ""
        words = wording.format(
            question="\n\n".join(filter(None, (shown, told, item.question))),
            context=item.context,
            options="\n".join([f"{LETTERS[i]}. {option.text}" for i, option in enumerate(item.options)]),
            indication=" ".join(item.context.split()) or NO_INDICATION,
            choices_and=_in_a_sentence(item, "and") if "choices_and" in places else "",
            choices_or=_in_a_sentence(item, "or") if "choices_or" in places else "",
        )
        return Rendered(self.naming("").system if PLACE in self.system else self.system, words)

    def reply_to(self, item: Item) -> str:
        """Return the correct answer in this prompt's format; an item may have its own `reply`.

        StudyError if the prompt has no example responses, or asks for steps and the item has no `rationale`.

        >>> Prompt("p", "{question}", replies={"en": "[[{answer}]]"}).reply_to(Item("1", "?", kind="open", answer="CT"))
        '[[CT]]'
        """
        if (own := self.for_item(item)) is not self:
            return own.reply_to(item)
        if written := str(item.metadata.get("reply") or ""):
            return written
        if not self.replies:
            raise StudyError(
                f"The prompt {self.name!r} does not say how an answer is written, so that no example can be shown. Put "
                'in {answer_format}, or give `reply`, such as "Answer: {letter}" or "[[{letter}]]".'
            )
        reply = self.replies.get(_code(item.language), self.replies[next(iter(self.replies))])
        rationale = str(item.metadata.get("rationale") or "")
        if "rationale" in places_in(reply) and not rationale.strip():
            raise StudyError(
                f"The prompt {self.name!r} asks for steps before the answer, and the example {item.id!r} shows none. "
                "Give it a `rationale`, or leave out what asks for steps."
            )
        chosen = isinstance(item.answer, int)
        answer = item.options[item.answer].text if isinstance(item.answer, int) else str(item.answer)
        return reply.format(letter=item.letter if chosen else answer, answer=answer, rationale=rationale)

    def for_item(self, item: Item) -> Prompt:
        """Return the prompt for an item: by its task, its kind, or else this one.

        An open question never gets an empty list of options, and a choice always gets its options. The
        system prompt is always sent.
        """
        if item.kind == "report":
            wording = self if self.of_reports else self.tasks.get("report", REPORT)
            return wording if wording.suits(item) else wording.tasks.get("report", REPORT)
        own = self.tasks.get(str(item.metadata.get("task", "")), self.tasks.get(item.kind))
        if own is not None and (item.kind != "choice" or own.words_choices):
            return own
        return self.without_options if item.kind == "open" else self

    @property
    def without_options(self) -> Prompt:
        """Prompt for questions without options: the same system prompt, and the question alone."""
        return replace(WORDS_ALONE, system=self.system) if self.shows_options else self

    @property
    def is_ours(self) -> bool:
        """True if the wording is ours or the user's; published wordings are sent unchanged."""
        return self.source.partition(",")[0] in ("ours", "the user's")

    @property
    def of_reports(self) -> bool:
        """True if it asks for a report."""
        return "indication" in places_in(self.user)

    @property
    def shows_options(self) -> bool:
        """True if the wording shows the options of a question."""
        return any(place in places_in(self.user) for place in OFFERING)

    def suits(self, item: Item) -> bool:
        """Return False if the item shows another kind of image than the prompt mentions."""
        told = " ".join(str(item.metadata.get(name) or "") for name in ("modality", "body_part"))
        told = told if told.strip() else item.question
        pairs = [(kinds_of(told), kinds_of(self.images)) for kinds_of in (modalities_of, parts_of)]
        return not self.images or all(not found or found & wanted for found, wanted in pairs)

    def fit_items(self, items: Iterable[Item]) -> Prompt:
        """Return the prompt without wordings for other kinds of images, if no item needs them."""
        asked = [item for item in items if item.kind == "report"]
        tasks = {
            name: replace(each, images="", tasks={}) if each.images and all(map(each.suits, asked)) else each
            for name, each in self.tasks.items()
        }
        return replace(self, tasks=tasks) if tasks != self.tasks else self

    @property
    def words_choices(self) -> bool:
        """True if it suits questions with options: it lists them or asks for an open answer."""
        return self.shows_options or self.in_words

    def keep_languages(self, languages: Iterable[str]) -> Prompt:
        """Return the prompt with only the translations into these languages."""
        codes = set(map(_code, languages))
        kept = {code: wording for code, wording in self.translations.items() if code in codes}
        tasks = {name: prompt.keep_languages(codes) for name, prompt in self.tasks.items()}
        return replace(self, translations=kept, tasks=tasks)

    def with_tasks(self, tasks: Mapping[str, Mapping[str, str]]) -> Prompt:
        """Return the prompt with a benchmark's own wordings for some tasks."""
        own = {name: Prompt(name, words["user"], words.get("system", "")) for name, words in tasks.items()}
        return replace(self, tasks={**self.tasks, **own}) if own else self

    def with_each_system(self, change: Callable[[str], str]) -> Prompt:
        """Return the prompt with its system prompt, and those of its tasks, changed."""
        tasks = {name: each.with_each_system(change) for name, each in self.tasks.items()}
        return replace(self, system=change(self.system), tasks=tasks)

    def for_benchmark(self, name: str) -> Prompt:
        """Return the prompt for a benchmark: the one in `kin`, or else this one."""
        return self.kin.get(name.lower(), self)

    @property
    def names_dataset(self) -> bool:
        """True if it has a place for the benchmark's name."""
        return PLACE in self.system

    def naming(self, dataset: str) -> Prompt:
        """Fill in the benchmark's name; "" removes its place."""
        if not self.names_dataset:
            return self
        named = f" from the {dataset} dataset" if dataset else ""
        return self.with_each_system(lambda system: system.replace(PLACE, named))


_AS_IT_IS: Formats = {USUAL: "{answer}"}
WORDS_ALONE = Prompt("words-alone", "{question}", replies=_AS_IT_IS)
NO_INDICATION = "not given"
REPORT = Prompt(
    "report",
    "{question}\n\nIndication: {indication}\n\n{answer_format}",
)
"""Prompt for reports, unless a prompt has its own wording for them."""


def _in_a_sentence(item: Item, word: str) -> str:
    *others, last = (f'"{option.text}"' for option in item.options or (Option(""),))
    return f"{', '.join(others)} {word} {last}" if others else last


def _code(language: str) -> str:
    """Return the language code without its region: "it" for "it-CH"."""
    return language.replace("_", "-").partition("-")[0].lower()
