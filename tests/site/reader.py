"""Someone who reads a page with a script of the site's own: the explorer, or the page that compares."""

import time

from driven import open_anew

SETTLED = "return document.querySelector('.explorer.ready, .explorer.failed') !== null"


class Reader:
    """Drives the page in a browser; what only one page has is in its test's own reader."""

    name = ""  # of the page's folder

    def __init__(self, chromium, address):
        self.chromium, self.page = chromium, f"{address}{self.name}/"

    def do(self, script, *values):
        return self.chromium.execute_script(script, *values)

    def open(self, link=""):
        open_anew(self.chromium, self.page + link)
        for _ in range(100):
            if self.do(SETTLED):
                return self
            time.sleep(0.1)
        raise AssertionError("the page did not appear within ten seconds")

    def press(self, title):
        all_buttons = "[...document.querySelectorAll('.explorer button')]"
        self.do(f"{all_buttons}.find(b => b.textContent === arguments[0]).click()", title)
        time.sleep(0.2)

    def text(self, selector):
        return self.do("return document.querySelector(arguments[0]).textContent", selector)

    def status(self):
        return self.text(".explorer .shown")

    def hash(self):
        return self.do("return location.hash")

    def console(self):
        log = self.chromium.get_log("browser")
        return [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]

    def clipboard(self):
        read = "const done = arguments[0]; navigator.clipboard.readText().then(done, e => done(String(e)))"
        return self.chromium.execute_async_script(read)


def allow(chromium, address, setting):
    """Grant or deny a page's scripts the clipboard."""
    for name in ("clipboard-write", "clipboard-read"):
        asked = {"permission": {"name": name}, "setting": setting, "origin": address.rstrip("/")}
        chromium.execute_cdp_cmd("Browser.setPermission", asked)
