"""Reports: what a generated report says, and how well that agrees with its reference."""
