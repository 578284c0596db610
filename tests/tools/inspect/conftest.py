"""Scripts that tests run in a process of their own are not collected."""

collect_ignore = ["asking.py"]
