"""Packages import only packages below them: in analysis/ and in bench/, without a cycle; bench/ imports no analysis."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (  # lowest first; the packages of a line may import each other
    ("inputs", "plugins", "cache", "revisions", "literature", "releases", "articles", "groups",
     "series"), ("stats",),
    ("units",), ("load",), ("estimate",),
    ("text",), ("compare",), ("verify",), ("figures", "lessons", "controls", "found", "kinds"), ("checks",),
    ("site", "data"), ("publish",), ("__main__",),
)  # fmt: skip
PACKAGES = (  # of bench/, likewise; its modules are below all of them
    ("proof",), ("results", "driver"), ("data",), ("worker", "campaign"), ("controls", "versus"), ("cli",), ("peers",),
    ("__main__",),
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
    """Return the files of this repository that a file imports anywhere."""
    modules = set()
    for node in ast.walk(ast.parse(FILES[name].read_bytes())):
        if isinstance(node, ast.ImportFrom):
            parts = (f"{node.module}.{alias.name}" for alias in node.names)
            modules.update(part if part in FILES else node.module for part in parts)
    return (modules & FILES.keys()) - {name}


def test_analysis_imports_only_packages_of_its_level_or_below():
    floor = {name: FLOORS[".".join(name.split(".")[:2])] for name in FILES if name.startswith("analysis.")}
    assert [(name, other) for name in floor for other in imported(name) if floor.get(other, -1) > floor[name]] == []


def test_no_imports_form_a_cycle():
    every = {name: imported(name) for name in FILES}
    assert list(TopologicalSorter(every).static_order())  # or a CycleError


def test_the_bench_never_imports_the_analysis():
    measuring = [name for name in FILES if name.startswith("bench")]
    assert [name for name in measuring if any(other.startswith("analysis") for other in imported(name))] == []


def test_packages_of_the_bench_import_only_packages_below_them():
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


def test_code_inside_an_environment_never_imports_the_driver():
    drives = ("bench.driver", "bench.campaign", "bench.cli", "bench.controls", "bench.results", "bench.__main__")
    inside = [name for name in FILES if package(name) in ("bench.worker", "bench.feeding", "bench.proof")]
    inside += [name for name in FILES if name.startswith(("bench.versus.inside", "bench.versus.probes"))]
    assert [name for name in inside if any(package(other) in drives for other in imported(name))] == []
