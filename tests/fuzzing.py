"""Seeded fuzzing: strange values, mutations of JSON and of bytes, and one loop that runs a door on each case.

A case is drawn from its number alone. FUZZ=5000 runs as many cases of each fuzzer, FUZZ=17:18 case 17 alone.
"""

from __future__ import annotations

import json
import os
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from snellen.errors import SnellenError

DEEP = "nested without end"
"""Stands for lists in lists, as deep as readers of JSON allow; `dump_json` writes them."""
SOURCE = str(Path(__file__).parents[1] / "src")


def strange_values(rng: Random) -> list[Any]:
    """Values of every JSON type that a field does not expect; texts and numbers at and beyond limits."""
    digits = rng.choice((19, 20, 40, 400, 5000))
    nested: Any = rng.choice(("x", 1, None))
    for _ in range(rng.choice((3, 50, 300))):
        nested = [nested] if rng.random() < 0.5 else {"a": nested}
    return [
        None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
        2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**digits if digits < 4000 else -(10**400),
        "", " ", "\n", "0", "-1", "1e999", "nan", "None", "null", "9" * digits, "[", "[]", "{}", '{"a": 1}', "[1, 2",
        "\0", "a\0b", "\ud800", "a\udfffb", "\ud83d", "\ufeff", "\u202ex", "e\u0301" * 3, "٣", "²", "½", "ß" * 9,
        "x" * rng.choice((255, 256, 4096, 70_000)), "é" * 300, "../../x",
        "a\0.png", "x" * 300 + ".png", "/dev/null", "a/b", "a\\b", ".", "..", "CON",
        "data:,", "data:image/png;base64,AAAA", "http://127.0.0.1:1/x.png", "file:///dev/null", "%s%n", "{x}",
        "<b>x</b>", "=1+1", "a:b=c", "a+b", "A", "B", "Z", "AA", [], {}, [[]], [{}], [None], [""], {"": ""}, {"a": 1},
        ["x"] * 100, [1, "x", None, [], {}], {"\ud800": "\0"}, {"x" * 300: 1}, nested, DEEP,
    ]  # fmt: skip


def dump_json(value: Any) -> bytes:
    """A value as JSON, half characters as escapes."""
    return json.dumps(value).replace(f'"{DEEP}"', "[" * 990 + "]" * 990).encode()


def mutate_json(value: Any, rng: Random, *, most: int = 3) -> Any:
    """A copy of a value, changed at 1 to `most` places: replaced, removed, renamed, doubled or wrapped."""
    box = [deepcopy(value)]
    for _ in range(rng.randint(1, most)):
        inside, key = rng.choice(list(_places(box)))
        _CHANGES[rng.choices(range(len(_CHANGES)), _WEIGHTS)[0]](inside, key, rng)
        if not box:
            return None
    return box[0]


class TwinKey(str):
    """A key that equals no other, so that JSON is written with one key twice."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container below a value, with each of its keys."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in entries:
        yield value, key
        yield from _places(each)


def _replace(inside: Any, key: Any, rng: Random) -> None:
    if isinstance(inside[key], str) and inside[key].startswith(("[", "{")) and rng.random() < 0.7:
        with suppress(ValueError):
            inside[key] = json.dumps(mutate_json(json.loads(inside[key]), rng))
    elif isinstance(inside[key], str) and rng.random() < 0.3:
        at = rng.randrange(len(inside[key]) + 1)
        inside[key] = inside[key][:at] + rng.choice(("\ud800", "\udfff", "\0", "\n", "9" * 5000)) + inside[key][at:]
    else:
        inside[key] = rng.choice(strange_values(rng))


def _remove(inside: Any, key: Any, _: Random) -> None:
    del inside[key]


def _rename(inside: Any, key: Any, rng: Random) -> None:
    named = [each for each in strange_values(rng) if isinstance(each, str)]
    if isinstance(inside, dict):
        inside[rng.choice([*inside, *named])] = inside.pop(key)


def _double(inside: Any, key: Any, rng: Random) -> None:
    again = rng.choice([inside[key], *strange_values(rng)])
    if isinstance(inside, dict):
        inside[TwinKey(key)] = again
    else:
        inside.insert(key, again)


def _wrap(inside: Any, key: Any, rng: Random) -> None:
    inside[key] = rng.choice(([inside[key]], {"a": inside[key]}, [inside[key]] * 2, str(inside[key])))


_CHANGES = (_replace, _remove, _rename, _double, _wrap)
_WEIGHTS = (10, 2, 1, 2, 2)
_PIECES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b'"', b"\\", b"\n", b"\r",
    b"[" * 3000, b'{"a":' * 3000, b"9" * 5000, b"NaN", b"-Infinity", b"1e999", b"\t" * 20, b"x" * 70_000, b"\x1f\x8b",
    b"PK\3\4", b"PAR1", b"-1", b"{}", b"[]", b"null", b",", b";", b"<", b"&#0;",
)  # fmt: skip


def mutate_bytes(data: bytes, rng: Random) -> bytes:
    """The bytes cut, with some flipped, a piece put in, moved or doubled, or in another encoding."""
    how = rng.randrange(6)
    start, end = sorted(rng.randrange(len(data) + 1) for _ in "ab")
    if how == 0:
        return data[:start]
    if how == 1:
        changed = bytearray(data)
        for _ in range(rng.choice((1, 1, 4, 40)) if data else 0):
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return bytes(changed)
    if how == 2:
        return data[:start] + rng.choice(_PIECES) + data[start:]
    if how == 3:
        return data[:start] + rng.choice(_PIECES) + data[end:]
    if how == 4:
        return data[:end] + data[start:end] + data[end:]
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp1252", "utf-7"))
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def case_numbers(count: int) -> range:
    """The cases to run: `count`, unless the environment variable FUZZ says otherwise."""
    first, colon, last = os.environ.get("FUZZ", str(count)).rpartition(":")
    return range(int(first) if colon else 0, int(last))


def fuzz(name: str, door: Callable[[Random], object], count: int) -> Counter[str]:
    """Run a door on every case; fail if one ends in an error that is not ours, or in one without a message.

    Returns how the cases ended: `done`, or the class of our error.
    """
    ends: Counter[str] = Counter()
    wrong: defaultdict[str, list[str]] = defaultdict(list)
    for number in case_numbers(count):
        try:
            door(Random(f"{name} {number}"))
            ends["done"] += 1
        except SnellenError as error:
            ends[type(error).__name__] += 1
            if not str(error).strip():
                wrong[f"{type(error).__name__} without a message"].append(f"case {number}")
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = [each for each in frames if each.filename.startswith(SOURCE)]
            at = (ours or frames)[-1]
            place = f"{type(error).__name__} at {at.filename.removeprefix(SOURCE)}:{at.lineno}"
            wrong[place].append(f"case {number}: {str(error)[:200]!r}")
    if wrong:
        total = sum(map(len, wrong.values()))
        told = "\n".join(
            f"{len(cases)} x {place}; {cases[0]}"
            for place, cases in sorted(wrong.items(), key=lambda one: -len(one[1]))
        )
        raise AssertionError(f"{name}: {total} of {len(case_numbers(count))} cases ended otherwise:\n{told}")
    return ends
