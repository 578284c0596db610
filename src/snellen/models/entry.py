"""ModelEntry: a model with its own settings, from a [[models]] table."""

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
    """A model by its name, with settings for this model only. None leaves a setting to the model or the study.

    `label` is its name in the study, so that a study can have one model twice; a table calls this `as`.
    """

    name: str
    label: str = ""
    base_url: str | None = field(default=None, repr=False)
    api_key_env: str | None = field(default=None, repr=False)
    """The environment variable that holds the key."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers for every request; their values are never shown or stored."""
    extra_body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """More fields for every request, with the provider's names. Keys and passwords in it are not stored."""
    timeout: float | None = None
    retries: int | None = None
    """How often a failed request is repeated."""
    max_connections: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    system: str = ""
    """Text before the prompt's own system message, or in its place if there is none."""
    revision: str = ""
    """Identifies the version of the model: with a new revision, everything is asked again."""
    text_only: bool = False
    price: Mapping[str, float] = field(default_factory=dict)
    """US dollars per million tokens, as in {input = 1.25, output = 10.0}."""
    replicas: int | None = None
    """On a cluster: the number of processes, each with the model in its memory."""
    num_cpus: float | None = None
    """On a cluster: the CPUs of each process."""
    num_gpus: float | None = None
    """On a cluster: the GPUs of each process; by default none."""

    def __post_init__(self) -> None:
        for name, (fits, expected) in _EXPECTED.items():
            if not fits(value := getattr(self, name)):
                got = f", got {value!r}" if name not in _REACH else ""  # these settings may contain a key
                raise StudyError(f"Model {self.name!r}: expected {name} to be {expected}{got}.")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ModelEntry:
        """Make the entry that a table describes."""
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
        """The name of the model in the study."""
        return self.label or self.name

    @property
    def placed(self) -> bool:
        """True if the entry sets where the model runs on a cluster."""
        return (self.replicas, self.num_cpus, self.num_gpus) != (None, None, None)

    def open_client(self, *, timeout: float | None = None) -> Client:
        """Open the model as a client, which retries failed requests."""
        return self.client_of(self.itself(timeout=timeout))

    def client_of(self, model: Model) -> Client:
        """Return the client of a model with the limits of this entry."""
        return open_client(
            model,
            system=self.system,
            attempts=ATTEMPTS if self.retries is None else self.retries + 1,
            requests_per_minute=self.requests_per_minute,
            tokens_per_minute=self.tokens_per_minute,
        )

    def itself(self, *, timeout: float | None = None) -> Model:
        """Open the model itself, without retries and without the entry's system message."""
        reach = {name: value for name in _REACH if (value := getattr(self, name))}
        own = self.timeout if self.timeout is not None else timeout
        model = open_model(self.name, timeout=own, **reach)
        model.spec, model.name = self.name, self.called
        model.text_only = model.text_only or self.text_only
        model.connections = self.max_connections
        # a label may name another model later, whose responses must not be mixed with these
        parts = [self.revision, self.name if self.called != self.name else "", model.revision]
        if self.system:
            parts.append(f"system {hashlib.sha256(self.system.encode()).hexdigest()[:8]}")
        model.revision = " · ".join(filter(None, parts))
        model.about = self._describe_settings()
        return model

    def _describe_settings(self) -> dict[str, Any]:
        """Return the settings that may change responses, for the record; only the names of headers."""
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
    """Return the models that a study lists, with each table read as an entry."""
    if isinstance(given, Mapping):
        return (ModelEntry.from_table(given),)
    if not isinstance(given, list | tuple) or not any(isinstance(each, Mapping) for each in given):
        return given
    return tuple(ModelEntry.from_table(each) if isinstance(each, Mapping) else each for each in given)


def name_entry(model: Any) -> str:
    """Return the name of a model in a study, given as text, entry or object."""
    if isinstance(model, ModelEntry):
        return model.called
    return model if isinstance(model, str) else str(model.name)


_REACH = ("base_url", "api_key_env", "headers", "extra_body")
"""Settings that a backend is opened with."""


def _texts(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, str) for pair in value.items() for each in pair)


def _is_label(value: object) -> bool:
    return isinstance(value, str) and value == value.strip() and value.isprintable()


def _positive(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < inf)


def _not_negative(value: object) -> bool:
    return _positive(value) or (value == 0 and not isinstance(value, bool))


def _is_whole_from(least: int) -> Callable[[object], bool]:
    return lambda value: value is None or (type(value) is int and value >= least)


_EXPECTED: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("name", "system", "revision"), (lambda value: isinstance(value, str), "a text")),
    "label": (_is_label, "text of one line (key `as` in a table)"),
    **dict.fromkeys(("base_url", "api_key_env"), (lambda value: value is None or isinstance(value, str), "a text")),
    "headers": (_texts, "names with texts"),
    "extra_body": (lambda value: isinstance(value, Mapping), "names with values"),
    "timeout": (_positive, "a number of seconds"),
    "retries": (_is_whole_from(0), "a whole number of 0 or more"),
    "max_connections": (_is_whole_from(1), "a whole number of 1 or more"),
    **dict.fromkeys(("requests_per_minute", "tokens_per_minute"), (_positive, "a number above 0")),
    "replicas": (_is_whole_from(1), "a whole number of 1 or more"),
    **dict.fromkeys(("num_cpus", "num_gpus"), (_not_negative, "a number of 0 or more")),
    "text_only": (lambda value: isinstance(value, bool), "true or false"),
    "price": (lambda value: isinstance(value, Mapping), "US dollars for a million tokens, as in {input = 1.25}"),
}
