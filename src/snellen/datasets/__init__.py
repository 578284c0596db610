"""The datasets."""
