"""Hold the programs of one of a call's devices, and do what the process that leads says (bench/worker/replicas.py)."""

import json
import os
import pickle
import sys

from bench import replies
from bench.worker import programs
from bench.worker.group import Group


def main(path: str, rank: int, size: int, folder: str) -> None:
    """Serve programs of the request in the file `path`, until the process that leads has ended."""
    replies.end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # texts that a framework prints are not answers
    group = Group(rank, size, folder)
    try:
        with open(path, encoding="utf-8") as file:
            _serve(json.load(file), answers)
    except Exception as error:  # noqa: BLE001 - whatever a framework raises becomes the record's reason
        replies.write(group.failure(rank), programs.failure(error)._asdict())


def _serve(request, answers):
    device, precision = request["device"] or "", request["precision"]
    environment, adapter, _, _ = programs.framework(dict(request, request=request["kind"]), device, precision)
    built = []  # type: List[Any]
    while True:
        try:
            (place, name, *arguments), is_asked = pickle.load(sys.stdin.buffer)  # noqa: S301 - of its parent process
        except EOFError:
            return
        if name == "program":
            workload, task, optimizer = arguments
            mode = request["mode"]
            built.append(programs.program(adapter, environment, workload, task, mode, optimizer, None, precision))
            continue
        answer = getattr(built[place], name)(*arguments)
        if is_asked:
            pickle.dump(answer, answers, protocol=4)
            answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    replies.leave()
