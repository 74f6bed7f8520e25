"""What a check is given, and what it says."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from ctxmgr import settings
from ctxmgr.devices import default_state_dir

Severity = Literal["ok", "warn", "bad"]


class Surroundings(msgspec.Struct, frozen=True):
    """Where it is looked. `state_dir` "": the user's; `recording`: a transcript to look at, "" for none; `compare`:
    the programs that are there are started, and their first calls compared."""

    environ: Mapping[str, str] = os.environ
    directory: str = "."
    state_dir: str = ""
    recording: str = ""
    compare: bool = False

    @property
    def state(self) -> Path:
        return Path(self.state_dir or default_state_dir())


def read_surroundings(
    environ: Mapping[str, str], directory: str, state_dir: str | None, recording: str | None, compare: bool = False
) -> Surroundings:
    """With the state directory that is named, or that the settings have. Settings that can not be used have none: a
    check of their own says so."""
    with contextlib.suppress(settings.SettingsFault):
        state_dir = state_dir or settings.read(environ=environ, directory=directory).settings_for().state_dir
    return Surroundings(environ, directory, state_dir or "", recording or "", compare)


class Diagnosis(msgspec.Struct, frozen=True):
    """One sentence on one subject, and what to do where it is not well."""

    severity: Severity
    subject: str
    text: str
    advice: str = ""
