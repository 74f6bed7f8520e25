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
"""

from ctxmgr.formats import auto, pi
from ctxmgr.formats.acceptance import BEGINNING, Progress, refused
from ctxmgr.formats.recognising import form_of, messages_of, settled
from ctxmgr.formats.spelling import is_marked, mark_count, same_content, unmarked
from ctxmgr.formats.table import FORMATS

__all__ = [
    "BEGINNING",
    "FORMATS",
    "Progress",
    "auto",
    "form_of",
    "is_marked",
    "mark_count",
    "messages_of",
    "pi",
    "refused",
    "same_content",
    "settled",
    "unmarked",
]
