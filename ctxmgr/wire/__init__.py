"""The format of the wire: framing, envelope, methods, errors, transcripts. Knows no engine and no device."""

from typing import TYPE_CHECKING

from ctxmgr.late import late_modules
from ctxmgr.wire import envelope, errors, surrogates, transcript
from ctxmgr.wire.errors import RpcError
from ctxmgr.wire.framing import Framer, FramingFault, Slice, frame
from ctxmgr.wire.methods import METHODS, TABLE, Method, ParamsReader, no_method
from ctxmgr.wire.stand_in import StrippedMessages, strip_prefix
from ctxmgr.wire.transcript import TranscriptLine

if TYPE_CHECKING:
    from ctxmgr.wire import openrpc
else:
    __getattr__ = late_modules(__name__, "openrpc")

__all__ = [
    "Framer",
    "FramingFault",
    "METHODS",
    "Method",
    "ParamsReader",
    "RpcError",
    "Slice",
    "StrippedMessages",
    "TABLE",
    "TranscriptLine",
    "envelope",
    "errors",
    "frame",
    "no_method",
    "openrpc",
    "strip_prefix",
    "surrogates",
    "transcript",
]
