"""Run campaigns within a time limit on a borrowed GPU that has no network, and pack all results into one archive.

  git describe --always --abbrev=40 --exclude='*' --dirty > revision.txt     before the copy
  python -m bench.campaign.gpu_session look --minutes 4 --out FOLDER --python pytorch-2.11=python3 --python
  jax-0.11=python3

Run `look` first: it measures every row in every precision. Read its output, and fix what is wrong. Then run as many
of the other steps as the minutes allow, the most important first: `lessons cnn`. FOLDER/STEPS.tar.gz holds the
campaigns, the parity answers of the session and the log. At the end, tables and a timetable are printed. A campaign may
use the minutes that are left, except what its preparation needs. If it takes longer, it is interrupted as by Ctrl-C and
ended by its last line, because it is never continued.
"""

import argparse
import glob
import os
import signal
import subprocess
import sys
import tarfile
import time
from typing import List, NamedTuple

from bench import proof, registry
from bench.campaign import report
from bench.campaign.campaign import CampaignFile
from bench.results import plausible, records
from bench.results.lines import End

PATIENCE_S = 20.0  # that an interrupted bench has to end its workers
PACKING_S = 10.0  # for tables and the archive, of all minutes
LEAST_S = 30.0  # for runs, or a campaign is not begun
SMALL = "--workload mnist_mlp --workload cifar10_cnn --workload imdb_gru"
EVERY_PRECISION = "--precision fp32 --precision tf32 --precision bf16"
RESNET50 = "--workload resnet50 --batch-size 128 --optimizer sgd --precision bf16"
THREE = "--rounds 3"  # as few as give an interval


class Step(NamedTuple):
    """One campaign: the seconds that its runs may take, and what is said to `python -m bench run`.

    Before its first run, some go to probes, to answers on the device, and to what that gives at most.
    """

    seconds: float
    before_s: float
    words: str


STEPS = {
    "look": Step(100, 90, f"--profile smoke --documented {SMALL} {EVERY_PRECISION}"),
    "cnn": Step(180, 60, f"--workload cifar10_cnn --documented {THREE}"),
    "gru": Step(220, 60, f"--workload imdb_gru --documented {THREE}"),
    # variants of which a GPU alone can show the effect
    "lessons": Step(
        280, 60, "--suite lessons --workload cifar10_cnn --task train --mode eager --mode eager+channels_last --mode "
        f"eager+auto_tune --mode eager+batch_on_host --mode jit --mode jit+batch_on_host {THREE}"),
    # trained whole, as the article has it; a pass of 1,024 photographs has some samples of the card's use
    "feed": Step(
        500, 60, "--suite pipelines --workload efficientnet_b3 --batch-size 32 --examples 1024 --mode "
        "eager+trunk_trained --mode eager+trunk_trained+image_files+2 --mode eager+trunk_trained+raw_records --mode "
        "fit_eager+trunk_trained --mode fit_eager+trunk_trained+image_data_generator+16 --mode "
        f"fit_eager+trunk_trained+raw_records {THREE}"),
    "waiting": Step(
        200, 60, "--suite lessons --workload mnist_mlp --batch-size 512 --task train --mode eager --mode "
        "eager+waits_each_step --mode eager+outputs_copied --mode jit --mode jit+waits_each_step --mode "
        f"jit+outputs_copied {THREE}"),
    "loop": Step(
        110, 60, "--workload lstm_forecast --workload lstm_forecast_loop --batch-size 512 --task train --mode eager "
        f"--mode fit_eager {THREE}"),
    "resnet50": Step(300, 130, f"{RESNET50} --documented {THREE}"),
    "tuned": Step(240, 130, f"{RESNET50} --tier matched --tier tuned {THREE}"),
    "epochs": Step(120, 60, f"--workload cifar10_cnn --task epochs --examples 10000 --documented {THREE}"),
}  # fmt: skip


