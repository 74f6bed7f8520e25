"""The settings: whether they can be used, which files they are from, and what in the environment looks like one."""

from collections.abc import Iterator
from pathlib import Path

from ctxmgr import settings
from ctxmgr.devices import shared
from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings

SUBJECT = "settings"


def files(place: Surroundings) -> Iterator[Diagnosis]:
    try:
        layers = settings.read(environ=place.environ, directory=place.directory)
    except settings.SettingsFault as fault:
        advice = "mend it: ctxmgr run and ctxmgr proxy do not start on half of the settings"
        yield Diagnosis("bad", SUBJECT, str(fault), advice)
        return
    if layers.paths:
        yield Diagnosis("ok", SUBJECT, f"read from {', '.join(layers.paths)}")
    else:
        yield Diagnosis(
            "ok", SUBJECT, f"no file: as by default (yours would be {settings.user_path(place.environ)})"
        )


def rights(place: Surroundings) -> Iterator[Diagnosis]:
    """Your own file says where your keys go: nobody else may write it."""
    path = settings.user_path(place.environ)
    if path.is_file() and (how := shared(Path(path).stat())):
        yield Diagnosis("warn", SUBJECT, f"{path}: {how}", f"chmod go-w {path}")


def variables(place: Surroundings) -> Iterator[Diagnosis]:
    """A variable that is none of ours, and is spelled nearly as one of ours."""
    for name in sorted(place.environ):
        if meant := settings.meant_variable(name):
            yield Diagnosis("warn", SUBJECT, f"{name} is set, and nothing reads it", f"did you mean {meant}?")
