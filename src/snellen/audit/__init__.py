"""The audit of a benchmark: what can be answered without eyes, which items are wrong, and why."""
