"""The store: every response once, by the key of its request, and never edited. Only this package uses SQLite.

An "arm" is one condition with one prompt and one set of settings. The "ordinal" of an item is its place in its
benchmark.
"""

from snellen.store.batches import StoredBatch
from snellen.store.labels import Label, Sampled
from snellen.store.records import as_changed, changed_fields
from snellen.store.responses import Bill, ResponseCell, StoredResponse
from snellen.store.store import Store
from snellen.store.studies import KnownModel
from snellen.store.study_names import StoredStudy, check_name, name_for
from snellen.store.variants import SentImage, StoredItem
from snellen.store.writer import Brought, Said, Worded, Writer, shades_of

__all__ = [
    "Bill", "Brought", "KnownModel", "Label", "ResponseCell", "Said", "Sampled", "SentImage", "Store", "StoredBatch",
    "StoredItem", "StoredResponse", "StoredStudy", "Worded", "Writer", "as_changed", "changed_fields", "check_name",
    "files", "labels", "lock", "name_for", "records", "shades_of", "shapes", "shards", "study_names", "viewing",
]  # fmt: skip
