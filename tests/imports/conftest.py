"""Scripts that tests run in a process of their own are not collected."""

collect_ignore = ["inspect_task.py"]
