"""The stress tests that belong to no paper, one file each."""
