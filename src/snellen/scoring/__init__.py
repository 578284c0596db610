"""Stored responses become tables, findings and results."""

EXPORTS = {"jsonl": (".jsonl", ".jsonl.gz"), "csv": (".csv",), "parquet": (".parquet", ""), "shards": ("",)}
"""The formats of exported responses, with the ends of their files' names; a name without one is a folder's."""
