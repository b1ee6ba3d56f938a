"""Someone who reads a page with a script of the site's own: the explorer, or the page that compares."""

import time

WHOLE = ".explorer.ready"  # when all its data are there
SETTLED = f"return document.querySelector('{WHOLE}, .explorer.failed') !== null"


class Reader:
    """Reads the page in a tab; what only one page has is in its test's own reader."""

    name = ""  # of the page's folder

    def __init__(self, visitor, address):
        self.visitor, self.address, self.do = visitor, f"{address}{self.name}/", visitor.do

    def open(self, link=""):
        self.visitor.open(self.address + link)
        for _ in range(100):
            if self.do(SETTLED):
                return self
            time.sleep(0.1)
        raise AssertionError("the page did not appear within ten seconds")

    def press(self, title):
        all_buttons = "[...document.querySelectorAll('.explorer button')]"
        self.do(f"{all_buttons}.find(b => b.textContent === arguments[0]).click()", title)
        time.sleep(0.2)

    def push(self, key):
        self.visitor.tab.keyboard.press(key)

    def text(self, selector):
        return self.do("return document.querySelector(arguments[0]).textContent", selector)

    def status(self):
        return self.text(".explorer .shown")

    def hash(self):
        return self.do("return location.hash")

    def clipboard(self):
        return self.do("return navigator.clipboard.readText().catch(String)")

    def asked(self):
        """Return the names of the files that were asked for."""
        return sorted(url.rsplit("/", 1)[1] for url in self.visitor.requests)
