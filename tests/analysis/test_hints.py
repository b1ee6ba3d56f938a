"""Each hint rests on records: one that shows the cause, and one that does not."""

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


def test_all_environments_slower_alike_point_at_the_machine():
    assert "look at the machine first" in told(hints.where, slow(), published())[0]
    assert told(hints.where, made(), published()) == []


def test_one_slow_environment_points_at_its_installation():
    yours = made()
    for each in yours:
        if each["kind"] == "run" and each["case"]["environment"] == "red":
            each["block_s"] = [1.6 * value for value in each["block_s"]]
    (hint,) = told(hints.where, yours, published())
    assert hint == "Red 1.0 alone, and not Blue 1.0: look at that installation first."


def test_a_framework_on_the_cpu_of_a_machine_with_a_gpu_is_told_with_its_build():
    yours = made(gpu="Some GPU")
    assert told(hints.cpu_build, yours)[0].endswith("with one Some GPU: it has no CUDA.")
    built = changed(yours, "environment", loaded={"red": "1.0.0", "cuda": "13.0"})
    assert "built for CUDA 13.0, and sees no GPU" in told(hints.cpu_build, built)[0]
    assert told(hints.cpu_build, made()) == told(hints.cpu_build, changed(yours, "environment", device="gpu")) == []


def test_a_gpu_that_was_held_down_is_told_with_its_clock():
    held = {"throttle_reasons": ["power cap"], "sm_clock_mean_mhz": 900.0}
    assert told(hints.throttled, with_state(made(), gpu=held)) == [
        "The GPU's clock was held down, down to 50 % of its default (power cap), in 20 of 20 runs."
    ]
    assert told(hints.throttled, with_state(made())) == told(hints.throttled, made()) == []


def test_a_gpu_whose_clock_was_not_sampled_is_told_as_unknown_with_why():
    yours = made(GPU_CASE, gpu="Some GPU")
    yours[0]["telemetry"] = "no GPU sampled: nvidia-ml-py is not installed"
    assert told(hints.throttled, yours) == [
        "Whether the GPU's clock was held down is unknown: no GPU sampled: nvidia-ml-py is not installed."
    ]
    assert told(hints.throttled, with_state(yours)) == []


def test_other_processes_are_told_with_their_share():
    assert told(hints.other_processes, with_state(made(), cpu={"others_share": 0.4})) == [
        "Other processes used up to 40 % of the runs' cores, and more than 10 % in 20 of 20 runs."
    ]
    assert told(hints.other_processes, with_state(made(), gpu={"processes_most": 2})) == [
        "Other processes computed on the GPU, in 20 of 20 runs."
    ]
    assert told(hints.other_processes, with_state(made())) == told(hints.other_processes, made()) == []


def test_swap_that_grows_is_told():
    assert "200 MiB" in told(hints.swapping, with_state(made(), cpu={"swap_growth_bytes": 200 * 2**20}))[0]
    assert told(hints.swapping, with_state(made())) == []


def test_fewer_cores_at_work_than_when_published_are_told():
    yours = slow()
    for each in yours:
        if each["kind"] == "run":
            each["block_cpu_s"] = [value / 2 for value in each["block_cpu_s"]]
    assert "1.75 instead of 3.50" in told(hints.fewer_cores, yours, published())[0]
    assert told(hints.fewer_cores, slow(), published()) == []


def test_threads_that_leave_cores_idle_are_told():
    assert told(hints.threads, made()) == ["Each run had 4 threads on a machine with 8 CPUs: --threads 7."]
    assert told(hints.threads, made(threads=7)) == []  # one is left to the system


def test_fewer_threads_than_published_on_a_gpu_are_told():
    yours = made(GPU_CASE, factor=1.6, gpu="Some GPU", threads=8)
    theirs = made(GPU_CASE, name=THEIRS, seed=2, gpu="Some GPU", threads=16)
    assert told(hints.threads, yours, theirs) == ["Each run had 8 threads; published with up to 16."]


@pytest.mark.parametrize(("governor", "count"), [("powersave", 1), ("performance", 0), (None, 0)])
def test_a_governor_that_saves_power_is_told(governor, count):
    assert len(told(hints.governor, made(cpu_governor=governor))) == count


def on_gpu(name, cudnn, factor=1.0):
    records = made(GPU_CASE, name=name, factor=factor, seed=3, gpu="Some GPU")
    return changed(records, "environment", device="gpu", loaded={"red": "1.0.0", "cudnn": cudnn})


def test_another_cudnn_is_told_where_it_is_slower():
    theirs = on_gpu(THEIRS, "91002")
    assert told(hints.cudnn, on_gpu(YOURS, "8", 1.6), theirs) == ["Red 1.0 loaded cuDNN 8; published with cuDNN 91002."]
    assert told(hints.cudnn, on_gpu(YOURS, "91002", 1.6), theirs) == []
    assert told(hints.cudnn, on_gpu(YOURS, "8"), theirs) == []


