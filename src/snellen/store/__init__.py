"""The store: every response once, by the key of its request, append-only. The one door to SQLite."""

from snellen.store.records import as_changed, changed_fields
from snellen.store.store import Asked, Bill, Cell, KnownModel, Label, Picture, Reply, Sampled, Store, StoredBatch
from snellen.store.studies import StoredStudy, check_name, name_for
from snellen.store.writer import Brought, Said, Worded, Writer, shades_of

__all__ = [
    "Asked", "Bill", "Brought", "Cell", "KnownModel", "Label", "Picture", "Reply", "Said", "Sampled", "Store",
    "StoredBatch", "StoredStudy", "Worded", "Writer", "as_changed", "changed_fields", "check_name", "name_for",
    "records", "shades_of", "shapes", "shards", "store", "studies", "viewing",
]  # fmt: skip
