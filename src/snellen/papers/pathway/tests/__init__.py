"""The tests of the clinical pathway."""
