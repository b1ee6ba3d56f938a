"""Evidence that left the pages is in data files: coverage, parity, controls, machines, articles."""

import csv
import io

import campaign
import pytest
from shown import changed, found

from analysis import articles, literature
from analysis.site import data
from analysis.data.schema import text
from bench import registry

TRUTH = {"red": 0.010, "blue": 0.013}
CASES = [campaign.case(name) for name in TRUTH]
TABLES = {table.name: table for table in data.TABLES}


def rows(made, name):
    return list(csv.DictReader(io.StringIO(text(TABLES[name], made))))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    lines = campaign.lines(CASES, campaign.noisy(TRUTH))
    lines[3:3] = [{"kind": "ceiling", "campaign": lines[0]["campaign"], "environment": "red", "device": "cpu",
                   "precision": "fp32", "matmul_flops_s": 2e11, "copy_bytes_s": 1e10, "reason": None}]  # fmt: skip
    return found(tmp_path_factory.mktemp("results"), changed(lines, "run", machine_state=campaign.state(0.04)))


def test_every_place_is_in_the_coverage_with_rounds_or_a_reason(made):
    known = rows(made, "coverage.csv")
    assert {row["workload"] for row in known} == set(registry.workload_names())
    measured = [row for row in known if row["rounds_least"]]
    assert {row["environment"] for row in measured} == set(TRUTH)
    assert all(row["reason"] for row in known if not row["rounds_least"])


def test_a_campaign_has_its_facts_its_state_and_what_it_changed(made):
    (row,) = rows(made, "campaigns.csv")
    assert (row["machine"], row["is_shown"], row["cells"]) == ("test-machine", "true", "2")
    assert (row["others_share_least"], row["others_share_most"]) == ("0.04", "0.04")
    assert row["processor"].startswith("Test CPU")


def test_ceilings_and_environments_of_a_machine_are_kept(made):
    (ceiling,) = rows(made, "ceilings.csv")
    assert (ceiling["environment"], ceiling["matmul_flops_s"]) == ("red", "200000000000")
    assert {row["environment"]: row["python"] for row in rows(made, "environments.csv")}.keys() == set(TRUTH)


def test_every_published_number_is_kept():
    known = rows(None, "published.csv")
    assert [row["value"] for row in known] == [figure.value for figure in literature.figures()]
    assert {row["source"] for row in known} <= {module.SOURCE for module in articles.found().values()}


def test_our_tables_beside_an_article_s_keep_row_column_and_value(made):
    known = [row for row in rows(made, "article_tables.csv") if row["section"] == "mnist_mlp"]
    assert {row["row"] for row in known} >= {"Red 1.0 eager, default", "Blue 1.0 eager, default"}
    assert all(row["table"] and row["column"] for row in known)


def test_each_answer_is_compared_with_each_other_one_in_the_data(made):
    names = ("environment_a", "mode_a", "environment_b", "mode_b")
    line = {"workload": "mnist_mlp", "optimizer": "rmsprop", **dict.fromkeys(names, "x"), "passes": False,
            "comparison": None, "reason": "shapes differ"}  # fmt: skip
    (row,) = rows(made._replace(matrix=[line]), "parity.csv")
    assert (row["passes"], row["share"], row["reason"]) == ("false", "", "shapes differ")
