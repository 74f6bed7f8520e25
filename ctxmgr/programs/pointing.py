"""Programs with several providers, each redirected by a variable. The rows of `rows.py` are made of this.

The row's `chosen` returns the provider that a program uses: its name, a key of `places`, or another name if it is
none of them.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ctxmgr.programs.program import Launch, NotHookable, Program, Unsaid, last_match, with_environ
from ctxmgr.settings import Api


class Place(msgspec.Struct, frozen=True):
    """A provider of a program: its API, the variables with its address (the first one that is set counts), and its
    default address; "" if unknown.
    """

    api: Api
    variables: tuple[str, ...]
    own: str = ""


class Pointing(msgspec.Struct, frozen=True):
    """`settled(start)`: the address in the program's own files, which its variables override; "" without one.
    `hooked(start, place, base_url)`: how to redirect it, if a variable is not enough.
    """

    title: str
    places: Mapping[str, Place]
    chosen: Callable[[Launch], str]
    settled: Callable[[Launch, Place], str] = lambda start, place: ""
    hooked: Callable[[Launch, Place, str], Launch] | None = None

    def place(self, start: Launch) -> Place:
        name = self.chosen(start)
        place = self.places.get(name)
        if place is None:
            known = " or ".join(self.places)
            asked = f"uses the provider {name}" if name else "does not say which provider it uses"
            fault = NotHookable if name else Unsaid
            raise fault(f"{self.title} {asked}: ctxmgr can redirect only {known}")
        return place

    def speaks(self, start: Launch) -> Api:
        return self.place(start).api

    def upstream(self, start: Launch) -> str:
        place = self.place(start)
        named = next(filter(None, map(start.environ.get, place.variables)), "")
        address = named or self.settled(start, place) or place.own
        if not address:
            raise NotHookable(f"the address of {self.title}'s provider is unknown: set {place.variables[0]}")
        return address.rstrip("/")

    def of(self, api: Api) -> "Pointing | None":
        """The same for its first provider with this API; None if there is none."""
        name = next((name for name, place in self.places.items() if place.api == api), None)
        return None if name is None else msgspec.structs.replace(self, chosen=lambda start: name)

    def hook(self, start: Launch, base_url: str, upstream: str) -> Launch:
        place = self.place(start)
        if self.hooked is not None:
            return self.hooked(start, place, base_url)
        return with_environ(start, **{place.variables[0]: base_url})


def program(
    command: str,
    pointing: Pointing,
    asks: tuple[str, ...],
    losses: tuple[str, ...],
    tried: str = "",
    takes_flag: bool = True,
) -> Program:
    """`tried`: the version it was tested with, "" if it is known only from its documentation. `takes_flag`: a flag
    may name its API if nothing else does.
    """

    def speaking(api: Api) -> Program | None:
        told = pointing.of(api)
        return None if told is None else program(command, told, asks, losses, tried, False)

    return Program(
        command,
        pointing.title,
        pointing.speaks,
        pointing.upstream,
        pointing.hook,
        asks=asks,
        losses=losses,
        tried=tried,
        speaking=speaking if takes_flag else None,
    )


def yaml_line(path: Path, name: str) -> str:
    """The value of a top-level key of a YAML file; "" without one. Reads no other YAML."""
    return last_match(path, re.compile(rf"^{re.escape(name)}\s*:\s*['\"]?([^'\"#\s]*)", re.MULTILINE))
