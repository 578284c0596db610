"""Asking: a plan becomes requests, and requests become stored responses.

An "arm" is one condition with one prompt and one set of settings. A "cell" is one wanted response: model, arm, item and
repeat.
"""

__all__ = [
    "asked", "batch", "bill", "consent", "examples", "identity", "plan", "progress", "repeats", "requests", "run",
    "sampling", "settled", "spent", "stored", "study_fields",
]  # fmt: skip
