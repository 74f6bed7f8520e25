"""The floor: the least that any sidecar written in Python with asyncio and msgspec costs. Run as a program.

Reads Content-Length frames from standard input, decodes the envelope and the message list as raw JSON, and echoes
the list. A request without a list gets a small fixed answer. It stores nothing and validates nothing. With `--each`
it also decodes and encodes each message once.
"""

import asyncio
import sys

import msgspec


class Params(msgspec.Struct, frozen=True, gc=False):
    messages: list[msgspec.Raw] = []


class Request(msgspec.Struct, frozen=True, gc=False):
    method: str
    id: int | str | None = None
    params: Params = Params()


_decode = msgspec.json.Decoder(Request).decode
_encode = msgspec.json.Encoder().encode
_message = msgspec.json.Decoder().decode
EACH = "--each" in sys.argv


def answer(body: bytes) -> list[bytes]:
    """The parts of the answer to one request."""
    request = _decode(body)
    messages = request.params.messages
    head = b'{"jsonrpc":"2.0","id":' + _encode(request.id)
    if not messages:
        return [head, b',"result":{"ok":true}}']
    if EACH:
        messages = [msgspec.Raw(_encode(_message(raw))) for raw in messages]
    return [head, b',"result":{"messages":[', b",".join(messages), b"]}}"]


class Reader(asyncio.Protocol):
    """Collects the pieces of a body until it is complete, then joins them once."""

    def __init__(self, out: asyncio.WriteTransport, ended: "asyncio.Future[None]") -> None:
        self.out, self.ended = out, ended
        self.header = b""
        self.pieces: list[bytes] = []
        self.left = 0

    def data_received(self, data: bytes) -> None:
        while data:
            if self.left:
                piece, data = data[: self.left], data[self.left :]
                self.pieces.append(piece)
                self.left -= len(piece)
                if not self.left:
                    body = b"".join(self.pieces) if len(self.pieces) > 1 else self.pieces[0]
                    self.pieces = []
                    parts = answer(body)
                    self.out.writelines([b"Content-Length: %d\r\n\r\n" % sum(map(len, parts)), *parts])
            else:
                self.header += data
                header_end = self.header.find(b"\r\n\r\n")
                if header_end < 0:
                    return
                self.left = int(self.header[len("Content-Length:") : header_end])
                data, self.header = self.header[header_end + 4 :], b""

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


async def main() -> None:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    out, _ = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    await loop.connect_read_pipe(lambda: Reader(out, ended), sys.stdin)
    await ended


if __name__ == "__main__":
    asyncio.run(main())
