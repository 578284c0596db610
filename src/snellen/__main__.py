"""The command `snellen`, and `python -m snellen`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; exit quietly if Ctrl-C is pressed, also during loading."""
    try:
        from snellen.cli import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
