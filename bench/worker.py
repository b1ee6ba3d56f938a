"""What runs inside an environment: one request from a file, one reply to a file, in a process of its own.

A reply is written to a file because frameworks print what they like; so what they print goes to the error stream, and
the output is left for words. Between its turns a run sleeps until a line comes in: empty for a block, or with the
seconds for which to go on. Requests: `probe` (what is installed and seen),
`answer` (parity), `measure` (one run), `contract` (whether the adapter keeps its), `ceiling` (the most of the device),
`count` (the framework's own FLOPs) and `control` (what a control asks).
"""

import contextlib
import ctypes
import json
import os
import platform
import signal
import sys
import time
import traceback
from typing import Any, Dict

import numpy as np

from bench import (
    ablations,
    answer,
    ceiling,
    contract,
    dataset,
    epochs,
    feeding,
    late,
    machine,
    measure,
    photographs,
    programs,
    proof,
    registry,
)
from bench.cases import EPOCHS, FED, STEPS, Case, read_data
from bench.errors import BenchError, DeviceError, Unsupported
from bench.profiles import named
from bench.replies import DONE, READY, TAIL, keep_output_for_words, say, without_paths

THREADS = "/proc/self/task"
OUT_OF_MEMORY = [MemoryError]  # and what the framework raises, once it is imported


def _move(cores):
    """Keep this process on these cores, and the threads that it has started so far."""
    if not cores:
        return
    threads = os.listdir(THREADS) if os.path.isdir(THREADS) else ["0"]
    for thread in threads:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def _open(request, device, precision):
    """Import and configure the framework; return (environment, adapter, device, import seconds)."""
    begin = time.perf_counter()
    environment = registry.environment(request["environment"], request["frameworks"])
    adapter = registry.adapter(environment)
    import_s = time.perf_counter() - begin
    OUT_OF_MEMORY.extend(adapter.OUT_OF_MEMORY)
    seen = adapter.devices()
    device = device or seen[0]
    if device not in seen:
        message = "%s sees no %s here, only: %s" % (environment.title, device, ", ".join(seen))
        if request["request"] == "measure":
            raise DeviceError(message + "; it saw one when it was probed")
        raise Unsupported(message)
    if precision not in environment.precisions:
        raise Unsupported("%s has no %s; its adapter sets: %s" % (
            environment.title, precision, ", ".join(environment.precisions)))  # fmt: skip
    adapter.configure(device, request["threads"], precision)
    return environment, adapter, device, import_s


def probe(request: Dict[str, Any]) -> Dict[str, Any]:
    """Import the framework, run nothing; return what is loaded, installed and seen, and the proof hash per workload."""
    environment, adapter, device, _ = _open(request, request["device"], "fp32")
    loaded = adapter.loaded()
    answered = [name for name in registry.workload_names() if os.path.exists(registry.model_path(environment, name))]
    return {
        "python": platform.python_version(),
        "device": device,
        "loaded": loaded,
        "packages": machine.packages(),
        "libraries": machine.libraries(environment.libraries),
        "proofs": {name: proof.proof_hash(name, environment, loaded) for name in answered},
    }


def give_answers(request: Dict[str, Any]) -> Dict[str, Any]:
    """Answer parity questions and keep each answer below `request["folder"]` as soon as it is given."""
    environment, adapter, _, _ = _open(request, request["device"], request["precision"])
    for subject in [proof.Subject(*fields) for fields in request["subjects"]]:
        path = os.path.join(request["folder"], subject.file)
        _answer(subject, environment, adapter, path, request["precision"])
    return {}


def _answer(subject, environment, adapter, path, precision):
    problem = registry.workload(subject.workload)
    program = programs.program(
        adapter, environment, subject.workload, subject.task, subject.mode, subject.optimizer, precision=precision
    )
    if precision != "fp32":
        arrays = answer.answer_outputs(program, problem, subject.task)
    elif subject.task == "train":
        arrays = answer.answer_training(program, problem, subject.optimizer == registry.optimizers(subject.workload)[0])
    else:
        arrays = answer.answer_inference(program, problem)
    loaded = adapter.loaded()
    own = proof.proof_hash(subject.workload, environment, loaded)
    about = {
        "problem": proof.problem_hash(subject.workload),
        "proof": proof.of_mode(own, environment, subject.mode),
        "loaded": {key: value for key, value in loaded.items() if value},
    }
    answer.save(path, answer.thinned(arrays), about)


