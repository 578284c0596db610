"""Answers that somebody already has: read from a file in one of several formats, and stored to be scored here."""
