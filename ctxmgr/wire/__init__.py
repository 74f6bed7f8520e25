"""The format of the wire: framing, envelope, methods, errors, transcripts. Knows no engine and no device."""

from ctxmgr.wire import envelope, errors, surrogates, transcript
from ctxmgr.wire.errors import RpcError
from ctxmgr.wire.framing import Framer, FramingFault, Slice, frame
from ctxmgr.wire.methods import METHODS, TABLE, Method, ParamsReader, no_method, openrpc_document
from ctxmgr.wire.stand_in import StrippedMessages, strip_prefix
from ctxmgr.wire.transcript import TranscriptLine

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
    "openrpc_document",
    "strip_prefix",
    "surrogates",
    "transcript",
]
