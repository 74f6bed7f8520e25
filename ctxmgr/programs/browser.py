"""Opens an address in the user's browser: with the command in BROWSER, otherwise with the desktop's default.

The browser gets no terminal, because one that draws in it would take the program's screen.
"""

import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Mapping

DESKTOP = ("xdg-open", "open", "wslview")


def opened(url: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a browser was started. Does not wait for it."""
    named = map(_words, environ.get("BROWSER", "").split(os.pathsep))
    for command in (*filter(None, named), *([name] for name in DESKTOP)):
        path = shutil.which(command[0], path=environ.get("PATH"))
        if path is None:
            continue
        words = [word.replace("%s", url) for word in command[1:]]
        try:
            process = subprocess.Popen(
                [path, *words, *([] if words != command[1:] else [url])],
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            continue
        threading.Thread(target=process.wait, daemon=True).start()
        return True
    return False


def _words(command: str) -> list[str]:
    """None of a command that cannot be read: another browser is tried."""
    try:
        return shlex.split(command)
    except ValueError:
        return []
