"""The timing loop: blocks of steps, each with one wait at its end; and whether their times have become steady."""

import itertools
import math
import statistics
import time
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Sequence

WARM_UP_STEPS = 3
SHORTEST_S = 1e-7  # no step is shorter; keeps a clock that did not move from asking for endless blocks
WAIT_SHARE = 1e-3  # a block is so long that the clock and the wait cost at most this share of it
SIDES = {"cpu": 2048, "gpu": 8192}  # of the matrices: large enough to fill a device, small enough for 0.2 s a product
COUNTS = {"cpu": 2**26, "gpu": 2**28}  # float32 numbers of the array: 256 MiB and 1 GiB, more than caches hold
CEILING_BLOCK_S = 0.1
CEILING_BLOCKS = 5
WINDOW_STEPS = 20
STEADY_WITHIN = {"gpu": 0.01, "cpu": 0.03}
FEWEST_WINDOWS = 4
FEWEST_BLOCKS = 3  # a median of three ignores one slow block


class Timings(NamedTuple):
    """What one run measured, in seconds; block times are raw, and every statistic is computed by their readers."""

    first_step_s: float
    warm_up_s: List[float]
    wait_s: float
    steps_per_block: int
    block_s: List[float]
    block_cpu_s: List[float]
    is_steady: Optional[bool]
    steady_from: Optional[int]
    drift: Optional[float]
    was_doubled: bool
    loss_first: float
    loss_last: float


class Clock:
    """The seconds between begin() and end(), and those of the processors for all threads."""

    def begin(self) -> None:
        """Read the clock right before the first step of a block."""
        self.cpu_s, self.wall_s = -time.process_time(), -time.perf_counter()

    def end(self) -> None:
        """Read it again when the number of the last step is there."""
        self.wall_s += time.perf_counter()
        self.cpu_s += time.process_time()


def block(program: Any, batch: Any, steps: int) -> Any:
    """Run `steps` steps and one wait; return (wall seconds, processor seconds of all threads, loss).

    The framework's own training loop (`loop`) reads the clock itself, before its first step and after its last. So work
    once an epoch is not part of a step. Its loss is the block's mean.
    """
    clock = Clock()
    if hasattr(program, "loop"):
        loss = program.loop(batch, steps, clock)
        return clock.wall_s, clock.cpu_s, loss
    clock.begin()
    for _ in range(steps):
        handle = program.step(batch)
    loss = program.wait(handle)
    clock.end()
    return clock.wall_s, clock.cpu_s, loss


def _wait_cost(program, batch):
    """Return the seconds of a step with its wait, and those of a wait when the device has nothing left to do."""
    if hasattr(program, "loop"):
        return block(program, batch, 1)[0], 0.0
    begin = time.perf_counter()
    handle = program.step(batch)
    program.wait(handle)
    done = time.perf_counter()
    program.wait(handle)
    return done - begin, time.perf_counter() - done


def steps_per_block(step_s: float, wait_s: float, block_s: float) -> int:
    """Return how many steps make a block of at least `block_s`, of which the wait is at most WAIT_SHARE."""
    return max(1, math.ceil(max(block_s, wait_s / WAIT_SHARE) / step_s))


def _calibrate(program, batch, block_s):
    """Return (seconds of a wait, steps per block, seconds of each warm-up step): single steps, then trial blocks."""
    step_s, wait_s = _wait_cost(program, batch)
    warm_up = [step_s] + [block(program, batch, 1)[0] for _ in range(WARM_UP_STEPS - 1)]
    steps = steps_per_block(max(min(warm_up) - wait_s, wait_s * WAIT_SHARE, SHORTEST_S), wait_s, block_s)
    if steps == 1:  # a trial would be a fourth of the same
        return wait_s, steps, warm_up
    while True:
        step_s = (block(program, batch, steps)[0] - wait_s) / steps
        warm_up.append(step_s)
        needed = steps_per_block(max(step_s, SHORTEST_S), wait_s, block_s)
        if needed <= steps:
            return wait_s, steps, warm_up
        steps = math.ceil(needed * 1.05)  # steps that follow each other are faster than steps that are waited for


def alone(fewest: int, at_least_s: float) -> Iterator[float]:
    """Yield the turns of a program that is measured alone: at least `fewest`, for at least `at_least_s`."""
    begin, made = time.perf_counter(), 0
    while made < fewest or time.perf_counter() - begin < at_least_s:
        yield 0.0
        made += 1


