"""Transactions: changes that are written completely or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit everything written within the block, or nothing. An inner transaction is part of the outer one."""
    within = connection.in_transaction
    connection.execute("SAVEPOINT part" if within else "BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("RELEASE part" if within else "COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK TO part" if within else "ROLLBACK")
        raise
