"""Asking: a plan becomes requests, and requests become stored responses.

An "arm" is one condition with one prompt and one set of settings. A "cell" is one wanted response: model, arm, item and
repeat.
"""

__all__ = [
    "asked", "batch", "bill", "chosen_benchmarks", "consent", "examples", "identity", "looking", "plan", "progress",
    "repeats", "requests", "run", "sampling", "settled", "spent", "stored", "study_fields", "study_source",
]  # fmt: skip
