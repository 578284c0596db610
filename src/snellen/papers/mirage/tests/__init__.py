"""The stress tests of the Mirage paper, one file each."""
