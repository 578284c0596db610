"""Request: all that can change a reply; made from an item by a prompt, its key is the hash of it all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple

import orjson

from snellen.conditions import Condition
from snellen.errors import StudyError
from snellen.images import EncodedImage, Image
from snellen.items import LETTERS, Item

Effort = Literal["none", "minimal", "low", "medium", "high"]


@dataclass(frozen=True)
class Settings:
    """How the model is to answer. None leaves it to the provider."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: Effort | None = None

    def __post_init__(self) -> None:
        for name in ("temperature", "top_p"):
            value = getattr(self, name)
            if value is not None:
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
                    raise StudyError(f"Expected a number of 0 or more for {name}, got {value!r}.")
                object.__setattr__(self, name, float(value))  # 0 and 0.0 are one setting

    @property
    def samples(self) -> bool:
        """Whether the same request may be answered differently: anything but an explicit temperature of 0."""
        return self.temperature != 0

    @cached_property
    def chosen(self) -> dict[str, float | int | str]:
        """The settings that are set; the rest is left to the provider, and to later versions of this record."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def over(self, other: Settings) -> Settings:
        """These settings where they are set, the other's elsewhere."""
        return replace(other, **self.chosen)  # type: ignore[arg-type]


PROVIDER_DEFAULTS = Settings()
STEPS = "cot"
"""What an arm that asks for reasoning aloud is called by."""


class Rendered(NamedTuple):
    """The words of a request."""

    system: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """A wording: `{question}` holds context and question, `{options}` the lettered options.

    `translations` are the same words in other languages, by the language's code; an item whose language is not among
    them is asked in `user`.

    >>> Prompt("bare", "{question}").render(Item(id="1", question="Is {this} normal?", kind="open", answer="yes")).text
    'Is {this} normal?'
    """

    name: str
    user: str
    system: str = ""
    source: str = "ours"
    reader: str = ""
    """The reader that its source used, shown beside the study's own."""
    steps: str = ""
    """The prompt that asks the same and for reasoning aloud before the answer."""
    translations: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for language, wording in self.translations.items():
            for place in ("{question}", "{options}"):
                if wording.count(place) != self.user.count(place):
                    raise StudyError(f"The prompt {self.name!r} has {place} in {language!r} not as often as in `user`.")

    def render(self, item: Item) -> Rendered:
        """The item in these words; the answer is not among them."""
        question = f"{item.context}\n\n{item.question}" if item.context else item.question
        options = "\n".join(f"{LETTERS[i]}. {option.text}" for i, option in enumerate(item.options))
        wording = self.translations.get(_code(item.language), self.user)
        return Rendered(self.system, wording.format(question=question, options=options))

    def spoken(self, languages: Iterable[str]) -> Prompt:
        """The prompt with the translations that items of these languages are asked in, and no others."""
        codes = set(map(_code, languages))
        kept = {code: wording for code, wording in self.translations.items() if code in codes}
        return replace(self, translations=kept)


def _code(language: str) -> str:
    """The language without its region: "it" for "it-CH"."""
    return language.replace("_", "-").partition("-")[0].lower()


PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "letter",
            "{question}\n\n{options}\n\n"
            "Choose one option. End your reply with a line of the form 'Answer: X', where X is its letter.",
            translations={
                "it": "{question}\n\n{options}\n\n"
                "Scegli un'opzione. Termina la risposta con una riga nella forma 'Risposta: X', "
                "dove X è la sua lettera.",
                "es": "{question}\n\n{options}\n\n"
                "Elige una opción. Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
                "fr": "{question}\n\n{options}\n\n"
                "Choisissez une option. Terminez votre réponse par une ligne de la forme 'Réponse : X', "
                "où X est sa lettre.",
                "de": "{question}\n\n{options}\n\n"
                "Wähle eine Option. Beende deine Antwort mit einer Zeile der Form 'Antwort: X', "
                "wobei X ihr Buchstabe ist.",
                "zh": "{question}\n\n{options}\n\n"
                "请选择一个选项，并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
            },
            steps="letter-cot",
        ),
        Prompt(
            "letter-cot",
            "{question}\n\n{options}\n\nThink step by step, then choose one option. "
            "End your reply with a line of the form 'Answer: X', where X is its letter.",
            translations={
                "it": "{question}\n\n{options}\n\nRagiona passo dopo passo, poi scegli un'opzione. "
                "Termina la risposta con una riga nella forma 'Risposta: X', dove X è la sua lettera.",
                "es": "{question}\n\n{options}\n\nRazona paso a paso y luego elige una opción. "
                "Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
                "fr": "{question}\n\n{options}\n\nRaisonnez étape par étape, puis choisissez une option. "
                "Terminez votre réponse par une ligne de la forme 'Réponse : X', où X est sa lettre.",
                "de": "{question}\n\n{options}\n\nDenke Schritt für Schritt und wähle dann eine Option. "
                "Beende deine Antwort mit einer Zeile der Form 'Antwort: X', wobei X ihr Buchstabe ist.",
                "zh": "{question}\n\n{options}\n\n请逐步思考，然后选择一个选项，"
                "并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
            },
        ),
        Prompt(
            "readiness",
            "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
            "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
            "Provide answer with the index and content of the option, and place it within <answer></answer>",
            source="The Illusion of Readiness, Supplementary Note 5",
            reader="answer-tag",
            steps="readiness-cot",
        ),
        Prompt(
            "readiness-cot",
            "You are a helpful medical assistant that answers multiple choice questions about the provided image. "
            "The following is a multiple choice question (with answers).\nQuestion: {question}\nOptions:\n{options}\n"
            "Let us think step by step, enclosing the thought process within <thinking> and </thinking>.\n"
            "Provide answer with the index and content of the option, and place it within <answer> and </answer>.",
            source="The Illusion of Readiness, Supplementary Note 5",
            reader="answer-tag",
        ),
    )
}


def prompt_named(name: str) -> Prompt:
    """The prompt of that name."""
    if name not in PROMPTS:
        raise StudyError(f"There is no prompt {name!r}. There are: {', '.join(PROMPTS)}.")
    return PROMPTS[name]


@dataclass(frozen=True)
class Arm:
    """One way of asking: a condition, a prompt, settings. None leaves prompt or settings to the study.

    `steps` asks for reasoning aloud, in the wording that belongs to the prompt.
    """

    condition: Condition
    prompt: Prompt | None = None
    settings: Settings | None = None
    steps: bool = False

    @property
    def name(self) -> str:
        """The condition's label, and the prompt's and the effort's where the arm has its own."""
        prompt = self.prompt.name if self.prompt else None
        effort = self.settings.reasoning_effort if self.settings else None
        return "+".join(part for part in (self.condition.label, prompt, STEPS if self.steps else None, effort) if part)

    def asked_by(self, prompt: Prompt) -> Prompt:
        """The wording of this arm in a study that asks by a prompt."""
        own = self.prompt or prompt
        if not self.steps:
            return own
        if not own.steps:
            with_steps = ", ".join(name for name, each in PROMPTS.items() if each.steps)
            raise StudyError(
                f"The prompt {own.name!r} has no wording that asks for steps. Those that do: {with_steps}."
            )
        return prompt_named(own.steps)


@dataclass(frozen=True)
class Request:
    """All that can change a reply. `sample` is the item's id where the model samples: equal words, separate draws."""

    model: str
    text: str
    system: str = ""
    images: tuple[EncodedImage, ...] = ()
    settings: Settings = PROVIDER_DEFAULTS
    revision: str = ""
    replicate: int = 0
    sample: str = ""

    def to(self, model: str, revision: str, replicate: int) -> Request:
        """The same request, addressed."""
        return Request(model, self.text, self.system, self.images, self.settings, revision, replicate, self.sample)

    @cached_property
    def key(self) -> bytes:
        """The sha256 of everything above, every image by the sha256 of its bytes as sent."""
        parts = (
            self.model,
            self.revision,
            self.system,
            self.text,
            [image.sha256 for image in self.images],
            self.settings.chosen,
            self.replicate,
            self.sample,
        )
        return hashlib.sha256(orjson.dumps(parts)).digest()


def ask(item: Item, *, prompt: Prompt, settings: Settings, encode: Callable[[Image], EncodedImage]) -> Request:
    """The item as a request to no model yet; `to` addresses it."""
    system, text = prompt.render(item)
    return Request(
        model="",
        text=text,
        system=system,
        images=tuple(encode(image) for image in item.images),
        settings=settings,
        sample=item.id if settings.samples else "",
    )
