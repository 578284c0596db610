"""The chapter of a report on the artefacts paper’s tests."""
