"""What the artefacts paper prints, recomputed as far as its figures allow."""
