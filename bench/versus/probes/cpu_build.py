"""The installed build of the framework cannot use this machine's GPU."""

from bench.versus.causes import Finding, Side

WEIGHT = 1.0


def find(one: Side, other: Side) -> "Finding | None":
    """Report a build for CPUs on a machine with a GPU."""
    if not one.machine.get("gpu") or one.fact("has_gpu_build") is not False or one.fact("device") != "cpu":
        return None
    return Finding(
        f"The machine has {one.machine['gpu']}, and the installed packages support only the CPU.",
        "Install the build of the framework with GPU support.",
    )
