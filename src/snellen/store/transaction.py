"""Transactions: writing that is done as a whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all that is written within, or nothing of it; a transaction within another is committed with that one."""
    within = connection.in_transaction
    connection.execute("SAVEPOINT part" if within else "BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("RELEASE part" if within else "COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK TO part" if within else "ROLLBACK")
        raise
