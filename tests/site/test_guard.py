"""The guard over built pages stops what it is there to stop."""

import pytest
from guard import Page, broken_links, pages

BAD = {
    "inline script": "<article><script>alert(1)</script></article>",
    "style attribute": '<article><p style="color: red">x</p></article>',
    "onclick attribute": '<p onclick="alert(1)">x</p>',
    "iframe element": "<iframe></iframe>",
    "URL javascript:alert(1)": '<a href="javascript:alert(1)">x</a>',
    "remote img": '<img src="https://example.org/x.png">',
    "remote link": '<link rel="stylesheet" href="https://example.org/x.css">',
    "remote script": '<script src="//example.org/x.js"></script>',
}


@pytest.mark.parametrize("problem", BAD)
def test_each_kind_of_harm_is_found(problem):
    assert Page(BAD[problem]).problems == [problem]


def test_a_plain_page_has_no_problem():
    assert Page('<link rel="canonical" href="https://example.org/x/">').problems == []
    assert Page('<h1 id="a">x</h1><a href="https://example.org/">out</a><img src="x.svg">').problems == []


def test_a_link_to_nowhere_and_a_missing_anchor_are_found(tmp_path):
    tmp_path.joinpath("index.html").write_text('<a href="gone/">x</a><a href="#no">y</a><a href="#yes" id="yes">z</a>')
    assert broken_links(tmp_path, pages(tmp_path)) == [
        "index.html: gone/ does not exist",
        "index.html: #no has no such anchor",
    ]
