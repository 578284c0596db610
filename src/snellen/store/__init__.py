"""The store: every response once, by the key of its request, append-only. The one door to SQLite."""

from snellen.store.records import as_changed, changed_fields
from snellen.store.store import Asked, Bill, Cell, Reply, Store
from snellen.store.writer import Writer

__all__ = ["Asked", "Bill", "Cell", "Reply", "Store", "Writer", "as_changed", "changed_fields"]
