"""What prose says of a threshold is what the code holds: each sentence below is made of the constant."""

import importlib.util
import re
from pathlib import Path

import pytest

from analysis.estimate import training
from analysis.publish import versions
from analysis.stats import bootstrap, interval, shared_variance
from analysis.text import html
from bench import (
    answer,
    ceiling,
    disturbance,
    late,
    machine,
    parity,
    plausible,
    profiles,
    proof,
    records,
    registry,
    sampler,
    steady,
    telemetry,
    workloads,
)

ROOT = Path(__file__).resolve().parents[2]
WORDS = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    16: "sixteen",
    6: "six",
    8: "eight",
    12: "twelve",
    20: "twenty",
    10_000: "ten thousand",
}
TIMES = {2: "twice"}


def by_path(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def percent(share):
    return f"{100 * share:.3g} %"


def size(count):
    """Return bytes as pages write them."""
    return f"{count // 2**30} GiB" if count >= 2**30 else f"{count // 2**20} MiB"


weights = by_path("tests/site/weights.py")
PROFILES = [profile for name, profile in profiles.PROFILES.items() if name != "smoke"]
SAID = {
    "README.md": [
        f"{answer.STEPS} optimiser steps",
        f'"Faster" needs a {percent(interval.CONFIDENCE)} interval beyond {percent(interval.FASTER - 1)}',
    ],
    "docs/method.md": [
        f"than {parity.FAR} times what those differ among themselves",
        f"{WORDS[proof.LEAST_OTHERS]} other frameworks must have answered",
        f"goes on for up to {late.MOST} steps",
        f"windows of {steady.WINDOW_STEPS} steps stay within {percent(steady.TOLERANCES['gpu'])} (on a CPU",
        f"(on a CPU {percent(steady.TOLERANCES['cpu'])})",
        f"fewer than {WORDS[steady.FEWEST_WINDOWS]} such windows, {WORDS[steady.FEWEST_WINDOWS]} shorter ones",
        f"shorter ones of at least {WORDS[steady.FEWEST_BLOCKS]} blocks",
        f"fewer than {WORDS[steady.FEWEST_WINDOWS * steady.FEWEST_BLOCKS]} blocks is too short",
        f"state every {sampler.PERIOD_S:g} s",
        f"more than {percent(sampler.MOST_SHARE)} of a core",
        f"below {percent(disturbance.LOWEST_CLOCK)} of the device's default",
        f"more than {percent(disturbance.OTHERS_SHARE)} of the cores",
        f"grew by more than {size(disturbance.SWAP_GROWTH_BYTES)}",
        f"repeated at most {TIMES[disturbance.MOST_REPEATS]}",
        f"of a run, from {telemetry.ENERGY_S:g} s on",
        f"Student's {percent(interval.CONFIDENCE)} interval",
        f"Below {WORDS[interval.MIN_ROUNDS]} rounds there is no interval",
        f"With {WORDS[shared_variance.MODERATED - 1]} rounds nothing is shared",
        f"in at least {WORDS[shared_variance.FEWEST_QUESTIONS]} questions has a prior of its own scale",
        f"larger than one in {WORDS[round(1 / shared_variance.BEYOND)]} of like pairs would have",
        f"{WORDS[bootstrap.REPLICATES].capitalize()} times it draws rounds",
        f"begins at {WORDS[bootstrap.MIN_ROUNDS]} rounds",
        f"beyond {interval.FASTER:g}, and stays so",
        f"whole interval is within {percent(interval.EQUIVALENT - 1)} of 1",
        f"margin of {percent(interval.FASTER - 1)}",
        *(f"half-width of at most {percent(profile.half_width)}" for profile in PROFILES),
        f"at {TIMES[plausible.MARGIN]} the measured matrix product",
        f"within {WORDS[round(100 * training.MARGIN)]} points by two one-sided tests",
        f"A target is {percent(training.TARGET)} of the way from guessing to the best end",
        f"than {training.FEWEST} examples to test on",
    ],
    "docs/parity.md": [
        f"on {WORDS[answer.BATCHES]} batches, and the losses and weights of {answer.STEPS} optimiser steps",
    ],
    "docs/publishing.md": [
        f"| one version | {versions.VERSION_MEGABYTES} MB,",
        f"| all versions | {versions.SITE_MEGABYTES} MB |",
        f"of at most {versions.TITLE_LENGTH} characters",
        f"At most {weights.PAGE / 1e3:g} KB for a page",
        f"At most {weights.FIGURE / 1e3:g} KB for a figure, {weights.COMPRESSED_FIGURE / 1e3:g} KB compressed;",
        f"{weights.DATA / 1e3:g} KB for a file of data, compressed; {weights.FILE / 1e6:g} MB for any file;",
        f"{weights.SITE / 1e6:g} MB for a version",
    ],
    "results/README.md": [
        f"up to {machine.LONGEST} letters",
        f"pages show {html.REASON_LENGTH} of them",
        f"no field twice, up to {size(records.LINE_BYTES)}",
        f"up to {size(proof.ANSWER_BYTES)} unpacked",
        f"side {ceiling.SIDES['cpu']} on a CPU, {ceiling.SIDES['gpu']} on a GPU",
        f"{size(4 * ceiling.COUNTS['cpu'])} on a CPU, {size(4 * ceiling.COUNTS['gpu'])} on a GPU",
        f"the fastest of {WORDS[ceiling.BLOCKS]} blocks",
        f"every {sampler.PERIOD_S:g} s",
        f"null for less than {telemetry.ENERGY_S:g} s",
        f"clock below {percent(disturbance.LOWEST_CLOCK)} of its default",
        f"more than {size(disturbance.SWAP_GROWTH_BYTES)}",
        f"more than {percent(disturbance.OTHERS_SHARE)} of the run's cores",
        f"repeated {TIMES[disturbance.MOST_REPEATS]} already",
    ],
}


@pytest.mark.parametrize(("page", "sentence"), [(page, each) for page, own in SAID.items() for each in own])
def test_prose_says_the_threshold_that_the_code_holds(page, sentence):
    assert sentence in " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_the_words_of_a_workload_are_those_that_are_demanded_and_those_that_are_read():
    told = workloads.__doc__.split("and, where it has use for them,")
    demanded, optional = (set(re.findall(r"^([A-Za-z_]+(?:, [a-z_]+)?)  +\S", part, re.MULTILINE)) for part in told)
    assert demanded == set(registry.WORKLOAD_MUST_STATE)
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "bench").glob("*.py"))
    read = {word for names in optional for word in names.split(", ")}
    assert len(read) >= 7
    assert [word for word in read if f"problem.{word}" not in code and f'problem, "{word}"' not in code] == []
