"""What a visitor types into the search box finds the right page first."""

from collections.abc import Iterator

import pytest
from driven import Visitor, visiting

pytestmark = pytest.mark.browser

FIRST = {  # a query, and the addresses of which one must be the first result's
    "lstm": ["generated/workloads/lstm_forecast/"],
    "h100": ["generated/machines/"],
    "compile": ["articles/torch_or_keras/", "lessons/"],
    "keras torch slow": ["articles/torch_or_keras/"],
    "publish": ["publishing/", "get_started/"],
    "predict": ["explorer/", "results/"],
    "jit_compile": ["articles/torch_or_keras/", "generated/frameworks/"],
    "use_cudnn": ["articles/torch_or_keras/", "generated/frameworks/keras/", "generated/workloads/lstm_forecast/"],
    "dataloader": ["articles/input_pipelines/"],
    "vram": ["explorer/", "results/"],
    "float64": ["method/"],
    "depthwise": ["generated/workloads/efficientnet_b3/"],
    "recompile": ["articles/torch_or_keras/", "generated/frameworks/"],
}
RESULT = ".md-search-result__item > a"


@pytest.fixture(scope="module")
def searching(chromium, address) -> Iterator[Visitor]:
    """Let someone open the home page with the search box."""
    with visiting(chromium) as visitor:
        visitor.open(address)
        yield visitor


def first(searching: Visitor, query: str) -> tuple[str, str]:
    """Type a query; return the address of the first result, and its title. Empty without a result."""
    box, told = (searching.tab.locator(f"[data-md-component={part}]") for part in ("search-query", "search-result"))
    box.fill("")
    box.press("End")
    told.get_by_text("Type to start searching").wait_for()
    box.fill(query)
    box.press("End")
    told.locator(".md-search-result__meta", has_text="matching").wait_for()
    found = searching.tab.locator(RESULT)
    if not found.count():
        return "", ""
    return found.first.get_attribute("href"), found.first.locator("h1").first.text_content()


@pytest.mark.parametrize("query", FIRST)
def test_a_query_finds_the_right_page_first(searching, address, query):
    found, _ = first(searching, query)
    assert found.startswith(tuple(address + place for place in FIRST[query])), found


def test_a_machine_is_found_by_the_name_of_its_gpu(searching):
    assert "h100" in first(searching, "h100")[1].lower()
