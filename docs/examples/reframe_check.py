"""Rosetta Bench as a check of ReFrame: is a node as fast as published? Performance is the time of each step."""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn

CHECKOUT, ENVIRONMENTS = os.environ["ROSETTA_BENCH"], ("jax", "pytorch")
TOOLS = f"{CHECKOUT}/.nox/tools/bin/python"


@rfm.simple_test
class RosettaBench(rfm.RunOnlyRegressionTest):
    valid_systems = valid_prog_environs = ["*"]
    sourcesdir, exclusive_access, executable = None, True, TOOLS
    env_vars = {"PYTHONPATH": CHECKOUT, "BENCH_STATE": "${TMPDIR:-/tmp}/rosetta-bench-$(id -u)"}
    executable_opts = ["-m bench run --short --no-table --results measured"] + [
        f"--python={name}={CHECKOUT}/.nox/install-{name}/bin/python" for name in ENVIRONMENTS]  # fmt: skip
    postrun_cmds = [f"{TOOLS} -m analysis verify measured --json > verify.json"]

    @sanity_function
    def is_as_fast_as_published(self):
        return sn.assert_not_found('"verdict": "slower"', "verify.json")

    @run_before("performance")
    def take_times(self):
        with open(os.path.join(self.stagedir, "verify.json")) as file:
            times = {"_".join(case["label"]): case["step_s"] for case in json.load(file)["cases"]}
        self.perf_variables = {name: sn.make_performance_function(sn.defer(s), "s") for name, s in times.items() if s}
