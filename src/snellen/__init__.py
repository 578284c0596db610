"""Seven records, one path: see docs/design."""
