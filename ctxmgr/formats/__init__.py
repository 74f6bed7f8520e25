"""One file a message format. Each turns its JSON into views, and a decision back into its JSON.

A format is a module with these functions. The engine never sees one; the session is handed one.

    view(raw) -> View                      never raises
    set_result(raw, {block: text}) -> raw   results by block index, all else as it came
    set_text(raw, {block: text})            texts of users and results, all else (images too) as it came
    set_media(raw, {block: {number: text}}) a text for each of these pictures and documents of a block
    set_arguments(raw, {block: arguments})  of calls by block index that can be edited
    drop(raw, {block, ...}) -> raw | None   without these blocks, None where none is left
    packet(text, at) -> raw                the message that carries the packet
    extra_weight(view) -> tokens           what a model sees around a message
    usage(fields) -> Usage | None          of a decoded usage object, the provider's or ours
    accept(progress, said) -> Progress     what its provider would refuse of a list (`acceptance`)

A format, and what reads it, is loaded when it is used: a start of the sidecar waits for none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ctxmgr.formats.table import AUTO, FIRST_NAMES, FORMATS, checked_name, form_of

__all__ = [
    "AUTO",
    "BEGINNING",
    "FIRST_NAMES",
    "FORMATS",
    "Progress",
    "auto",
    "form_of",
    "is_marked",
    "checked_name",
    "mark_count",
    "messages_of",
    "pi",
    "refused",
    "same_content",
    "settled",
    "unmarked",
]

if TYPE_CHECKING:
    from ctxmgr.formats import auto, pi
    from ctxmgr.formats.acceptance import BEGINNING, Progress, refused
    from ctxmgr.formats.recognising import messages_of, settled
    from ctxmgr.formats.spelling import is_marked, mark_count, same_content, unmarked
else:
    _MODULES = {
        **dict.fromkeys(("BEGINNING", "Progress", "refused"), "acceptance"),
        **dict.fromkeys(("messages_of", "settled"), "recognising"),
        **dict.fromkeys(("is_marked", "mark_count", "same_content", "unmarked"), "spelling"),
    }

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name not in _MODULES:
            return import_module(f"{__name__}.{name}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
