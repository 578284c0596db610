"""ModelEntry: a model of a study with settings of its own, as a [[models]] table of its file has them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any

from snellen.errors import StudyError
from snellen.models import open_model
from snellen.models.base import Model
from snellen.models.client.client import ATTEMPTS, Client, open_client
from snellen.models.secrets import environment_secrets, find_secrets, hide_secrets, is_telling, masking
from snellen.plugins import did_you_mean


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """A model by its name, and what is said of it alone. None leaves a setting to the model or the study.

    `label` is what it is called in the study, so that one model can stand in it twice; a table calls this `as`.
    """

    name: str
    label: str = ""
    base_url: str | None = field(default=None, repr=False)
    api_key_env: str | None = field(default=None, repr=False)
    """The environment variable that holds the key."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers of every request; their values are never shown or stored."""
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """More fields of every request, as the provider names them; keys and passwords in it are not stored."""
    timeout: float | None = None
    retries: int | None = None
    """How often a request that failed is asked again."""
    max_connections: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    system: str = ""
    """What comes before the prompt's own system message, or stands in its place where it has none."""
    revision: str = ""
    """What tells this model from another of the same name: with a new one everything is asked again."""
    text_only: bool = False
    price: Mapping[str, float] = field(default_factory=dict)
    """US dollars for a million tokens, as in {input = 1.25, output = 10.0}."""
    replicas: int | None = None
    """On a cluster: how many processes answer, each with the model in its memory."""
    num_cpus: float | None = None
    """On a cluster: the CPUs of each replica."""
    num_gpus: float | None = None
    """On a cluster: the GPUs of each replica; without any, it sees none."""

    def __post_init__(self) -> None:
        for name, (fits, expected) in _EXPECTED.items():
            if not fits(value := getattr(self, name)):
                got = f", got {value!r}" if name not in _REACH else ""  # a key may stand in these
                raise StudyError(f"Model {self.name!r}: expected {name} to be {expected}{got}.")

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> ModelEntry:
        """The entry that a table describes."""
        known = ["as" if each.name == "label" else each.name for each in fields(cls)]
        for name in table:
            if name not in known:
                hint = did_you_mean(name, known) or f" There are: {', '.join(known)}."
                raise StudyError(f"[[models]]: there is no setting {name!r}.{hint}")
        if "name" not in table:
            raise StudyError('[[models]]: expected a name, as in name = "openai/gpt-5", got a table without one.')
        return cls(**{"label" if name == "as" else name: value for name, value in table.items()})

    @property
    def called(self) -> str:
        """What it is called in the study."""
        return self.label or self.name

    @property
    def placed(self) -> bool:
        """Whether anything is said of where it is to run on a cluster."""
        return (self.replicas, self.num_cpus, self.num_gpus) != (None, None, None)

    def opened(self, *, timeout: float | None = None) -> Client:
        """The client of the model."""
        return self.client_of(self.itself(timeout=timeout))

    def client_of(self, model: Model) -> Client:
        """The client of a model that stands for this entry, with what the entry says of asking it."""
        return open_client(
            model,
            system=self.system,
            attempts=ATTEMPTS if self.retries is None else self.retries + 1,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )

    def itself(self, *, timeout: float | None = None) -> Model:
        """The model alone, which is asked once, and without the system message of the entry."""
        reach = {name: value for name in _REACH if (value := getattr(self, name))}
        own = self.timeout if self.timeout is not None else timeout
        model = open_model(self.name, timeout=own, **reach)
        model.spec, model.name = self.name, self.called
        model.text_only = model.text_only or self.text_only
        model.connections = self.max_connections
        # a label may stand for another model tomorrow, whose responses these are not
        parts = [self.revision, self.name if self.called != self.name else "", model.revision]
        if self.system:
            parts.append(f"system {hashlib.sha256(self.system.encode()).hexdigest()[:8]}")
        model.revision = " · ".join(filter(None, parts))
        model.about = self._about()
        return model

    def _about(self) -> dict[str, Any]:
        """What may change its responses, for the record of a study; of headers the names alone."""
        said = {
            "model": self.name if self.label else "",
            "system": self.system,
            "extra_body": dict(self.extra_body),
            "headers": sorted(self.headers),
        }
        secrets = (*environment_secrets(), *self.headers.values(), *find_secrets(self.extra_body))
        hidden: dict[str, Any] = hide_secrets(said, masking(filter(is_telling, secrets)))
        return {name: value for name, value in hidden.items() if value}


def read_entries(given: Any) -> Any:
    """What a study lists as models, each table as an entry."""
    if isinstance(given, Mapping):
        return (ModelEntry.of(given),)
    if not isinstance(given, list | tuple) or not any(isinstance(each, Mapping) for each in given):
        return given
    return tuple(ModelEntry.of(each) if isinstance(each, Mapping) else each for each in given)


def name_entry(model: Any) -> str:
    """What a model is called in a study that lists it as a line, an entry or itself."""
    if isinstance(model, ModelEntry):
        return model.called
    return model if isinstance(model, str) else str(model.name)


_REACH = ("base_url", "api_key_env", "headers", "extra_body")
"""The settings that a backend is opened with."""


def _texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, str) for pair in value.items() for each in pair)


def _is_label(value: str) -> bool:
    return value == value.strip() and value.isprintable()


def _positive(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf)


def _not_negative(value: object) -> bool:
    return _positive(value) or (value == 0 and not isinstance(value, bool))


def _whole(least: int) -> Callable[[object], bool]:
    return lambda value: value is None or (type(value) is int and value >= least)


_EXPECTED: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("name", "system", "revision"), (lambda value: isinstance(value, str), "a text")),
    "label": (lambda value: isinstance(value, str) and _is_label(value), "words in one line (in a table: as)"),
    **dict.fromkeys(("base_url", "api_key_env"), (lambda value: value is None or isinstance(value, str), "a text")),
    "headers": (_texts, "names with texts"),
    "extra_body": (lambda value: isinstance(value, Mapping), "names with values"),
    "timeout": (_positive, "a number of seconds"),
    "retries": (_whole(0), "a whole number of 0 or more"),
    "max_connections": (_whole(1), "a whole number of 1 or more"),
    **dict.fromkeys(("requests_per_minute", "tokens_per_minute"), (_positive, "a number above 0")),
    "replicas": (_whole(1), "a whole number of 1 or more"),
    **dict.fromkeys(("num_cpus", "num_gpus"), (_not_negative, "a number of 0 or more")),
    "text_only": (lambda value: isinstance(value, bool), "true or false"),
    "price": (lambda value: isinstance(value, Mapping), "US dollars for a million tokens, as in {input = 1.25}"),
}
