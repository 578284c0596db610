"""`python -m snellen` is the same as `snellen`."""

from snellen.cli import main

main()
