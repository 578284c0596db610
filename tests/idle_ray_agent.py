"""Stands in for the two agents of a Ray node, which serve the dashboard and install packages: tests use neither.

Ray starts it as it would the agent (`services._build_python_executable_command_memory_profileable`). It says that it
listens nowhere, and ends with the node. Each real agent takes two to three seconds of processor time.
"""

import os
import sys
import time
from pathlib import Path


def main(arguments):
    """Write the files in which a node looks for its agents' ports, and stay as long as the node does."""
    given = dict(each.removeprefix("--").split("=", 1) for each in arguments if "=" in each)
    for name in ("metrics_agent", "metrics_export", "dashboard_agent_listen", "runtime_env_agent"):
        path = Path(given["session-dir"], f"{name}_port_{given['node-id']}")
        unseen = path.with_suffix(f".{os.getpid()}")  # a node that reads a file half written ends itself
        unseen.write_text("-1", "ascii")
        unseen.replace(path)
    node = os.getppid()
    while os.getppid() == node:
        time.sleep(0.5)


if __name__ == "__main__":
    main(sys.argv[1:])
