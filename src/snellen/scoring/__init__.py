"""Stored responses become tables, findings and results."""

__all__ = [
    "EXPORTS", "dataset", "every_look", "findings", "flow", "gate", "human_reference", "labelled_marks",
    "many_models", "pairing", "portions", "reading_plan", "report_metrics", "resolving", "responses",
    "result_files", "results", "settled", "sharding", "tables", "writing",
]  # fmt: skip

EXPORTS = {"jsonl": (".jsonl", ".jsonl.gz"), "csv": (".csv",), "parquet": (".parquet", ""), "shards": ("",)}
"""The formats of exported responses, with the ends of their files' names; a name without one is a folder's."""
