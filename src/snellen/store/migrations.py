"""The store's schema as a list of changes; each change is applied once."""

from __future__ import annotations

import sqlite3
import time

from snellen.store.transaction import transaction

MIGRATIONS = {
    "first_schema": """
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
""",
    "judge_qualifications": """
CREATE TABLE judge_qualifications (
    id INTEGER PRIMARY KEY, judge TEXT NOT NULL, question TEXT NOT NULL, version TEXT NOT NULL, record TEXT NOT NULL,
    created REAL NOT NULL
);
CREATE TABLE labels (
    question TEXT NOT NULL, model INTEGER NOT NULL, arm INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    replicate INTEGER NOT NULL, label TEXT NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (question, model, arm, ordinal, replicate)
) WITHOUT ROWID;
""",
    "reasoning_tokens": "ALTER TABLE responses ADD COLUMN reasoning_tokens INTEGER",
    # What each model read in letter images before a run.
    "canaries": """
CREATE TABLE canaries (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, record TEXT NOT NULL, created REAL NOT NULL
)
""",
    # The size of each image before scaling, and the rule that made its pixels.
    "image_origins": """
ALTER TABLE images ADD COLUMN original_width INTEGER;
ALTER TABLE images ADD COLUMN original_height INTEGER;
ALTER TABLE images ADD COLUMN rule TEXT;
ALTER TABLE images ADD COLUMN side INTEGER;
""",
    # Which images a user allowed to be sent to which host.
    "consents": """
CREATE TABLE consents (
    host TEXT NOT NULL, digest TEXT NOT NULL, record TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (host, digest)
)
""",
    # A model on a server that moves stays the same model.
    "addresses": """
CREATE TABLE addresses (
    model INTEGER NOT NULL, address TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (model, address)
) WITHOUT ROWID
""",
    "logprobs": "ALTER TABLE responses ADD COLUMN logprobs TEXT",
    "batches": """
CREATE TABLE batches (
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, tag TEXT NOT NULL UNIQUE, provider_id TEXT NOT NULL,
    state TEXT NOT NULL, created REAL NOT NULL
);
CREATE TABLE batch_requests (
    batch INTEGER NOT NULL, number INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (batch, number)
) WITHOUT ROWID;
""",
    "reviews": "CREATE TABLE reviews (id INTEGER PRIMARY KEY, task TEXT, record TEXT, created REAL)",
}
"""The SQL of each change by its name, in the order in which the changes are applied."""
ONLY_SOME = {
    "shards": """
CREATE TABLE shards (
    model INTEGER PRIMARY KEY, file TEXT NOT NULL, trials INTEGER NOT NULL, attempts INTEGER NOT NULL
)
"""
}
"""Changes that only some stores have; they are never applied to an existing store."""
NEEDED_TO_READ = ("first_schema",)
"""Changes that reading needs. A store that lacks another change has no data of that kind."""


def apply_change(connection: sqlite3.Connection, name: str, *, applied: float) -> None:
    """Run the SQL of a change, and note when it was applied."""
    statement = ""
    # One statement at a time: SQLite would end the transaction if it ran the whole script.
    for line in {**MIGRATIONS, **ONLY_SOME}[name].splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    connection.execute(statement)
    connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, applied))


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the changes that a store lacks."""
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied REAL)")
    known = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    for name in MIGRATIONS:
        if name not in known:
            with transaction(connection):
                apply_change(connection, name, applied=time.time())


def is_newer(connection: sqlite3.Connection) -> list[str]:
    """Return the changes in this store that only a later version knows."""
    applied = {str(name) for (name,) in connection.execute("SELECT name FROM migrations")}
    return sorted(applied - {*MIGRATIONS, *ONLY_SOME})


def is_older(connection: sqlite3.Connection) -> list[str]:
    """Return the changes that reading needs and this store lacks."""
    applied = {name for (name,) in connection.execute("SELECT name FROM migrations")}
    return [name for name in NEEDED_TO_READ if name not in applied]
