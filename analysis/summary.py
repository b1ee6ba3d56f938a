"""Print what a campaign found: for each question the ranking, and each case without a time with its reason."""

from collections.abc import Sequence

from analysis import widths, words
from analysis.campaigns import Campaign
from analysis.estimates import NOTHING, Cell, Estimates, estimate_all
from analysis.standing import NOT_TRIED
from analysis.table import Results
from bench import void

HEADER = (
    "rank",
    "environment",
    "mode",
    "step",
    "99 % interval",
    "to fastest",
    "99 % interval",
    "first cold",
    "first warm",
    "memory",
    "of a product",
    "rounds",
)
LEFT_OUT = (*NOT_TRIED, "unsupported")  # the statuses of who was not started
LEFT = 3  # columns that are aligned left; numbers are aligned right
REASON_LENGTH = 200
LEFT_OUT_LENGTH = 1000
LEADERS_LENGTH = 1000


def summary(results: Results) -> str:
    """Return the whole summary, or how to measure something when nothing was."""
    if not results.campaigns:
        return "No campaign has been measured yet. `nox -s bench` measures this machine in some minutes."
    titles = [_campaign(results.campaigns[machine]) for machine in results.machines]
    answers = estimate_all(results)
    pairs = {name: [pair for each in answers if each.question.machine == name for pair in each.pairs]
             for name in results.machines}  # fmt: skip
    reached = [plain(f"{machine}: {widths.precision(own)}") for machine, own in pairs.items()]
    tried = [each for each in answers if not _is_left_out(each)]
    left_out = [each for each in answers if _is_left_out(each)]
    return "\n\n".join([*titles, *map(_question, tried), *_untried(left_out), *reached])


def _campaign(campaign: Campaign) -> str:
    bench, machine = campaign.bench, campaign.bench["machine"]
    ended = campaign.end["reason"] if campaign.end else "interrupted: the same command goes on with it"
    gpu = machine["gpu"] or "no GPU"
    told = void.told(list(campaign.voids))
    voids = f"; void rounds: {told}" if told else ""
    return plain(
        f"{machine['name']}: campaign {bench['campaign']}, profile {bench['profile']}, {machine['cpu']}, "
        f"{bench['threads']} of {machine['logical_cpus']} CPUs, {gpu}; ended: {ended}{voids}"
    )


def _is_left_out(answer: Estimates) -> bool:
    """Say whether nobody was tried on a question: there is nothing to tell but that."""
    return all(cell.status in LEFT_OUT for cell in answer.cells)


def _untried(answers: Sequence[Estimates]) -> list[str]:
    """Tell of such questions in a line for each sort of reason, instead of a table each."""
    found: dict[str, dict[str, None]] = {}
    for answer in answers:
        statuses = sorted({cell.status.replace("_", " ") for cell in answer.cells})
        found.setdefault(words.listing(statuses), {})[words.workload_title(answer.question.workload)] = None
    return [plain(f"Not measured ({why}): {words.listing(names)}.", LEFT_OUT_LENGTH) for why, names in found.items()]


def _question(estimates: Estimates) -> str:
    about = estimates.question
    title = f"{words.workload_title(about.workload)}: {words.question(about)} ({about.machine})"
    lines = [plain(title), "-" * len(plain(title))]
    if estimates.measured:
        lines += [*aligned([HEADER, *_rows(estimates)]), f"  {plain(words.leaders(estimates), LEADERS_LENGTH)}"]
        lines += [f"  {plain(each, LEADERS_LENGTH)}" for each in widths.how_precise(estimates)]
    lines += [f"  {_plainly(cell)}: {words.unsteady(cell)}" for cell in estimates.measured if cell.unsteady]
    lines += [f"  {_plainly(cell)}: {words.RAN_EAGERLY}" for cell in estimates.measured if cell.compiled == NOTHING]
    lines += [f"  {'; '.join(names)}: {reason}" for reason, names in _reasons(estimates).items()]
    return "\n".join(lines)


def _reasons(estimates: Estimates) -> dict[str, list[str]]:
    """Return why competitors have no time, or fewer: each reason once, with all it holds for.

    What the budget did not hold, of a question that others answered, was told before anything was measured.
    """
    reasons: dict[str, list[str]] = {}
    for cell in estimates.cells:
        if cell.reason and cell.status != "over_budget":
            reasons.setdefault(plain(cell.reason), []).append(_name(cell))
        if cell.note:
            reasons.setdefault(plain(cell.note), []).append(_plainly(cell))
    return reasons


def _rows(estimates: Estimates) -> list[Sequence[str]]:
    cells = estimates.measured
    step = words.common([cell.time.value for cell in cells if cell.time], words.SECONDS)
    first = words.common(
        [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)], words.SECONDS
    )
    size = words.common([cell.memory_bytes for cell in cells], words.BYTES)
    return [_row(estimates, cell, step, first, size) for cell in cells]


def _row(estimates: Estimates, cell: Cell, step: words.Unit, first: words.Unit, size: words.Unit) -> Sequence[str]:
    return (
        words.rank(estimates, cell),
        plain(cell.title),
        plain(cell.row[1]),
        words.with_unit(cell.time.value if cell.time else None, step),
        words.between(cell.time, step),
        words.ratio(cell),
        words.ratio_between(cell),
        words.with_unit(cell.first_step_cold_s, first),
        words.with_unit(cell.first_step_warm_s, first),
        words.with_unit(cell.memory_bytes, size),
        words.share(cell.used.of_product),
        words.rounds(cell),
    )


def _name(cell: Cell) -> str:
    lost = "" if cell.time is None else f" ({words.count(cell.lost_rounds, 'round')} without a time)"
    return _plainly(cell) + lost


def _plainly(cell: Cell) -> str:
    return plain(f"{cell.title}, {cell.row[1]}")


def aligned(rows: Sequence[Sequence[str]], left: int = LEFT) -> list[str]:
    """Return rows as lines whose columns stand below each other, the first `left` of them aligned left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [_line(row, widths, left) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    pads = [str.ljust if column < left else str.rjust for column in range(len(row))]
    return "  ".join(pad(cell, width) for pad, cell, width in zip(pads, row, widths, strict=True)).rstrip()


def plain(text: str, length: int = REASON_LENGTH) -> str:
    """Return text of a result file as one printable line: no escape sequence reaches the terminal."""
    line = "".join(character for character in " ".join(text.split()) if character.isprintable())
    return line if len(line) <= length else line[: length - 3] + "..."
