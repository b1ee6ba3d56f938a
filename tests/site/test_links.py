"""No address of the site leads nowhere, and the checker of links finds what it is there to find."""

import pytest
from links import broken
from views import nothing

BAD = {
    "index.html: gone/ does not exist": '<a href="gone/">x</a>',
    "index.html: gone.png does not exist": '<img src="gone.png">',
    "index.html: gone-2.png does not exist": '<img src="here.svg" srcset="here.svg 1x, gone-2.png 2x">',
    "index.html: /gone/ does not exist": '<a href="/gone/">x</a>',
    "index.html: ../outside.txt does not exist": '<a href="../outside.txt">out of the site</a>',
    "index.html: #no has no such anchor": '<a href="#no">x</a>',
    "index.html: page/#no has no such anchor": '<a href="page/#no">x</a>',
    "index.html: https://example.org/x.png is fetched from elsewhere": '<img src="https://example.org/x.png">',
    "index.html: //example.org/x.css is fetched from elsewhere": '<link rel="stylesheet" href="//example.org/x.css">',
    "index.html: //example.org is fetched from elsewhere": '<link rel="preconnect" href="//example.org">',
    "index.html: https://example.org/b.png is fetched from elsewhere": "<p style=\"background: url('https://example.org/b.png')\">x</p>",
}
GOOD = """<link rel="canonical" href="https://example.org/"><link rel="next" href="https://example.org/page/">
<a href="page/">a</a><a href="page/index.html#yes">b</a><a href="/">c</a><a href="#">d</a>
<a href="?q=1#top" id="top">e</a><a href="https://example.org/">f</a><a href="mailto:x@example.org">g</a>
<a name="old"></a><a href="#old">h</a><img src="data:image/png;base64,AA"><img src="here.svg">"""


def site_with(folder, text):
    folder.joinpath("outside.txt").write_text("not of the site")
    site = folder / "site"
    site.joinpath("page").mkdir(parents=True)
    site.joinpath("page", "index.html").write_text('<h1 id="yes">x</h1><a href="..">y</a>')
    site.joinpath("here.svg").write_text('<svg><path id="m"/><use xlink:href="#m" clip-path="url(#m)"/></svg>')
    site.joinpath("index.html").write_text(text)
    return site


@pytest.mark.parametrize("problem", BAD)
def test_each_kind_of_broken_address_is_found(tmp_path, problem):
    assert broken(site_with(tmp_path, BAD[problem])) == [problem]


def test_addresses_that_lead_somewhere_are_no_problem(tmp_path):
    assert broken(site_with(tmp_path, GOOD)) == []


def test_a_style_sheet_and_an_image_are_read_too(tmp_path):
    site = site_with(tmp_path, "")
    site.joinpath("site.css").write_text('a { background: url("gone.svg") } b { background: url(page/../here.svg) }')
    site.joinpath("bad.svg").write_text(
        '<svg><style>a { fill: url(#gone) }</style><image href="https://example.org/a"/></svg>'
    )
    assert broken(site) == [
        "bad.svg: #gone has no such anchor",
        "bad.svg: https://example.org/a is fetched from elsewhere",
        "site.css: gone.svg does not exist",
    ]


def test_an_address_from_the_server_s_root_is_found_below_the_site_s_own(tmp_path):
    site = site_with(tmp_path, '<a href="/rosetta/page/#yes">x</a>')
    assert broken(site, "/rosetta/") == []
    assert broken(site) == ["index.html: /rosetta/page/#yes does not exist"]


@pytest.mark.browser
def test_no_address_leads_nowhere_or_asks_another_server(site):
    nothing({"address": broken(site)})
