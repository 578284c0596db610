"""The chapter of a report on the Mirage paper’s tests."""
