"""What a template makes of untrusted text, and what machines are called."""

from types import SimpleNamespace

import jinja2
import pytest

from analysis.site import template
from analysis.text.machines import short_names


def test_a_template_makes_nothing_of_untrusted_text() -> None:
    parts = template.ENVIRONMENT.from_string("{% import 'parts.html' as p %}{{ p.table(x, [x], [[x, x]]) }}")
    made = parts.render(x="<script>x</script> [a](b) *c* {{ d }} --8<-- e | f")
    assert made.count("<td>") == 1
    assert all(sign not in made.replace("<td>", "") for sign in ("<script", "](", "*c*", "{{", "--8<--", "| f"))


def test_a_template_refuses_a_value_that_is_absent() -> None:
    with pytest.raises(jinja2.UndefinedError):
        template.ENVIRONMENT.from_string("{{ absent }}").render()


def test_machines_have_short_names_made_from_their_hardware() -> None:
    gpu = SimpleNamespace(
        gpu="NVIDIA H100 80GB HBM3", cpu="Intel Xeon Processor (family 6, model 207)", logical_cpus=16
    )
    cpu = SimpleNamespace(gpu=None, cpu="AMD EPYC (family 25, model 1)", logical_cpus=2)
    assert short_names({"a": gpu, "b": cpu}) == {"a": "H100 80GB", "b": "EPYC (Zen 3), 2 CPUs"}
    assert len({*short_names({"a": cpu, "b": cpu}).values()}) == 2
