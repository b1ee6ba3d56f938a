"""No built page holds what a page may not, and the guard stops what it is there to stop."""

import pytest
from guard import Page, pages
from views import nothing

BAD = {
    "inline script": "<article><script>alert(1)</script></article>",
    "style attribute": '<article><p style="color: red">x</p></article>',
    "onclick attribute": '<p onclick="alert(1)">x</p>',
    "iframe element": "<iframe></iframe>",
    "form element": '<article><form action="x"></form></article>',
    "link element": '<article><link rel="icon" href="x.png"></article>',
    "math element": "<article><math></math></article>",
    "meta element": '<article><meta name="x"></article>',
    "style element": "<article><style>p {color: red}</style></article>",
    "svg element": "<article><svg></svg></article>",
    "textarea element": "<article><textarea></textarea></article>",
    "refresh": '<meta http-equiv=" Refresh" content="0; url=x/">',
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


@pytest.mark.browser
def test_no_built_page_holds_what_a_page_may_not(site):
    nothing({str(path.relative_to(site)): page.problems for path, page in pages(site).items()})


@pytest.mark.browser
def test_the_site_holds_no_python_file(site):
    nothing({"python file": [str(path.relative_to(site)) for path in site.rglob("*.py*")]})
