"""Print what a campaign found: for each question the ranking, and each case without a time with its reason."""

import itertools
import statistics
from collections.abc import Iterable, Iterator, Sequence

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.estimate.pairs import Pair
from analysis.groups import collected
from analysis.load.campaigns import Campaign
from analysis.load.history import NOT_TRIED
from analysis.load.table import Results
from analysis.stats import Row
from analysis.stats.interval import MIN_ROUNDS
from analysis.text import frameworks, loaders, sentences
from analysis.units import LEFT, plain
from bench.cases import FED
from bench.compiling import NOTHING
from bench.results import void_rules
from bench.units import aligned

LEFT_OUT = (*NOT_TRIED, "unsupported")  # the statuses of who was not started
LONGEST = 1000  # characters of a line that names many
WIDE = 0.05  # a half-width: what is wider settles large differences only


def summary(results: Results) -> str:
    """Return the whole summary, or how to measure something when nothing was."""
    if not results.campaigns:
        return "No campaign has been measured yet. `nox -s bench` measures this machine in some minutes."
    titles = [_campaign(results.campaigns[machine]) for machine in results.machines]
    answers = [*estimate_all(results), *estimate_all(results.ablations)]
    pairs = {name: [pair for answer in answers if answer.question.machine == name for pair in answer.pairs]
             for name in results.machines}  # fmt: skip
    reached = [plain(f"{machine}: {precision(of_machine)}") for machine, of_machine in pairs.items()]
    tried = [answer for answer in answers if not _is_left_out(answer)]
    return "\n\n".join([*titles, *map(_question, tried), *_untried(filter(_is_left_out, answers)), *reached])


def _campaign(campaign: Campaign) -> str:
    bench, machine = campaign.bench, campaign.bench.machine
    ended = campaign.end.reason if campaign.end else "interrupted: the same command goes on with it"
    if voids := void_rules.told(list(campaign.voids)):
        ended += f"; void rounds: {voids}"
    return plain(
        f"{machine.name}: campaign {bench.campaign}, profile {bench.profile}, {machine.cpu}, {bench.threads} of "
        f"{machine.logical_cpus} CPUs, {machine.gpu or 'no GPU'}; ended: {ended}"
    )


def _is_left_out(answer: Estimates) -> bool:
    """Say whether nobody was tried on a question: there is nothing to tell but that."""
    return all(cell.status in LEFT_OUT for cell in answer.cells)


def _untried(answers: Iterable[Estimates]) -> list[str]:
    """Return such questions in a line for each sort of reason, instead of a table each."""
    names = collected((units.listing(sorted({cell.status.replace("_", " ") for cell in answer.cells})),
                       units.workload_title(answer.question.workload)) for answer in answers)  # fmt: skip
    lines = (f"Not measured ({why}): {units.listing(dict.fromkeys(titles))}." for why, titles in names.items())
    return [plain(line, LONGEST) for line in lines]


def _question(estimates: Estimates) -> str:
    about = estimates.question
    title = f"{units.workload_title(about.workload)}: {sentences.question(about)} ({about.machine})"
    lines = [plain(title), "-" * len(plain(title))]
    if estimates.measured:
        waiting = [loaders.finding(estimates)] if about.task in FED else []
        causes = frameworks.causes(about.workload, [cell.row[0] for cell in estimates.measured])
        widths = [precision(estimates.pairs), *_least_steady(estimates)]
        findings = [sentences.leaders(estimates), *waiting, *widths, *causes]
        lines += [*aligned(_table(estimates), LEFT), *(f"  {plain(finding, LONGEST)}" for finding in findings)]
    lines += [f"  {_plainly(cell)}: {sentences.unsteady(cell)}" for cell in estimates.measured if cell.unsteady]
    lines += [f"  {_plainly(cell)}: {sentences.RAN_EAGERLY}" for cell in estimates.measured if cell.compiled == NOTHING]
    lines += [f"  {'; '.join(names)}: {reason}" for reason, names in _reasons(estimates).items()]
    return "\n".join(lines)


def _reasons(estimates: Estimates) -> dict[str, list[str]]:
    """Return why competitors have no time, or fewer: each reason once, with all it holds for.

    What the budget did not hold, of a question that others answered, was reported before anything was measured.
    """
    said = ((text, name) for cell in estimates.cells for text, name in (
        (cell.reason if cell.status != "over_budget" else None, _name(cell)), (cell.note, _plainly(cell))))  # fmt: skip
    return collected((plain(text), name) for text, name in said if text)


def _table(estimates: Estimates) -> list[Sequence[str]]:
    cells = estimates.measured
    step = units.common([cell.time.value for cell in cells if cell.time], units.SECONDS)
    first = units.common(
        [value for cell in cells for value in (cell.first_step_cold_s, cell.first_step_warm_s)], units.SECONDS
    )
    size = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    header = ("rank", "environment", "mode", sentences.PER[estimates.question.task], "99 % interval", "to fastest",
              "99 % interval", "first cold", "first warm", "memory", "% of matmul", "rounds")  # fmt: skip
    rows = [
        (
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
            f"{cell.rounds} of {cell.rounds + cell.lost_rounds}" if cell.lost_rounds else str(cell.rounds),
        )
        for cell in cells
    ]
    return [header, *rows]


def precision(pairs: Iterable[Pair]) -> str:
    """Return the 99 % half-widths that the ratios of these pairs reached."""
    widths = [pair.ratio.half_width for pair in pairs if pair.ratio.half_width is not None]
    if not widths:
        return f"No ratio has an interval: that takes {MIN_ROUNDS} rounds of both competitors."
    intervals = f"99 % intervals of {units.count(len(widths), 'ratio')}"
    return f"{intervals}: median {units.width(statistics.median(widths))}, at most {units.width(max(widths))}."


def _least_steady(answer: Estimates) -> Iterator[str]:
    """Yield whose ratios are wider than WIDE, and how narrow all others are; nothing if none or all of them are."""
    widths = {(pair.a, pair.b): pair.ratio.half_width for pair in answer.pairs if pair.ratio.half_width is not None}
    left, wide = dict(widths), set[Row]()
    while any(width > WIDE for width in left.values()):
        of_row = {row: [width for pair, width in left.items() if row in pair] for row in itertools.chain(*left)}
        wide.add(max(of_row, key=lambda row: (statistics.median(of_row[row]), row)))
        left = {pair: width for pair, width in left.items() if wide.isdisjoint(pair)}
    if left and wide:
        names = units.listing(f"{cell.title} ({cell.row[1]})" for cell in answer.cells if cell.row in wide)
        of_wide = [width for pair, width in widths.items() if pair not in left]
        reach = " to ".join(dict.fromkeys(map(units.width, (min(of_wide), max(of_wide)))))
        yield f"Least steady: {names} ({reach}). All other ratios: at most {units.width(max(left.values()))}."


def _name(cell: Cell) -> str:
    lost = "" if cell.time is None else f" ({units.count(cell.lost_rounds, 'round')} without a time)"
    return _plainly(cell) + lost


def _plainly(cell: Cell) -> str:
    return plain(f"{cell.title}, {cell.row[1]}")
