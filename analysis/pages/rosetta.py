"""The Rosetta pages: a workload's statement beside every framework's code, and what differs between the frameworks."""

from analysis import html
from analysis.pages import Found, code
from analysis.pages.workload import description
from analysis.words import workload_title
from bench import registry

# The words of bench/problem.py that a statement uses when a difference matters to it; what is not here always does.
MATTERS = {
    "image_layout": "images(",
    "strided_padding": "convolution(",
    "gru_gates": "gru(",
    "lstm_biases": "lstm(",
    "batch_norm": "batch_norm(",
    "adam_epsilon": "Adam(",
    "rmsprop_epsilon": "RMSprop(",
}
WRITTEN_OUT = "Defaults that a reader must know. Where they are not the same, the code above writes a number out."


def page(found: Found) -> str:  # noqa: ARG001 - the pages of fragments are called alike
    """Return the list of workloads to choose from, and all that differs."""
    rows = [
        (html.link(f"../generated/rosetta/{name}/", workload_title(name)), _written_in(name))
        for name in registry.workload_names()
    ]
    chosen = html.table("Choose a workload", ("workload", "written in"), rows, "claims")
    return f"{chosen}\n## What differs between the frameworks\n\n{_differs(stated())}"


def _written_in(name: str) -> str:
    return ", ".join(answer.title for answer in code.answers(name))


def workload_page(found: Found, name: str) -> str:
    """Return one workload's page: its statement, every framework's code in tabs, and what differs."""
    tabs = (code.tab(each, [code.block(each.path), code.measured_by(each)]) for each in code.answers(name))
    stone = code.indented("\n".join([code.block(code.statement(name)), *tabs]))
    parts = [
        "---\nhide: [navigation, toc]\n---\n",
        f"# {workload_title(name)}, side by side\n\n{description(name)}\n",
        _others(name),
        *code.changed(found, name),
        f'\n!!! stone ""\n\n{stone}',
        f"\n## What differs\n\n{WRITTEN_OUT}\n\n{_differs([key for key in stated() if matters(key, name)])}",
        f"[Results, figures and adapters of this workload](../workloads/{name}.md)\n",
    ]
    return "\n".join(parts)


def matters(key: str, name: str) -> bool:
    """Say whether a difference between frameworks touches a workload, by the words of its statement."""
    with open(registry.ROOT + "/" + code.statement(name), encoding="utf-8") as file:
        return MATTERS.get(key, "") in file.read()


def _others(name: str) -> str:
    links = (f"[{workload_title(each)}]({each}.md)" for each in registry.workload_names() if each != name)
    return f"Other workloads: {' · '.join(links)}\n"


def stated() -> list[str]:
    """Return the keys of what differs in the order in which frameworks first name them."""
    return list(dict.fromkeys(key for environment in registry.environments().values() for key in environment.differs))


def _differs(wanted: list[str]) -> html.Markup:
    """Return the frameworks' defaults beside each other: one row for each key, one column for each framework."""
    frameworks = {code.framework_title(each): each[0].differs for _, each in sorted(code.folders().items())}
    stated = {title: differs for title, differs in frameworks.items() if differs}
    rows = [[key.replace("_", " "), *(differs.get(key, "not stated") for differs in stated.values())] for key in wanted]
    return html.table("Defaults of each framework", ["", *stated], rows, "differs")
