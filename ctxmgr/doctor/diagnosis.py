"""What a check is given, and what it says."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ctxmgr.devices import default_state_dir

Severity = Literal["ok", "warn", "bad"]


class Surroundings(msgspec.Struct, frozen=True):
    """Where it is looked. `state_dir` "": the user's; `recording`: a transcript to look at, "" for none."""

    environ: Mapping[str, str] = os.environ
    directory: str = "."
    state_dir: str = ""
    recording: str = ""

    @property
    def state(self) -> Path:
        return Path(self.state_dir or default_state_dir())


class Diagnosis(msgspec.Struct, frozen=True):
    """One sentence on one subject, and what to do where it is not well."""

    severity: Severity
    subject: str
    text: str
    advice: str = ""
