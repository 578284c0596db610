"""The stress tests of the Readiness paper, one file each."""
