"""Each hint rests on records: one that shows the cause, and one that does not."""

from fnmatch import fnmatchcase

import campaign
import pytest
from campaign import changed
from verified import THEIRS, YOURS, published
from verified import lines as made

from analysis.verify import hints
from analysis.verify.bands import verify
from bench import registry

GPU_CASE = [campaign.case("red", device="gpu")]


def told(hint, yours, *theirs):
    """Return what one hint says."""
    mine, others = campaign.of(yours), [campaign.of(each) for each in theirs]
    return list(hint(verify(mine, others)))


def slow(**changes):
    return made(factor=1.6, **changes)


def with_state(records, cpu=None, gpu=None):
    """Return records whose runs sampled the machine's state; what is not given was quiet."""
    quiet = {**campaign.GPU, "throttle_reasons": [], "sm_clock_mean_mhz": 1800.0, "sm_clock_default_mhz": 1800.0}
    state = campaign.state(0.01, {**quiet, **(gpu or {})})
    return changed(records, "run", machine_state={**state, "cpu": {**state["cpu"], **(cpu or {})}})


def on_gpu(name, cudnn, factor=1.0):
    records = made(GPU_CASE, name=name, factor=factor, seed=3, gpu="Some GPU")
    return changed(records, "environment", device="gpu", loaded={"red": "1.0.0", "cudnn": cudnn})


def with_clocks(records, clock):
    """Return records whose runs have a mean clock by their round."""
    return [{**each, "machine_state": campaign.state(frequency_mean_mhz=clock(each["round"]))}
            if each["kind"] == "run" else each for each in records]  # fmt: skip


def published_on_gpu(cudnn="91002"):
    return on_gpu(THEIRS, cudnn)


def shell(records):
    return changed(records, "environment", inherited={"CUDA_LAUNCH_BLOCKING": "1"})


