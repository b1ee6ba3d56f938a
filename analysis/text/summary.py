"""Print what a campaign found: for each question the ranking, and each case without a time with its reason."""

from collections.abc import Sequence

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.load.campaigns import Campaign
from analysis.load.history import NOT_TRIED
from analysis.load.table import Results
from analysis.text import frameworks, loaders, sentences, widths
from analysis.units import aligned, plain
from bench.cases import FED
from bench.compiling import NOTHING
from bench.results import void_rules

LEFT_OUT = (*NOT_TRIED, "unsupported")  # the statuses of who was not started
LONGEST = 1000  # characters of a line that names many


def summary(results: Results) -> str:
    """Return the whole summary, or how to measure something when nothing was."""
    if not results.campaigns:
        return "No campaign has been measured yet. `nox -s bench` measures this machine in some minutes."
    titles = [_campaign(results.campaigns[machine]) for machine in results.machines]
    answers = [*estimate_all(results), *estimate_all(results.ablations)]
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
    told = void_rules.told(list(campaign.voids))
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
        found.setdefault(units.listing(statuses), {})[units.workload_title(answer.question.workload)] = None
    return [plain(f"Not measured ({why}): {units.listing(names)}.", LONGEST) for why, names in found.items()]


def _question(estimates: Estimates) -> str:
    about = estimates.question
    title = f"{units.workload_title(about.workload)}: {sentences.question(about)} ({about.machine})"
    lines = [plain(title), "-" * len(plain(title))]
    if estimates.measured:
        waiting = [loaders.finding(estimates)] if about.task in FED else []
        causes = frameworks.causes(about.workload, [cell.row[0] for cell in estimates.measured])
        told = [sentences.leaders(estimates), *waiting, *widths.how_precise(estimates), *causes]
        lines += [*aligned([_header(about.task), *_rows(estimates)]), *(f"  {plain(each, LONGEST)}" for each in told)]
    lines += [f"  {_plainly(cell)}: {sentences.unsteady(cell)}" for cell in estimates.measured if cell.unsteady]
    lines += [f"  {_plainly(cell)}: {sentences.RAN_EAGERLY}" for cell in estimates.measured if cell.compiled == NOTHING]
    lines += [f"  {'; '.join(names)}: {reason}" for reason, names in _reasons(estimates).items()]
    return "\n".join(lines)


def _reasons(estimates: Estimates) -> dict[str, list[str]]:
    """Return why competitors have no time, or fewer: each reason once, with all it holds for.

    What the budget did not hold, of a question that others answered, was reported before anything was measured.
    """
    reasons: dict[str, list[str]] = {}
    for cell in estimates.cells:
        if cell.reason and cell.status != "over_budget":
            reasons.setdefault(plain(cell.reason), []).append(_name(cell))
        if cell.note:
            reasons.setdefault(plain(cell.note), []).append(_plainly(cell))
    return reasons


def _header(task: str) -> Sequence[str]:
    return ("rank", "environment", "mode", sentences.PER[task], "99 % interval", "to fastest", "99 % interval",
            "first cold", "first warm", "memory", "% of matmul", "rounds")  # fmt: skip


def _rows(estimates: Estimates) -> list[Sequence[str]]:
    cells = estimates.measured
    step = units.common([cell.time.value for cell in cells if cell.time], units.SECONDS)
    first = units.common(
        [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)], units.SECONDS
    )
    size = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    return [_row(estimates, cell, step, first, size) for cell in cells]


def _row(estimates: Estimates, cell: Cell, step: units.Unit, first: units.Unit, size: units.Unit) -> Sequence[str]:
    return (
        sentences.rank(estimates, cell),
        plain(cell.title),
        plain(cell.row[1]),
        units.with_unit(cell.time.value if cell.time else None, step),
        units.between(cell.time, step),
        sentences.ratio(cell),
        sentences.ratio_between(cell),
        units.with_unit(cell.first_step_cold_s, first),
        units.with_unit(cell.first_step_warm_s, first),
        units.with_unit(cell.memory_bytes, size),
        units.share(cell.used.of_product),
        sentences.rounds(cell),
    )


def _name(cell: Cell) -> str:
    lost = "" if cell.time is None else f" ({units.count(cell.lost_rounds, 'round')} without a time)"
    return _plainly(cell) + lost


def _plainly(cell: Cell) -> str:
    return plain(f"{cell.title}, {cell.row[1]}")
