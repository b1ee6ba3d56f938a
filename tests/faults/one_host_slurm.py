"""A real Slurm on this host, as a context manager: munged, slurmctld, and a slurmd for each node.

Debian packages: see PACKAGES. It needs neither root nor cgroups. Nodes have names that no other Slurm on this host has.
By hand, `python tests/faults/one_host_slurm.py FOLDER` runs one until Ctrl-C, and prints the variable that names it.
"""

import contextlib
import getpass
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PACKAGES = "slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins"
SBIN = ":/usr/sbin"  # where the daemons are
PATIENCE_S = 30.0
NODE = "ONE_HOST_NODE"  # variable of a node's daemons
# Both nodes are this host, hence `config_overrides`. A requeued job waits until its credential expires: 5 s at least.
# Only `cons_tres` sets CUDA_VISIBLE_DEVICES. The scheduler is fast enough for tests.
CONFIGURATION = """\
ClusterName=one_host
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n.spool
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=6
KillWait=20
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0,batch_sched_delay=0
PartitionName=low Nodes=ALL Default=YES MaxTime=60 PriorityTier=1
PartitionName=high Nodes=ALL MaxTime=60 PriorityTier=9 PreemptMode=OFF
"""


def missing():
    """Return the programs that are not here; the first is looked for among the daemons."""
    path = os.environ["PATH"] + SBIN
    return [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if not shutil.which(name, path=path)]


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


class OneHostSlurm:
    """A Slurm whose files are in a folder, whose path must be short, because sockets are in it.

    Partition `high` pre-empts `low`. Each node has one GPU, /dev/null.
    """

    def __init__(self, folder, count=2):
        self.folder, self.daemons = Path(folder).absolute(), {}
        self.nodes = [f"node{os.getpid()}x{number}" for number in range(1, count + 1)]
        self.environment = {**os.environ, "PATH": os.environ["PATH"] + SBIN, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def __enter__(self):
        self._configure()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        files = [f"--{name}={self.folder}/munge.{name[:3]}" for name in ("pid-file", "seed-file", "log-file")]
        try:
            self._start("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                        f"--key-file={key}", *files)  # fmt: skip
            self._wait((self.folder / "munge.socket").exists, "munged")
            self._start("slurmctld", "-D")
            for node in self.nodes:
                self.start_node(node)
            self._wait(lambda: self.idle() == self.nodes, "nodes")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _configure(self):
        (self.folder / "state").mkdir(parents=True, exist_ok=True)
        host, (port, *ports) = socket.gethostname().partition(".")[0], free_ports(1 + len(self.nodes))
        rows = [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={own} CPUs=2 RealMemory=1000 Gres=gpu:1"
                for node, own in zip(self.nodes, ports, strict=True)]  # fmt: skip
        text = CONFIGURATION.format(folder=self.folder, host=host, port=port, user=getpass.getuser())
        (self.folder / "slurm.conf").write_text("\n".join([*rows, text]))
        (self.folder / "gres.conf").write_text("Name=gpu File=/dev/null\n")
        version = re.findall(r"\d+", self.call("slurmd", "-V"))
        if [int(part) for part in version[:2]] >= [23, 2]:  # older releases know no such plugin
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")

    def _start(self, name, *words, called=None, **variables):
        command, environ = ["setpriv", "--pdeathsig", "TERM", name, *words], self.environment | variables
        with (self.folder / f"{called or name}.log").open("ab") as log:
            self.daemons[called or name] = subprocess.Popen(  # no daemon outlives a killed test
                command, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # fmt: skip

    def _wait(self, condition, what):
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not ready within {PATIENCE_S:.0f} s; the logs are in {self.folder}")
            time.sleep(0.05)

    def call(self, *words):
        """Return what a program of Slurm prints; "" if it fails, as all do before the controller is ready."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def idle(self):
        return sorted(set(self.call("sinfo", "-hN", "-t", "idle", "-o", "%N").split()))

    def start_node(self, node):
        self._start("slurmd", "-D", "-N", node, called=node, **{NODE: node})

    def lose_node(self, node):
        """Kill a node's daemons and then its jobs, so that nothing reports the end of a job: as a power cut does."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        self.kill(f"{NODE}={node}")
        self.kill(f"SLURMD_NODENAME={node}")

    def kill(self, mark, spared=None):
        """Kill the processes that have an environment variable, but those that have the one called `spared` too."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                variables = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                if mark in variables and not any(text.partition("=")[0] == spared for text in variables):
                    os.kill(int(folder.name), signal.SIGKILL)

    def __exit__(self, *_):
        with contextlib.suppress(TimeoutError):
            self.call("scancel", f"--user={getpass.getuser()}")  # jobs would outlive the daemons
            self._wait(lambda: not self.call("squeue", "-h"), "an empty queue")
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
            daemon.wait(PATIENCE_S)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with OneHostSlurm(sys.argv[1]) as slurm, contextlib.suppress(KeyboardInterrupt):
        print(f"export SLURM_CONF={slurm.environment['SLURM_CONF']}", flush=True)
        signal.pause()
