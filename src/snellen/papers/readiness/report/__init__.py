"""The chapter of a report on the Readiness paper’s tests."""
