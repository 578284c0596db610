"""The store's schema, as the list of changes that led to it; each applied once, together with its note."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable

from snellen.store.transaction import transaction

FIRST_SCHEMA = """
CREATE TABLE studies (id INTEGER PRIMARY KEY, created REAL NOT NULL, record TEXT NOT NULL);
CREATE TABLE benchmarks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE);
CREATE TABLE items (
    benchmark INTEGER NOT NULL, ordinal INTEGER NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (benchmark, ordinal)
) WITHOUT ROWID;
CREATE TABLE arms (
    id INTEGER PRIMARY KEY, benchmark INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE,
    record TEXT NOT NULL
);
CREATE TABLE models (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, revision TEXT NOT NULL, UNIQUE (name, revision)
);
CREATE TABLE variants (
    arm INTEGER NOT NULL, ordinal INTEGER NOT NULL, inapplicable TEXT, drawn TEXT, changed TEXT,
    system TEXT, text TEXT, images TEXT, PRIMARY KEY (arm, ordinal)
) WITHOUT ROWID;
CREATE INDEX inapplicable_variants ON variants (arm, ordinal, inapplicable) WHERE inapplicable IS NOT NULL;
CREATE TABLE images (
    id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, media_type TEXT NOT NULL, width INTEGER NOT NULL,
    height INTEGER NOT NULL, size INTEGER NOT NULL, path TEXT, data BLOB
);
CREATE TABLE responses (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, text TEXT NOT NULL, finish TEXT NOT NULL, reasoning TEXT NOT NULL,
    input_tokens INTEGER, output_tokens INTEGER, image_tokens INTEGER, latency REAL NOT NULL, served_by TEXT NOT NULL,
    delivered TEXT NOT NULL, created REAL NOT NULL
);
CREATE TABLE trials (
    model INTEGER NOT NULL, arm INTEGER NOT NULL, ordinal INTEGER NOT NULL, replicate INTEGER NOT NULL,
    response INTEGER NOT NULL, PRIMARY KEY (model, arm, ordinal, replicate)
) WITHOUT ROWID;
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, arm INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    replicate INTEGER NOT NULL, error TEXT NOT NULL, message TEXT NOT NULL, created REAL NOT NULL
);
CREATE TRIGGER responses_are_never_edited BEFORE UPDATE ON responses
BEGIN SELECT RAISE(ABORT, 'responses are never edited'); END;
CREATE TRIGGER responses_are_never_deleted BEFORE DELETE ON responses
BEGIN SELECT RAISE(ABORT, 'responses are never deleted'); END;
"""

PEOPLE_AND_JUDGES = """
CREATE TABLE judge_qualifications (
    id INTEGER PRIMARY KEY, judge TEXT NOT NULL, question TEXT NOT NULL, version TEXT NOT NULL, record TEXT NOT NULL,
    created REAL NOT NULL
);
CREATE TABLE labels (
    question TEXT NOT NULL, model INTEGER NOT NULL, arm INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    replicate INTEGER NOT NULL, label TEXT NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (question, model, arm, ordinal, replicate)
) WITHOUT ROWID;
"""

REASONING_TOKENS = "ALTER TABLE responses ADD COLUMN reasoning_tokens INTEGER"

IMAGE_ORIGINS = """
ALTER TABLE images ADD COLUMN original_width INTEGER;
ALTER TABLE images ADD COLUMN original_height INTEGER;
ALTER TABLE images ADD COLUMN rule TEXT;
ALTER TABLE images ADD COLUMN side INTEGER;
"""


CANARIES = """
CREATE TABLE canaries (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, record TEXT NOT NULL, created REAL NOT NULL
)
"""


REVIEWS = "CREATE TABLE reviews (id INTEGER PRIMARY KEY, task TEXT, record TEXT, created REAL)"
CONSENTS = """
CREATE TABLE consents (
    host TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (host, digest)
)
"""

ADDRESSES = """
CREATE TABLE addresses (
    model INTEGER NOT NULL, address TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (model, address)
) WITHOUT ROWID
"""

BATCHES = """
CREATE TABLE batches (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, tag TEXT NOT NULL UNIQUE, provider_id TEXT NOT NULL,
    state TEXT NOT NULL, created REAL NOT NULL
);
CREATE TABLE batch_requests (
    batch INTEGER NOT NULL, number INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (batch, number)
) WITHOUT ROWID;
"""

SHARDS = """
CREATE TABLE shards (
    model INTEGER PRIMARY KEY, file TEXT NOT NULL, trials INTEGER NOT NULL, attempts INTEGER NOT NULL
)
"""

LOGPROBS = "ALTER TABLE responses ADD COLUMN logprobs TEXT"


def first_schema(connection: sqlite3.Connection) -> None:
    """Items, variants, responses and what links them."""
    for statement in _statements(FIRST_SCHEMA):
        connection.execute(statement)


def judge_qualifications(connection: sqlite3.Connection) -> None:
    """How far judges agree with people, and what people say of single responses."""
    for statement in _statements(PEOPLE_AND_JUDGES):
        connection.execute(statement)


def reasoning_tokens(connection: sqlite3.Connection) -> None:
    """How many tokens a response spent on reasoning, where its server counts them."""
    connection.execute(REASONING_TOKENS)


def image_origins(connection: sqlite3.Connection) -> None:
    """How large an image was before it was scaled down for sending, and by which rule its pixels are shown."""
    for statement in _statements(IMAGE_ORIGINS):
        connection.execute(statement)


def canaries(connection: sqlite3.Connection) -> None:
    """What each model read of the letters that it was shown before a run."""
    connection.execute(CANARIES)


def consents(connection: sqlite3.Connection) -> None:
    """Which images a person allowed to go to which host."""
    connection.execute(CONSENTS)


def addresses(connection: sqlite3.Connection) -> None:
    """Where each model was asked: a server that moves is the same model."""
    connection.execute(ADDRESSES)


def batches(connection: sqlite3.Connection) -> None:
    """What was handed in to batch APIs: a row before it is handed in, the provider's id after that."""
    for statement in _statements(BATCHES):
        connection.execute(statement)