def test_a_missing_cudnn_is_told_without_anything_published():
    assert told(hints.cudnn, on_gpu(YOURS, "None")) == [
        "Red 1.0 ran on the GPU without cuDNN: it says that it found none."
    ]
    slower = told(hints.cudnn, on_gpu(YOURS, "None", 1.6), on_gpu(THEIRS, "91002"))
    assert slower == ["Red 1.0 ran on the GPU without cuDNN: it says that it found none; published with cuDNN 91002."]


def test_a_framework_that_does_not_report_its_cudnn_is_told_as_unknown_unless_one_was_loaded():
    (hint,) = told(hints.cudnn, on_gpu(YOURS, None))
    assert hint.startswith("Whether Red 1.0 has cuDNN on the GPU is unknown: it reports no version")
    assert told(hints.cudnn, changed(on_gpu(YOURS, None), "environment", libraries=["libcudnn.so.9"])) == []
    assert told(hints.cudnn, made()) == []  # on a CPU


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


def with_clocks(records, clock):
    """Return records whose runs have a mean clock by their round."""
    return [{**each, "machine_state": campaign.state(frequency_mean_mhz=clock(each["round"]))}
            if each["kind"] == "run" else each for each in records]  # fmt: skip


def test_a_processor_whose_clock_fell_is_told_with_how_far_and_how_often():
    (hint,) = told(hints.processor_clock, with_clocks(made(), lambda round_: 3000.0 if round_ < 4 else 1800.0))
    assert hint.startswith("The processor's clock fell to 60 % (1,800 MHz) of what it was in the best run")
    assert "in 8 of 20 runs" in hint


def test_a_processor_that_was_slow_all_the_time_is_told_beside_what_is_published():
    slowly = with_clocks(made(), lambda _: 2000.0)
    assert told(hints.processor_clock, slowly) == []
    (hint,) = told(hints.processor_clock, slowly, with_clocks(published(), lambda _: 3000.0))
    assert hint.startswith("The processor's clock fell to 67 % (2,000 MHz)")
    assert "in 20 of 20 runs" in hint


def test_a_steady_clock_and_one_that_was_not_sampled_are_not():
    assert told(hints.processor_clock, with_clocks(made(), lambda round_: 3000.0 - 100 * round_)) == []
    assert told(hints.processor_clock, with_clocks(made(), lambda _: None)) == told(hints.processor_clock, made()) == []


def test_a_variable_of_the_shell_is_told_with_whom_it_reaches():
    yours = changed(made(), "environment", inherited={"CUDA_LAUNCH_BLOCKING": "1"})
    assert told(hints.variables, yours) == [
        "CUDA_LAUNCH_BLOCKING=1 is set in your shell, and reaches Blue 1.0 and Red 1.0."
    ]
    assert told(hints.variables, made()) == []


def test_a_variable_that_was_set_when_published_too_is_no_cause():
    yours, theirs = (changed(each, "environment", inherited={"CUDA_LAUNCH_BLOCKING": "1"})
                     for each in (slow(), published()))  # fmt: skip
    assert told(hints.variables, yours, theirs) == []


def test_other_numeric_libraries_are_named():
    yours = changed(slow(), "environment", libraries=["libblas.so"])
    assert told(hints.libraries, yours, published())[0] == (
        "Blue 1.0 loads other numeric libraries than published: without libopenblas.so, with libblas.so."
    )
    assert told(hints.libraries, slow(), published()) == []


def test_another_python_is_named_but_not_another_patch_of_it():
    newer, patched = (changed(slow(), "environment", python=version) for version in ("3.13.1", "3.11.9"))
    assert "Python 3.13; published with 3.11" in told(hints.python, newer, published())[0]
    assert told(hints.python, patched, published()) == []


@pytest.mark.parametrize(("first_s", "other_s", "count"), [(0.20, 0.30, 1), (0.11, 0.30, 0), (0.11, 0.11, 0)])
def test_an_epoch_that_is_longer_than_its_steps_in_each_round_waits_for_data(first_s, other_s, count):
    def times(about, number):
        return 0.010 if about["task"] == "train" else first_s if number == 1 else other_s

    cases = [campaign.over_data("red"), campaign.case("red")]  # ten steps an epoch
    assert len(told(hints.data_bound, campaign.lines(cases, times, campaign=YOURS))) == count


def test_a_way_of_data_that_no_steps_stand_beside_is_not_judged():
    alone = campaign.lines([campaign.over_data("red")], campaign.always(9.0), campaign=YOURS)
    assert told(hints.data_bound, alone) == []


def test_a_difference_from_what_was_published_is_no_cause_where_nothing_is_slower():
    other = changed(made(), "environment", libraries=["libblas.so"], python="3.13.1")
    assert told(hints.libraries, other, published()) == told(hints.python, other, published()) == []
