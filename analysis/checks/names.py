"""Names of workloads, environments and modes: those of this repository."""

import os
from collections.abc import Iterator

from analysis.checks import Finding, Given
from bench import ablations, registry

ORDER = 4


def check(given: Given) -> Iterator[Finding]:
    """Check the cases of each campaign; controls give environments names of their own."""
    workloads, environments = set(registry.workload_names()), registry.environments()
    for file in given.campaigns:
        known: set[tuple[str, str, str]] = set()
        for number, record in file.runs:
            case = record["case"]
            names = (case.workload, case.environment, case.mode)
            if names in known:
                continue
            known.add(names)
            if names[0] not in workloads:
                yield file.finding(number, f"case.workload: expected a file of bench/workloads, got {names[0]}",
                                   "contribute the workload first (CONTRIBUTING.md, Add a workload)")  # fmt: skip
            if (row := environments.get(names[1])) is None:
                yield file.finding(number, f"case.environment: expected one of {', '.join(environments)}, got "
                                   f"{names[1]}", "contribute its framework.toml as well")  # fmt: skip
            elif lacking := [each for each in ablations.parts(ablations.split(names[2])[1])
                             if not os.path.exists(ablations.path(row, each))]:  # fmt: skip
                yield file.finding(number, f"case.mode: expected an ablation of {names[1]}, got {', '.join(lacking)}",
                                   "contribute its file as well (bench/ablations)")  # fmt: skip
            elif ablations.split(names[2])[0] not in [*(modes := [mode.name for mode in row.modes]), *row.retired]:
                yield file.finding(number, f"case.mode: expected one of {', '.join(modes)}, got {names[2]}",
                                   "give the mode its table in framework.toml as well")  # fmt: skip
