"""Consent: before images leave this machine, or a study file uses what is not its own, a person is asked."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from snellen.asking.plan import Plan
from snellen.errors import ConsentError
from snellen.files import create_folder, open_private, user_folder
from snellen.models.base import Model
from snellen.models.client.address import IN_FILE
from snellen.runtime import counted, visible

Question = Callable[[str], bool | None]
"""Asks a person: yes, no, or None where nobody can be asked."""
Key = tuple[str, str, str]
"""What was allowed: its kind, what it is, and the host that it goes to."""
OF_EXAMPLES = "the examples"
PART = ", the first "
"""Stands in a digest before the number of items, where not all of them are asked: more of them are asked for anew."""


class Shown(NamedTuple):
    """The images of a benchmark that are to be sent: `digest` tells them from any others."""

    benchmark: str
    digest: str
    images: int
    burned_in: int = 0
    """How many of them may have text burned into their pixels, by what their files say."""


class Departure(NamedTuple):
    """Images that are to go to one host, for some models."""

    host: str
    models: tuple[str, ...]
    shown: Shown

    @property
    def record(self) -> dict[str, Any]:
        """What is stored of a consent: it holds for these images and this host, whichever model asks."""
        return {"host": self.host, "models": list(self.models), **self.shown._asdict()}

    @property
    def key(self) -> Key:
        """What it is remembered by."""
        return ("images", self.shown.digest, self.host)


class FileUse(NamedTuple):
    """What a study file uses though it is not its own: a host, a variable, a file or a cluster."""

    host: str
    """Where it goes; empty for a server on this machine."""
    kind: str
    what: str
    words: str
    """What the study file does with it, as the end of a sentence."""

    @property
    def key(self) -> Key:
        """What it is remembered by."""
        return (self.kind, self.what, self.host)


def shown_by(plan: Plan) -> Iterator[Shown]:
    """The images that a plan sends: those of the items that are asked, as conditions change them, and of examples."""
    for benchmark in plan.benchmarks:
        items = benchmark.items[: plan.wanted(benchmark)]
        images = {image.fingerprint: image for item in items for image in item.images}
        if images and plan.sends_images(benchmark):
            part = "" if len(items) == len(benchmark.items) else f"{PART}{len(items)}"
            burned_in = sum(bool(image.burned_in) for image in images.values())
            yield Shown(benchmark.name, benchmark.digest + part, len(images), burned_in)
    if prints := sorted({image.fingerprint for item in plan.examples for image in item.images}):
        yield Shown(OF_EXAMPLES, hashlib.sha256("\n".join(prints).encode()).hexdigest(), len(prints))


def departures(
    models: Sequence[Model], shown: Iterable[Shown], known: Collection[Key], *, cluster: str = ""
) -> list[Departure]:
    """The images that are to leave this machine, without those of which a consent is known.

    A consent to a whole benchmark holds for a part of it, and not the other way round. `cluster` is what to call the
    other machines that work for all the models.
    """
    hosts = by_host(models)
    if cluster and (seeing := tuple(model.name for model in models if not model.text_only)):
        hosts[cluster] = seeing
    return [
        Departure(host, names, each)
        for each in (shown if hosts else ())
        for host, names in hosts.items()
        if not {("images", digest, host) for digest in (each.digest, each.digest.partition(PART)[0])} & set(known)
    ]


def by_host(models: Sequence[Model]) -> dict[str, tuple[str, ...]]:
    """The models that take images and are asked elsewhere, by the host that they are asked at."""
    hosts: dict[str, list[str]] = {}
    for model in models:
        if model.host and not model.text_only:
            # the owner of a key sees what is sent by it, and a .env may have come with the folder
            by = ", key from .env" if model.address.endswith(IN_FILE) else ""
            hosts.setdefault(model.host, []).append(f"{model.name}{by}")
    return {host: tuple(names) for host, names in hosts.items()}


def obtain(
    departing: Sequence[Departure], *, yes: bool, ask: Question, uses: Sequence[FileUse] = (), file: str = ""
) -> Sequence[Departure]:
    """Ask once for each host, unless `yes` says so already; ConsentError for a no, and if nobody can be asked.

    `uses` are what the study file `file` uses. What is allowed is remembered for this user.
    """
    asked: list[FileUse | Departure] = [*uses, *departing]
    for host in sorted({each.host for each in asked}):
        images = [each for each in departing if each.host == host]
        said = [describe_uses([each for each in uses if each.host == host], file), sentence(images) if images else ""]
        text = visible(" ".join(filter(None, said)))
        consent = True if yes else ask(f"{text} {'Send them?' if images else 'Allow it?'}")
        if consent is None:
            raise ConsentError(f"{text} Nothing was sent. Allow it with --yes (yes=True), or run it in a terminal.")
        if not consent:
            raise ConsentError("Nothing was sent.")
    remember({each.key for each in asked})
    return departing


def describe_uses(uses: Sequence[FileUse], file: str) -> str:
    """What a study file uses that is not its own, in words."""
    said = [f"{each.words}." for each in uses]
    return f"The study file {file} {' It '.join(said)}" if said else ""


def remembered() -> set[Key]:
    """What this user has allowed before; a folder from elsewhere has no say in it."""
    with suppress(OSError, RuntimeError):
        lines = _memory().read_bytes().splitlines()
        return {key for key in map(_read_line, lines) if key}
    return set()


def remember(keys: Iterable[Key]) -> None:
    """Remember what this user allows; if that cannot be written, they are asked again."""
    if new := sorted(set(keys) - remembered()):
        with suppress(OSError, RuntimeError):
            create_folder(_memory().parent)
            with open_private(_memory(), "ab") as lines:
                lines.write(b"".join(json.dumps(key).encode() + b"\n" for key in new))


def _memory() -> Path:
    return user_folder() / "allowed.jsonl"


def _read_line(line: bytes) -> Key | None:
    try:
        kind, what, host = json.loads(line)
    except (ValueError, TypeError):
        return None
    return (str(kind), str(what), str(host))


def sentence(departing: Sequence[Departure]) -> str:
    """What is to go to one host, in words."""
    what = " and ".join(f"{counted(each.images, 'image')} of {each.benchmark}" for _, _, each in departing)
    models = ", ".join(dict.fromkeys(name for each in departing for name in each.models))
    burned_in = sum(each.burned_in for _, _, each in departing)
    warned = (
        f"{counted(burned_in, 'scan')} of them may have a name or a date burned into the pixels, by what the files say "
        "(`snellen audit --also burned-in-text` reads it). "
    )
    return (
        f"Images are about to leave this machine, to {departing[0].host} ({models}): {what}. "
        f"{warned if burned_in else ''}Send only what may be shown there, and no patient who can be recognised."
    )


def ask_in_terminal(question: str) -> bool | None:
    """A person's answer; None where no terminal is there."""
    if not _is_terminal(sys.stdin) or not _is_terminal(sys.stderr):
        return None
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()
