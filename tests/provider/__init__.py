"""A scripted provider of models on the loopback, for tests with real programs. Knows nothing of ctxmgr.

It validates lists as the real ones do (`rules`), simulates their caches and bills (`caching`), plays a session of
an agent by a script (`scripts`, `playing`), fails by plan (`faults`), and remembers all that came (`record`).
"""

from tests.provider.faults import Cut, Fault, Hold, Reset, Status, failing
from tests.provider.record import Exchange, Record
from tests.provider.scripts import Agent, Call, Edit, Found, Read, Run, Script, Step, Write, looking, script, step
from tests.provider.server import Provider
from tests.provider.tree import make_tree, module

__all__ = [
    "Agent",
    "Call",
    "Cut",
    "Edit",
    "Exchange",
    "Fault",
    "Found",
    "Hold",
    "Provider",
    "Read",
    "Record",
    "Reset",
    "Run",
    "Script",
    "Status",
    "Step",
    "Write",
    "failing",
    "looking",
    "make_tree",
    "module",
    "script",
    "step",
]
