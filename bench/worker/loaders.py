"""Run loaders shortly inside an environment, and check the data that they bring (bench.feeding.brought)."""

import gc
from typing import Any, Dict, List

import numpy as np

from bench import ablations, feeding, registry
from bench.cases import Case
from bench.data import photographs
from bench.errors import BenchError, Unsupported
from bench.worker import framework_setup, programs


def check(request: Dict[str, Any]) -> Dict[str, Any]:
    """Return `checks`: a [status, reason] for each case of `request["cases"]`.

    The photographs are in `request["data"]`. All cases belong to one environment, which is imported once.
    """
    environment, adapter, _, _ = framework_setup.framework(request, request["device"], "fp32")
    return {"checks": [_outcome(Case(**each), environment, adapter, request["data"]) for each in request["cases"]]}


def _outcome(case: Case, environment: registry.Environment, adapter: Any, data: str) -> List[str]:
    try:
        _pass(case, environment, adapter, data)
    except Unsupported as error:
        return ["unsupported", str(error)]
    except BenchError as error:
        return ["failed", str(error)]
    except Exception as error:  # noqa: BLE001 - a loader may raise anything
        return ["failed", "%s: %s" % (type(error).__name__, error)]
    finally:
        gc.collect()  # ends the loader's worker processes
    return ["ok", ""]


def _pass(case, environment, adapter, data):
    problem = registry.workload(case.workload)
    program = programs.program(adapter, environment, case.workload, "train", case.mode, case.optimizer)
    program.scale_learning_rate(feeding.RATE_SCALE)
    program.load(problem.weights(np.random.RandomState(0)))
    side = problem.batch(np.random.RandomState(0), 1)[0].shape[1]
    images, workers = photographs.read(case.data, data, side), ablations.number(case.mode)
    steps_made = getattr(adapter, "steps_made", None)
    feeding.measure_passes(program, images, case.batch_size, feeding.PASSES, workers, steps_made=steps_made)
