"""The built site is within its budgets of words, figures and bytes, and the counter counts what a reader can see."""

import os

import budgets
import pytest
from weights import FIGURE, PAGE, too_heavy, too_heavy_page

HTML = "<!doctype html><html><head><title>x</title></head><body><nav>x x</nav><article>{}</article></body></html>"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><title>x</title><style>a</style><text>ten <tspan>ms</tspan></text></svg>'


@pytest.fixture
def written(tmp_path):
    """Write a page, and return what was counted of it."""

    def write(html, address="lessons"):
        path = tmp_path / address / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HTML.format(html), encoding="utf-8")
        (tmp_path / "figure.svg").write_text(SVG, encoding="utf-8")
        return next(page for page in budgets.pages(tmp_path) if page.address == address)

    return write


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<h1>Two words<a class='headerlink' title='Permanent link'>¶</a></h1>", 2),
        ("<pre><code>not counted</code></pre><p><code>counted</code> here</p>", 2),
        ("<details><summary>one</summary><p>two three</p></details>", 3),
        ("<table><caption>one</caption><tr><td>1.4x</td><td>-</td></tr></table>", 2),
        ("<p title='a tooltip'>text</p><!-- a comment --><script>no</script>", 3),
        ("<img alt='an alternative text' src='../figure.svg'>", 5),
        ("<svg><text>a b</text></svg>", 2),
    ],
)
def test_what_a_reader_can_see_or_unfold_is_counted(written, html, words):
    assert written(html).words == words


def test_images_drawings_and_canvases_are_figures(written):
    assert written("<img alt=''><svg></svg><canvas></canvas><picture></picture>").figures == 3


def test_only_the_table_of_results_is_not_counted(written):
    table = "<p>one</p><table><tr><td>two three</td></tr></table>"
    assert (written(table, "results").words, written(table, "compare").words) == (1, 3)


@pytest.mark.parametrize(
    ("address", "limit"),
    [("", 400), ("articles/cnn_zoo", 1_500), ("articles", 600), ("generated/workloads/gpt", 900), ("data", 600)],
)
def test_each_kind_of_page_has_its_budget(written, address, limit):
    assert written("x", address).limit == limit


def test_a_page_over_its_budget_is_reported_with_both_numbers(written, tmp_path, capsys):
    written("word " * 601 + f"<img alt='{'long ' * 61}'>", "machines")
    written(f"<p title=''>{'&nbsp;' * 30_000}</p>", "compare")
    assert budgets.main(str(tmp_path)) == 1
    assert capsys.readouterr().out.splitlines()[:3] == [
        "machines: 662 words, at most 600",
        "machines: an alternative text of 61 words, at most 60",
        "compare: 180 KB of HTML, at most 150",
    ]


def test_pages_of_the_method_share_a_budget_and_decision_records_have_none(written, tmp_path):
    for name, count in (("method", 2_000), ("parity", 1_001), ("decisions/0001-seals", 5_000)):
        written("word " * count, name)
    assert budgets.over(budgets.pages(tmp_path)) == ["method, all its pages: 3,001 words, at most 3,000"]


def test_each_kind_of_page_and_the_whole_site_are_held_to_their_own_numbers():
    home, workload = (budgets.Page(address, 901, 0, 1, 0) for address in ("", "generated/workloads/gpt"))
    assert budgets.over([home, workload]) == [
        "home: 901 words, at most 400",
        "generated/workloads/gpt: 901 words, at most 900",
    ]
    assert budgets.over([home._replace(words=400, size=budgets.HTML + 1)]) != []
    assert budgets.over([workload._replace(words=900)] * 67) == ["the site: 60,300 words, at most 60,000"]


@pytest.mark.browser
def test_the_built_site_is_within_its_budgets(site):
    found = budgets.over(budgets.pages(site)) + too_heavy(site)
    assert not found, "\n".join(found)


def test_what_is_too_heavy_is_named_with_its_size(tmp_path):
    noise = os.urandom(PAGE + 1)
    (tmp_path / "noise.json").write_bytes(noise)
    (tmp_path / "figure.svg").write_bytes(b" " * (FIGURE + 1))
    assert too_heavy(tmp_path) == [
        "noise.json: data, compressed 200 KB, at most 150",
        "figure.svg: figure 80 KB, at most 80",
    ]
    (tmp_path / "noise.png").write_bytes(noise)
    assert too_heavy_page([tmp_path / "noise.png", tmp_path / "figure.svg"]) == []
    assert too_heavy_page([tmp_path / "noise.json"]) == [
        "page, compressed 200 KB, at most 200; largest: noise.json 200"
    ]
