"""All errors of Snellen, as one tree of classes.

SnellenError
├── DataError              a benchmark cannot be used without changes
│   ├── BrokenRowsError    some of its rows are broken; each is named with its line and reason
│   └── ImageError         an image is missing, unreadable or too large
│       └── UnusableImageError  its file exists, but is damaged, too large or unsupported
├── StudyError             a study asks for something that cannot be done
│   ├── RequirementError   a requirement of a gate cannot be read, or matches nothing in the study
│   ├── ConsentError       images would leave this machine without permission
│   ├── ClusterError       a cluster does not answer, has other versions, or is too small
│   └── UndeliveredError   images reach no model, so no model was asked
├── LostError              a cluster worker stopped, and its work is lost
│   └── FullError          the object store of a cluster has no room
├── PluginError            an unknown member of a family, or a plug-in that does not load
├── MissingExtraError      an optional package is needed and not installed
├── MetricError            a metric of reports cannot be computed here
├── StoreError             the stored responses cannot be opened or read
│   ├── StoreBusyError     another process is writing to them
│   └── StoreChangedError  another process wrote to them while they were read
└── ModelError             a model gave no response
    ├── TransientError     may succeed later: timeouts, rate limits, responses that cannot be read
    │   └── OutageError    the server seems down: it refuses or drops connections
    ├── RejectedError      the server refuses this one request and always will
    └── UnusableModelError no request can succeed: wrong key, unknown model
        └── OverBudgetError  the next request may cost more than is left of the budget

Inapplicable is not in the tree: it is a result ("this condition has no meaning for this item"), not a failure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn


class SnellenError(Exception):
    """Base class of all our errors. Each of them can be sent to another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_error, (type(self), self.args, self.__dict__)


def _restore_error(kind: type[SnellenError], args: tuple[Any, ...], told: dict[str, Any]) -> SnellenError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(told)
    return error


def raise_first(group: ExceptionGroup[Exception]) -> NoReturn:
    """Raise the first of several errors, with the others as cause and notes."""
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
    """A benchmark cannot be used without changes."""


class BrokenRow(NamedTuple):
    """Row that could not be read: its place, item and reason."""

    where: str
    item_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: item {self.item_id!r}: {self.reason}"


_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
"""Pattern of details that differ between rows broken for the same reason: quoted words and numbers."""


def _group_alike(broken: Sequence[BrokenRow]) -> list[tuple[BrokenRow, int]]:
    """Return the first row for each reason, with the number of such rows."""
    first: dict[str, BrokenRow] = {}
    counts: Counter[str] = Counter()
    for row in broken:
        reason = _PARTICULAR.sub("", row.reason)
        first.setdefault(reason, row)
        counts[reason] += 1
    return [(row, counts[reason]) for reason, row in first.items()]


def by_reason(broken: Sequence[BrokenRow], *, most: int = 5) -> Iterator[str]:
    """Yield one line per reason, most frequent first: the number of rows and the first place."""
    groups = sorted(_group_alike(broken), key=lambda group: -group[1])
    for row, count in groups[:most]:
        yield f"{count} × {row.reason} ({row.where}, item {row.item_id!r})"
    if left := sum(count for _, count in groups[most:]):
        yield f"{left} for other reasons"


class BrokenRowsError(DataError):
    """Some rows of a benchmark are broken; each reason names its first row."""

    def __init__(self, benchmark: str, broken: Sequence[BrokenRow], loaded: int, advice: str = "") -> None:
        groups = _group_alike(broken)
        shown = "\n  ".join(f"{row} (and {n - 1} more like it)" if n > 1 else str(row) for row, n in groups[:20])
        left = sum(count for _, count in groups[20:])
        more = f"\n  … and {left} more" if left else ""
        advice = advice or (
            "Fix these rows, or skip them with --allow-broken (allow_broken=True)."
            if loaded
            else "Fix them: no row can be used."
        )
        super().__init__(
            f"{benchmark}: {len(broken)} of {len(broken) + loaded} rows are broken:\n  {shown}{more}\n{advice}"
        )
        self.broken = tuple(broken)


class ImageError(DataError):
    """An image is missing, unreadable or too large."""


class UnusableImageError(ImageError):
    """An image file is damaged, too large or unsupported; `why` does not contain its name."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Image {name} {why}.")
        self.why = why


class StudyError(SnellenError):
    """A study asks for something that cannot be done."""


class RequirementError(StudyError):
    """A requirement of a gate cannot be read, or matches nothing in the study."""


class ConsentError(StudyError):
    """Images would leave this machine without the user's permission."""


class ClusterError(StudyError):
    """A cluster does not answer, has other versions or is too small."""


class LostError(SnellenError):
    """A worker of a cluster stopped, and its work is lost."""


class FullError(LostError):
    """The cluster's object store and its disk are full at the moment."""


class UndeliveredError(StudyError):
    """Images reach no model, so nothing was asked. `why` explains this for each model."""

    def __init__(self, why: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"{model} was not asked: {said}" for model, said in why.items()))
        self.why = dict(why)


class PluginError(SnellenError):
    """An unknown member of a family, or a plug-in that does not load."""


class MissingExtraError(SnellenError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str = "") -> None:
        line = f"'snellen[{extra}]'" if extra else package
        super().__init__(f"The package {package!r} is needed for this. Install it with: pip install {line}")


class MetricError(SnellenError):
    """A report metric cannot be computed: a package is missing or failed."""


class StoreError(SnellenError):
    """The stored responses cannot be opened or read."""


class StoreBusyError(StoreError):
    """Another process is writing to the stored responses."""


class StoreChangedError(StoreError):
    """Another process wrote to the store while it was read. Read it again."""


class ModelError(SnellenError):
    """A model gave no response; `status` is the server's HTTP status, if any."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TransientError(ModelError):
    """A request may succeed later, as after a timeout or rate limit. `retry_after` is in seconds, if known."""

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class BusyError(TransientError):
    """The server asks for fewer requests: a rate limit, or an overload."""


class OutageError(TransientError):
    """The server seems to be down. `reached` is True if a server accepted the connection at all."""

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
    """The next request may exceed the remaining budget; amounts are in US dollars."""

    def __init__(self, limit: float, spent: float, most: float) -> None:
        super().__init__(
            f"the budget of ${limit:,.2f} does not allow the next request: ${spent:,.4f} is spent, and the request may "
            f"cost up to ${most:,.4f}. The same command with a larger --budget asks the rest."
        )


class Inapplicable(Exception):  # noqa: N818 - a result, not a failure
    """A condition does not apply to an item. The item is counted with this reason and not scored."""
