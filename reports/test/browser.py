"""Opens pages in a headless Chromium and drives them, with nothing but the standard library.

Speaks the DevTools protocol over the browser's pipe (descriptors 3 and 4, messages that end in a
NUL byte), so no port is opened.

    browser.py CHROMIUM check PAGE...            one line of JSON for each page: what was observed
    browser.py CHROMIUM shot PAGE WIDTH SCHEME OUT.png [FRAGMENT]
"""

import base64
import json
import os
import select
import subprocess
import sys
import tempfile
import time

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--mute-audio", "--remote-debugging-pipe", "about:blank",
]
PATIENCE = 120  # seconds, for one answer on a loaded machine


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(
            prefix="nandi-browser-", ignore_cleanup_errors=True)  # a child may write to the last
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def place():
            # Descriptors 3 and 4 may be taken by the pipes themselves: move through high numbers.
            os.dup2(to_browser, 60)
            os.dup2(from_browser, 61)
            os.dup2(60, 3)
            os.dup2(61, 4)

        self.process = subprocess.Popen(
            [program, f"--user-data-dir={self.profile.name}", *FLAGS],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (RuntimeError, TimeoutError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
        self.profile.cleanup()

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(deadline - time.time(), 0))
            if not ready:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.read_end, 1 << 16)
            if not chunk:
                raise RuntimeError("the browser is gone")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, session=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.time() + PATIENCE
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, is_wanted):
        """The first event that `is_wanted` accepts, of those that came and those to come."""
        deadline = time.time() + PATIENCE
        for event in self.events:
            if is_wanted(event):
                return event
        while True:
            event = self.receive(deadline)
            self.events.append(event)
            if is_wanted(event):
                return event


class Page:
    def __init__(self, browser, path, width=1400, scheme="light", fragment=""):
        self.browser = browser
        target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = browser.call("Target.attachToTarget",
                                    {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", {"enabled": True})
        self.look(width, scheme)
        browser.events.clear()
        begin = time.time()
        url = "file://" + os.path.abspath(path) + fragment
        loader = self.call("Page.navigate", {"url": url})["loaderId"]
        browser.wait_for(lambda event: self.is_loaded(event, loader))
        self.seconds = time.time() - begin

    def is_loaded(self, event, loader):
        """Of this document: that of about:blank may be reported as late as now."""
        return (event.get("method") == "Page.lifecycleEvent"
                and event.get("sessionId") == self.session
                and event["params"]["name"] == "load" and event["params"]["loaderId"] == loader)

    def look(self, width, scheme, media=""):
        """A window of that width, and light or dark. The page has been told when this returns."""
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.call("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def settle(self):
        """Until what was asked is laid out: resize handlers run before the next frame."""
        self.value("new Promise((done) => requestAnimationFrame(() => "
                   "requestAnimationFrame(() => done(true))))")

    def call(self, method, parameters=None):
        return self.browser.call(method, parameters, self.session)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key, text=""):
        codes = {".": 190, ",": 188, "+": 187, "-": 189, "0": 48, "ArrowRight": 39, "Home": 36,
                 "Tab": 9}
        common = {"key": key, "windowsVirtualKeyCode": codes[key]}
        self.call("Input.dispatchKeyEvent",
                  {"type": "keyDown", **common, **({"text": text} if text else {})})
        self.call("Input.dispatchKeyEvent", {"type": "keyUp", **common})

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent",
                  {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, **more})

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def errors(self):
        found = []
        for event in self.browser.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("text", "exception"))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append("console." + params["type"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, out):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000),
                "scale": 1}
        image = self.call("Page.captureScreenshot",
                          {"format": "png", "captureBeyondViewport": True, "clip": clip})
        with open(out, "wb") as file:
            file.write(base64.b64decode(image["data"]))


BOX = """(() => { const b = document.querySelector('#timeline-0 svg').getBoundingClientRect();
          return [b.left, b.top, b.width, b.height]; })()"""


FOCUSED = """(() => { const node = document.activeElement;
  if (!node || node === document.body) return 'null';
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  return JSON.stringify({
    at: [...document.querySelectorAll('*')].indexOf(node),
    name: node.dataset.tool || node.getAttribute('aria-label') || node.textContent.slice(0, 40),
    outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
    visible: box.bottom > 0 && box.top < innerHeight}); })()"""


