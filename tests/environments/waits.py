"""Waits that were left out, each in turn, and the sentences of the contract that notice.

Usage, inside an environment: waits.py ENVIRONMENT WORKLOAD MODE. Prints a line of JSON: {sabotage: who noticed, or null
where there is nothing to leave out}.
"""

import json
import os
import sys

from bench import registry
from bench.controls import waiting
from bench.errors import Unsupported


def main(own, workload, mode):
    """Print what notices each sabotage."""
    environment = registry.environment(own)
    adapter = registry.adapter(environment)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    report = {}
    for sabotage in waiting.SABOTAGES:
        try:
            asked = {"workload": workload, "mode": mode, "sabotage": sabotage, "seed": 0}
            report[sabotage] = waiting.inside(asked, environment, adapter)["about"]["caught_by"]
        except Unsupported:
            report[sabotage] = None
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
