"""Consent: before images leave this machine, their files are checked and the user is asked."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from snellen.asking.plan import Plan
from snellen.errors import BrokenRow, BrokenRowsError, ConsentError, ImageError
from snellen.files import create_folder, open_private, user_folder
from snellen.images import Image, check
from snellen.items import Benchmark, Item
from snellen.models.base import Model
from snellen.models.client.address import IN_FILE
from snellen.runtime import counted, visible

MOST_CHECKED = 2_000
"""Most files of a benchmark that are opened, evenly spread. The others are checked when they are sent."""
CHECKING_THREADS = max(2, min(8, os.cpu_count() or 1))
Question = Callable[[str], bool | None]
"""Function that asks the user a question; returns True, False, or None without a user."""
Key = tuple[str, str, str]
"""Key of a permission: its kind, its name or digest, and the receiving host."""
OF_EXAMPLES = "the examples"
PART = ", the first "
"""Text between a digest and the number of items, if only some are asked. More items need a new consent."""


class ImagesToSend(NamedTuple):
    """Images of a benchmark that are to be sent; `digest` identifies them."""

    benchmark: str
    digest: str
    images: int
    burned_in: int = 0
    """Number of images that may have text burned into their pixels, according to their files."""


class Departure(NamedTuple):
    """Images that are to be sent to one host, for some models."""

    host: str
    models: tuple[str, ...]
    shown: ImagesToSend

    @property
    def record(self) -> dict[str, Any]:
        """The consent to be stored. It holds for these images and this host, with any model."""
        return {"host": self.host, "models": list(self.models), **self.shown._asdict()}

    @property
    def key(self) -> Key:
        """Key under which a consent is remembered."""
        return ("images", self.shown.digest, self.host)


class FileUse(NamedTuple):
    """A foreign resource that a study file uses: a host, a variable, a file or a cluster."""

    host: str
    """The host that the resource goes to; empty for a server on this machine."""
    kind: str
    what: str
    words: str
    """Description of the use, as the end of a sentence."""

    @property
    def key(self) -> Key:
        """Key under which a consent is remembered."""
        return (self.kind, self.what, self.host)


def shown_by(plan: Plan) -> Iterator[ImagesToSend]:
    """Yield the images that a plan sends for each benchmark, and those of its examples."""
    for benchmark in plan.benchmarks:
        items = benchmark.items[: plan.count_wanted(benchmark)]
        images = {image.fingerprint: image for item in items for image in item.images}
        if images and plan.sends_images(benchmark):
            part = "" if len(items) == len(benchmark.items) else f"{PART}{len(items)}"
            burned_in = sum(bool(image.burned_in) for image in images.values())
            yield ImagesToSend(benchmark.name, benchmark.digest + part, len(images), burned_in)
    if prints := sorted({image.fingerprint for item in plan.examples for image in item.images}):
        yield ImagesToSend(OF_EXAMPLES, hashlib.sha256("\n".join(prints).encode()).hexdigest(), len(prints))


def departures(
    models: Sequence[Model], shown: Iterable[ImagesToSend], known: Collection[Key], *, cluster: str = ""
) -> list[Departure]:
    """List the images that would leave this machine without a remembered consent.

    A consent to a whole benchmark holds for a part of it, but not the reverse. `cluster` is the name of other machines
    that run all the models.
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
    """Return the models that take images and run elsewhere, by host."""
    hosts: dict[str, list[str]] = {}
    for model in models:
        if model.host and not model.text_only:
            # the owner of a key can see what is sent with it, and a .env file may have come with the folder
            by = ", key from .env" if model.address.endswith(IN_FILE) else ""
            hosts.setdefault(model.host, []).append(f"{model.name}{by}")
    return {host: tuple(names) for host, names in hosts.items()}


def obtain(
    departing: Sequence[Departure], *, yes: bool, ask: Question, uses: Sequence[FileUse] = (), file: str = ""
) -> Sequence[Departure]:
    """Ask for consent once per host, unless `yes`. Raise ConsentError if the user refuses.

    `uses` are the resources of the study file `file`. The consent is remembered for this user.
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
    """Describe the foreign resources that a study file uses."""
    said = [f"{each.words}." for each in uses]
    return f"The study file {file} {' It '.join(said)}" if said else ""


def read_consents() -> set[Key]:
    """Return what this user has allowed before. It is read from the user's own folder, never from the study's."""
    with suppress(OSError, RuntimeError):
        lines = _memory().read_bytes().splitlines()
        return {key for key in map(_read_line, lines) if key}
    return set()


def remember(keys: Iterable[Key]) -> None:
    """Remember permissions. If they cannot be written, the user is asked again next time."""
    if new := sorted(set(keys) - read_consents()):
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
    """Describe the images that are to be sent to one host."""
    what = " and ".join(f"{counted(each.images, 'image')} of {each.benchmark}" for _, _, each in departing)
    models = ", ".join(dict.fromkeys(name for each in departing for name in each.models))
    burned_in = sum(each.burned_in for _, _, each in departing)
    warned = (
        f"{counted(burned_in, 'scan')} of them may have a name or a date burned into the pixels, according to the file "
        "headers (check with `snellen audit --also burned-in-text`). "
    )
    return (
        f"Images are about to leave this machine, to {departing[0].host} ({models}): {what}. "
        f"{warned if burned_in else ''}Send only images that you may share, and none that identifies a patient."
    )


def ask_in_terminal(question: str) -> bool | None:
    """Ask a yes/no question in the terminal; None if there is no terminal."""
    if not _is_terminal(sys.stdin) or not _is_terminal(sys.stderr):
        return None
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def look_at_images(plan: Plan) -> None:
    """Raise BrokenRowsError if an image file of the plan is damaged, too large or missing."""
    for benchmark in plan.benchmarks:
        items = benchmark.items[: plan.count_wanted(benchmark)]
        if broken := list(_find_broken(benchmark, items)):
            advice = (
                "Fix them, or continue with --allow-broken (allow_broken=True): these items are then asked only under "
                "conditions that need no image."
            )
            raise BrokenRowsError(benchmark.name, broken, len(items) - len(broken), advice)


def _find_broken(benchmark: Benchmark, items: tuple[Item, ...]) -> Iterator[BrokenRow]:
    sources = dict.fromkeys(image.source for item in items for image in item.images if not image.steps)
    files = [each for each in sources if isinstance(each, Path)]
    some = files[:: max(1, -(-len(files) // MOST_CHECKED))]
    with ThreadPoolExecutor(CHECKING_THREADS) as threads:
        looked_at = zip(some, threads.map(_problem, some), strict=True)
        problems: dict[object, str] = {file: why for file, why in looked_at if why}
    for item in items if problems else ():
        why = next((found for image in item.images if (found := problems.get(image.source))), None)
        if why is not None:
            yield BrokenRow(str(benchmark.about.get("file") or benchmark.name), item.id, why)


def _problem(file: Path) -> str:
    try:
        check(Image(file).read(), name=file.name)
    except ImageError as error:
        return str(error)
    return ""
