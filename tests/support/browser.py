"""A headless Chromium of Debian's, driven by its remote debugging protocol over a pipe, for what a reader sees.

  with Browser() as browser:
      browser.open("file:///some/page.html", width=400, dark=True)
      browser.value("document.title")
      browser.screenshot("page.png")
      browser.errors                         # what the console said since open()

Each Browser has a profile of its own, and resolves no name but localhost: nothing leaves this machine. What does not
answer within `deadline` seconds, or fails in the page, is an exception that says so.
"""
import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]


class Browser:
    def __init__(self, deadline=60):
        self.deadline, self.errors, self.sent, self.left, self.events = deadline, [], 0, b"", []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kubist-browser-", ignore_cleanup_errors=True)
        (its_in, self.out), (self.into, its_out) = os.pipe(), os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4, which the shell has from its standard ones.
        with open(f"{self.folder.name}/log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", 'exec chromium "$@" 3<&0 4>&1 </dev/null >/dev/null', "chromium", *FLAGS,
                 f"--user-data-dir={self.folder.name}", "about:blank"],
                stdin=its_in, stdout=its_out, stderr=log, env={**os.environ, "HOME": self.folder.name})
        os.close(its_in)
        os.close(its_out)
        self.session = None
        try:
            page, = (target["targetId"] for target in self.call("Target.getTargets")["targetInfos"]
                     if target["type"] == "page")
            self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.call(f"{domain}.enable")
            self.call("Page.setLifecycleEventsEnabled", enabled=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        os.close(self.out)  # Chromium ends when its pipe does
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        self.folder.cleanup()

    def message(self, until, what):
        """The next message; errors of the page are noted on the way."""
        while b"\0" not in self.left:
            ready, _, _ = select.select([self.into], [], [], max(0, until - time.monotonic()))
            more = os.read(self.into, 1 << 20) if ready else b""
            if not more:
                why = "ended" if ready else f"did not answer within {self.deadline} s"
                said = pathlib.Path(self.folder.name, "log").read_text(encoding="utf-8")[-2000:]
                raise RuntimeError(f"browser: {what}: Chromium {why}; it said: {said}")
            self.left += more
        text, _, self.left = self.left.partition(b"\0")
        message = json.loads(text)
        method, said = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(said["exceptionDetails"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.errors.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "assert"):
            self.errors.append(json.dumps([part.get("value", part.get("description")) for part in said["args"]]))
        return message

    def call(self, method, **params):
        """The result of a method of the protocol (https://chromedevtools.github.io/devtools-protocol)."""
        self.sent += 1
        asked = {"id": self.sent, "method": method, "params": params}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.out, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + self.deadline
        while True:
            message = self.message(until, method)
            if message.get("id") == self.sent:
                if "error" in message:
                    raise RuntimeError(f"browser: {method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message.get("params", {}))

    def open(self, url, width=1280, height=900, dark=False):
        """Shows a page and waits until it has loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.errors.clear()
        self.events.clear()
        done = self.call("Page.navigate", url=url)
        if why := done.get("errorText"):
            raise RuntimeError(f"browser: cannot open {url}: {why}")
        until = time.monotonic() + self.deadline
        while ("load", done["loaderId"]) not in ((event.get("name"), event.get("loaderId")) for event in self.events):
            self.events.append(self.message(until, f"loading {url}").get("params", {}))

    def value(self, expression):
        """The value of a JavaScript expression in the page; of a promise, what it gives."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"browser: {expression}: {json.dumps(done['exceptionDetails'])}")
        return done["result"].get("value")

    def wait_for(self, expression):
        """The value of the expression as soon as it is true, also on a page to which this one leads."""
        until = time.monotonic() + self.deadline
        while True:
            why = "it is still not"
            try:
                if value := self.value(expression):
                    return value
            except RuntimeError as error:  # a page that goes has nothing to ask
                why = str(error)
            if time.monotonic() > until:
                raise RuntimeError(f"browser: {expression} was to be within {self.deadline} s: {why}")
            time.sleep(0.05)

    def screenshot(self, path):
        """The whole page as a PNG file, in its width and not only as high as the window."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
