"""Every reader of tool calls says the same of a call: they stand on one catalog."""

import json
from collections.abc import Sequence

import pytest

from ctxmgr.engine.tools import CATALOG
from tests.unit.engine.tools.declared_calls import DECLARED
from tests.unit.engine.tools.known_calls import CALLS, LONG, Known
from tests.unit.engine.tools.readers import Says, says
from tests.unit.engine.tools.unlisted_calls import UNLISTED

STATUS = {"read": "read", "write": "written", "edit": "edited", "delete": "deleted"}
MARKS = ("- [ ]", "- [~]", "- [!]")  # of open tasks, in the packet
AGAIN = "read the file to see them"
CHANGED = ("write", "edit", "delete")


def judged(known: Known, found: Says) -> dict[str, bool]:
    """Whether each reader knows what the call did, by the reader's name."""
    does = frozenset(known.does)
    paths = frozenset(path for _, path in known.does)
    changed = frozenset(path for kind, path in does if kind in CHANGED)
    long = json.dumps(LONG)[1:-1] in json.dumps(known.arguments)
    texts = any(kind in ("write", "edit") for kind, _ in does)
    names = known.names or (known.does[0][1].rpartition("/")[2] if paths else "")
    return {
        "ledger": found.ledger == {(STATUS[kind], path) for kind, path in does} and found.tasks == known.tasks,
        "packet": all(
            _tells(found.packet, path) is (kind in CHANGED)
            for kind, path in does - {("read", path) for path in changed}
        )
        and sum(line.startswith(MARKS) for line in found.packet) == sum(state != "done" for state in known.tasks),
        "pins": found.pins >= paths,
        "markers": names in found.marker,
        "shortening": not long or (found.shortened is not None and (AGAIN in str(found.shortened)) == texts),
        "file lists": found.read == paths - changed and found.modified == changed,
        "scoring": found.scored == bool(changed),
    }


def _tells(packet: Sequence[str], path: str) -> bool:
    """Does a line of the packet's state say that it was changed? A file that was read is told by no line."""
    name = path.rpartition("/")[2]
    return any(line.startswith(("- edited ", "- written ", "- deleted ")) and name in line for line in packet)


@pytest.mark.parametrize("form", ["anthropic", "responses"])
@pytest.mark.parametrize("known", [*CALLS, *UNLISTED, *DECLARED], ids=lambda known: f"{known.host}: {known.tool}")
def test_every_reader_knows_what_a_call_did(known: Known, form: str) -> None:
    found = says(form, known)
    assert [reader for reader, knows in judged(known, found).items() if not knows] == [], found


def test_a_known_host_has_its_tools_listed_and_others_are_known_by_words_and_roles_alone() -> None:
    assert [one for one in CALLS if CATALOG.row(one.tool, one.arguments) is None] == []
    assert [one for one in UNLISTED if CATALOG.row(one.tool, one.arguments) is not None] == []
