"""How much a function does, without a clock."""

import sys
import threading


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


def count_calls(function):
    """How many calls of Python functions are made in this thread and in those that it starts; and what it returns."""
    calls = 0

    def profile(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        returned = function()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls, returned
