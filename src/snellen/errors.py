"""Everything that can go wrong, as one tree.

SnellenError
├── DataError              a benchmark cannot be used as it stands
│   ├── BrokenRowsError    some of its rows are broken; each is named with its line and reason
│   └── ImageError         a image is missing, unreadable or too large
│       └── UnusableImageError  its file is there, but damaged, too large or of a kind that is not read
├── StudyError             a study asks for something that cannot be done
│   ├── RequirementError   a requirement of a gate cannot be read, or names nothing in the study
│   ├── ConsentError       images would leave this machine, and nobody has allowed it
│   ├── ClusterError       a cluster does not answer, has other versions, or is too small
│   └── UndeliveredError   images reach none of the models, so that nothing was asked
├── LostError              a worker of a cluster was lost, and what it did with it
│   └── FullError          the object store of a cluster has no room
├── PluginError            a name that no member of a family has, or a plug-in that does not load
├── MissingExtraError      an optional package is needed and not installed
├── MetricError            a metric of reports cannot be computed here
├── StoreError             the stored answers cannot be opened or read
│   ├── StoreBusyError     another process is writing to them
│   └── StoreChangedError  somebody began to write while they were read as if nobody did
└── ModelError             a model gave no response
    ├── TransientError     worth asking again: timeouts, rate limits, responses that cannot be read
    │   └── OutageError    the server seems down: nobody takes the connection, or it hangs up
    ├── RejectedError      the server refuses this one request and always will
    └── UnusableModelError no request can succeed: wrong key, unknown model
        └── OverBudgetError  the next request may cost more than is left of the budget

Inapplicable stands apart: it is an answer ("this condition has no meaning for this item"), not a failure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn


class SnellenError(Exception):
    """The root of all our errors. All of them can be sent to another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[SnellenError], args: tuple[Any, ...], told: dict[str, Any]) -> SnellenError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(told)
    return error


def raise_first(group: ExceptionGroup[Exception]) -> NoReturn:
    """Raise the first of several errors; the others are its cause and its notes, so that none is hidden."""
    first: Exception = group
    while isinstance(first, ExceptionGroup):
        first = first.exceptions[0]
    others = group.subgroup(lambda error: error is not first and not isinstance(error, ExceptionGroup))
    for each in _iter_errors(others):
        first.add_note(f"Besides, {type(each).__name__}: {each}")
    raise first from others


def _iter_errors(error: Exception | None) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for each in error.exceptions:
            yield from _iter_errors(each)
    elif error is not None:
        yield error


class DataError(SnellenError):
    """A benchmark cannot be used as it stands."""


class BrokenRow(NamedTuple):
    """One row of a benchmark that could not be read: where it stands, which item, and why."""

    where: str
    item_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: item {self.item_id!r}: {self.reason}"


_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
"""What may differ between two rows that are broken for one reason: quoted words and numbers."""


def _group_alike(broken: Sequence[BrokenRow]) -> list[tuple[BrokenRow, int]]:
    """The first row of each reason, and how many rows are broken for it."""
    first: dict[str, BrokenRow] = {}
    counts: Counter[str] = Counter()
    for row in broken:
        reason = _PARTICULAR.sub("", row.reason)
        first.setdefault(reason, row)
        counts[reason] += 1
    return [(row, counts[reason]) for reason, row in first.items()]


def by_reason(broken: Sequence[BrokenRow], *, most: int = 5) -> Iterator[str]:
    """A line for each reason, the commonest first: how many rows, and where the first of them stands."""
    groups = sorted(_group_alike(broken), key=lambda group: -group[1])
    for row, count in groups[:most]:
        yield f"{count} × {row.reason} ({row.where}, item {row.item_id!r})"
    if left := sum(count for _, count in groups[most:]):
        yield f"{left} for other reasons"


class BrokenRowsError(DataError):
    """Some rows of a benchmark are broken; each reason is given with the first row that has it."""

    def __init__(self, benchmark: str, broken: Sequence[BrokenRow], loaded: int, advice: str = "") -> None:
        groups = _group_alike(broken)
        shown = "\n  ".join(f"{row} (and {n - 1} more like it)" if n > 1 else str(row) for row, n in groups[:20])
        left = sum(count for _, count in groups[20:])
        more = f"\n  … and {left} more" if left else ""
        advice = advice or (
            "Mend them, or allow them to be left out: --allow-broken (allow_broken=True)."
            if loaded
            else "Mend them: no row is left that could be used."
        )
        super().__init__(
            f"{benchmark}: {len(broken)} of {len(broken) + loaded} rows are broken:\n  {shown}{more}\n{advice}"
        )
        self.broken = tuple(broken)


class ImageError(DataError):
    """A image is missing, unreadable or too large."""


class UnusableImageError(ImageError):
    """A image whose file is there, but damaged, too large or of a kind that is not read; `why` says it unnamed."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Image {name} {why}.")
        self.why = why


class StudyError(SnellenError):
    """A study asks for something that cannot be done."""


class RequirementError(StudyError):
    """A requirement of a gate cannot be read, or names nothing in the study."""


class ConsentError(StudyError):
    """Images would leave this machine, and nobody has allowed it."""


class ClusterError(StudyError):
    """A cluster does not answer, has other versions than this machine, or is too small for the study."""


class LostError(SnellenError):
    """A worker of a cluster was lost, and what it was doing with it."""


class FullError(LostError):
    """The object store of a cluster, and the disk behind it, have no room just now."""


class UndeliveredError(StudyError):
    """Images reach none of the models, so that nothing was asked; `why` says it of each."""

    def __init__(self, why: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"{model} was not asked: {said}" for model, said in why.items()))
        self.why = dict(why)


class PluginError(SnellenError):
    """A name that no member of a family has, or a plug-in that does not load."""


class MissingExtraError(SnellenError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str = "") -> None:
        line = f"'snellen[{extra}]'" if extra else package
        super().__init__(f"The package {package!r} is needed for this. Install it with: pip install {line}")


class MetricError(SnellenError):
    """A metric of reports cannot be computed here: what it runs in is missing, or failed."""


class StoreError(SnellenError):
    """The stored answers cannot be opened or read."""


class StoreBusyError(StoreError):
    """Another process is writing to the stored answers."""


class StoreChangedError(StoreError):
    """Somebody began to write while the stored answers were read as if nobody did: read them again."""


class ModelError(SnellenError):
    """A model gave no response; `status` is the HTTP status that its server answered with, if any."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TransientError(ModelError):
    """Worth asking again: a timeout, a rate limit, an overloaded server. `retry_after` is the server's own wish."""

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class BusyError(TransientError):
    """The server wants to be asked less often: a rate limit, or an overload."""


class OutageError(TransientError):
    """The server is down, as far as one can tell. `reached` is whether anybody took the connection at all."""

    def __init__(
        self, message: str, *, reached: bool, retry_after: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, retry_after=retry_after, status=status)
        self.reached = reached


class RejectedError(ModelError):
    """The server refused this one request and always will."""


class UnusableModelError(ModelError):
    """No request can succeed: a wrong key, an unknown model."""


class OverBudgetError(UnusableModelError):
    """The next request may cost more than is left of the budget; amounts are in dollars."""

    def __init__(self, limit: float, spent: float, most: float) -> None:
        super().__init__(
            f"the budget of ${limit:,.2f} does not allow the next request: ${spent:,.4f} is spent, and the request may "
            f"cost up to ${most:,.4f}. The same command with a larger --budget asks the rest."
        )


class Inapplicable(Exception):  # noqa: N818 - an answer, not a failure
    """A condition has no meaning for an item; the reason is shown and counted, never scored."""
