"""The store's schema as a list of changes; each change is applied once."""

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
    """Create the tables of items, variants, images, responses and trials (the cell of each response)."""
    for statement in _statements(FIRST_SCHEMA):
        connection.execute(statement)


def judge_qualifications(connection: sqlite3.Connection) -> None:
    """Create the tables of judges' qualifications and of raters' labels."""
    for statement in _statements(PEOPLE_AND_JUDGES):
        connection.execute(statement)


def reasoning_tokens(connection: sqlite3.Connection) -> None:
    """Add the count of tokens for reasoning, if a response's server reports it."""
    connection.execute(REASONING_TOKENS)


def image_origins(connection: sqlite3.Connection) -> None:
    """Add the size of each image before scaling, and the rule that made its pixels."""
    for statement in _statements(IMAGE_ORIGINS):
        connection.execute(statement)


def canaries(connection: sqlite3.Connection) -> None:
    """Create the table of what each model read in letter images before a run."""
    connection.execute(CANARIES)


def consents(connection: sqlite3.Connection) -> None:
    """Create the table of consents: which images a user allowed to be sent to which host."""
    connection.execute(CONSENTS)


def addresses(connection: sqlite3.Connection) -> None:
    """Create the table of server addresses. A model on a server that moves stays the same model."""
    connection.execute(ADDRESSES)


def batches(connection: sqlite3.Connection) -> None:
    """Create the tables of batches and their requests."""
    for statement in _statements(BATCHES):
        connection.execute(statement)


def logprobs(connection: sqlite3.Connection) -> None:
    """Add the log-probabilities of a response's tokens, if the study asked for them."""
    connection.execute(LOGPROBS)


def reviews(connection: sqlite3.Connection) -> None:
    """Create the table of reviews, with one record per task."""
    connection.execute(REVIEWS)


def shards(connection: sqlite3.Connection) -> None:
    """Create the table of the shards, which hold the responses of one model each."""
    connection.execute(SHARDS)


def _statements(script: str) -> list[str]:
    """Split a script into statements. SQLite would end the transaction if it ran the whole script."""
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
"""Changes that only some stores have; they are never applied to an existing store."""
NEEDED_TO_READ = (first_schema,)
"""Changes that reading needs. Without one of the others, the store is read as having no data of that kind."""


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the changes that a store lacks."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL)")
    known = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    for migration in MIGRATIONS:
        if migration.__name__ not in known:
            with transaction(connection):
                migration(connection)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.__name__, time.time()))


def is_newer(connection: sqlite3.Connection) -> list[str]:
    """Return the changes in this store that only a later version knows."""
    known = {migration.__name__ for migration in (*MIGRATIONS, *ONLY_SOME)}
    return sorted({str(name) for (name,) in connection.execute("SELECT name FROM migrations")} - known)


def is_older(connection: sqlite3.Connection) -> list[str]:
    """Return the changes that reading needs and this store lacks."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    return [migration.__name__ for migration in NEEDED_TO_READ if migration.__name__ not in applied]
