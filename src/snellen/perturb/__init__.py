"""The perturb."""
