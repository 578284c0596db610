"""A plan becomes requests, and requests become stored responses."""

__all__ = [
    "asked", "batch", "bill", "chosen_benchmarks", "consent", "examples", "identity", "looking", "plan", "progress",
    "repeats", "requests", "run", "sampling", "settled", "spent", "stored", "study_fields", "study_source",
]  # fmt: skip
