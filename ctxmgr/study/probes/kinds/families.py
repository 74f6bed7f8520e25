"""The families of probes, and all that they ask of a session together."""

from collections.abc import Callable, Iterator

from ctxmgr.study.probes.evidence import Probe, Wording
from ctxmgr.study.probes.kinds import assistant, commands, files, instructions, user
from ctxmgr.study.probes.reading import SessionHistory

FAMILIES: tuple[Callable[[SessionHistory, int], Iterator[Probe]], ...] = (
    user.probes,
    instructions.probes,
    files.probes,
    commands.probes,
    assistant.probes,
)


def probes(of: SessionHistory, end: int) -> tuple[Probe, ...]:
    """All that can be asked before message number `end`, by kind. What has no word in it is asked by nobody."""
    return tuple(probe for family in FAMILIES for probe in family(of, end) if _says_something(probe))


def _says_something(probe: Probe) -> bool:
    return all(one.pieces for part in probe.parts for one in part.evidence if isinstance(one, Wording))
