"""Write the outcome of each test to a JSON file (`--tally FILE`), for the summaries and records of tasks/green.py."""

import json
from pathlib import Path

WORST = ("passed", "skipped", "failed")  # of the outcomes of a test's phases, the worst counts


class Tally:
    """Counts the reports of tests, also of those that ran in other processes."""

    def __init__(self, path):
        self.path, self.tests = Path(path), {}

    def pytest_runtest_logreport(self, report):
        """Add a report of one phase, or of a part of a test: a part that is skipped does not skip the test."""
        is_part = hasattr(report, "context")
        if report.outcome not in WORST or (is_part and not report.failed):
            return
        test = self.tests.setdefault(
            report.nodeid, {"outcome": "passed", "environment": None, "reason": "", "seconds": 0.0}
        )
        test["environment"] = dict(report.user_properties).get("environment", test["environment"])
        test["seconds"] += 0.0 if is_part else report.duration
        if WORST.index(report.outcome) > WORST.index(test["outcome"]):
            test["outcome"] = report.outcome
            test["reason"] = report.longrepr[2].removeprefix("Skipped: ") if report.skipped else ""

    def pytest_sessionfinish(self):
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.tests, indent=1), encoding="utf-8")
