"""A day on a borrowed GPU: steps of some minutes each, none of which needs a network, or loses what it has measured.

  git describe --always --abbrev=40 --exclude='*' --dirty > revision.txt     before it travels without its repository
  python -m bench.borrowed look --out FOLDER --python pytorch-2.11=python3 --python jax-0.11=python3

`look` comes first: what is installed, the state of the machine, every row in every precision. Read it, and mend what is
wrong. Then `cnn`, `small`, `vgg`, `more`. Each step leaves FOLDER/STEP.tar.gz, which holds its campaigns, the parity
answers that were given on the way and all that was said, and prints its tables and its timetable last. Campaigns that
its minutes do not hold are interrupted as by Ctrl-C: their lines count.
"""

import argparse
import glob
import os
import signal
import subprocess
import sys
import tarfile
import time
from typing import Dict, List, NamedTuple, Tuple

from bench import plausible, records, registry, report

PATIENCE_S = 20.0  # that an interrupted bench has to end its workers
PACKING_S = 15.0  # for tables and the archive, of a step's minutes
RESNET = ("--workload", "resnet50", "--batch-size", "128", "--optimizer", "sgd")
SMALL = ("--workload", "mnist_mlp", "--workload", "cifar10_cnn", "--workload", "imdb_gru")
BIG = ("--workload", "vgg16", "--workload", "densenet121", "--batch-size", "64")
BOTH = ("--optimizer", "sgd", "--optimizer", "adam")  # VGG16 has both, DenseNet-121 the second
EVERY_PRECISION = ("--precision", "fp32", "--precision", "tf32", "--precision", "bf16")


class Step(NamedTuple):
    """What one call does within its minutes: words behind `python -m`, one after the other."""

    minutes: float
    commands: Tuple[Tuple[str, ...], ...]


def _run(*words: str) -> Tuple[str, ...]:
    return ("bench", "run", "--no-table", "--budget", "{rest}s") + words


STEPS: Dict[str, Step] = {
    "look": Step(6, (("bench.telemetry",), _run("--profile", "smoke", "--documented", *SMALL, *EVERY_PRECISION))),
    "cnn": Step(10, (_run(*RESNET, *EVERY_PRECISION),)),
    "small": Step(9, (_run(*SMALL, "--precision", "fp32", "--precision", "bf16"),)),
    "vgg": Step(9, (_run(*BIG, *BOTH, "--documented", "--precision", "tf32", "--precision", "bf16"),)),
    "more": Step(
        8,
        (
            _run(*RESNET, "--tier", "matched", "--tier", "tuned", "--precision", "bf16"),
            _run("--workload", "cifar10_cnn", "--task", "epochs", "--documented", "--examples", "10000"),
            ("bench", "controls", "--only", "waiting", "--only", "overhead", "--budget", "{rest}s"),
        ),
    ),
}


class Day:
    """One step's work below a folder: where its results go, when it has to end, and how long each command took."""

    def __init__(self, name: str, minutes: float, folder: str, words: List[str]) -> None:
        self.name, self.folder, self.words = name, os.path.abspath(folder), words
        self.results = os.path.join(registry.STATE, "borrowed", name)
        self.begun = time.time()
        self.end = time.monotonic() + 60 * minutes - PACKING_S
        self.log = os.path.join(self.folder, name + ".txt")
        self.timetable: List[str] = []
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in a shell's background it would be ignored
        os.makedirs(self.folder, exist_ok=True)

    def rest_s(self) -> int:
        """Return the whole seconds that are left."""
        return max(0, int(self.end - time.monotonic() - PATIENCE_S))

    def call(self, command: Tuple[str, ...], limit_s: float) -> None:
        """Run one command as long as the step has time, into the log; note what it took."""
        words = [word.format(rest=int(limit_s)) for word in command]
        if words[:2] in (["bench", "run"], ["bench", "controls"]):
            words += ["--results", self.results] + self.words
        begin = time.monotonic()
        with open(self.log, "a") as log:
            process = subprocess.Popen([sys.executable, "-m"] + words, cwd=registry.ROOT, stdout=log, stderr=log)
            try:
                ended = "exit code %d" % process.wait(limit_s)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                ended = "interrupted: its minutes were over"
                try:
                    process.wait(PATIENCE_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    ended = "killed: it did not end"
        self.timetable.append("%5.0f s  %-40s %s" % (time.monotonic() - begin, " ".join(command)[:40], ended))

    def campaigns(self) -> List[str]:
        """Return the files of this step's campaigns, in order."""
        return sorted(glob.glob(os.path.join(self.results, "**", "*.jsonl"), recursive=True))

    def answers(self) -> List[str]:
        """Return the parity answers that were given meanwhile."""
        known = glob.glob(os.path.join(registry.ROOT, "results", "parity", "*", "*.npz"))
        return sorted(path for path in known if os.path.getmtime(path) >= self.begun)

    def pack(self) -> str:
        """Write the archive; return its path."""
        path = os.path.join(self.folder, self.name + ".tar.gz")
        with tarfile.open(path, "w:gz") as archive:
            for each in self.campaigns():
                archive.add(each, os.path.join("results", os.path.relpath(each, self.results)))
            for each in self.answers():
                archive.add(each, os.path.relpath(each, registry.ROOT))
            if os.path.exists(self.log):
                archive.add(self.log, os.path.basename(self.log))
        return path


def main(words: List[str]) -> int:
    """Do one step; what is not understood here is handed on to the bench."""
    parser = argparse.ArgumentParser(prog="python -m bench.borrowed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("step", choices=list(STEPS))
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where the archive and the log go")
    parser.add_argument(
        "--minutes", type=float, help="instead of: %s" % {name: each.minutes for name, each in STEPS.items()}
    )
    arguments, handed_on = parser.parse_known_args(words)
    step = STEPS[arguments.step]
    day = Day(arguments.step, arguments.minutes or step.minutes, arguments.out, handed_on)
    for number, command in enumerate(step.commands):
        day.call(command, day.rest_s() / (len(step.commands) - number))
    path = day.pack()
    for each in day.campaigns():
        print("\n%s\n%s" % (os.path.basename(each), report.table(plausible.judge_all(records.read(each)))))
    with open(day.log) as log:
        print("".join(log.readlines()[-15:]))
    print("\n".join(["Timetable of %s:" % day.name] + day.timetable + ["All of it: %s" % path]))
    return 0 if day.campaigns() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
