"""The stress tests of the artefacts paper, one file each."""
