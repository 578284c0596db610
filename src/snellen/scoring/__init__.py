"""Scoring: stored responses become tables of grades, test results (findings) and the results of a study."""

__all__ = [
    "EXPORTS", "dataset", "every_look", "findings", "flow", "gate", "human_reference", "labelled_marks", "many_models",
    "pairing", "portions", "reading_plan", "report_metrics", "resolving", "responses", "result_files", "results",
    "settled", "sharding", "tables", "writing",
]  # fmt: skip

EXPORTS = {"jsonl": (".jsonl", ".jsonl.gz"), "csv": (".csv",), "parquet": (".parquet", ""), "shards": ("",)}
"""Export formats of responses, with their file name endings; "" is a folder."""
