"""What a line of a result file holds: one class for each kind of line.

Everything else follows from these classes (schema.py): the check of a line, the published JSON schema, and how a line
is read and written. Fields with a default came later, so older lines lack them. results/README.md explains every field
with its unit.
"""

from typing import Annotated, Literal

from bench.cases import Case
from bench.results.structures import Meta, Struct

LARGEST = 2**53 - 1  # readers of JSON agree on integers up to here
Name = Annotated[str, Meta(pattern=r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9 .,+_/()=-]{0,63}$")]
Time = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]  # in UTC
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
Data = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,60}(-stand-in)?(-[1-9][0-9]{0,8})?$")]
Sentence = Annotated[str, Meta(max_length=4000)]
Short = Annotated[str, Meta(max_length=400)]
Word = Annotated[str, Meta(max_length=200)]
Words = dict[Word, Word | None]
Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Ordinal = Annotated[int, Meta(ge=1, le=LARGEST)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
Number = Annotated[float, Meta(ge=-1e39, le=1e39)]
Size = Annotated[float, Meta(ge=0, le=1e39)]
Rate = Annotated[float, Meta(ge=0, le=1e21)]  # FLOP/s or bytes/s
Reading = Annotated[float, Meta(ge=0, le=1e15)]  # of a sensor
Label = Annotated[str, Meta(max_length=120)]
Device = Literal["cpu", "gpu"]
Precision = Literal["fp32", "tf32", "bf16"]
Status = Literal["ok", "unsupported", "failed", "timeout", "killed", "out_of_memory", "unproven"]
TriedStatus = Literal[Status, "over_budget", "absent"]
RunStatus = Literal[TriedStatus, "implausible"]

CASE = {  # what each field of a case may be
    "workload": Name, "environment": Name, "task": Literal["train", "infer", "epochs", "fit", "feed"], "mode": Name,
    "precision": Precision, "layout": Literal["nchw", "nhwc"], "device": Device,
    "batch_size": Annotated[int, Meta(ge=1, le=1_000_000)], "optimizer": Name,
    "tier": Literal["documented", "matched", "tuned", "ablation"], "data": Data,
}  # fmt: skip


class Record(Struct, kw_only=True, gc=False):
    """Base of all objects in a result file."""


class Machine(Record, kw_only=True):
    """The machine of a campaign."""

    name: Name
    cpu: Name
    logical_cpus: Count
    memory_bytes: Count
    system: Name
    gpu: Name | None
    gpu_driver: Name | None
    instructions: Name | None = None
    cpu_governor: Name | None = None


class CpuState(Record, kw_only=True):
    """The CPU during a run."""

    utilisation: Reading | None
    others_share: Reading | None
    frequency_mean_mhz: Reading | None
    frequency_lowest_mhz: Reading | None
    load_highest: Reading | None
    swap_highest_bytes: Count | None
    swap_growth_bytes: Annotated[int, Meta(ge=-LARGEST, le=LARGEST)] | None
    free_memory_lowest_bytes: Count | None


class GpuState(Record, kw_only=True):
    """The GPU during a run."""

    utilisation: Reading | None
    sm_clock_mean_mhz: Reading | None
    sm_clock_lowest_mhz: Reading | None
    sm_clock_default_mhz: Reading | None
    memory_clock_mean_mhz: Reading | None
    power_mean_w: Reading | None
    power_highest_w: Reading | None
    temperature_highest_c: Reading | None
    throttle_reasons: list[
        Literal[
            "application clocks", "power cap", "hardware slowdown", "sync boost", "software thermal slowdown",
            "hardware thermal slowdown", "power brake", "display clocks", "board limit", "reliability",
        ]
    ]  # fmt: skip
    memory_highest_bytes: Count | None
    processes_most: Count | None
    energy_j: Reading | None
    energy_window_s: Seconds | None


class MachineState(Record, kw_only=True):
    """What the sampler saw of the machine during a run."""

    samples: Count
    sampler_share: Reading | None
    cpu: CpuState | None
    gpu: GpuState | None


class Line(Record, kw_only=True):
    """A line of a result file. `seal` is a hash of it and of the previous seal (records.py)."""

    campaign: Name
    seal: Hash | None = None


class Bench(Line, kw_only=True):
    """The first line of a campaign: what was asked for, and where."""

    schema_version: Literal[1]
    started: Time
    profile: Literal["smoke", "quick", "full", "control"]
    budget_s: Seconds
    seed: Count
    threads: Count
    cases: list[Case]
    revision: Annotated[str, Meta(pattern="^[0-9a-f]{7,40}$")] | None
    is_dirty: bool | None
    machine: Machine
    telemetry: Short | None = None
    node: Ordinal | None = None
    kind: Literal["bench"] = "bench"


class Environment(Line, kw_only=True):
    """One environment, as it was probed."""

    environment: Name
    title: Name
    framework: Name
    color: Annotated[str, Meta(pattern="^#[0-9a-f]{6}$")]
    marker: Annotated[str, Meta(max_length=2)]
    default_mode: Name
    modes: dict[Name, bool]  # whether each compiles
    python: Name
    device: Device
    loaded: Words
    packages: Words
    libraries: list[Label]
    variables: Words
    default_modes: dict[Name, Name] | None = None  # by task
    inherited: Words | None = None
    kind: Literal["environment"] = "environment"

    def default_of(self, task: str) -> str:
        """Return the default mode for a task. Older lines name one mode for all tasks."""
        return (self.default_modes or {}).get(task, self.default_mode)


class Measured(Line, kw_only=True):
    """A worker process that measured a case, or why it could not."""

    case: Case
    round: Count
    position: Count
    started: Time
    duration_s: Seconds
    cache: Literal["cold", "warm"]
    seed: Count
    status: RunStatus
    reason: Sentence | None
    error_tail: Sentence | None
    proof: Annotated[str, Meta(pattern="^(2:)?[0-9a-f]{16}$")] | None
    code: Hash | None
    import_s: Seconds | None
    build_s: Seconds | None
    first_step_s: Seconds | None
    loss_first: Number | None
    loss_last: Number | None
    peak_host_memory_bytes: Count | None
    peak_device_memory_bytes: Count | None
    group: Count | None = None
    timing: Annotated[str, Meta(pattern="^2:[0-9a-f]{16}$")] | None = None
    compiled: Label | None = None
    machine_state: MachineState | None = None


class Run(Measured, kw_only=True):
    """A run of steps on one batch, timed in blocks."""

    wait_s: Seconds | None
    steps_per_block: Ordinal | None
    warm_up_s: list[Seconds]
    block_s: list[Seconds]
    block_cpu_s: list[Seconds]
    is_steady: bool | None
    steady_from: Count | None
    drift: Annotated[float, Meta(ge=-1e15, le=1e15)] | None
    was_doubled: bool | None
    block_slowdown: list[Annotated[float, Meta(ge=1, le=1e9)]] | None = None
    block_order: list[Count] | None = None
    loss_without_dropout: Number | None = None
    loss_of_biases: Number | None = None
    size_of_outputs: Size | None = None
    communication_s: Seconds | None = None  # between devices, in a step
    kind: Literal["run"] = "run"


class Epochs(Measured, kw_only=True):
    """A run over a data set, timed by epoch, or over photographs from a loader."""

    epoch_s: list[Seconds]
    evaluation_s: list[Seconds]
    losses: list[Number]
    test_scores: list[Number]
    steps_per_epoch: Ordinal | None
    score: Literal["accuracy", "area under the curve", "R squared"] | None
    loading_s: list[Seconds] | None = None
    loading_cold_s: Seconds | None = None
    loading_bytes: Count | None = None
    storage: Annotated[str, Meta(max_length=64)] | None = None
    waiting_s: list[Seconds] | None = None
    conversion_s: Seconds | None = None
    conversion_bytes: Count | None = None
    utilization: list[list[Seconds | None]] | None = None
    kind: Literal["epochs"] = "epochs"


class Void(Line, kw_only=True):
    """A round that a rule of void_rules.py makes void; `kept` says why it counts nevertheless."""

    round: Ordinal
    attempt: Ordinal
    rule: Literal["sm_clock", "gpu_processes", "swap", "other_processes"]
    reason: Sentence
    case: Case
    kept: Sentence | None
    question: Short | None = None
    kind: Literal["void"] = "void"


class Answer(Line, kw_only=True):
    """A parity answer on the measured device, in its precision."""

    workload: Name
    optimizer: Name
    environment: Name
    mode: Name
    device: Device
    precision: Precision
    status: Status
    reason: Sentence | None
    errors: dict[Literal["outputs", "gradients", "losses", "learning", "weights", "movement"], Rate | None]
    duration_s: Seconds
    kind: Literal["answer"] = "answer"


class Ceiling(Line, kw_only=True):
    """The highest rates that an environment reached in a matrix product and a copy."""

    environment: Name
    device: Device
    precision: Precision
    matmul_flops_s: Rate | None
    copy_bytes_s: Rate | None
    reason: Sentence | None
    kind: Literal["ceiling"] = "ceiling"


class Control(Line, kw_only=True):
    """The result of one control of the method."""

    control: Name
    about: dict[Name, Short]
    series: dict[Name, list[Seconds]]
    started: Time
    duration_s: Seconds
    status: TriedStatus
    reason: Sentence | None
    error_tail: Sentence | None
    kind: Literal["control"] = "control"


class End(Line, kw_only=True):
    """The last line of a finished campaign."""

    ended: Time
    rounds: Count
    reason: Sentence
    kind: Literal["end"] = "end"


KINDS: dict[str, type[Line]] = {  # classes of lines by the text in `kind`
    "bench": Bench, "environment": Environment, "run": Run, "epochs": Epochs, "void": Void, "answer": Answer,
    "ceiling": Ceiling, "control": Control, "end": End,
}  # fmt: skip
