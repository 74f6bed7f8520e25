"""One file a message format. Each turns its JSON into views, and a decision back into its JSON.

A format is a module with these functions. The engine never sees one; the session is handed one.

    view(raw) -> View                      never raises
    set_result(raw, {unit: text}) -> raw   results by unit number, all else as it came
    set_arguments(raw, {unit: arguments})  of calls by unit number that can be edited
    drop(raw, {unit, ...}) -> raw | None   without these units, None where none is left
    packet(text, at) -> raw                the message that carries the packet
    extra_weight(view) -> tokens           what a model sees around a message
    usage(fields) -> Usage | None          of a decoded usage object, the provider's or ours
"""

from ctxmgr.formats import pi
from ctxmgr.formats.table import FORMATS

__all__ = ["FORMATS", "pi"]
