"""The parts of a report that every study has, one file each."""
