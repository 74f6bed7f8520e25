"""The agents on this machine: which, how to begin with each, and what it does differently behind ctxmgr."""

from collections.abc import Iterator

from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings
from ctxmgr.programs import PROGRAMS, Launch, NotHookable, installed


def agents(place: Surroundings) -> Iterator[Diagnosis]:
    found = [(program, there) for program in PROGRAMS if (there := installed(program, place.environ))]
    if not found:
        names = ", ".join(program.title for program in PROGRAMS)
        yield Diagnosis("ok", "agents", f"none of those that are known is on PATH ({names})")
    for program, there in found:
        if there.version is None:
            text = f"{there.path} does not say its version"
            yield Diagnosis("warn", program.title, text, f"see whether `{program.command} --version` works")
            continue
        text = f"{there.version} at {there.path}; tried with {program.tried}"
        start = Launch((), dict(place.environ), place.directory)
        try:
            upstream = program.upstream(start)
            program.hook(start, "http://127.0.0.1:1", upstream)
        except NotHookable as fault:
            yield Diagnosis("warn", program.title, f"{text}: {fault}")
            continue
        yield Diagnosis("ok", program.title, f"{text}; it speaks to {upstream}", f"ctxmgr run -- {program.command}")
        for loss in program.losses:
            yield Diagnosis("ok", program.title, f"behind ctxmgr: {loss}")
