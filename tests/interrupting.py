"""Interrupts a writer before one of the moves by which files take their places."""

from itertools import count
from pathlib import Path


def stopped_at_each_move(monkeypatch, begin, write):
    """Begin and write anew, stopped before the first move, before the second, and so on; one that was not ends it."""
    for step in count():
        begin()
        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", _stop_before(step))
            try:
                write()
            except KeyboardInterrupt:
                yield
                continue
        yield
        return


def _stop_before(step):
    moves, replace = count(), Path.replace

    def move(path, target):
        if next(moves) == step:
            raise KeyboardInterrupt
        return replace(path, target)

    return move
