"""Dispatches and matches JSON-RPC messages with python-lsp-jsonrpc's Endpoint. The only module that knows that
package.

Incoming messages have passed our framing and envelope checks; outgoing messages are assembled and encoded here.
Used from the package: looking up the handler, telling requests from notifications and answers, its bookkeeping of
futures in both directions, and its exceptions for error answers. Replaced, because a host would notice (release
1.1.2): answers to cancelled requests, merging of results that have a key named like the envelope's, its error codes
and tracebacks, and answers that nobody waits for any more.

Handlers return a value, or a future for one that comes later. Nothing here starts a thread. Outgoing messages have
no member that is newer than the host's version of the protocol.
"""

import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec
from pylsp_jsonrpc.endpoint import Endpoint
from pylsp_jsonrpc.exceptions import JsonRpcException

from ctxmgr.model import faults
from ctxmgr.model.api import since
from ctxmgr.wire import RpcError, envelope, errors

# The package logs each failed request with a traceback; every fault is answered here, and reported once.
logging.getLogger("pylsp_jsonrpc").setLevel(logging.CRITICAL + 1)

Handler = Callable[[Any], Any]
Parts = Sequence[bytes | memoryview]


class SplicedResult:
    """A result that is already JSON, in parts."""

    __slots__ = ("parts",)

    def __init__(self, parts: Parts) -> None:
        self.parts = parts


class Peer(Endpoint):  # type: ignore[misc]  # the package has no types
    """`send` is called with the parts of each outgoing message. Ids of requests are their raw JSON bytes."""

    def __init__(self, handlers: Mapping[str, Handler], send: Callable[[Parts], None]) -> None:
        numbers = itertools.count(1)
        super().__init__(handlers, self._encode, id_generator=lambda: f"ctxmgr-{next(numbers)}", max_workers=1)
        self._send = send
        self.version = since.FIRST_VERSION  # of the protocol, as used by the host

    # called by the connection

    def receive_request(self, id: bytes, method: str, call: Any) -> None:
        if id in self._client_request_futures:
            self._send(envelope.encode_error(id, errors.INVALID_REQUEST, "this id is in use"))
        else:
            self.consume({"jsonrpc": "2.0", "id": id, "method": method, "params": call})

    def receive_notification(self, method: str, call: Any) -> None:
        self.consume({"jsonrpc": "2.0", "method": method, "params": call})

    def receive_answer(self, id: Any, result: Any, error: Any) -> bool:
        """Whether a request waited for this answer. `error` may be any JSON value."""
        future = self._server_request_futures.get(id) if isinstance(id, str) else None
        if future is None or future.done():
            return False
        if error is not None:
            fields = error if isinstance(error, dict) else {}
            code, text = fields.get("code"), fields.get("message")
            error = {
                "code": code if isinstance(code, int) else errors.REQUEST_FAILED,
                "message": text if isinstance(text, str) else "malformed error",
            }
        self.consume({"jsonrpc": "2.0", "id": id, "result": result, "error": error})
        return True

    def cancel(self, id: bytes) -> None:
        """Cancels a request of the host that has not been answered; it is answered with -32800."""
        self._handle_cancel_notification(id)

    # overrides

    @staticmethod
    def _make_response_payload(header: dict[str, Any], result: Any) -> dict[str, Any]:
        return {**header, "result": result}

    def _request_callback(self, request_id: bytes) -> Callable[[Future[Any]], None]:
        def answer(future: Future[Any]) -> None:
            self._client_request_futures.pop(request_id, None)
            message: dict[str, Any] = {"id": request_id}
            if future.cancelled():
                message["error"] = {"code": errors.CANCELLED, "message": "the host cancelled this request"}
            elif (fault := future.exception()) is not None:
                message["error"] = _error_of(errors.rpc_error(fault) or internal(fault))
            else:
                message["result"] = future.result()
            self._encode(message)

        return answer

    def _cancel_callback(self, request_id: str) -> Callable[[Future[Any]], None]:
        def tell(future: Future[Any]) -> None:
            if future.cancelled():
                self._server_request_futures.pop(request_id, None)
                self.notify("$/cancelRequest", {"id": request_id})

        return tell

    def _encode(self, message: dict[str, Any]) -> None:
        """Sends one outgoing message; called by the package."""
        id = message.get("id")
        if "method" in message:
            params = since.as_of(message.get("params"), self.version)
            parts: Parts = (
                envelope.encode_notification(message["method"], params)
                if id is None
                else envelope.encode_request(id, message["method"], params)
            )
        elif "error" in message:
            error = message["error"]
            parts = envelope.encode_error(id, error["code"], error["message"], error.get("data"))
        else:
            parts = self._result(id, message["result"])
        self._send(parts)

    def _result(self, id: Any, result: Any) -> Parts:
        if isinstance(result, SplicedResult):
            return envelope.encode_result(id, result.parts)
        try:
            return envelope.encode_result(id, [_encoder.encode(since.as_of(result, self.version))])
        except (TypeError, ValueError, UnicodeEncodeError, msgspec.MsgspecError) as fault:
            text = f"{type(fault).__name__}: no JSON for the answer"
            return envelope.encode_error(id, errors.INTERNAL_ERROR, text)


_encoder = msgspec.json.Encoder()


def internal(fault: BaseException) -> RpcError:
    """The error answer for an internal fault. It has only the kind of the fault, because its text may contain what
    the host sent.
    """
    return RpcError(errors.INTERNAL_ERROR, f"internal fault: {faults.cause(fault)}")


def raised(fault: RpcError) -> JsonRpcException:
    """The package's exception for an error answer."""
    return JsonRpcException(fault.message, fault.code, fault.data)


def _error_of(fault: RpcError) -> dict[str, Any]:
    return {"code": fault.code, "message": fault.message, "data": fault.data}
