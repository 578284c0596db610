"""Contract of conditions: they are repeatable, and change only what they declare."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from snellen.conditions import Condition, Drawn, Pool, Together, Variant
from snellen.errors import DataError, Inapplicable, SnellenError
from snellen.images import Encoder, Image
from snellen.images.image import Moving, Pixels
from snellen.items import Item
from snellen.plugins import read_settings
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, Arm, ask
from snellen.testing.contract import explain_errors, list_answers, load_phantoms, require, require_name

PHANTOMS = ("phantoms:items=6", "phantoms:task=pathway,items=7", "phantoms:task=counterfactual,items=4")
"""Benchmarks to which a condition is applied if no items are given."""
DRAWN = 3
"""Number of items whose images are rendered to pixels."""
SEEDS = 8
"""Number of draws in which a condition must change something at least once."""
MEANINGLESS = "If the change has no meaning for an item, raise Inapplicable with the reason."


def check_condition(condition: Condition, items: Iterable[Item] | None = None, *, seed: int = 0) -> int:
    """Check that a condition changes what it declares and ignores the answer key.

    The condition must not change its input or the item's id. The same seed must give the same result, pixels included.
    Without items, it is applied to phantoms. Returns the number of items to which it applied.
    """
    given = f"expected a Condition, got {condition!r}. Hand in the condition with its settings, as in Windowed(40)."
    require(isinstance(condition, Condition), given)
    _check_label(condition)
    own = items is None
    items = load_phantoms(PHANTOMS) if items is None else tuple(items)
    pools, why = (Pool(items), Pool(items[::-1])), ""
    every_image = [image for item in items for image in item.images]
    variants: list[Variant] = []
    drawn = []
    for item in items:
        try:
            variant, again = _vary_twice(condition, item, seed, pools)
        except Inapplicable as reason:
            why = str(reason)
            require(why, f"{condition.name} gives no reason for leaving out {item.id!r}. {MEANINGLESS}")
            continue
        variants.append(variant)
        _check_declared(condition, variant)
        if len(variants) <= DRAWN:
            drawn += _check_pixels(condition, variant, again, every_image)
            _check_words(condition, item, seed, pools[0])
    require(variants or not own, f"{condition.name} applies to none of {len(items)} phantoms: {why}. Hand in items.")
    _check_changed(condition, variants, pools[0], seed)
    visible = [changed for changed, shows in drawn if shows]
    require(
        any(visible) or not visible,
        f"{condition.name} changes no pixel of {len(visible)} images. Change them, or declare the image as 'own'.",
    )
    return len(variants)


def _check_label(condition: Condition) -> None:
    """Check that the condition can be written on a command line, with its settings."""
    if isinstance(condition, Together):
        return
    require_name(getattr(condition, "name", None), "condition")
    failure = f"The condition cannot be rebuilt from its label {condition.label!r}. A setting is a number or a word"
    _, _, settings = condition.label.partition(":")
    try:
        bare, named = read_settings(type(condition), settings, failure=failure)
        require(type(condition)(*bare, **named) == condition, f"{failure} without a comma or a plus.")
    except SnellenError as error:
        require(False, f"{error}")


def _vary_twice(condition: Condition, item: Item, seed: int, pools: tuple[Pool, Pool]) -> tuple[Variant, Variant]:
    """Apply the condition twice, with the pool in two orders; both results must be equal."""
    name, before = condition.name, copy.copy(vars(item))
    variant = _vary(condition, item, seed, pools[0])
    require(before == vars(item), f"{name} changed its input {item.id!r}. Return a new item: replace(item, …).")
    require(variant.item.id == item.id, f"{name} changed the id of {item.id!r}. Keep it: results are paired by it.")
    problem = variant.item.problem()
    require(problem is None, f"{name} made {item.id!r} unusable: {problem}.")
    again = _vary(condition, item, seed, pools[1])
    marks = [[image.fingerprint for image in each.item.images] for each in (variant, again)]
    require(
        marks[0] == marks[1] or again.drawn != variant.drawn,
        f"{name} adds image steps to {item.id!r} that differ between two calls. Make each step a frozen dataclass: "
        "its fields identify it.",
    )
    require(
        again.drawn == variant.drawn and again.item == variant.item,
        f"{name} draws {item.id!r} differently the second time. Draw from `rng` alone, and apply what was drawn.",
    )
    try:
        stored = orjson.loads(orjson.dumps(variant.drawn))
    except TypeError as error:
        require(False, f"{name} drew {variant.drawn!r}, which JSON cannot hold: {error}. Return numbers, words, lists.")
    with explain_errors(
        f"{name}: apply", "It receives the draw as read from JSON: lists instead of tuples, keys as text."
    ):
        replayed = condition.apply(condition.equip(item, pools[0]), stored)
    require(
        replayed == variant.item,
        f"{name} gives another item for {item.id!r} when replayed from its stored draw: {stored!r}.",
    )
    return variant, again


def _vary(condition: Condition, item: Item, seed: int, pool: Pool) -> Variant:
    name = condition.name
    with explain_errors(f"{name}: equip", MEANINGLESS):
        equipped = condition.equip(item, pool)
    with explain_errors(f"{name}: draw", MEANINGLESS):
        drawn = condition.choose(equipped, seed=seed, pool=pool)
    require(isinstance(drawn, Mapping), f"{name}: expected draw to return a dict, got {drawn!r}.")
    with explain_errors(f"{name}: apply", MEANINGLESS):
        changed = condition.apply(equipped, drawn)
    require(isinstance(changed, Item), f"{name}: expected apply to return an Item, got {changed!r}.")
    return Variant(item, changed, condition.label, drawn)


def _check_declared(condition: Condition, variant: Variant) -> None:
    """Check that images, changes and the correct answer agree with the declared effects."""
    name, item, after, effects = condition.name, variant.original, variant.item, condition.effects
    seen = _observe(variant)
    declares = condition.declared is not None or type(condition).effects is not Condition.effects
    suggestion = f"Effects({', '.join(f'{part}={value!r}' for part, value in seen.items())})"
    require(
        declares or not seen,
        f"{name} does not declare its effects, so a report cannot say what the model was shown. Add to its class: "
        f"declared = {suggestion}.",
    )
    where = f"of {item.id!r}, and declares"
    sends = f"{name} sends an image {where} image={effects.image!r}. Return images=(), or declare what it sends."
    require(effects.sends_image or not after.images, sends)
    changes = f"{name} changes the image {where} image='own'. Declare {suggestion}."
    require(effects.image != "own" or after.images == item.images, changes)
    rewritten = "text" in seen and effects.text == "own" and effects.image != "words"
    require(not rewritten, f"{name} changes the text {where} text='own'. Declare Effects(text='changed').")
    _check_options(condition, variant)
    _check_key(condition, variant)
    untold = [part for part in seen if part != "truth" and part not in condition.changes]
    require(
        not untold or effects.image in ("words", "none"),
        f"{name} changes the {untold and untold[0]} of {item.id!r}, and its `touches` are "
        f"{sorted(condition.changes)}. Name there all that it changes, or leave `touches` out.",
    )


def _check_options(condition: Condition, variant: Variant) -> None:
    name, before, after = condition.name, variant.original.options, variant.item.options
    where, effect = f"of {variant.original.id!r}, and declares options=", condition.effects.options
    changes = f"{name} changes the options {where}"
    kept = before == after or condition.effects.truth == "changed"
    require(effect != "own" or kept, f"{changes}'own'. Declare 'reordered', 'replaced' or 'abstain'.")
    same = sorted(option.text for option in before) == sorted(option.text for option in after)
    require(effect != "reordered" or same, f"{changes}'reordered': expected the same ones in another order.")
    added = [option.text for option in after if option not in before and not option.abstains]
    require(
        effect != "abstain" or not added,
        f"{name} adds {added} to the options {where}'abstain'. Write Option('…', abstains=True).",
    )


def _check_key(condition: Condition, variant: Variant) -> None:
    """Check that the correct answer keeps its text, unless the condition declares otherwise."""
    name, item, after, truth = condition.name, variant.original, variant.item, condition.effects.truth
    told = truth in ("changed", "contradicted") or (truth == "unknown" and isinstance(condition, Together))
    if told or item.kind != "choice":
        return
    before, now = _right_answer(item), _right_answer(after)
    require(
        before == now,
        f"{name} makes {now!r} the right answer of {item.id!r} in place of {before!r}, and declares truth={truth!r}. "
        "Move `answer` with the option, or declare truth='changed'.",
    )
    require(
        truth != "same" or item.answer == after.answer,
        f"{name} moves the right answer of {item.id!r}, and declares truth='same'. Declare truth='moved'.",
    )


def _right_answer(item: Item) -> object:
    return item.options[item.answer].text if item.options and isinstance(item.answer, int) else item.answer


def _observe(variant: Variant) -> dict[str, str]:
    """Return what changed, as values of the fields of Effects."""
    before, after = variant.original, variant.item
    seen = {}
    if after.images != before.images:
        kept = [image.source for image in after.images] == [image.source for image in before.images]
        seen["image"] = "none" if not after.images else "altered" if kept else "other"
    if (after.question, after.context) != (before.question, before.context):
        seen["text"] = "changed"
    if after.options != before.options:
        same = sorted(option.text for option in after.options) == sorted(option.text for option in before.options)
        seen["options"] = "reordered" if same else "replaced"
    if after.answer != before.answer:
        seen["truth"] = "moved" if _right_answer(after) == _right_answer(before) else "changed"
    return seen


def _check_changed(condition: Condition, variants: Sequence[Variant], pool: Pool, seed: int) -> None:
    """Check that each declared change happens for some item and draw."""
    effects = condition.effects
    with_image = [each for each in variants if each.original.images]
    wanted = {
        "image": with_image if effects.image in ("none", "blank", "altered", "words") else [],
        "text": variants if effects.text == "changed" else [],
        "options": variants if effects.options in ("reordered", "replaced", "abstain") else [],
    }
    if effects.image == "unknown" and condition.declared is None:
        wanted["item"] = list(variants)
    for part, some in wanted.items():
        changed = (_observe(each) for each in (*some, *_vary_more(condition, some, pool, seed)))
        if some and not any(seen.keys() & {part} if part != "item" else seen for seen in changed):
            declares = f"declares {part}={getattr(effects, part, None)!r}"
            left = f"the {part} of all {len(some)} items as it was, and {declares}"
            left = f"all {len(some)} items as they were" if part == "item" else left
            require(False, f"{condition.name} leaves {left}. Change it in `apply`, or raise Inapplicable.")


def _vary_more(condition: Condition, variants: Sequence[Variant], pool: Pool, seed: int) -> Iterable[Variant]:
    """Yield the same items under other seeds, if the condition draws anything."""
    if any(each.drawn for each in variants):
        for more in range(1, SEEDS):
            for each in variants:
                try:
                    yield _vary(condition, each.original, seed + more, pool)
                except Inapplicable:
                    continue


def _check_pixels(
    condition: Condition, variant: Variant, again: Variant, every_image: Sequence[Image]
) -> list[tuple[bool, bool]]:
    """Return two truth values per changed image: if it differs, and if it should."""
    made = []
    own = dict(enumerate(variant.original.images))
    for place, (image, same) in enumerate(zip(variant.item.images, again.item.images, strict=True)):
        if image in every_image or (pixels := _draw(condition, image)) is None:
            continue
        drawn = _draw(condition, same)
        require(
            drawn is not None and pixels.shape == drawn.shape and np.array_equal(pixels, drawn),
            f"{condition.name} makes other pixels at each call. Draw at random in `draw`, and hand the step a seed.",
        )
        if place in own and (before := _draw(condition, own[place])) is not None:
            shows = bool(np.ptp(before)) and condition.effects.image in ("blank", "altered")
            made.append((pixels.shape != before.shape or not np.array_equal(pixels, before), shows))
    return made


def _draw(condition: Condition, image: Image) -> Pixels | None:
    name = condition.name
    try:
        with explain_errors(f"{name}: drawing its image", "Return pixels for every item, or raise Inapplicable."):
            pixels = image.seen().pixels
    except AssertionError as error:
        if isinstance(error.__cause__, DataError) and image.is_file:
            return None
        raise
    for step in image.steps:
        called, given = f"{name}: the step {type(step).__name__}", pixels.copy()
        with explain_errors(called, f"A step takes any image: this one has the shape {pixels.shape}."):
            after: Any = step(given)
        require(np.array_equal(given, pixels), f"{called} writes into the pixels that it is given. Work on a copy.")
        _check_array(after, called)
        moved = step.movement(*pixels.shape[:2]) if isinstance(step, Moving) else None
        size = pixels.shape[:2] if moved is None else (moved.height, moved.width)
        told = f"{called} makes {after.shape[:2]} of {pixels.shape[:2]} pixels, and regions would go to {size}"
        require(after.shape[:2] == size, f"{told}. Say where pixels go: give it a method `movement(height, width)`.")
        pixels = after
    return pixels


def _check_array(pixels: Any, called: str) -> None:
    require(isinstance(pixels, np.ndarray), f"{called} returned {type(pixels).__name__}. Return a NumPy array.")
    kind = f"{called} returned pixels of the type {pixels.dtype}. Return uint8, from 0 to 255."
    require(pixels.dtype == np.uint8, kind)
    shape = f"{called} returned the shape {pixels.shape}. Return height × width, or that × 3 for colours."
    require((pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] == 3)) and pixels.size, shape)


def _check_words(condition: Condition, item: Item, seed: int, pool: Pool) -> None:
    """Check that question and context do not depend on the answer key."""
    asked = set()
    for answer in list_answers(item):
        try:
            equipped = condition.equip(item, pool)
            keyed = replace(item, answer=answer, substitutes=equipped.substitutes)
            with explain_errors(f"{condition.name}: asked with another right answer, it", MEANINGLESS):
                varied = condition.apply(keyed, condition.choose(keyed, seed=seed, pool=pool))
        except Inapplicable:
            continue
        asked.add((varied.question, varied.context))
    require(
        len(asked) <= 1 or condition.effects.truth == "changed",
        f"The words of {item.id!r} under {condition.name!r} depend on the right answer. Never read `item.answer`.",
    )


def check_no_key(arm: Arm, items: Iterable[Item], encode: Encoder | None = None) -> None:
    """Check that requests do not depend on the answer key."""
    items, encode = tuple(items), encode or Encoder()
    prompt, pool = arm.asked_by(PROMPTS["letter"]), Pool(items)
    condition = arm.condition
    for item in items:
        drawn: Drawn | None = None
        asked = set()
        for answer in list_answers(item):
            keyed = replace(item, answer=answer)
            try:
                equipped = condition.equip(item, pool)
                drawn = drawn or condition.choose(equipped, seed=0, pool=pool)
                varied = condition.apply(replace(keyed, substitutes=equipped.substitutes), drawn)
            except Inapplicable:
                break
            asked.add(ask(varied, prompt=prompt, settings=arm.settings or PROVIDER_DEFAULTS, encode=encode).key)
        require(
            len(asked) <= 1,
            f"The request for {item.id!r} under {arm.name!r} depends on the right answer. Never read `item.answer`.",
        )