def step_through(page, seen):
    """Clicks, keys and the wheel on the timeline, and what each of them leads to."""
    now = "document.querySelector('.now').textContent"
    axis = """[...document.querySelectorAll('#timeline-0 svg text')].map((t) => t.textContent)
              .filter((t) => /^[0-9.]+ s$|^tick [0-9]+$/.test(t)).join(' ')"""
    page.value("document.querySelector('#timeline-0 svg').scrollIntoView({block: 'start'})")
    page.value("document.querySelector('#timeline-0 svg').focus()")
    seen["axis"] = page.value(axis)
    page.key("+", "+")
    seen["axis_zoomed"] = page.value(axis)
    page.key("ArrowRight")
    seen["axis_moved"] = page.value(axis)
    page.key("0", "0")
    seen["axis_whole"] = page.value(axis)
    left, top, width, _ = page.value(BOX)
    page.mouse("mouseWheel", left + width / 2, top + 60, deltaX=0, deltaY=-300, modifiers=2)
    seen["axis_wheel"] = page.value(axis)
    page.key("0", "0")
    page.key("Home")
    seen["first"] = page.value(now)
    page.key(".", ".")
    page.key(".", ".")
    seen["third"] = page.value(now)
    page.key(",", ",")
    seen["second"] = page.value(now)
    seen["fragment"] = page.value("location.hash")
    left, top, width, _ = page.value(BOX)
    page.click(left + width * 0.6, top + 70)
    seen["clicked"] = page.value(now)
    seen["states"] = page.value("document.querySelectorAll('.stepping tbody tr').length")
    page.mouse("mouseMoved", left + width * 0.7, top + 70, button="none")
    seen["tip"] = page.value("document.querySelector('.tip').textContent")
    page.value("document.querySelector('[data-tool=forward]').click()")
    seen["forward"] = page.value(now)
    seen["others"] = page.value(
        "JSON.parse(document.getElementById('timelines').textContent)[0].events"
        ".filter((e) => e[6]).length")


def tab_through(page):
    """Where the tabulator key leads, and whether each place shows that it has the focus."""
    stops = []
    for _ in range(60):
        page.key("Tab")
        stop = json.loads(page.value(FOCUSED))
        if stop is None or (stops and stop["at"] == stops[0]["at"]):
            break
        stops.append(stop)
    return stops


def check(browser, path):
    page = Page(browser, path)
    seen = {"page": path, "seconds": page.seconds}
    seen["title"] = page.value("document.title")
    seen["unnamed_charts"] = page.value(
        "[...document.querySelectorAll('svg')].filter((s) => s.getAttribute('aria-hidden') !== "
        "'true' && !(s.getAttribute('role') === 'img' && s.getAttribute('aria-label'))).length")
    seen["charts"] = page.value("document.querySelectorAll('svg[role=img]').length")
    seen["grids"] = page.value("document.querySelectorAll('table.grid').length")
    seen["unlabelled_cells"] = page.value(
        "[...document.querySelectorAll('th')].filter((h) => !h.scope).length")
    seen["empty_charts"] = page.value(
        "[...document.querySelectorAll('svg[role=img]')].filter((s) => s.children.length === 0)"
        ".length")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_checks.js")) as file:
        measure = file.read()
    seen["looks"] = []
    for width in (1400, 800):
        for scheme in ("light", "dark"):
            page.look(width, scheme)
            page.settle()
            seen["looks"].append({"width": width, "scheme": scheme, **page.value(measure)})
    page.look(1400, "light")
    page.settle()
    if page.value("document.querySelector('#timeline-0') !== null"):
        seen["stops"] = tab_through(page)
        step_through(page, seen)
    seen["errors"] = page.errors()
    seen["requests"] = [url for url in page.requests() if not url.startswith("file://")]
    page.call("Page.close")
    return seen


def main():
    browser = Browser(sys.argv[1])
    try:
        if sys.argv[2] == "shot":
            path, width, scheme, out, *fragment = sys.argv[3:]
            page = Page(browser, path, int(width), scheme, fragment[0] if fragment else "")
            page.screenshot(out)
        else:
            for path in sys.argv[3:]:
                print(json.dumps(check(browser, path)))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
