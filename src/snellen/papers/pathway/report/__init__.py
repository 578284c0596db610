"""The chapter of the clinical pathway."""
