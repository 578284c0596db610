"""Audit: all checks of a benchmark, corrected for the number of tests, as one record."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from snellen.benchmarks import MEMBERS, load, look_up_published, takes_map
from snellen.benchmarks.hub import ON_HUB
from snellen.errors import SnellenError, StudyError
from snellen.items import Benchmark, Item
from snellen.plugins import find, names, parse_settings
from snellen.runtime import counted
from snellen.stats import holm
from snellen.store import Store
from snellen.tools.audit.answers import answers_of, stored_benchmark
from snellen.tools.audit.audited import TRAINING, Audited, Progress, prepare_benchmark, split_of
from snellen.tools.audit.checks import Check, check_named, check_names, run_check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity
from snellen.tools.audit.identifying import identifying_words, places_of_identifying, without_identifiers
from snellen.tools.audit.judged import JudgedItems, read_key_review

LEVEL = 0.05
"""Maximum share of faultless benchmarks for which an audit reports a problem by chance."""

NO_TRAINING = "none"
"""Value of `train` that leaves out the training split next to a benchmark."""

Watch = Callable[[Check, int, int], None]
"""Called before each check with the check, its place, and the number of checks."""


@dataclass(frozen=True)
class Audit:
    """An audited benchmark, with the result of each check."""

    of: Audited
    checked: tuple[Checked, ...]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The problems that remain after correction: the most severe first, then those of most items."""
        order = list(Severity)
        return tuple(sorted(_standing(self.checked), key=lambda each: (order.index(each.severity), -len(each.items))))

    @cached_property
    def named_items(self) -> dict[str, Item]:
        """The items by the names that problems give them. Ids that identify a patient are replaced by places."""
        items = (*self.of.training, *self.of.items)
        places = places_of_identifying(items)
        return {places.get(item.id, item.id): item for item in items}

    @cached_property
    def tested(self) -> int:
        """Number of hypotheses that were tested."""
        return sum(finding.p is not None for each in self.checked for finding in each.findings)


def audit(given: Audited, names: Sequence[str] = (), *, also: Sequence[str] = (), watch: Watch | None = None) -> Audit:
    """Run the named checks (default: all standard ones) and those in `also`."""
    named = {check_named(name).name for name in (*names, *also)}
    members = (check_named(name) for name in check_names() if name in named or not names)
    chosen = [each for each in members if each.name in named or not (names or each.on_demand)]
    mask = _make_mask((*given.items, *given.training))
    done = []
    for place, check in enumerate(chosen):
        if watch:
            watch(check, place, len(chosen))
        done.append(mask(run_check(check, given)))
    return Audit(given, tuple(done))


def _make_mask(items: Sequence[Item]) -> Callable[[Checked], Checked]:
    """Make a function that masks patients' identifiers in quotes and item names.

    The lists of ids stay as they are, since tools read them.
    """
    by_id: dict[str, list[Item]] = {}
    for item in items:
        by_id.setdefault(item.id, []).append(item)
    places = places_of_identifying(items)

    @cache
    def find_words(item_id: str) -> frozenset[str]:
        return identifying_words(by_id.get(item_id, ()))

    def mask_item(flagged: Flagged) -> Flagged:
        return flagged._replace(
            item_id=places.get(flagged.item_id, flagged.item_id),
            quote=without_identifiers(flagged.quote, find_words(flagged.item_id)) if flagged.quote else "",
            with_items=tuple(places.get(each, each) for each in flagged.with_items),
        )

    def mask(checked: Checked) -> Checked:
        findings = (each._replace(items=tuple(map(mask_item, each.items))) for each in checked.findings)
        return checked._replace(findings=tuple(findings))

    return mask


