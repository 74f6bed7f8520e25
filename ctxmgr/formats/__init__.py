"""Floor 1: one file a message format. Each turns its JSON into views, and a decision back into its JSON.

A format is a module with the functions of `Format`. The engine never sees one; the session is handed one.
"""

from types import ModuleType

from ctxmgr.formats import pi

FORMATS: dict[str, ModuleType] = {"pi": pi}