class Lease:
    """The work of some minutes below a folder: where results go, when it ends, and how long each campaign took."""

    def __init__(self, name: str, minutes: float, folder: str, words: List[str]) -> None:
        self.name, self.folder, self.words = name, os.path.abspath(folder), words
        self.results = os.path.join(registry.STATE, "borrowed", name)
        self.begun = time.time()
        self.end = time.monotonic() + 60 * minutes - PACKING_S
        self.log = os.path.join(self.folder, name + ".txt")
        self.timetable: List[str] = []
        signal.signal(signal.SIGINT, signal.default_int_handler)  # in a shell's background it would be ignored
        os.makedirs(self.folder, exist_ok=True)
        with open(self.log, "a"):
            pass  # it is read at last, whether or not the minutes hold a campaign

    def rest_s(self) -> float:
        """Return the seconds after which a campaign is interrupted."""
        return max(0.0, self.end - time.monotonic() - PATIENCE_S)

    def measure(self, name: str, step: Step) -> None:
        """Run one campaign as long as there is time, into the log; note what it took."""
        budget_s = min(step.seconds, self.rest_s() - step.before_s)
        if budget_s < LEAST_S:
            self.timetable.append("    0 s  %-12s not begun: its minutes were over" % name)
            return
        words = ["bench", "run", "--no-table", "--budget", "%ds" % budget_s, "--results", self.results]
        begin = time.monotonic()
        with open(self.log, "a") as log:
            command = [sys.executable, "-m", *words, *step.words.split(), *self.words]
            process = subprocess.Popen(command, cwd=registry.ROOT, stdout=log, stderr=log)
            ended = self._wait(process)
        self.timetable.append("%5.0f s  %-12s %s" % (time.monotonic() - begin, name, ended))

    def _wait(self, process: "subprocess.Popen[bytes]") -> str:
        """Wait for a campaign, interrupt it when its minutes are over, and close it; return how it ended."""
        try:
            return "exit code %d" % process.wait(self.rest_s())
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE_S)
            ended = "interrupted: its minutes were over"
        except subprocess.TimeoutExpired:
            process.kill()
            ended = "killed: it did not end"
        self.close(ended)
        return ended

    def close(self, reason: str) -> None:
        """End each campaign that was cut off: nobody goes on with it once the machine is given back."""
        for path in self.campaigns():
            campaign = CampaignFile(path, records.read(path))
            if campaign.lines and not isinstance(campaign.lines[-1], End):
                records.complete(path)
                campaign.end(reason)

    def campaigns(self) -> List[str]:
        """Return the files of the campaigns, in order."""
        return sorted(glob.glob(os.path.join(self.results, "**", "*.jsonl"), recursive=True))

    def pack(self) -> str:
        """Write the archive; return its path."""
        path = os.path.join(self.folder, self.name + ".tar.gz")
        with tarfile.open(path, "w:gz") as archive:
            for campaign in self.campaigns():
                archive.add(campaign, os.path.join("results", os.path.relpath(campaign, self.results)))
            for answer in sorted(glob.glob(os.path.join(proof.FOLDER, "*", "*.npz"))):
                if os.path.getmtime(answer) >= self.begun:  # given meanwhile
                    archive.add(answer, os.path.relpath(answer, registry.ROOT))
            archive.add(self.log, os.path.basename(self.log))
        return path


def main(words: List[str]) -> int:
    """Do the steps; what is not understood here is handed on to the bench."""
    parser = argparse.ArgumentParser(prog="python -m bench.campaign.gpu_session", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("steps", nargs="+", choices=list(STEPS), metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where the archive and the log go")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all of it (default: %(default)s)")
    arguments, handed_on = parser.parse_known_args(words)
    lease = Lease("-".join(arguments.steps), arguments.minutes, arguments.out, handed_on)
    for name in arguments.steps:
        lease.measure(name, STEPS[name])
        path = lease.pack()  # what there is, should the machine be taken back
    for each in lease.campaigns():
        print("\n%s\n%s" % (os.path.basename(each), report.table(plausible.judge_all(records.read(each)))))
    with open(lease.log) as log:
        print("".join(log.readlines()[-15:]))
    print("\n".join(["Timetable:"] + lease.timetable + ["All of it: %s" % path]))
    return 0 if lease.campaigns() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
