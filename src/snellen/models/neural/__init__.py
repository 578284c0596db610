"""neural/…: small transformers that learned to read phantoms, some of them with a planted flaw."""
