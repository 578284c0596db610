"""A package of somebody else's, which `tests/report/test_chapter.py` installs; it holds no tests."""

collect_ignore_glob = ["*"]
