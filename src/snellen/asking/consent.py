"""Consent: before images leave this machine, it is said where they go and how many they are, and asked for."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from snellen.asking.plan import Plan
from snellen.errors import ConsentError
from snellen.models.base import Model
from snellen.runtime import counted

Question = Callable[[str], bool | None]
"""Asks a person: yes, no, or None where nobody can be asked."""
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
    models: Sequence[Model], shown: Iterable[Shown], known: Collection[tuple[str, str]], *, cluster: str = ""
) -> list[Departure]:
    """The images that are to leave this machine, without those of which a consent is known, by host and digest.

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
        if not {(host, each.digest), (host, each.digest.partition(PART)[0])} & set(known)
    ]


def by_host(models: Sequence[Model]) -> dict[str, tuple[str, ...]]:
    """The models that take images and are asked elsewhere, by the host that they are asked at."""
    hosts: dict[str, list[str]] = {}
    for model in models:
        if model.host and not model.text_only:
            hosts.setdefault(model.host, []).append(model.name)
    return {host: tuple(names) for host, names in hosts.items()}


def obtain(departing: Sequence[Departure], *, yes: bool, ask: Question) -> Sequence[Departure]:
    """Ask once for each host, unless `yes` says so already; ConsentError for a no, and where nobody can be asked."""
    for _, group in groupby(sorted(departing), key=lambda each: each.host):
        said = sentence(list(group))
        consent = True if yes else ask(f"{said} Send them?")
        if consent is None:
            raise ConsentError(f"{said} Nothing was sent. Allow it with --yes (yes=True), or run it in a terminal.")
        if not consent:
            raise ConsentError("Nothing was sent.")
    return departing


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
