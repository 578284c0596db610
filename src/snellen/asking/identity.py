"""Identity: by which revision a store knows a model, wherever it is asked now.

The address of a server is no part of what a response is known by, so that one that moves is not asked everything again.
Where a model is asked at an address that is new, its server is asked one short question: if it reports the model that
the stored responses came from, these count; if it reports another one, that is another revision. One that says nothing
is taken for the same, which is remarked; one that cannot be asked is asked again the next time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from snellen.errors import ModelError
from snellen.models.base import Model
from snellen.prompts import Request, Settings
from snellen.store import KnownModel, Store

ANYBODY = "Reply with the word OK."
"""What a server is asked that may be another one than before."""


def recognise(models: Sequence[Model], store: Store) -> list[Model]:
    """Give each model the revision under which it was asked at its address before; those that are new there."""
    return [model for model in models if model.at and not _asked_there(model, store)]


def recognise_moved(models: Sequence[Model], store: Store) -> dict[str, str]:
    """The same; those that are new at their address, and known from another, are asked who they are. What to remark."""
    moved = [model for model in recognise(models, store) if _candidates(model, store)]
    if not moved:
        return {}
    # in a thread of its own: a notebook has an event loop that runs
    with ThreadPoolExecutor(1) as thread:
        served = thread.submit(lambda: asyncio.run(_who(moved))).result()
    return {model.name: _taken_for(model, said, store) for model, said in zip(moved, served, strict=True)}


def _asked_there(model: Model, store: Store) -> bool:
    known = _candidates(model, store)
    for each in reversed(known):
        if model.at in each.addresses or each.revision == model.at:
            model.revision = each.revision
            return True
    return not known


def _candidates(model: Model, store: Store) -> list[KnownModel]:
    """The models of the store that this one may be: of its name, with the same settings, asked somewhere."""
    return [
        each
        for each in store.studies.models_named(model.name)
        if each.revision == model.revision
        or each.revision.startswith(_served_as(model, ""))
        or (not model.revision and each.revision.startswith(("http://", "https://")))
    ]


def _served_as(model: Model, name: str) -> str:
    return " · ".join(filter(None, (model.revision, f"served as {name}")))


async def _who(models: Sequence[Model]) -> list[str | ModelError]:
    """What the servers of some models call them; empty of those that do not say, the error of those that fail."""
    return list(await asyncio.gather(*map(_reported, models)))


async def _reported(model: Model) -> str | ModelError:
    try:
        question = Request(model.name, ANYBODY, settings=Settings(max_tokens=16), revision=model.revision)
        return (await model.answer(question)).served_by
    except ModelError as error:
        return error
    finally:
        await model.close()


def _taken_for(model: Model, served_by: str | ModelError, store: Store) -> str:
    """Settle the revision of a model by the name that its server reports; the sentence that says so."""
    if not served_by or isinstance(served_by, ModelError):
        silent = "does not say which model it is" if not served_by else f"could not be asked who it is ({served_by})"
        told = f"It is asked at {model.at} now. That server {silent}: stored responses count as if it were the same."
        if isinstance(served_by, ModelError):
            model.at = ""  # nobody knows who answers there, so that the address is not noted
        return f"{told} If it is another model, say so by a revision in [[models]]."
    known = {each: store.responses.served_by(each.number) - {""} for each in _candidates(model, store)}
    for each, names in known.items():
        if served_by in names or not names:
            model.revision = each.revision
            told = "as before" if names else "and nobody said before what it was"
            return f"It is asked at {model.at} now. That server reports {served_by!r}, {told}: stored responses count."
    before = ", ".join(sorted(repr(name) for names in known.values() for name in names))
    model.revision = _served_as(model, served_by)
    return (
        f"It is asked at {model.at} now. That server reports {served_by!r}, the one before {before}: it is asked "
        "everything again, as another revision."
    )