ON_CPU = made(gpu="Some GPU")  # the machine has a GPU, and the frameworks see none
UNSAMPLED = changed(made(GPU_CASE, gpu="Some GPU"), "bench", telemetry="no GPU sampled: nvidia-ml-py is not installed")
OTHER_LIBRARIES = {"libraries": ["libblas.so"]}
HINTS = {  # the cause: the hint, your campaign, what is published, and what is said; * stands for any text
    "all environments slower alike": (hints.where, slow(), [published()], ["*look at the machine first*"]),
    "none slower": (hints.where, made(), [published()], []),
    "on the CPU beside a GPU": (hints.cpu_build, ON_CPU, [], ["*with one Some GPU: it has no CUDA."] * 2),
    "on the CPU beside a GPU, built for CUDA": (
        hints.cpu_build, changed(ON_CPU, "environment", loaded={"red": "1.0.0", "cuda": "13.0"}), [],
        ["*built for CUDA 13.0, and sees no GPU*"] * 2),
    "on the CPU without a GPU": (hints.cpu_build, made(), [], []),
    "on the GPU": (hints.cpu_build, changed(ON_CPU, "environment", device="gpu"), [], []),
    "a clock that was held down": (
        hints.throttled, with_state(made(), gpu={"throttle_reasons": ["power cap"], "sm_clock_mean_mhz": 900.0}), [],
        ["The GPU's clock was held down, down to 50 % of its default (power cap), in 20 of 20 runs."]),
    "a clock that was not held down": (hints.throttled, with_state(made()), [], []),
    "no clock of a GPU": (hints.throttled, made(), [], []),
    "a clock that was not sampled": (
        hints.throttled, UNSAMPLED, [],
        ["Whether the GPU's clock was held down is unknown: no GPU sampled: nvidia-ml-py is not installed."]),
    "a clock that was sampled": (hints.throttled, with_state(UNSAMPLED), [], []),
    "other processes on the cores": (
        hints.other_processes, with_state(made(), cpu={"others_share": 0.4}), [],
        ["Other processes used up to 40 % of the runs' cores, and more than 10 % in 20 of 20 runs."]),
    "other processes on the GPU": (
        hints.other_processes, with_state(made(), gpu={"processes_most": 2}), [],
        ["Other processes computed on the GPU, in 20 of 20 runs."]),
    "no other process": (hints.other_processes, with_state(made()), [], []),
    "processes that were not sampled": (hints.other_processes, made(), [], []),
    "swap that grows": (
        hints.swapping, with_state(made(), cpu={"swap_growth_bytes": 200 * 2**20}), [], ["*200 MiB*"]),
    "no swap": (hints.swapping, with_state(made()), [], []),
    "threads that leave cores idle": (
        hints.threads, made(), [], ["Each run had 4 threads on a machine with 8 CPUs: --threads 7."]),
    "a thread less than cores": (hints.threads, made(threads=7), [], []),  # one is left to the system
    "fewer threads than published on a GPU": (
        hints.threads, made(GPU_CASE, factor=1.6, gpu="Some GPU", threads=8),
        [made(GPU_CASE, name=THEIRS, seed=2, gpu="Some GPU", threads=16)],
        ["Each run had 8 threads; published with up to 16."]),
    "a governor that saves power": (hints.governor, made(cpu_governor="powersave"), [], ["*"]),
    "a governor that does not": (hints.governor, made(cpu_governor="performance"), [], []),
    "no governor": (hints.governor, made(cpu_governor=None), [], []),
    "another cuDNN that is slower": (
        hints.cudnn, on_gpu(YOURS, "8", 1.6), [published_on_gpu()],
        ["Red 1.0 loaded cuDNN 8; published with cuDNN 91002."]),
    "the same cuDNN that is slower": (hints.cudnn, on_gpu(YOURS, "91002", 1.6), [published_on_gpu()], []),
    "another cuDNN that is as fast": (hints.cudnn, on_gpu(YOURS, "8"), [published_on_gpu()], []),
    "no cuDNN, with nothing published": (
        hints.cudnn, on_gpu(YOURS, "None"), [],
        ["Red 1.0 ran on the GPU without cuDNN: it says that it found none."]),
    "no cuDNN, and slower": (
        hints.cudnn, on_gpu(YOURS, "None", 1.6), [published_on_gpu()],
        ["Red 1.0 ran on the GPU without cuDNN: it says that it found none; published with cuDNN 91002."]),
    "a cuDNN that is not reported": (
        hints.cudnn, on_gpu(YOURS, None), [],
        ["Whether Red 1.0 has cuDNN on the GPU is unknown: it reports no version*"]),
    "a cuDNN that is not reported, but loaded": (
        hints.cudnn, changed(on_gpu(YOURS, None), "environment", libraries=["libcudnn.so.9"]), [], []),
    "no cuDNN on a CPU": (hints.cudnn, made(), [], []),
    "a processor's clock that fell": (
        hints.processor_clock, with_clocks(made(), lambda round_: 3000.0 if round_ < 4 else 1800.0), [],
        ["The processor's clock fell to 60 % (1,800 MHz) of what it was in the best run*in 8 of 20 runs*"]),
    "a slow clock, with nothing published": (hints.processor_clock, with_clocks(made(), lambda _: 2000.0), [], []),
    "a slower clock than published": (
        hints.processor_clock, with_clocks(made(), lambda _: 2000.0), [with_clocks(published(), lambda _: 3000.0)],
        ["The processor's clock fell to 67 % (2,000 MHz)*in 20 of 20 runs*"]),
    "a steady clock": (
        hints.processor_clock, with_clocks(made(), lambda round_: 3000.0 - 100 * round_), [], []),
    "a processor's clock that was not sampled": (hints.processor_clock, with_clocks(made(), lambda _: None), [], []),
    "no processor's clock": (hints.processor_clock, made(), [], []),
    "a variable of the shell": (
        hints.variables, shell(made()), [],
        ["CUDA_LAUNCH_BLOCKING=1 is set in your shell, and reaches Blue 1.0 and Red 1.0."]),
    "no variable of the shell": (hints.variables, made(), [], []),
    "a variable that was set when published too": (hints.variables, shell(slow()), [shell(published())], []),
    "other numeric libraries": (
        hints.libraries, changed(slow(), "environment", **OTHER_LIBRARIES), [published()],
        ["Blue 1.0 loads other numeric libraries than published: without libopenblas.so, with libblas.so.", "Red*"]),
    "the same numeric libraries": (hints.libraries, slow(), [published()], []),
    "other numeric libraries that are as fast": (
        hints.libraries, changed(made(), "environment", **OTHER_LIBRARIES), [published()], []),
    "another Python": (
        hints.python, changed(slow(), "environment", python="3.13.1"), [published()],
        ["*Python 3.13; published with 3.11*"] * 2),
    "another patch of Python": (hints.python, changed(slow(), "environment", python="3.11.9"), [published()], []),
    "another Python, as fast": (hints.python, changed(made(), "environment", python="3.13.1"), [published()], []),
    "data that no steps are measured beside": (
        hints.data_bound, campaign.lines([campaign.over_data("red")], campaign.always(9.0), campaign=YOURS), [], []),
}  # fmt: skip