class _Turns:
    """The turns of a run: one whenever a line comes in; the run is asleep until then."""

    def __init__(self, cores):
        self.cores = cores
        self.metered = None  # between which readings of the system's clock the program went on for its energy

    def __iter__(self):
        _move(self.cores)
        say(READY)
        for line in sys.stdin:
            begin, seconds = time.monotonic(), float(line.strip() or 0)
            yield seconds
            self.metered = [begin, time.monotonic()] if seconds else self.metered
            say(DONE)


def _measure_steps(case, program, problem, request, device, adapter, cores):
    """Time steps on one random batch; return (seconds to place it, timings, the batch, when energy was metered)."""
    begin = time.perf_counter()
    batch = program.place(*problem.batch(np.random.RandomState(request["seed"]), case.batch_size))
    place_s = time.perf_counter() - begin
    turns = _Turns(cores)
    forget_peak = getattr(adapter, "forget_peak", lambda: None)
    whole = program.OF if "planted" in request else 1
    found = measure.measure(program, batch, named(request["profile"]).block_s, device, turns, forget_peak, whole)
    return place_s, found, batch, turns.metered


def _measure_epochs(case, program, problem, request, *_):
    """Train over a data set; a round's seed gives the initial weights and the order of the examples."""
    profile = named(request["profile"])
    wanted = read_data(case.data)
    data = dataset.load(wanted.name, request["data"] or None, wanted.is_stand_in)
    data = dataset.cut(data, wanted.examples) if wanted.examples else data
    count = min(problem.EPOCHS, profile.most_epochs or problem.EPOCHS)
    found = epochs.train(program, problem, data, case.batch_size, count, request["seed"], case.task == "fit")
    now = time.monotonic()
    return 0.0, found, None, [now - sum(found.epoch_s) - sum(found.evaluation_s), now]


def _measure_feeding(case, program, problem, request, *_):
    """Train on photographs as a loader brings them, or on one batch that lies in memory."""
    side = problem.batch(np.random.RandomState(0), 1)[0].shape[1]
    images = photographs.read(case.data, request["data"], side)
    passes = min(feeding.PASSES, named(request["profile"]).most_epochs or feeding.PASSES)
    found = feeding.measure_passes(program, images, case.batch_size, passes, ablations.workers(case.mode))
    now = time.monotonic()
    return 0.0, found, None, [now - sum(found.epoch_s), now]


MEASURED = dict(
    [(task, _measure_steps) for task in STEPS]
    + [(task, _measure_epochs) for task in EPOCHS]
    + [(task, _measure_feeding) for task in FED]
)


def run(request: Dict[str, Any]) -> Dict[str, Any]:
    """Measure one case; return the measured fields of a `run` or `epochs` record."""
    case = Case(**request["case"])
    over_data = case.task not in STEPS
    cores = machine.cores() if case.task in FED else request["threads"]  # a loader works beside the network
    timed_on, starts_on = (machine.first_cores(cores, place) for place in (0, request.get("place", 0)))
    _move(starts_on)  # before the framework sizes its pools
    environment, adapter, device, import_s = _open(request, case.device, case.precision)
    if not request.get("is_beside"):
        say(READY)
        sys.stdin.readline()  # others may import at the same time; what follows has the machine to itself
        _move(timed_on)
    problem = registry.workload(case.workload)
    begin = time.perf_counter()
    task = "infer" if case.task == "infer" else "train"
    program = programs.program(
        adapter, environment, case.workload, task, case.mode, case.optimizer, precision=case.precision
    )
    if case.task == "train" and hasattr(problem, "PARITY_LEARNING_RATE_SCALE"):
        # One random batch from random weights, as in parity: where losses would grow without bound there, they would
        # here, and a step costs the same at any rate.
        program.scale_learning_rate(problem.PARITY_LEARNING_RATE_SCALE)
    weights = problem.weights(np.random.RandomState(request["seed"] if over_data else 0))
    program.load(epochs.starting_weights(weights) if over_data else weights)
    build_s = time.perf_counter() - begin
    if "planted" in request:
        from bench.controls import planted

        program = planted.Slowed(program, **request["planted"])
    place_s, found, batch, metered = MEASURED[case.task](case, program, problem, request, device, adapter, timed_on)
    if not (np.isfinite(found.loss_first) and np.isfinite(found.loss_last)):
        raise ArithmeticError("the loss is not finite: first %s, last %s" % (found.loss_first, found.loss_last))
    fields = dict(found._asdict(), import_s=import_s, build_s=build_s + place_s, metered=metered)
    fields["code"] = proof.code_hash(registry.model_path(environment, case.workload))
    if request.get("is_beside"):
        fields["first_step_s"] = None  # it tells of those that started at the same time as well
    fields["compiled"] = program.compiled() if hasattr(program, "compiled") else None
    fields["peak_host_memory_bytes"] = machine.peak_memory_bytes()
    fields["peak_device_memory_bytes"] = adapter.peak_memory_bytes() if device == "gpu" else None
    if request["is_first"] and not over_data and "planted" not in request:
        late.check(program, problem, task, weights, batch, found)
    return fields


