"""A plan becomes requests, and requests become stored responses."""
