"""Claims: what a response says that it sees."""