def check_contract(request: Dict[str, Any]) -> Dict[str, Any]:
    """Check the adapter's contract, or its `sentences`, for one workload in one mode.

    Returns {"checks": {sentence: what broke it}}.
    """
    environment, adapter, _, _ = _open(request, request["device"], "fp32")
    asked = request.get("sentences")
    sentences = tuple(check for check in contract.CHECKS if asked is None or check.__name__ in asked)
    return {"checks": contract.check(environment, adapter, request["mode"], request["workload"], sentences)}


def control(request: Dict[str, Any]) -> Dict[str, Any]:
    """Do what a control asks of this environment (bench/controls); return what it was about and its series."""
    from bench import controls

    _move(machine.first_cores(request["threads"]))
    environment, adapter, _, _ = _open(request, request["device"], "fp32")
    return controls.module(request["control"]).inside(request, environment, adapter)


def find_ceiling(request: Dict[str, Any]) -> Dict[str, Any]:
    """Time a matrix product and a copy; return `matmul_flops_s` and `copy_bytes_s`."""
    _move(machine.first_cores(request["threads"]))
    environment, _, device, _ = _open(request, request["device"], request["precision"])
    cores = min(request["threads"], machine.cores())
    return ceiling.find(registry.controls(environment), device, cores, request["precision"])


def count(request: Dict[str, Any]) -> Dict[str, Any]:
    """Let the framework count the FLOPs and the bytes of one step of each (workload, task, batch size) in `questions`.

    Returns `counted`, pairs in the same order, None for what it cannot count, and the `tolerance` of FLOPs.
    """
    environment, adapter, _, _ = _open(request, request["device"], "fp32")
    controls = registry.controls(environment)
    counted = [
        controls.count(*_one_step(environment, adapter, workload, task, batch_size))
        for workload, task, batch_size in request["questions"]
    ]
    return {"counted": counted, "tolerance": controls.FLOPS_TOLERANCE}


def _one_step(environment, adapter, workload, task, batch_size):
    problem = registry.workload(workload)
    optimizer = "none" if task == "infer" else registry.optimizers(workload)[0]
    program = programs.program(adapter, environment, workload, task, environment.modes[0].name, optimizer)
    if task == "train":
        program.without_dropout()  # costs nothing here, and random numbers are drawn in loops
    return program, program.place(*problem.batch(np.random.RandomState(0), batch_size))


REQUESTS = {
    "probe": probe,
    "answer": give_answers,
    "measure": run,
    "contract": check_contract,
    "ceiling": find_ceiling,
    "count": count,
    "control": control,
}


def _failure(error):
    """Return the status, reason and tail that a record keeps of an error."""
    status = "failed"
    if isinstance(error, Unsupported):
        status = "unsupported"
    elif isinstance(error, tuple(OUT_OF_MEMORY)) or "RESOURCE_EXHAUSTED" in str(error):  # JAX has no type for it
        status = "out_of_memory"
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    named = reason if isinstance(error, BenchError) else "%s: %s" % (type(error).__name__, reason)
    tail = None if isinstance(error, Unsupported) else without_paths(traceback.format_exc())[-TAIL:]
    return {"status": status, "reason": without_paths(named)[:500], "error_tail": tail}


def _end_with_parent() -> None:
    """Ask Linux to end this process when the bench that started it is killed: an orphan would disturb the next run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main(path: str) -> None:
    """Serve the request in the file `path`; the reply goes to the file it names."""
    _end_with_parent()
    keep_output_for_words()
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    try:
        reply = dict(REQUESTS[request["request"]](request), status="ok", reason=None, error_tail=None)
    except Exception as error:  # noqa: BLE001 - whatever a framework raises becomes the record's reason
        reply = _failure(error)
    temporary = request["reply"] + ".partial"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(reply, file)
    os.replace(temporary, request["reply"])


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the reply is written: a framework's own teardown takes up to a second, and may crash