def logprobs(connection: sqlite3.Connection) -> None:
    """The log-probabilities of a response's tokens, where they were asked for."""
    connection.execute(LOGPROBS)


def reviews(connection: sqlite3.Connection) -> None:
    """What clinicians said in a review, task by task."""
    connection.execute(REVIEWS)


def shards(connection: sqlite3.Connection) -> None:
    """The files in which the responses of each model lie, where they are not in this one."""
    connection.execute(SHARDS)


def _statements(script: str) -> list[str]:
    """The script's statements one by one: a whole script would commit the transaction it runs in."""
    statements, current = [], ""
    for line in script.splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    first_schema,
    judge_qualifications,
    reasoning_tokens,
    canaries,
    image_origins,
    consents,
    addresses,
    logprobs,
    batches,
    reviews,
)
ONLY_SOME = (shards,)
"""Changes that only some stores have: no other store is made into one of them."""
NEEDED_TO_READ = (first_schema,)
"""A store that lacks one of the others is read as one in which nothing of the kind was ever stored."""


def migrate(connection: sqlite3.Connection) -> None:
    """Apply what has not been applied yet."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL)")
    known = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    for migration in MIGRATIONS:
        if migration.__name__ not in known:
            with transaction(connection):
                migration(connection)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.__name__, time.time()))


def is_newer(connection: sqlite3.Connection) -> list[str]:
    """The changes a later version made to this store that this version does not know."""
    known = {migration.__name__ for migration in (*MIGRATIONS, *ONLY_SOME)}
    return sorted({str(name) for (name,) in connection.execute("SELECT name FROM migrations")} - known)


def is_older(connection: sqlite3.Connection) -> list[str]:
    """The changes that this version needs to read a store and that this one has not seen."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    return [migration.__name__ for migration in NEEDED_TO_READ if migration.__name__ not in applied]
