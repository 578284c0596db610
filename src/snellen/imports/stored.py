"""The answers of a store, in the order they are kept: to be exported, or to be joined by others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from snellen.images import Image
from snellen.imports.answer import Answer
from snellen.models.base import Response
from snellen.store import Asked, Store, as_changed

_UNKNOWN = Asked(None, {}, "", "", ())


def stored_answers(store: Store, *, images: bool = True) -> Iterator[Answer]:
    """Every reply of the latest study, with the question as its arm put it and the images as they were sent."""
    study = store.latest_study()
    picture = lru_cache(maxsize=None)(lambda sha256: Image(store.image(sha256)))
    for name, digest in study["benchmarks"].items():
        items = store.benchmark(digest).items
        for arm, arm_digest in study["arms"][name].items():
            number, _ = store.arm(arm_digest)
            asked = store.asked(number)
            put = {at: as_changed(items[at], each.changed) for at, each in asked.items() if at < len(items)}
            if images:
                put = {at: replace(item, images=tuple(map(picture, asked[at].images))) for at, item in put.items()}
            for model, revision in study["models"]:
                for reply in store.replies(store.model(model, revision), number):
                    words = asked.get(reply.ordinal, _UNKNOWN)
                    yield Answer(
                        model=model,
                        benchmark=name,
                        arm=arm,
                        item=put.get(reply.ordinal, items[reply.ordinal]),
                        response=Response(reply.text, reply.finish, reply.reasoning),
                        replicate=reply.replicate,
                        revision=revision,
                        text=words.text,
                        system=words.system,
                    )
