"""A headless Chromium, driven by its devtools protocol over a pipe (https://chromedevtools.github.io/devtools-protocol/)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1400,1000"
).split()


class Browser:
    """One page of a fresh browser. Messages are JSON, each ended by a zero byte."""

    def __init__(self, profile: Path) -> None:
        down, self.to_browser = os.pipe()
        self.from_browser, up = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        wrapped = f'exec 3<&{down} 4>&{up}; exec "$@"'
        command = ["bash", "-c", wrapped, "bash", str(CHROMIUM), *FLAGS, "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(down, up),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(down)
        os.close(up)
        self.rest = b""
        self.calls = 0
        self.session: str | None = None
        self.events: list[dict[str, Any]] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.to_browser)  # whereupon it ends
        os.close(self.from_browser)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method; events that come meanwhile are kept."""
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.calls:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            piece = os.read(self.from_browser, 1 << 16)
            assert piece, "the browser is gone"
            self.rest += piece
        first, _, self.rest = self.rest.partition(b"\0")
        return json.loads(first)

    def open(self, page: Path) -> None:
        """Opens a report and waits until all of it is drawn."""
        self.call("Page.navigate", url=page.resolve().as_uri())
        drawn = "document.readyState === 'complete' && (document.documentElement.dataset.drawn || 0)"
        self.wait_for(f"location.protocol === 'file:' && {drawn}")

    def wait_for(self, expression: str) -> None:
        """Until the expression is true, looked at once a frame."""
        look = f"const look = () => ({expression}) ? done() : requestAnimationFrame(look); look();"
        script = f"new Promise((done) => {{ {look} }})"
        self.call("Runtime.evaluate", expression=script, awaitPromise=True)

    def settle(self) -> None:
        """Until what was scrolled or changed has been painted."""
        frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
        self.call("Runtime.evaluate", expression=frames, awaitPromise=True)

    def value(self, expression: str) -> Any:
        """What a JavaScript expression yields."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key: str) -> None:
        """A key of the keyboard; one letter, or a name such as Enter."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def move_to(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def requests(self) -> list[str]:
        """The addresses of all that the page has asked for."""
        sent = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [parameters["request"]["url"] for parameters in sent]

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF")["data"])
