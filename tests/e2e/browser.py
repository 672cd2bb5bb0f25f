"""A headless Chromium, driven over its DevTools protocol through a pipe: no port, no library.

    with Browser(env) as b:
        page = b.open("/tmp/run.html", dark=True)
        page.evaluate("document.title")
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile

from harness import Skip, end_processes
from patience import Limit

# What a page does wrong on the screen: text outside of its window or cell, a box that scrolls and that keys do not
# reach, a column without a name, a button whose label lacks the text that is seen on it.
FAULTS = """(() => {
	const found = [], name = e => e.outerHTML.slice(0, 90);
	const seen = e => e.getClientRects().length > 0 && getComputedStyle(e).clipPath === 'none';
	const words = text => text.replace(/\\s+/g, ' ').trim();
	if (document.documentElement.scrollWidth > innerWidth)
		found.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
	for (const e of [...document.body.querySelectorAll('*')].filter(seen)) {
		const s = getComputedStyle(e), more = e.scrollHeight > e.clientHeight + 1, wide = e.scrollWidth > e.clientWidth + 1;
		const scrolls = o => o === 'auto' || o === 'scroll';
		if (((more && scrolls(s.overflowY)) || (wide && scrolls(s.overflowX))) && e.tabIndex < 0 && !e.querySelector('[tabindex], a, button'))
			found.push('no key scrolls ' + name(e));
		if (e.matches('th') && !words(e.textContent))
			found.push('a column without a name: ' + name(e.parentElement));
		const text = [...e.childNodes].filter(c => c.nodeName !== 'title').map(c => c.textContent).join('');
		if (e.matches('[role=button][aria-label]') && !e.getAttribute('aria-label').includes(words(text)))
			found.push('its label lacks its text: ' + name(e));
		if (e.matches('.row > *, td, th') && s.overflowX === 'visible' && wide)
			found.push('over the next column: ' + name(e));
		if (e.matches('.row > *, td, th') && e.getBoundingClientRect().right > e.closest('.row, tr').getBoundingClientRect().right + 1)
			found.push('outside of its row: ' + name(e));
	}
	return found;
})()"""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars=false", "--force-color-profile=srgb", "--disable-dev-shm-usage",
         "--remote-debugging-pipe")


def program():
    """Its path, or None where there is none."""
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            return found
    return None


def rendered(t, path):
    """HTML of the page once its scripts have run, without them; checks that it asks for nothing and complains of nothing."""
    if not program():
        raise Skip("there is no chromium here (apt-get install chromium)")
    with Browser(t.env) as b:
        page = b.open(path)
        t.equal(page.errors, [], "errors in the browser's console")
        t.equal([u for u in page.requests if not u.startswith("file://")], [], "requests to a network")
        return page.evaluate("document.querySelectorAll('script').forEach(s => s.remove()), document.documentElement.outerHTML")


class BrowserError(Exception):
    pass


class Browser:
    def __init__(self, env, seconds=40):
        self.seconds = seconds
        self.profile = tempfile.mkdtemp(prefix="gatectl-chromium-")
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()
        # it reads commands from 3 and answers on 4; numbers above them are free of both
        high = [os.dup2(fd, 200 + i) for i, fd in enumerate((to_browser, from_browser))]

        def child():
            os.setsid()
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        # its crash handler has a session of its own: all are found, and ended, by a mark of their own
        self.marker = "%s.browser.%d" % (env.get("GATECTL_E2E", ""), os.getpid())
        sandbox = [] if os.getuid() else ["--no-sandbox"]  # root has none
        self.process = subprocess.Popen(
            [program(), *FLAGS, *sandbox, "--user-data-dir=" + self.profile, "about:blank"],
            env=dict(env, HOME=self.profile, GATECTL_E2E=self.marker), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=child)
        for fd in (to_browser, from_browser, *high):
            os.close(fd)
        self.buffer, self.count, self.answers, self.pages = b"", 0, {}, {}

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its session is its own
        except ProcessLookupError:
            pass
        self.process.wait()
        end_processes(self.marker)
        os.close(self.read_fd)
        os.close(self.write_fd)
        shutil.rmtree(self.profile, ignore_errors=True)

    # -- messages: JSON, each ended by a NUL

    def send(self, method, params=None, session=None):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        return self.count

    def receive(self, limit):
        while b"\0" not in self.buffer:
            if limit.over():
                raise BrowserError("the browser does not answer")
            if not select.select([self.read_fd], [], [], 0.5)[0]:
                continue
            data = os.read(self.read_fd, 1 << 20)
            if not data:
                raise BrowserError("the browser has ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].happened(message["method"], message["params"])

    def call(self, method, params=None, session=None):
        number = self.send(method, params, session)
        limit = Limit(self.seconds)
        while number not in self.answers:
            self.receive(limit)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise BrowserError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def open(self, path, width=1440, height=900, dark=False):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        page.start(path, width, height, dark)
        return page


class Page:
    """A tab. One that another one hides draws nothing: close it before the next is opened."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.errors, self.requests, self.loaded = [], [], False

    def call(self, method, **params):
        return self.browser.call(method, params, self.session)

    def happened(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:1000])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(params["args"])[:1000])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + params["message"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def start(self, path, width, height, dark):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.size(width, height)
        self.scheme(dark)
        self.call("Page.navigate", url="file://" + path)
        limit = Limit(self.browser.seconds)
        while not self.loaded:
            self.browser.receive(limit)

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def scheme(self, dark):
        value = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": value}])

    def evaluate(self, expression):
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise BrowserError("%s\n%s" % (expression, json.dumps(r["exceptionDetails"])[:1500]))
        return r["result"].get("value")

    def settle(self):
        """Two frames later all that was asked for is on the screen; in milliseconds."""
        return self.evaluate("new Promise(done => { const t = performance.now(); "
                             "requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - t))); })")

    def faults(self):
        self.settle()
        return self.evaluate(FAULTS)

    def cpu(self):
        """Milliseconds that the page's thread has computed: others' load does not count."""
        metrics = self.call("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("Moved", x, y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self.move(x, y)
        self.mouse("Pressed", x, y, button="left", buttons=1, clickCount=1)
        for i in range(1, 6):
            self.mouse("Moved", x + (to_x - x) * i / 5, y + (to_y - y) * i / 5, button="left", buttons=1)
        self.mouse("Released", to_x, to_y, button="left", clickCount=1)

    def wheel(self, x, y, by):
        self.mouse("Wheel", x, y, deltaX=0, deltaY=by)

    def click_on(self, selector):
        x, y = self.evaluate("(() => { const b = document.querySelector(%s).getBoundingClientRect(); "
                             "return [b.left + b.width / 2, b.top + b.height / 2]; })()" % json.dumps(selector))
        self.click(x, y)

    def key(self, key, text=None, modifiers=0):
        more = {"text": text} if text else {}
        code = {"Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "ArrowUp": 38,
                "End": 35, "Home": 36}.get(key, ord(key[0]) if len(key) == 1 else 0)
        if key == "Enter":
            more = {"text": "\r"}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      modifiers=modifiers, **(more if kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
