"""The surface of the store: the file itself, and a few parts, each small enough to be read."""

from inspect import isroutine

from snellen.store import Store

PARTS = {"studies", "variants", "images", "responses", "batches", "labels"}


def public(kind):
    """The names that a class offers for use."""
    return [name for name, value in vars(kind).items() if not name.startswith("_") and _is_offered(value)]


def _is_offered(value):
    return isroutine(value) or isinstance(value, property | staticmethod | classmethod)


def test_the_store_opens_checks_and_closes_and_its_parts_do_the_rest(tmp_path):
    """A new method belongs to a part; a part of more than 20 methods is two."""
    with Store.open(tmp_path, write=True) as store:
        parts = {name: type(part) for name, part in vars(store).items() if not name.startswith("_")}
    assert sorted(public(Store)) == ["check", "close", "is_in", "open", "transaction"]
    assert parts.keys() == {"folder", "connections", *PARTS}
    counts = {name: len(public(parts[name])) for name in {"connections", *PARTS}}
    assert all(0 < count <= 20 for count in counts.values()), counts
