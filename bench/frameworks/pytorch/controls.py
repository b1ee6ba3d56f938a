"""PyTorch: its own timer, its own counter of FLOPs, and the most that it gets out of a device."""

import torch
from torch.backends import mha, mkldnn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import benchmark
from torch.utils.flop_counter import FlopCounterMode

DEVICES = {"cpu": "cpu", "gpu": "cuda"}
FLOPS_TOLERANCE = 0.02  # a recurrent layer's first step takes no gradient to its zeros; all else is counted alike


def count(program, batch):
    # The counter does not look into oneDNN's recurrent layers; its convolutions are many times as fast as the others.
    is_recurrent = any(isinstance(each, torch.nn.RNNBase) for each in program.model.modules())
    mha.set_fastpath_enabled(False)  # nor into fused attention: it is counted as the products that it is made of
    with mkldnn.flags(enabled=not is_recurrent), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as found:
        program.wait(program.step(batch))
    return found.get_total_flops(), None  # it counts no bytes


class MatrixProduct:
    def __init__(self, side, device, precision):
        like = {"device": DEVICES[device], "dtype": torch.bfloat16 if precision == "bf16" else torch.float32}
        self.kernel = torch.randn(side, side, **like) / side**0.5  # keeps the size of the numbers
        self.x, self.y = torch.randn(side, side, **like), torch.empty(side, side, **like)
        self.flops = 2 * side**3

    def step(self, _):
        torch.mm(self.x, self.kernel, out=self.y)
        self.x, self.y = self.y, self.x
        return self.x

    def wait(self, handle):
        return handle[0, 0].item()


class Copy:
    def __init__(self, count, device):
        self.x = torch.ones(count, device=DEVICES[device])
        self.bytes = 8 * count

    def step(self, _):
        return self.x.add_(1)

    def wait(self, handle):
        return handle[0].item()


def own_timer(program, batch):
    timer = benchmark.Timer(
        "step(batch)", globals={"step": program.step, "batch": batch}, num_threads=torch.get_num_threads()
    )
    return "torch.utils.benchmark.Timer", lambda steps: timer.timeit(steps).mean
