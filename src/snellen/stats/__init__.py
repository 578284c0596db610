"""The stats."""
