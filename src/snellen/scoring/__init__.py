"""Stored responses become tables, findings and results."""
