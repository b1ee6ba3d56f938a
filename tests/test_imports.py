"""The house has floors: rooms of analysis/ import what lies below them, no two files each other, bench/ none of it."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (  # from the ground up; what stands in one line may import each other
    ("inputs", "plugins", "cache", "revisions", "literature", "releases", "articles", "groups"), ("stats",),
    ("units",), ("load",), ("estimate",),
    ("text",), ("compare",), ("verify",), ("figures", "lessons", "controls", "found", "kinds"), ("checks",),
    ("site", "data"), ("publish",), ("__main__",),
)  # fmt: skip
PACKAGES = (  # of bench/, likewise; its modules lie below all of them
    ("proof",), ("results", "driver"), ("data",), ("worker", "campaign"), ("controls",), ("cli",), ("__main__",),
)  # fmt: skip
PLUGINS = (
    "ablations",
    "datasets",
    "frameworks",
    "oracle",
    "workloads",
)  # files loaded by name
FLOORS = {f"analysis.{name}": floor for floor, names in enumerate(ROOMS) for name in names}
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for top in ("analysis", "bench") for path in (ROOT / top).rglob("*.py") if "frameworks" not in path.parts
}  # fmt: skip


def imported(name):
    """Return the files of this repository that one imports, wherever in it it does."""
    found = set()
    for node in ast.walk(ast.parse(FILES[name].read_bytes())):
        if isinstance(node, ast.ImportFrom):
            parts = (f"{node.module}.{each.name}" for each in node.names)
            found.update(part if part in FILES else node.module for part in parts)
    return (found & FILES.keys()) - {name}


def test_every_import_leads_down_or_stays_on_its_floor():
    floor = {name: FLOORS[".".join(name.split(".")[:2])] for name in FILES if name.startswith("analysis.")}
    up = [(name, other) for name in floor for other in imported(name) if floor.get(other, -1) > floor[name]]
    assert up == []


def test_no_two_files_import_each_other_and_none_does_over_others():
    graph = {name: imported(name) for name in FILES}
    assert list(TopologicalSorter(graph).static_order())  # or a CycleError, which names the circle


def test_what_measures_knows_nothing_of_what_concludes():
    measuring = [name for name in FILES if name.startswith("bench")]
    assert [name for name in measuring if any(each.startswith("analysis") for each in imported(name))] == []


def test_packages_of_the_bench_import_only_what_lies_below_them():
    floor = {f"bench.{name}": floor for floor, names in enumerate(PACKAGES) for name in names}
    plugins = {f"bench.{name}" for name in PLUGINS}
    up = [
        (name, other)
        for name in FILES if name.startswith("bench.") and package(name) not in plugins
        for other in imported(name) & FILES.keys()
        if floor.get(package(other), 0) > floor.get(package(name), 0)
    ]  # fmt: skip
    assert up == []


def package(name):
    """Return the package of bench/ that a module is in, as "bench.proof"."""
    return ".".join(name.split(".")[:2])


def test_what_runs_inside_an_environment_imports_nothing_of_what_drives_it():
    drives = ("bench.driver", "bench.campaign", "bench.cli", "bench.controls", "bench.results", "bench.__main__")
    inside = [name for name in FILES if package(name) in ("bench.worker", "bench.feeding", "bench.proof")]
    assert [name for name in inside if any(package(other) in drives for other in imported(name))] == []
