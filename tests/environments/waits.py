"""Waits that were left out, each in turn, and whether the sentence of the contract about them notices.

Usage, inside an environment: waits.py ENVIRONMENT WORKLOAD MODE. Prints a line of JSON: {sabotage: who noticed, or null
where there is nothing to leave out}.
"""

import json
import os
import sys

from bench import registry
from bench.errors import Unsupported
from bench.replies import ControlPart
from bench.worker import contract, controls

SENTENCES = (contract.wait_returns_the_number_of_its_step,)  # the one that must notice


def main(own, workload, mode):
    """Print what notices each controls."""
    environment = registry.environment(own)
    adapter = registry.adapter(environment)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    report = {}
    for name in controls.SABOTAGES:
        try:
            part = ControlPart("waiting", workload, mode, 0, sabotage=name)
            report[name] = controls.waiting(part, environment, adapter, SENTENCES).about["caught_by"]
        except Unsupported:
            report[name] = None
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
