"""Likely causes of a slow step on a machine with a GPU: each a small function, as in analysis/verify/hints.py."""

from collections.abc import Iterator

from analysis import units
from analysis.compare.baseline import cells, hardware
from analysis.verify.bands import HOSTS
from analysis.verify.evidence import Evidence
from bench import registry
from bench.results import peaks

NONE_FOUND = "None"  # a version, as a framework writes it that looked for a library and found none


def cpu_build(found: Evidence) -> Iterator[str]:
    """Does a framework leave the GPU alone?"""
    for each in found.yours.environments.values():
        if found.machine["gpu"] and each["device"] == "cpu":
            cuda = each["loaded"].get("cuda")
            built = f"it is built for CUDA {cuda}, and sees no GPU or was told not to use one"
            why = built if cuda else "it has no CUDA"
            yield f"{each['title']} ran on the CPU of a machine with one {found.machine['gpu']}: {why}."


def throttled(found: Evidence) -> Iterator[str]:
    """Was the GPU's clock held down, or is that unknown?"""
    states = [state["gpu"] for state in found.states if state["gpu"]]
    if not states and any(each.cell.case.device == "gpu" and each.cell.mean_s for each in found.verdicts.cases):
        yield f"Whether the GPU's clock was held down is unknown: {found.yours.bench.get('telemetry', 'not sampled')}."
    held = [state for state in states if state["throttle_reasons"]]
    slow = [state["sm_clock_mean_mhz"] / state["sm_clock_default_mhz"] for state in states
            if state["sm_clock_mean_mhz"] and state["sm_clock_default_mhz"]]  # fmt: skip
    if held:
        reasons = units.listing(sorted({reason for state in held for reason in state["throttle_reasons"]}))
        clock = f", down to {100 * min(slow):.0f} % of its default" if slow and min(slow) < 1 else ""
        yield f"The GPU's clock was held down{clock} ({reasons}), in {len(held)} of {units.count(len(states), 'run')}."


def cudnn(found: Evidence) -> Iterator[str]:
    """Is cuDNN missing, or unknown; or another one, where it is slower?"""
    published = {here["environment"]: there["loaded"].get("cudnn") for here, there in found.environments}
    for each in found.yours.environments.values():
        mine, theirs = each["loaded"].get("cudnn"), published.get(each["environment"])
        if each["device"] != "gpu":
            continue
        beside = f"; published with cuDNN {theirs}" if theirs else ""
        if mine == NONE_FOUND:
            yield f"{each['title']} ran on the GPU without cuDNN: it says that it found none{beside}."
        elif mine and theirs and mine != theirs:
            yield f"{each['title']} loaded cuDNN {mine}{beside}."
        elif not mine and not any("cudnn" in name for name in each["libraries"]):
            yield (
                f"Whether {each['title']} has cuDNN on the GPU is unknown: it reports no version, and none was loaded "
                f"when it was probed{beside}."
            )


def tf32(found: Evidence) -> Iterator[str]:
    """Is there a faster arithmetic on this GPU that was not asked for?"""
    gains = _published_gains(found)
    for title, (ratio, workload) in sorted(gains.items()):
        if ratio > HOSTS:
            yield (
                f"{title} ran in fp32 here; in tf32, published on this GPU, {workload} is {units.factor(ratio)} times "
                "as fast: --precision tf32."
            )
    peak = peaks.of(found.machine["gpu"])
    others = [title for title in _fp32_alone(found) if title not in gains and _sets_tf32(found, title)]
    if peak and others:
        yield (
            f"{units.listing(others)} ran in fp32 on a {found.machine['gpu']}, whose datasheet promises "
            f"{units.factor(peak.tf32 / peak.fp32)} times as many operations in tf32: --precision tf32 measures it."
        )


def _fp32_alone(found: Evidence) -> list[str]:
    """Return the environments that have a time on a GPU in fp32, and none in tf32."""
    measured = {(each.cell.title, each.cell.case.precision) for each in found.verdicts.cases
                if each.cell.mean_s and each.cell.case.device == "gpu"}  # fmt: skip
    others = {title for title, precision in measured if precision != "fp32"}
    return sorted({title for title, _ in measured} - others)


def _sets_tf32(found: Evidence, title: str) -> bool:
    """Say whether an environment can be asked for tf32; one that is no longer here is not known."""
    known = registry.environments()
    names = [name for name, each in found.yours.environments.items() if each["title"] == title]
    return any("tf32" in known[name].precisions for name in names if name in known)


def _published_gains(found: Evidence) -> dict[str, tuple[float, str]]:
    """Return, by environment, how much faster tf32 is published on this GPU than fp32 was here, and where most."""
    own = {each.cell.case: each.cell.mean_s for each in found.verdicts.cases if each.cell.mean_s}
    asked = {case._replace(precision="tf32"): mean_s for case, mean_s in own.items() if case.precision == "fp32"}
    gains: dict[str, tuple[float, str]] = {}
    for campaign in found.published:
        if found.machine["gpu"] and hardware(campaign.bench["machine"], "gpu") == found.machine["gpu"]:
            for case, cell in cells(campaign).items():
                if case.device == "gpu" and case in asked and case not in own and cell.mean_s:
                    gain = (asked[case] / cell.mean_s, case.workload)
                    gains[cell.title] = max(gain, gains.get(cell.title, gain))
    return gains
