"""The operating system denies cores that the threads expect."""

from bench.versus.causes import Finding, Side

WEIGHT = 0.8


def find(one: Side, other: Side) -> "Finding | None":
    """Report more threads than the control group's quota of cores."""
    threads, quota = one.fact("threads"), one.machine.get("cgroup_cores")
    if not threads or not quota or threads <= quota or one.fact("device") != "cpu":
        return None
    return Finding(
        f"An operation uses {threads} threads, and the control group allows {quota:g} cores.",
        f"Set the number of threads to {max(1, int(quota))}.",
        switch=one.switch("threads", max(1, int(quota))),
    )
