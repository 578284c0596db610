"""Conditions of imported responses: which of ours a name means, and whether what was sent agrees with it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain
from math import factorial, prod
from typing import NamedTuple, get_args

from snellen.conditions import MEMBERS as CONDITIONS
from snellen.conditions.labels import ArmLabel, read_label
from snellen.errors import DataError, StudyError
from snellen.images import Image
from snellen.imports.answer import AS_ASKED, Answer
from snellen.items import Option
from snellen.plugins import names
from snellen.prompts import ATTACHMENT_COUNTED, BARE, PROMPTS, REWORDINGS, VISUAL_EVIDENCE, Effort
from snellen.stress import MEMBERS, stress_test

_PLAIN = re.compile(r"\w[\w.+ -]{0,79}")
_SCAFFOLDS = (BARE, VISUAL_EVIDENCE, ATTACHMENT_COUNTED)
_WAYS_OF_ASKING = frozenset((*PROMPTS, *(each.name for each in (*REWORDINGS, *_SCAFFOLDS)), *get_args(Effort)))
"""What an arm's name may end with: a prompt, a change of its words, an effort."""


def arm_name(name: object) -> str:
    """The name as the tests know it; DataError where it is none.

    >>> arm_name("image-blank:size=placeholder,fill=noise"), arm_name("image-blank:fill=white")
    ('image-blank:fill=noise,size=placeholder', 'image-blank')
    >>> arm_name("degraded:noise,0.5+detection-cot")
    'degraded:noise,weak+detection-cot'
    """
    if isinstance(name, str):
        if _PLAIN.fullmatch(name.strip()):
            return name.strip()
        condition, ways = read_arm(name.strip())
        if condition is not None:
            return "+".join((condition.label, *ways))
    raise DataError(f"its condition is {name!r}, expected a plain name such as 'original' or 'image-removed'")


def read_arm(arm: str) -> ArmLabel:
    """What an arm's name says; no condition if one of its ways of asking is not ours."""
    label = read_label(arm)
    return label if _WAYS_OF_ASKING.issuperset(label.ways) else ArmLabel(None)


def find_changes(arm: str) -> frozenset[str]:
    """What of an item an arm changes, as its name says: image, text, options."""
    condition = read_arm(arm).condition
    return frozenset() if condition is None else condition.changes


BEYOND_LUCK = 0.001
Place = tuple[str, str]
"""A benchmark and an arm."""


def check_names(arms: Iterable[str], declared: Collection[str]) -> None:
    """Raise where an arm has a name that neither a condition nor a test has, unless it is declared to be a new one."""
    unknown = [arm for arm in arms if arm not in declared and read_arm(arm).condition is None]
    known = _known() if unknown else []
    for arm in unknown:
        if arm not in known:
            near = _nearest(arm, known)
            hint = (
                f"Did you mean {near!r}?"
                if near
                else f"There are: {', '.join(names('conditions', CONDITIONS))} (`snellen list conditions`)."
            )
            raise StudyError(
                f"There is no condition {arm!r}. {hint} Declare a condition of your own, which is compared with the "
                f"others without a verdict: --new-condition {arm!r} (new_conditions=[{arm!r}])."
            )


def _known() -> list[str]:
    """The arms of all tests, and the conditions that need no settings."""
    of_tests = (arm.name for name in names("stress", MEMBERS) for arm in stress_test(name).all_arms)
    return sorted(
        {*of_tests, *(name for name in names("conditions", CONDITIONS) if read_arm(name).condition is not None)}
    )


def _nearest(arm: str, known: Sequence[str]) -> str | None:
    spelled = arm.lower().replace("_", "-").replace(" ", "-")
    if spelled in known:
        return spelled
    with_settings = (name for name in known if name.startswith(f"{spelled}:"))
    return next(chain(with_settings, get_close_matches(spelled, known, n=1)), None)


