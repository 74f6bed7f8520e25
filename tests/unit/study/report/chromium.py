"""A headless Chromium that is spoken to over two pipes (the DevTools protocol). Knows no page."""

import fcntl
import json
import os
import select
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from tests import needs

BOUND = 60.0  # seconds; only a failing test waits so long
FLAGS = (
    "--headless",
    "--no-sandbox",  # as root there is none; what is opened is a page of our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
ABOVE = 10  # of file descriptors: 3 and 4 are Chromium's ends of the pipes


class Chromium:
    def __init__(self, profile: Path) -> None:
        program = needs.program("chromium")
        (hears, self._to), (self._from, says) = os.pipe(), os.pipe()
        theirs = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, ABOVE) for descriptor in (hears, says)]
        own = [f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs[0]} 4>&{theirs[1]}', "chromium", program, *FLAGS, *own],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for descriptor in (hears, says, *theirs):
            os.close(descriptor)
        self._came = b""
        self._number = 0
        self._page = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._page = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None
    ) -> None:
        if fault is None:
            self._page = ""
            self._ask("Browser.close")
        else:
            self.process.kill()
        self.process.wait(BOUND)
        for descriptor in (self._to, self._from):
            os.close(descriptor)

    def open(self, url: str, width_px: int, height_px: int, *, phone: bool) -> None:
        """`phone`: what a page says of its viewport counts, as it does there."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width_px,
            height=height_px,
            deviceScaleFactor=1,
            mobile=phone,
        )
        self._ask("Page.navigate", url=url)
        while self._heard().get("method") != "Page.loadEventFired":
            pass

    def value(self, script: str) -> Any:
        """What an expression comes to in the page, as plain values; a promise is waited for. RuntimeError where it
        throws."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Tab or Enter, as by a keyboard."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"Tab": 9, "Enter": 13}[key]
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self._ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        page = {"sessionId": self._page} if self._page else {}
        text = json.dumps({"id": self._number, "method": method, "params": params, **page})
        os.write(self._to, text.encode() + b"\0")
        while (answer := self._heard()).get("id") != self._number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _heard(self) -> dict[str, Any]:
        """The next message. TimeoutError, EOFError."""
        while b"\0" not in self._came:
            if not select.select([self._from], [], [], BOUND)[0]:
                raise TimeoutError("Chromium has not answered")
            more = os.read(self._from, 1 << 16)
            if not more:
                raise EOFError("Chromium has ended")
            self._came += more
        message, _, self._came = self._came.partition(b"\0")
        message_fields: dict[str, Any] = json.loads(message)
        return message_fields
