"""What the Mirage paper prints, recomputed as far as its figures allow."""
