"""What a built page may not hold: read with the standard library's parser."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

FORBIDDEN = ("iframe", "object", "embed", "base")
FORBIDDEN_IN_CONTENT = ("form", "link", "math", "meta", "style", "svg", "textarea")  # the theme's own are elsewhere
LOADS = {"script": "src", "img": "src", "link": "href", "source": "src"}


class Page(HTMLParser):
    """One page's problems."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.in_content = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        named = {name: value or "" for name, value in attrs}
        self.in_content = self.in_content or tag == "article"
        self.problems.extend(self._problems(tag, named))

    def handle_endtag(self, tag: str) -> None:
        """Note the end of the part that is this project's own."""
        self.in_content = self.in_content and tag != "article"

    def _problems(self, tag: str, named: dict[str, str]) -> list[str]:
        own = ["style attribute"] if self.in_content and "style" in named else []
        own += ["inline script"] if self.in_content and tag == "script" else []
        handlers = [f"{name} attribute" for name in named if name.startswith("on")]
        elements = [f"{tag} element"] if tag in FORBIDDEN or (self.in_content and tag in FORBIDDEN_IN_CONTENT) else []
        elements += ["refresh"] if tag == "meta" and named.get("http-equiv", "").strip().lower() == "refresh" else []
        urls = [
            f"URL {value}" for value in named.values() if value.strip().lower().startswith(("javascript:", "data:text"))
        ]
        loads = named.get("rel") != "canonical"  # that one is a name, and nothing is fetched
        remote = [f"remote {tag}"] if loads and urlsplit(named.get(LOADS.get(tag, ""), "")).netloc else []
        return own + handlers + elements + urls + remote


def pages(site: Path) -> dict[Path, Page]:
    """Return every page of a built site."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
