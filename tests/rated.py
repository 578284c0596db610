"""What raters said of a study, for tests of the page that shows it."""

AXES = {"reasoning_steps": "reasoning", "text_alone": "visual"}


def estimate(value, n=30):
    return {"value": value, "low": value - 0.1, "high": value + 0.1, "n": n, "method": "hand-made"}


def record(study, task, **fields):
    return {
        "schema": 1, "study": study["name"], "task": task, "title": "Is it <b>so</b>?", "created": "", "plan": {},
        "raters": [{"rater": f"Rater {n}", "settles": n == 3, "votes": 30, "skipped": n == 1} for n in (1, 2, 3)],
        "cases": 30, "read": 29, "agreed": 25, "settled": 4, "open": 1, "agreement": [], "confusion": [], "labels": [],
        "profile": [], "landscape": [], "ratings": [], "judges": [], **fields,
    }  # fmt: skip


def add_reviews(results, store):
    """Give a study of fake/one on bench a review of 24 questions: of every second one the image is essential."""
    rated = [
        {
            "benchmark": "bench",
            "item_id": item.id,
            "axes": {"reasoning_steps": 1 + n % 3, "text_alone": 1 + 2 * (n % 2)},
        }
        for n, item in enumerate(results.tables["fake/one", "bench"].items[:24])
    ]
    line = {"benchmark": "bench", "median": 2.5, "mean": 2.0, "items": 24, "raters": 3, "kappa": None}
    profile = [{**line, "axis": axis, "group": group, "asks": f"{axis}?"} for axis, group in AXES.items()]
    place = {"reasoning_spread": 0.2, "visual_spread": None, "items": 24, "raters": 3, "benchmark": "bench"}
    landscape = [{**place, "reasoning": estimate(1.5, 24), "visual": estimate(2.5, 24)}]
    undefined = {**estimate(0.0), "value": None, "low": -1.0, "high": 1.0}
    agreement = [
        {**estimate(0.93), "field": "verdict", "asks": "Is it so?", "statistic": "agreement", "raters": 2},
        {**estimate(0.78), "field": "verdict", "asks": "Is it so?", "statistic": "Cohen's κ", "raters": 2},
        {**undefined, "field": "verdict", "asks": "Is it so?", "statistic": "Krippendorff's α", "raters": 2},
    ]
    judges = [{"judge": "a/<i>j</i>", "kappa": estimate(0.7), "agreement": estimate(0.9), "qualified": False,
               "why_not": "too few", "n": 30}]  # fmt: skip
    confusion = [{"field": "verdict", "asks": "Is it so?", "labels": ["yes", "no"], "counts": [[20, 1], [2, 7]],
                  "rows": "Rater 1", "columns": "Rater 2"}]  # fmt: skip
    labels = [{"model": "fake/one", "benchmark": "bench", "arm": "original", "counts": {"yes": 12, "no": 3},
               "share": {**estimate(0.8, 15), "of": "yes"}}]  # fmt: skip
    told = {"agreement": agreement, "judges": judges, "confusion": confusion, "labels": labels}
    store.labels.add_review(record(results.study, "verdict", **told))
    store.labels.add_review(record(results.study, "profile", profile=profile, landscape=landscape, ratings=rated))
