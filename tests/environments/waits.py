"""Waits that were left out, each in turn, and whether the sentence of the contract about them notices.

Usage, inside an environment: waits.py ENVIRONMENT WORKLOAD MODE. Prints a line of JSON: {sabotage: who noticed, or null
where there is nothing to leave out}.
"""

import json
import os
import sys

from bench import registry
from bench.errors import Unsupported
from bench.worker import contract, sabotage

SENTENCES = (contract.wait_returns_the_number_of_its_step,)  # the one that must notice


def main(own, workload, mode):
    """Print what notices each sabotage."""
    environment = registry.environment(own)
    adapter = registry.adapter(environment)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    report = {}
    for name in sabotage.SABOTAGES:
        try:
            asked = {"workload": workload, "mode": mode, "sabotage": name, "seed": 0}
            report[name] = sabotage.caught(asked, environment, adapter, SENTENCES)["caught_by"]
        except Unsupported:
            report[name] = None
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
