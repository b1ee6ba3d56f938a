"""The Rosetta pages: a workload's statement beside every framework's code, and what differs between the frameworks."""

from analysis import units
from analysis.site.pages import Found, code
from analysis.text import html
from analysis.text.frameworks import folders, framework_title, matters, stated
from analysis.units import workload_about, workload_title
from bench import registry

WRITTEN_OUT = "Defaults that a reader must know. Where they are not the same, the code above writes a number out."


def page(found: Found) -> str:  # noqa: ARG001 - the pages of fragments are called alike
    """Return the list of workloads to choose from, and all that differs."""
    rows = [
        (html.link(f"../generated/rosetta/{name}/", workload_title(name)), _written_in(name))
        for name in registry.workload_names()
    ]
    chosen = html.table("Choose a workload", ("workload", "written in"), rows, "claims")
    answers = sum(1 for name in registry.workload_names() for _ in code.answers(name))
    frameworks = units.count(len(folders()), "framework")
    told = f"{units.count(len(rows), 'workload')}, written {answers} times by {frameworks}."
    return f"{html.paragraph(told)}\n{chosen}\n## What differs between the frameworks\n\n{_differs(stated())}"


def _written_in(name: str) -> str:
    return ", ".join(answer.title for answer in code.answers(name))


def workload_page(found: Found, name: str) -> str:
    """Return one workload's page: two of its statement and every framework's code side by side, and what differs.

    What stands on either side are tabs, whose labels differ, since the theme keeps a choice by its label: from page to
    page, and on both sides where they are the same.
    """
    known = list(code.answers(name))
    left = [code.tab("from the statement", [code.block(*code.statements(name))], True)]
    left += [code.tab(f"from {each.title}", _written(each)) for each in known]
    right = [code.tab(each.title, _written(each), each is known[0]) for each in known]
    stone = code.indented("\n".join([*left, *right]))
    parts = [
        "---\nhide: [navigation, toc]\nsearch: {exclude: true}\n---\n",  # its workload's page is found, and leads here
        f"# {workload_title(name)}, side by side\n\n{workload_about(name)}\n",
        _others(name),
        *code.changed(found, name),
        f'\n!!! stone ""\n\n{stone}',
        f"\n## What differs\n\n{WRITTEN_OUT}\n\n{_differs([key for key in stated() if matters(key, name)])}",
        f"[Results and figures of this workload](../workloads/{name}.md)\n",
    ]
    return "\n".join(parts)


def _written(answer: code.Implementation) -> list[str]:
    """Return a framework's model file, its size, and the training step that its adapter makes of it."""
    size = f"The model file: {code.lines(answer.path)} lines of code.\n"
    return [code.block(answer.path), size, code.training_step(answer)]


def _others(name: str) -> str:
    links = (f"[{workload_title(each)}]({each}.md)" for each in registry.workload_names() if each != name)
    return f"Other workloads: {' · '.join(links)}\n{{ data-search-exclude }}\n"


def _differs(wanted: list[str]) -> html.Markup:
    """Return the frameworks' defaults beside each other: one row for each key, one column for each framework."""
    frameworks = {framework_title(each): each[0].differs for _, each in sorted(folders().items())}
    stated = {title: differs for title, differs in frameworks.items() if differs}
    rows = [[key.replace("_", " "), *(differs.get(key, "not stated") for differs in stated.values())] for key in wanted]
    return html.table("Defaults of each framework", ["", *stated], rows, "differs")
