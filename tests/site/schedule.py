"""Which browser tests run on the same worker: those that share what one of them has built, or a view.

The marker `xdist_group` of pytest-xdist 3.8 would say so in each test, but has no effect with pytest 9.2.
"""

from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

VIEWS = "test_views"  # each of its views is read once, by one worker
SHARED = {"test_publish": "house", "test_versions": "house"}  # file -> the fixture that its tests share
SHARED |= {file: file for file in ("test_compare_page", "test_hostile_site", "test_policy", "test_results_page")}


class ByView(LoadScopeScheduling):
    """Keep the tests of a view together, and those of a shared fixture; any other test may run anywhere."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        name = Path(file).stem
        return test.partition("[")[2] if name == VIEWS else SHARED.get(name, nodeid)
