"""Turns a user's file of facts about models into what is known of them, the shipped facts behind it."""

from pathlib import Path

from ctxmgr.known_models import BadFacts, Registry, read
from ctxmgr.settings.fault import SettingsFault


def models_file(path: str | None) -> Registry | None:
    """None: what is shipped. Raises SettingsFault, with the file, the row and the member at fault."""
    if path is None:
        return None
    try:
        if not Path(path).is_file():
            raise SettingsFault(f"{path}: no such file" if not Path(path).exists() else f"{path} is no file")
        return read(Path(path).read_bytes())
    except BadFacts as fault:
        raise SettingsFault(f"{path}: {fault}") from None
    except OSError as fault:
        raise SettingsFault(f"{path} can not be read: {fault.strerror or type(fault).__name__}") from None
