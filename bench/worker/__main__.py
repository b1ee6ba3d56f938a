"""Serve one request inside an environment: read it from a file, and write the reply to a file.

Frameworks print freely, so printed text goes to the error stream and the output is reserved for words. Requests:

- `probe`: what is installed and visible
- `answer`: parity answers
- `measure`: one run (bench/worker/run.py)
- `contract`: whether the adapter meets the contract
- `loaders`: whether loaders bring the right data
- `ceiling`: the device's measured peak
- `count`: FLOPs by the framework's own counter
- `control`: a control of bench/controls
"""

import json
import os
import platform
import sys
from typing import Any, Dict, Tuple

import numpy as np

from bench import answer as answers
from bench import machine, measure, own_controls, proof, registry, replies
from bench.cases import Case
from bench.errors import ContractError
from bench.replies import WORK, Probed, Reply, Request
from bench.worker import candidate, contract, controls, group, programs, run


def probe(request: Request) -> Reply:
    """Import the framework without computing; return its versions, packages, libraries and the device."""
    environment, adapter, device, _ = programs.start(request)
    loaded, packages, libraries = adapter.loaded(), machine.packages(), machine.libraries(environment.libraries)
    return Reply(probed=Probed(platform.python_version(), device, loaded, packages, libraries))


def give_answers(request: Request) -> Reply:
    """Compute parity answers, and save each below the folder of the work at once."""
    environment, adapter, _, _ = programs.start(request)
    probed = proof.versions(request.work.loaded)
    for subject, about in zip(request.work.subjects, request.work.about):
        try:
            arrays = answer(subject, environment, adapter, request.precision)
        except KeyError as error:
            asked = subject.workload, subject.task, subject.mode, subject.optimizer
            raise candidate.explained(error, environment, adapter, *asked) from error
        loaded = {key: value for key, value in adapter.loaded().items() if value}
        if proof.versions(loaded) != probed:
            raise ContractError("%s now loads %s, but it loaded %s when it was probed. Start the command again." % (
                environment.title, proof.versions(loaded), probed))  # fmt: skip
        answers.save(os.path.join(request.work.folder, subject.file), arrays, dict(about, loaded=loaded))
    return Reply()


def answer(subject: Any, environment: registry.Environment, adapter: Any, precision: str) -> Dict[str, np.ndarray]:
    """Return the arrays of one parity answer, reduced to what is kept."""
    problem = registry.workload(subject.workload)
    program = programs.program(
        adapter, environment, subject.workload, subject.task, subject.mode, subject.optimizer, precision=precision
    )
    if precision != "fp32":
        arrays = answers.answer_outputs(program, problem, subject.task)
    elif subject.task == "train":
        is_first = subject.optimizer == registry.optimizers(subject.workload)[0]
        arrays = answers.answer_training(program, problem, is_first)
    else:
        arrays = answers.answer_inference(program, problem)
    return answers.thinned(arrays)


def check_contract(request: Request) -> Reply:
    """Check the adapter's contract; return `checks`, a {check: fault} for each (workload, mode, names) that is asked.

    All share one import.
    """
    environment, adapter, _, _ = programs.start(request)
    checks = []
    for workload, mode, names in request.work.asked:
        sentences = tuple(check for check in contract.CHECKS if names is None or check.__name__ in names)
        checks.append(contract.check(environment, adapter, mode, workload, sentences))
    return Reply(checks=checks)


def control(request: Request) -> Reply:
    """Run a control's part in this environment (bench/controls); return its result."""
    machine.move(machine.first_cores(request.threads))
    environment, adapter, _, _ = programs.start(request)
    return controls.CONTROLS[request.work.control](request.work, environment, adapter)


def find_ceiling(request: Request) -> Reply:
    """Time a matrix product and a copy; return the `rates` of both."""
    machine.move(machine.first_cores(request.threads))
    environment, _, device, _ = programs.start(request)
    cores = min(request.threads, machine.cores())
    return Reply(rates=measure.ceilings(own_controls.load(environment), device, cores, request.precision))


def count(request: Request) -> Reply:
    """Count FLOPs and bytes of one step of each question with the framework's counter."""
    environment, adapter, _, _ = programs.start(request)
    counter = own_controls.load(environment)
    counted = [counter.count(*_one_step(environment, adapter, *question)) for question in request.work.questions]
    return Reply(counted=counted, tolerance=counter.FLOPS_TOLERANCE)


def _one_step(environment, adapter, workload, task, batch_size):
    problem = registry.workload(workload)
    optimizer = "none" if task == "infer" else registry.optimizers(workload)[0]
    program = programs.program(adapter, environment, workload, task, environment.modes[0].name, optimizer)
    if task == "train":
        program.without_dropout()  # dropout costs nothing here, and random numbers are drawn in loops
    return program, program.place(*problem.batch(np.random.RandomState(0), batch_size))


REQUESTS = {
    "probe": probe,
    "answer": give_answers,
    "measure": run.run,
    "contract": check_contract,
    "loaders": run.check_loaders,
    "ceiling": find_ceiling,
    "count": count,
    "control": control,
}


def _read(path: str) -> Tuple[Request, str]:
    """Return the request of a file, and the path of its reply. Tuples within its work come as lists."""
    with open(path, encoding="utf-8") as file:
        fields = json.load(file)
    reply, work = fields.pop("reply"), fields.pop("work")
    if "case" in work:
        work["case"] = Case(*work["case"])
    for name, kind in (("cases", Case), ("subjects", proof.Subject)):
        if name in work:
            work[name] = [kind(*values) for values in work[name]]
    request = Request(**fields)
    return request._replace(work=WORK[request.kind](**work) if work else None), reply


def main(path: str) -> None:
    """Serve the request in the file `path`; the reply goes to the file that it names."""
    replies.end_with_parent()
    replies.keep_output_for_words()
    request, target = _read(path)
    try:
        reply = REQUESTS[request.kind](request)
    except Exception as error:  # noqa: BLE001 - whatever a framework raises becomes the record's reason
        reply = group.failure() or programs.failure(error)
    replies.write(target, reply._asdict())


if __name__ == "__main__":
    main(sys.argv[1])
    replies.leave()
