"""Conditions of imported responses: their names, and checks that the requests match them."""

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
"""Possible parts of an arm's name after the condition: a prompt, a change of its words, an effort."""


def arm_name(name: object) -> str:
    """Return an arm's name in the tests' spelling; DataError if it is invalid.

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
    """Split an arm's name into condition and rest; no condition if a part is unknown."""
    label = read_label(arm)
    return label if _WAYS_OF_ASKING.issuperset(label.ways) else ArmLabel(None)


def find_changes(arm: str) -> frozenset[str]:
    """Return which of image, text and options an arm changes, according to its name."""
    condition = read_arm(arm).condition
    return frozenset() if condition is None else condition.changes


BEYOND_LUCK = 0.001
Place = tuple[str, str]
"""Benchmark and arm."""


def check_names(arms: Iterable[str], declared: Collection[str]) -> None:
    """Raise StudyError for arms that are neither known nor declared as new."""
    unknown = [arm for arm in arms if arm not in declared and read_arm(arm).condition is None]
    known: list[str] = []
    if unknown:
        of_tests = (arm.name for name in names("stress", MEMBERS) for arm in stress_test(name).all_arms)
        plain = (name for name in names("conditions", CONDITIONS) if read_arm(name).condition is not None)
        known = sorted({*of_tests, *plain})
    for arm in unknown:
        if arm not in known:
            near = _nearest(arm, known)
            hint = (
                f"Did you mean {near!r}?"
                if near
                else f"There are: {', '.join(names('conditions', CONDITIONS))} (`snellen list conditions`)."
            )
            raise StudyError(
                f"There is no condition {arm!r}. {hint} To declare your own condition, compared with the others "
                f"without a verdict: --new-condition {arm!r} (new_conditions=[{arm!r}])."
            )


def _nearest(arm: str, known: Sequence[str]) -> str | None:
    spelled = arm.lower().replace("_", "-").replace(" ", "-")
    if spelled in known:
        return spelled
    with_settings = (name for name in known if name.startswith(f"{spelled}:"))
    return next(chain(with_settings, get_close_matches(spelled, known, n=1)), None)


class Sightings:
    """Record of the images and options that imported requests had, to check condition names."""

    def __init__(self) -> None:
        self._replies: Counter[Place] = Counter()
        self._sent: defaultdict[tuple[Place, bool], Counter[str]] = defaultdict(Counter)
        """Items by benchmark and arm, and by whether an image was sent (True) or not (False)."""
        self._images: defaultdict[Place, dict[str, tuple[Image, ...]]] = defaultdict(dict)
        self._options: defaultdict[Place, dict[str, tuple[Option, ...]]] = defaultdict(dict)
        self._pictured: set[Place] = set()
        """Benchmark and id of every item that has an image."""
        self._where: defaultdict[Place, dict[str, str]] = defaultdict(dict)

    def add(self, answer: Answer, *, stored: bool = False) -> None:
        """Record a response. Stored ones were checked before and serve only for comparison."""
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

    def contradictions(self) -> Iterator[ImageContradiction]:
        """Yield arms whose requests contradict their name."""
        for place, count in self._replies.items():
            label = read_arm(place[1])
            effects = label.effects
            if effects.image == "unknown":
                continue
            removed = not effects.sends_image
            sent = self._sent.get((place, removed), Counter())
            # a question without any image was rightly sent without one
            wrong = {item: n for item, n in sent.items() if removed or (place[0], item) in self._pictured}
            if wrong:
                how = "with an image" if removed else "without the image that belongs to the question"
                yield self._contradiction(
                    place, next(iter(wrong)), f"{sum(wrong.values()):,} of {count:,} requests", how
                )
            if removed and label.takes_image and effects.reads_all_words:
                yield from self._nothing_removed(place)
            if effects.image != "own":
                yield from self._image_unchanged(place)
            if effects.options == "reordered":
                yield from self._options_unmoved(place)

    def _nothing_removed(self, place: Place) -> Iterator[ImageContradiction]:
        """Yield arms that remove images from questions that had no image."""
        original = (place[0], AS_ASKED)
        without = self._sent.get((original, False), Counter())
        if 0 < without.total() == self._replies[original] and not any(name == place[0] for name, _ in self._pictured):
            count = f"all {self._replies[place]:,} requests"
            how = "without an image, but so were those of the original condition: no image was removed"
            yield self._contradiction(place, next(iter(without)), count, how)

    def _image_unchanged(self, place: Place) -> Iterator[ImageContradiction]:
        shown, originals = self._images.get(place, {}), self._images.get((place[0], AS_ASKED), {})
        same = [item for item, images in shown.items() if images == originals.get(item)]
        if same:
            count = f"the requests for {len(same):,} of {len(shown):,} items"
            yield self._contradiction(place, same[0], count, "with the same image as in the original condition")

    def _options_unmoved(self, place: Place) -> Iterator[ImageContradiction]:
        """Yield an arm with shuffled options whose order is always original, beyond chance."""
        shown, originals = self._options.get(place, {}), self._options.get((place[0], AS_ASKED), {})
        both = [item for item in shown if item in originals]
        luck = prod(1 / factorial(len(shown[item])) for item in both)
        if luck < BEYOND_LUCK and all(shown[item] == originals[item] for item in both):
            how = "with the options in the order of the original condition"
            yield self._contradiction(place, both[0], f"the requests for all {len(both):,} items", how)

    def _contradiction(self, place: Place, item_id: str, count: str, how: str) -> ImageContradiction:
        where = self._where.get(place, {}).get(item_id, "stored before")
        return ImageContradiction(*place, f"{count} under the condition {place[1]!r} were sent {how}", item_id, where)


class ImageContradiction(NamedTuple):
    """Contradiction between a condition's name and what was sent, with an example item."""

    benchmark: str
    arm: str
    said: str
    item_id: str
    where: str

    @property
    def sentence(self) -> str:
        """The contradiction as a sentence."""
        return f"{self.said[0].upper()}{self.said[1:]}, such as item {self.item_id!r} ({self.where})."

    @property
    def error(self) -> DataError:
        """Error for an import that does not accept the contradiction."""
        return DataError(
            f"{self.benchmark}: {self.said}, such as item {self.item_id!r} ({self.where}). "
            "This contradicts the condition's name, so nothing is imported. Name the condition that was really used: "
            "--condition (such as --condition image-removed), or `arm` in the rows or the log. In rows, give `image` "
            "only if one was sent, and `options` in the order shown. To import it anyway, without verdicts on this "
            "benchmark: --accept-contradictions."
        )