@pytest.mark.parametrize(("hint", "yours", "theirs", "said"), HINTS.values(), ids=HINTS)
def test_a_hint_names_its_cause_where_the_records_show_it_and_says_nothing_elsewhere(hint, yours, theirs, said):
    texts = told(hint, yours, *theirs)
    assert len(texts) == len(said), texts
    assert [text for text, pattern in zip(texts, said, strict=True) if not fnmatchcase(text, pattern)] == []


def test_one_slow_environment_points_at_its_installation():
    yours = made()
    for each in yours:
        if each["kind"] == "run" and each["case"]["environment"] == "red":
            each["block_s"] = [1.6 * value for value in each["block_s"]]
    (hint,) = told(hints.where, yours, published())
    assert hint == "Red 1.0 alone, and not Blue 1.0: look at that installation first."


def test_fewer_cores_at_work_than_when_published_are_told():
    yours = slow()
    for each in yours:
        if each["kind"] == "run":
            each["block_cpu_s"] = [value / 2 for value in each["block_cpu_s"]]
    assert "1.75 instead of 3.50" in told(hints.fewer_cores, yours, published())[0]
    assert told(hints.fewer_cores, slow(), published()) == []


def test_tf32_that_is_published_as_faster_is_told_to_who_measured_fp32():
    both = [*GPU_CASE, campaign.case("red", device="gpu", precision="tf32")]
    times = lambda about, _number: 0.002 if about["precision"] == "tf32" else 0.010  # noqa: E731
    theirs = campaign.lines(both, times, campaign=THEIRS)
    theirs[0]["machine"]["gpu"] = "Some GPU"
    assert "in tf32, published on this GPU, mnist_mlp is" in told(hints.tf32, on_gpu(YOURS, None), theirs)[0]
    own = campaign.lines(both, times, campaign=YOURS)
    own[0]["machine"]["gpu"] = "Some GPU"
    assert told(hints.tf32, own, theirs) == []
    theirs[0]["machine"]["gpu"] = "Other GPU"
    assert told(hints.tf32, on_gpu(YOURS, None), theirs) == []


def on_h200(monkeypatch, precision="fp32", precisions=("fp32", "tf32")):
    """Return what is hinted about tf32 on a GPU with a datasheet, by an adapter that sets some precisions."""
    environment = next(iter(registry.environments().values()))._replace(name="red", precisions=list(precisions))
    monkeypatch.setattr(registry, "environments", lambda: {"red": environment})
    return told(hints.tf32, made([campaign.case("red", device="gpu", precision=precision)], gpu="NVIDIA H200"))


def test_tf32_is_told_by_the_datasheet_where_nothing_is_published(monkeypatch):
    (hint,) = on_h200(monkeypatch)
    assert hint.startswith("Red 1.0 ran in fp32 on a NVIDIA H200, whose datasheet promises 7.38 times as many")
    assert hint.endswith("--precision tf32 measures it.")


def test_tf32_is_not_told_where_it_was_measured_cannot_be_set_or_has_no_datasheet(monkeypatch):
    assert on_h200(monkeypatch, precision="tf32") == on_h200(monkeypatch, precisions=["fp32"]) == []
    assert told(hints.tf32, on_gpu(YOURS, None)) == []


@pytest.mark.parametrize(("first_s", "other_s", "count"), [(0.20, 0.30, 1), (0.11, 0.30, 0), (0.11, 0.11, 0)])
def test_an_epoch_that_is_longer_than_its_steps_in_each_round_waits_for_data(first_s, other_s, count):
    def times(about, number):
        return 0.010 if about["task"] == "train" else first_s if number == 1 else other_s

    cases = [campaign.over_data("red"), campaign.case("red")]  # ten steps an epoch
    assert len(told(hints.data_bound, campaign.lines(cases, times, campaign=YOURS))) == count
