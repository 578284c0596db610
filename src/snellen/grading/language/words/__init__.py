"""Words by role, one file per language."""
