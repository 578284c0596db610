"""Audit: all checks of a benchmark, corrected for how much was tested, as one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from snellen.benchmarks import load, takes_map
from snellen.errors import SnellenError, StudyError
from snellen.items import Benchmark, Item
from snellen.runtime import counted
from snellen.stats import holm
from snellen.store import Store
from snellen.tools.audit.answers import answers_of, stored_benchmark
from snellen.tools.audit.audited import TRAINING, Audited, Progress, prepare_benchmark, split_of
from snellen.tools.audit.checks import Check, check_named, check_names, run_check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity
from snellen.tools.audit.identifying import identifying_words, places_of_identifying, without_identifiers
from snellen.tools.audit.judged import JudgedItems
from snellen.tools.audit.key_review import read_key_review
from snellen.tools.audit.siblings import MOST_ITEMS, find_sibling

LEVEL = 0.05
"""How often an audit of a benchmark that has nothing wrong finds something, at most, in all that could be chance."""

NO_TRAINING = "none"
"""What `train` says to leave out the training split that lies beside a benchmark."""

Watch = Callable[[Check, int, int], None]
"""Told of each check before it looks: the check, its place, and how many there are."""


@dataclass(frozen=True)
class Audit:
    """What an audit found, and what it could not say."""

    of: Audited
    checked: tuple[Checked, ...]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What stands after the correction: the worst first, then what most items show."""
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
        """How many hypotheses were tested."""
        return sum(finding.p is not None for each in self.checked for finding in each.findings)


def audit(given: Audited, names: Sequence[str] = (), *, also: Sequence[str] = (), watch: Watch | None = None) -> Audit:
    """Run the named checks (default: all standard ones) and those in `also`."""
    named = {check_named(name).name for name in (*names, *also)}
    members = (check_named(name) for name in check_names() if name in named or not names)
    chosen = [each for each in members if each.name in named or not (names or each.on_demand)]
    mask = _Mask((*given.items, *given.training))
    done = []
    for place, check in enumerate(chosen):
        if watch:
            watch(check, place, len(chosen))
        done.append(mask.mask_check(run_check(check, given)))
    return Audit(given, tuple(done))


class _Mask:
    """Masks patients' identifiers in quotes and item names.

    The lists of ids are left as they are: they are read by tools, which know items by their ids alone.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._items: dict[str, list[Item]] = {}
        for item in items:
            self._items.setdefault(item.id, []).append(item)
        self._places = places_of_identifying(items)
        self._words: dict[str, frozenset[str]] = {}

    def mask_check(self, checked: Checked) -> Checked:
        """Mask the identifiers in a check's result."""
        findings = tuple(
            finding._replace(items=tuple(map(self._mask_item, finding.items))) for finding in checked.findings
        )
        return checked._replace(findings=findings)

    def _mask_item(self, flagged: Flagged) -> Flagged:
        return flagged._replace(
            item_id=self._places.get(flagged.item_id, flagged.item_id),
            quote=without_identifiers(flagged.quote, self._find_words(flagged.item_id)) if flagged.quote else "",
            with_items=tuple(self._places.get(each, each) for each in flagged.with_items),
        )

    def _find_words(self, item_id: str) -> frozenset[str]:
        if item_id not in self._words:
            self._words[item_id] = identifying_words(self._items.get(item_id, ()))
        return self._words[item_id]


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

    `train` is the training split if that is a benchmark of its own; without it, the training split that lies beside
    the benchmark on this machine is read, unless `train` is "none". `responses` are folders with stored answers of
    models, `key_review` is a CSV file with raters' answers to items that `wrong-keys` lists, `judged` asks a judge,
    `checks` are the only ones to run and `also` those on demand. `map` says which columns of your own table are read as
    which field. Broken rows and images that cannot be read are findings.
    """
    for name in (*checks, *also):
        check_named(name)  # a name that is none is told before anything is loaded
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
    found = list(chain.from_iterable(each.findings for each in checked))
    tested = [place for place, finding in enumerate(found) if finding.p is not None]
    given = [finding.p for finding in found if finding.p is not None]
    adjusted = dict(zip(tested, holm(given), strict=True)) if given else {}
    for place, finding in enumerate(found):
        if finding.p is None:
            yield finding
        elif adjusted[place] <= LEVEL:
            yield finding._replace(p=float(adjusted[place]))
