"""How much a function does, without a clock."""

import sys


def lines_run(function):
    """How many lines of Python a call runs, whatever the machine: arrays, drawings and patterns count as one each."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if event == "call" and frame.f_globals.get("__name__", "").partition(".")[0] == "re":
            return None  # a pattern is compiled when it is first used, whoever comes first
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
