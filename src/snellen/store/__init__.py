"""The store: every response once, by the key of its request, append-only. The one door to SQLite."""

from snellen.store.batches import StoredBatch
from snellen.store.images import Picture
from snellen.store.labels import Label, Sampled
from snellen.store.records import as_changed, changed_fields
from snellen.store.responses import Bill, Cell, Reply
from snellen.store.store import Store
from snellen.store.studies import KnownModel
from snellen.store.study_names import StoredStudy, check_name, name_for
from snellen.store.variants import Asked
from snellen.store.writer import Brought, Said, Worded, Writer, shades_of

__all__ = [
    "Asked", "Bill", "Brought", "Cell", "KnownModel", "Label", "Picture", "Reply", "Said", "Sampled", "Store",
    "StoredBatch", "StoredStudy", "Worded", "Writer", "as_changed", "changed_fields", "check_name", "files",
    "labels", "lock", "name_for", "records", "shades_of", "shapes", "shards", "study_names", "viewing",
]  # fmt: skip
