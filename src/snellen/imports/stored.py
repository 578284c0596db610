"""The answers of a store, in the order they are kept: to be exported, or to be joined by others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from snellen.images import Image
from snellen.imports.answer import Answer
from snellen.models.base import Response
from snellen.prompts import Settings
from snellen.store import Asked, Store, as_changed

_UNKNOWN = Asked(None, {}, "", "", ())


def stored_answers(store: Store, *, images: bool = True) -> Iterator[Answer]:
    """Every response and failed call of the latest study, with the question as asked and the images as sent."""
    study = store.latest_study()
    picture = lru_cache(maxsize=None)(lambda sha256: Image(store.image(sha256)))
    for name, digest in study["benchmarks"].items():
        items = store.benchmark(digest).items
        for arm, arm_digest in study["arms"][name].items():
            number, record = store.arm(arm_digest)
            asked = store.asked(number)
            put = {at: as_changed(items[at], each.changed) for at, each in asked.items() if at < len(items)}
            if images:
                put = {at: replace(item, images=tuple(map(picture, asked[at].images))) for at, item in put.items()}
            for model, revision in study["models"]:
                for ordinal, replicate, response, error in _of_arm(store, store.model(model, revision), number):
                    words = asked.get(ordinal, _UNKNOWN)
                    yield Answer(
                        model=model,
                        benchmark=name,
                        arm=arm,
                        item=put.get(ordinal, items[ordinal]),
                        response=response,
                        error=error,
                        replicate=replicate,
                        revision=revision,
                        text=words.text,
                        system=words.system,
                        settings=Settings(**record["settings"]),
                        has_image=bool(words.images),
                    )


def _of_arm(store: Store, model: int, arm: int) -> Iterator[tuple[int, int, Response | None, str]]:
    for reply in store.replies(model, arm):
        yield reply.ordinal, reply.replicate, Response(reply.text, reply.finish, reply.reasoning), ""
    for ordinal, replicate, error in store.failed_cells(model, arm):
        yield ordinal, replicate, None, error
