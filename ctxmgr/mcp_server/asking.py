"""Calls the proxy of this run with a method and params, and returns its result. Address and token come from
environment variables.
"""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

URL, TOKEN = "CTXMGR_TOOLS_URL", "CTXMGR_TOOLS_TOKEN"  # variables
PATH = "/ctxmgr/tools"
WAIT_SECONDS = 60.0  # the first search of a long session indexes all of it


class NotAnswered(Exception):
    """The proxy refused, or there is none. The text is for the model."""


class ProxyOfThisRun:
    """Raises NotAnswered if the environment names no proxy, because the program was not started by `ctxmgr run`."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._url, self._token = environ.get(URL, ""), environ.get(TOKEN, "")
        if not self._url or not self._token:
            raise NotAnswered(f"{URL} and {TOKEN} are not set: ctxmgr run sets them for the program that it starts")

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The method's result. Raises NotAnswered."""
        given = {name: value for name, value in params.items() if value is not None}
        request = urllib.request.Request(
            f"{self._url}{PATH}",
            json.dumps({"method": method, "params": given}).encode(),
            {"authorization": f"Bearer {self._token}", "content-type": "application/json"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy for loopback
        try:
            with opener.open(request, timeout=WAIT_SECONDS) as answer:
                result: dict[str, Any] = json.load(answer)["result"]
                return result
        except urllib.error.HTTPError as refused:
            raise NotAnswered(_sentence(refused)) from None
        except (OSError, ValueError, KeyError) as fault:
            raise NotAnswered(f"ctxmgr does not answer now ({type(fault).__name__})") from None


def _sentence(refused: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(refused)["error"])
    except (OSError, ValueError, KeyError):
        return f"ctxmgr answered {refused.code}"