def measure(
    program: Any,
    batch: Any,
    block_s: float,
    device: str,
    turns: Iterable[float],
    forget_peak: Callable[[], None] = lambda: None,
    whole: int = 1,
) -> Timings:
    """Time a program that has not stepped yet, on one placed batch: a block whenever `turns` yields.

    If `turns` yields seconds, the program runs so long untimed, while its device's energy is metered. `forget_peak` is
    called after the warm-up, because loading and choosing kernels take memory that steps do not. A block holds a
    multiple of `whole` steps, as near to `block_s` as possible: a control repeats some of them.
    """
    first_step_s, _, loss_first = block(program, batch, 1)
    wait_s, steps, warm_up = _calibrate(program, batch, block_s)
    steps = whole * max(1, int(steps / whole + 0.5))
    forget_peak()
    walls: List[float] = []
    cpus: List[float] = []
    loss_last = loss_first
    for seconds in turns:
        if seconds:
            _go_on(program, batch, steps, seconds)
            continue
        if steps > 1:
            block(program, batch, 1)  # wakes up: meanwhile, caches were of use to others
        wall, cpu, loss_last = block(program, batch, steps)
        walls.append(wall)
        cpus.append(cpu)
    return Timings(
        first_step_s, warm_up, wait_s, steps, walls, cpus, *steadiness(walls, steps, device), False, loss_first,
        loss_last,
    )  # fmt: skip


def _go_on(program, batch, steps, seconds):
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        block(program, batch, steps)


def fastest_s(program: Any, cores: Optional[int] = None) -> float:
    """Return the seconds of a step in the fastest of CEILING_BLOCKS blocks, because a ceiling is not an average.

    If `cores` do nothing but compute, their processor time counts if it is less. Otherwise other processes would make a
    busy machine look slow, and honest runs in a quiet moment would be refused as impossible.
    """
    block(program, None, 1)  # loads libraries, selects kernels
    steps = steps_per_block(max(block(program, None, 1)[0], SHORTEST_S), 0.0, CEILING_BLOCK_S)
    blocks = [block(program, None, steps) for _ in range(CEILING_BLOCKS)]
    return min(min(wall, cpu / cores) if cores else wall for wall, cpu, _ in blocks) / steps


class Ceilings(NamedTuple):
    """What a device does at most in a second: floating-point operations, and bytes read and written."""

    matmul_flops_s: float
    copy_bytes_s: float


def ceilings(controls: Any, device: str, cores: int, precision: str) -> Ceilings:
    """Time the programs that a framework's `controls` define on `device`."""
    product = controls.MatrixProduct(SIDES[device], device, precision)
    flops_s = product.flops / fastest_s(product, cores if device == "cpu" else None)
    copy = controls.Copy(COUNTS[device], device)
    return Ceilings(flops_s, copy.bytes / fastest_s(copy))


class Steadiness(NamedTuple):
    """`is_steady` is None when the run is too short to tell; `start` counts blocks; `drift` is relative."""

    is_steady: Optional[bool]
    start: Optional[int]
    drift: Optional[float]


def _window(blocks: int, steps_per_block: int) -> Optional[int]:
    """Return how many blocks hold WINDOW_STEPS steps: fewer where long steps would leave too few windows, or None."""
    width = max(1, -(-WINDOW_STEPS // steps_per_block))
    if blocks >= FEWEST_WINDOWS * width:
        return width
    width = blocks // FEWEST_WINDOWS
    return width if width >= FEWEST_BLOCKS else None


def theil_sen(values: Sequence[float]) -> float:
    """Return the median of the slopes between all pairs of equally spaced values (Sen 1968)."""
    pairs = itertools.combinations(enumerate(values), 2)
    return statistics.median((later - earlier) / (j - i) for (i, earlier), (j, later) in pairs)


def steadiness(block_s: Sequence[float], steps_per_block: int, device: str) -> Steadiness:
    """Return whether, and from which block on, every window median lies within the device's tolerance.

    The reference is the median of the last half. A run is steady when the windows settle before the last half begins,
    and the Theil-Sen drift over that half stays under the tolerance too.
    """
    width = _window(len(block_s), steps_per_block)
    if width is None:
        return Steadiness(None, None, None)
    medians = [statistics.median(block_s[i : i + width]) for i in range(0, len(block_s) - width + 1, width)]
    tolerance = STEADY_WITHIN[device]
    half = medians[len(medians) // 2 :]
    reference = statistics.median(half)
    drift = theil_sen(half) * (len(half) - 1) / reference
    outside = [place for place, median in enumerate(medians) if abs(median / reference - 1) > tolerance]
    start = outside[-1] + 1 if outside else 0
    return Steadiness(start <= len(medians) // 2 and abs(drift) <= tolerance, start * width, drift)