def audit_benchmark(
    benchmark: str | Path | Benchmark,
    *,
    train: str | Path | Benchmark | None = None,
    responses: Sequence[str | Path] = (),
    key_review: str | Path | None = None,
    judged: Callable[[Benchmark], JudgedItems] | None = None,
    checks: Sequence[str] = (),
    also: Sequence[str] = (),
    seed: int = 0,
    map: str | Mapping[str, Any] | None = None,  # noqa: A002 - the word people use
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Audit a benchmark as `snellen audit` does: a name, folder, Benchmark or stored study.

    `train` is the training split, if it is a benchmark of its own. Without it, a training split next to the benchmark
    on this machine is read, unless `train` is "none". `responses` are folders with stored answers of models.
    `key_review` is a CSV file with raters' answers to items that `wrong-keys` lists. `judged` asks a judge. `checks`
    are the only checks to run, and `also` names checks on demand. `map` assigns columns of your own table to fields.
    Broken rows and unreadable images are findings.
    """
    for name in (*checks, *also):
        check_named(name)  # raise for an unknown name before anything is loaded
    if not isinstance(benchmark, Benchmark) and Store.is_in(benchmark):
        given, responses = stored_benchmark(benchmark), (benchmark, *responses)
    else:
        given = _benchmark(benchmark, seed, map)
    training, beside = (None, "") if train in (None, NO_TRAINING) else (_benchmark(train, seed, map), "")
    if train is None and not isinstance(benchmark, Benchmark) and not Store.is_in(benchmark):
        training, beside = _read_sibling(benchmark, given, seed, map)
    answers = answers_of(list(responses), given) if responses else None
    of = replace(prepare_benchmark(given, training, answers, seed=seed), progress=progress, beside=beside)
    if key_review is not None:
        of = replace(of, key_review=read_key_review(Path(key_review), of.items, of.training))
    if judged is not None:
        of = replace(of, judged=judged(replace(given, items=of.items)))
    return audit(of, checks, also=also, watch=watch)


def _read_sibling(
    benchmark: str | Path, given: Benchmark, seed: int, columns: str | Mapping[str, Any] | None
) -> tuple[Benchmark | None, str]:
    """Read the training split next to a benchmark, if any, and describe it."""
    found = None if any(split_of(item) in TRAINING for item in given) else find_sibling(benchmark)
    if found is None:
        return None, ""
    if found.items and found.items > MOST_ITEMS:
        return None, f"Its training split has {found.items:,} items and was not read. To read it, name it with --train."
    try:
        training = _benchmark(found.line, seed, columns if takes_map(found.line) else None)
    except SnellenError:
        return None, "Its training split is not here, or cannot be read. To see why, name it with --train."
    said = f"Its training split ({counted(len(training), 'item')}) lies beside it and was read, too."
    return training, f"{said} --train none leaves it out."


def _benchmark(given: str | Path | Benchmark, seed: int, columns: str | Mapping[str, Any] | None) -> Benchmark:
    if isinstance(given, Benchmark):
        return given
    if columns and not takes_map(given):
        raise StudyError(f"--map works only with your own table; {str(given)!r} is not one.")
    named: dict[str, Any] = {"map": columns} if columns else {}
    return load(given, seed=seed, allow_broken=True, keep_unreadable=True, **named)


def _standing(checked: Sequence[Checked]) -> Iterator[Finding]:
    """Yield the problems that remain after Holm's correction, and those without a p-value."""
    found = [finding for each in checked for finding in each.findings]
    given = [finding.p for finding in found if finding.p is not None]
    adjusted = iter(holm(given)) if given else iter(())
    for finding in found:
        if finding.p is None:
            yield finding
        elif (p := float(next(adjusted))) <= LEVEL:
            yield finding._replace(p=p)


LEAST_SURE = 0.3
"""Lowest probability, given all its problems, at which an item is listed as needing repair."""
COMMON = 0.25
"""A problem of more than this share of items concerns the whole benchmark. Alone it lists no item."""
_WEIGHT = {Severity.HIGH: 1.0, Severity.MEDIUM: 0.9, Severity.LOW: 0.8}


class Problem(NamedTuple):
    """A problem of one item."""

    finding: Finding
    flagged: Flagged

    @property
    def sure(self) -> float:
        """Probability that this problem means the item needs fixing."""
        return self.finding.sure if math.isnan(self.flagged.sure) else self.flagged.sure


class ItemToMend(NamedTuple):
    """An item with its problems, and the probability that it needs fixing."""

    item_id: str
    item: Item | None
    sure: float
    severity: Severity
    problems: tuple[Problem, ...]


def is_about_set(finding: Finding) -> bool:
    """Return whether a problem concerns the benchmark as a whole."""
    return math.isnan(finding.sure)


def list_about_set(audit: Audit) -> tuple[Finding, ...]:
    """List the problems of the whole benchmark or of over a quarter of its items."""
    most = COMMON * max(20, len(audit.of.items))
    return tuple(each for each in audit.findings if is_about_set(each) or len(each.items) > most)


def list_to_mend(audit: Audit) -> list[ItemToMend]:
    """List every item to fix once, the surest and most severe first."""
    common = {id(each) for each in list_about_set(audit)}
    found: dict[str, list[Problem]] = {}
    for finding in audit.findings:
        if not is_about_set(finding):
            for flagged in finding.items:
                found.setdefault(flagged.item_id, []).append(Problem(finding, flagged))
    known = audit.named_items
    listed = []
    for item_id, problems in found.items():
        if all(id(each.finding) in common for each in problems):
            continue
        surest = {each.finding.check: each.sure for each in sorted(problems, key=lambda each: each.sure)}
        sure = 1 - math.prod(1 - each for each in surest.values())
        if sure >= LEAST_SURE:
            order = list(Severity)
            worst = min((each.finding.severity for each in problems), key=order.index)
            ordered = tuple(sorted(problems, key=lambda each: -each.sure))
            listed.append(ItemToMend(item_id, known.get(item_id), sure, worst, ordered))
    return sorted(listed, key=lambda each: -each.sure * _WEIGHT[each.severity])


MOST_ITEMS = 20_000
"""A larger published training split is read only if the user names it."""
_SCORED = re.compile(r"(?<![a-z])(?:test|testing|val|valid|validation|dev)(?P<set>_?set)?(?![a-z])", re.IGNORECASE)
"""Words in names of splits that models are scored on, such as test."""


class Sibling(NamedTuple):
    """A training split: its benchmark line, and its published number of items."""

    line: str
    items: int | None = None


def find_sibling(line: str | Path) -> Sibling | None:
    """Find the training split next to a benchmark's split; None if there is none.

    For a published benchmark, the names of its splits decide. For a file or folder of your own with `test` or
    `validation` in its name, it is the one with `train` instead.
    """
    line = str(line)
    if line.startswith(ON_HUB):
        return None
    if Path(line).exists():
        return next((Sibling(str(each)) for each in _list_beside(Path(line))), None)
    name, _, rest = line.partition(":")
    if name not in names("datasets", MEMBERS):
        return None
    bare, given = parse_settings(rest)
    path = Path(bare[0]).expanduser() if bare else None
    if path is None or not path.exists():
        return None
    told, split = look_up_published(name), str(given.get("split", _default_split(name)))
    if told and (train := _name_training(split, told.splits)):
        return Sibling(_with_split(name, rest, train), told.splits[train])
    if not told and split and _SCORED.fullmatch(split):
        return Sibling(_with_split(name, rest, "train"))
    if not told and not split:
        rest_of = rest.partition(",")[2]
        return next((Sibling(f"{name}:{each}{',' * bool(rest_of)}{rest_of}") for each in _list_beside(path)), None)
    return None


def _default_split(name: str) -> str:
    split = signature(find("datasets", MEMBERS, name)).parameters.get("split")
    return split.default if split is not None and isinstance(split.default, str) else ""


def _name_training(split: str, splits: Mapping[str, int | None]) -> str:
    """Name the training split that matches a split; "" if there is none.

    >>> _name_training("test-2", {"test": 1, "test-2": 1, "train": 1, "train-2": 1})
    'train-2'
    >>> _name_training("authors-test", {"authors-test": 1, "train": 1})
    ''
    """
    usual = _SCORED.match(split)
    wanted = (f"train{split[usual.end() :]}", "train") if usual else ()
    return next((each for each in wanted if each in splits), "")


def _with_split(name: str, rest: str, split: str) -> str:
    kept = [each for each in rest.split(",") if each.partition("=")[0].strip() != "split"]
    return f"{name}:{','.join([*kept, f'split={split}'])}"


def _list_beside(path: Path) -> Iterator[Path]:
    """Yield the files or folders whose names differ only in the name of the split."""
    whole = path.resolve()
    for word in ("train", "training"):
        other = whole.with_name(_SCORED.sub(rf"{word}\g<set>", whole.name, count=1))
        if other != whole and other.exists() and other.is_dir() == whole.is_dir():
            yield other