class Sightings:
    """What a set of answers shows about images: which responses were sent one, which none, and which items have one."""

    def __init__(self) -> None:
        self._replies: Counter[Place] = Counter()
        self._sent: defaultdict[tuple[Place, bool], Counter[str]] = defaultdict(Counter)
        """By arm, the items whose responses were sent an image, and those whose responses were sent none."""
        self._images: defaultdict[Place, dict[str, tuple[Image, ...]]] = defaultdict(dict)
        self._options: defaultdict[Place, dict[str, tuple[Option, ...]]] = defaultdict(dict)
        self._pictured: set[Place] = set()
        """Benchmark and id of every item that has an image."""
        self._where: defaultdict[Place, dict[str, str]] = defaultdict(dict)

    def add(self, answer: Answer, *, stored: bool = False) -> None:
        """Take in a response. One that is stored was checked before, and only shows what others are compared with."""
        place, item = (answer.benchmark, answer.arm), answer.item
        if answer.has_image or answer.image_sent:
            self._pictured.add((answer.benchmark, item.id))
        if item.images:
            self._images[place].setdefault(item.id, item.images)
        if item.options:
            self._options[place].setdefault(item.id, item.options)
        if stored:
            return
        self._replies[place] += 1
        self._where[place].setdefault(item.id, answer.where)
        if answer.image_sent is not None:
            self._sent[place, answer.image_sent][item.id] += 1

    def contradictions(self) -> Iterator[Contradiction]:
        """Where what was sent contradicts the name of an arm: an image or none, or what it ought to change."""
        for place, count in self._replies.items():
            label = read_arm(place[1])
            effects = label.effects
            if effects.image == "unknown":
                continue
            removed = not effects.sends_image
            sent = self._sent.get((place, removed), Counter())
            # a question that has no image anywhere was rightly sent without one
            wrong = {item: n for item, n in sent.items() if removed or (place[0], item) in self._pictured}
            if wrong:
                how = "with an image" if removed else "without the image that belongs to the question"
                yield self._contradiction(
                    place, next(iter(wrong)), f"{sum(wrong.values()):,} of {count:,} responses", how
                )
            if removed and label.takes_image and effects.reads_all_words:
                yield from self._nothing_removed(place)
            if effects.image != "own":
                yield from self._image_unchanged(place)
            if effects.options == "reordered":
                yield from self._options_unmoved(place)

    def _nothing_removed(self, place: Place) -> Iterator[Contradiction]:
        """An arm that removes images from questions of which the original had none, as far as anything says."""
        original = (place[0], AS_ASKED)
        without = self._sent.get((original, False), Counter())
        if 0 < without.total() == self._replies[original] and not any(name == place[0] for name, _ in self._pictured):
            count = f"all {self._replies[place]:,} responses"
            how = "as the original was, without an image: none was removed"
            yield self._contradiction(place, next(iter(without)), count, how)

    def _image_unchanged(self, place: Place) -> Iterator[Contradiction]:
        """An arm that changes the image and shows the very one that the original shows."""
        shown, originals = self._images.get(place, {}), self._images.get((place[0], AS_ASKED), {})
        same = [item for item, images in shown.items() if images == originals.get(item)]
        if same:
            count = f"the responses to {len(same):,} of {len(shown):,} items"
            yield self._contradiction(place, same[0], count, "with the very image of the original")

    def _options_unmoved(self, place: Place) -> Iterator[Contradiction]:
        """Shuffled options that stand as in the original under every item, which is beyond chance."""
        shown, originals = self._options.get(place, {}), self._options.get((place[0], AS_ASKED), {})
        both = [item for item in shown if item in originals]
        luck = prod(1 / factorial(len(shown[item])) for item in both)
        if luck < BEYOND_LUCK and all(shown[item] == originals[item] for item in both):
            how = "with the original's options in the original's order"
            yield self._contradiction(place, both[0], f"the responses to all {len(both):,} items", how)

    def _contradiction(self, place: Place, item_id: str, count: str, how: str) -> Contradiction:
        where = self._where.get(place, {}).get(item_id, "stored before")
        return Contradiction(*place, f"{count} under the condition {place[1]!r} were sent {how}", item_id, where)


class Contradiction(NamedTuple):
    """What was sent under a condition against its name, with an example."""

    benchmark: str
    arm: str
    said: str
    item_id: str
    where: str

    @property
    def sentence(self) -> str:
        """It in words."""
        return f"{self.said[0].upper()}{self.said[1:]}, such as item {self.item_id!r} ({self.where})."

    @property
    def error(self) -> DataError:
        """The error for an import that does not accept it."""
        return DataError(
            f"{self.benchmark}: {self.said}, such as item {self.item_id!r} ({self.where}). "
            "What was sent contradicts the condition's name, so nothing is imported. Name the condition after what was "
            "done: --condition, such as --condition image-removed, or `arm` in the rows or the log. In rows, `image` "
            "and `options` are those that were sent: leave the image out where none was, and give the options in the "
            "order shown. To import it all the same, without verdicts on this benchmark: --accept-contradictions."
        )
