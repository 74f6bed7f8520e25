"""Texts that tests expect, a file each: wording is read and changed there, and not in literals.

`CTXMGR_GOLDENS=write scripts/test tests/unit` writes them anew; read the diff of each.
"""

import os
from pathlib import Path

HERE = Path(__file__).parent


def golden(name: str) -> str:
    """The text of a file here, without the line end that a file ends with."""
    return (HERE / name).read_text(encoding="utf-8").removesuffix("\n")


def held(name: str, text: str) -> str:
    """What a text is compared with: the file's, which is written anew first where that was asked for."""
    if os.environ.get("CTXMGR_GOLDENS") == "write":
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    return golden(name)
