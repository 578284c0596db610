"""Identity: recognise a stored model, even if its server has a new address.

A server's address is not part of the key of a response, so a server that moves is not asked everything again. If a
model has a new address, its server gets one short question. If it reports the same model name as before, stored
responses count. Another name means another revision. A server that reports no name counts as the same model, with a
remark. If the server cannot be reached, it is asked again in the next run.
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
"""Question to a server that may serve another model than before."""


def recognise(models: Sequence[Model], store: Store) -> list[Model]:
    """Give each model its stored revision at the same address. Return the models that were not found there."""
    return [model for model in models if model.at and not _asked_there(model, store)]


def recognise_moved(models: Sequence[Model], store: Store) -> dict[str, str]:
    """Give models their stored revisions, also those that moved to another address. Return remarks by model."""
    moved = [model for model in recognise(models, store) if _candidates(model, store)]
    if not moved:
        return {}

    async def ask_names() -> list[str | ModelError]:
        return list(await asyncio.gather(*map(_ask_name, moved)))

    # in a thread of its own, because a notebook already runs an event loop
    with ThreadPoolExecutor(1) as thread:
        served = thread.submit(lambda: asyncio.run(ask_names())).result()
    return {model.name: _taken_for(model, said, store) for model, said in zip(moved, served, strict=True)}


def _asked_there(model: Model, store: Store) -> bool:
    known = _candidates(model, store)
    for each in reversed(known):
        if model.at in each.addresses or each.revision == model.at:
            model.revision = each.revision
            return True
    return not known


def _candidates(model: Model, store: Store) -> list[KnownModel]:
    """Return the stored models that this one may be: same name and settings, perhaps another address."""
    return [
        each
        for each in store.studies.models_named(model.name)
        if each.revision == model.revision
        or each.revision.startswith(_served_as(model, ""))
        or (not model.revision and each.revision.startswith(("http://", "https://")))
    ]


def _served_as(model: Model, name: str) -> str:
    return " · ".join(filter(None, (model.revision, f"served as {name}")))


async def _ask_name(model: Model) -> str | ModelError:
    """Ask a server for its model's name. "" if it reports none, the error if the call fails."""
    try:
        question = Request(model.name, ANYBODY, settings=Settings(max_tokens=16), revision=model.revision)
        return (await model.answer(question)).served_by
    except ModelError as error:
        return error
    finally:
        await model.close()


def _taken_for(model: Model, served_by: str | ModelError, store: Store) -> str:
    """Set a model's revision by the name that its server reports, and return a remark."""
    if not served_by or isinstance(served_by, ModelError):
        silent = (
            "does not say which model it is" if not served_by else f"could not be asked which model it is ({served_by})"
        )
        told = f"Its address is now {model.at}. That server {silent}, so it counts as the same model as before."
        if isinstance(served_by, ModelError):
            model.at = ""  # it is unknown which model answers there, so the address is not stored
        return f"{told} If it is another model, give it a revision in [[models]]."
    known = {each: store.responses.served_by(each.number) - {""} for each in _candidates(model, store)}
    for each, names in known.items():
        if served_by in names or not names:
            model.revision = each.revision
            told = "as before" if names else "and the earlier name is unknown"
            return (
                f"Its address is now {model.at}. That server reports {served_by!r}, {told}: its stored responses are "
                "used."
            )
    before = ", ".join(sorted(repr(name) for names in known.values() for name in names))
    model.revision = _served_as(model, served_by)
    return (
        f"Its address is now {model.at}. That server reports {served_by!r}, the earlier one reported {before}. The "
        "model is a new revision, and all questions are asked again."
    )
