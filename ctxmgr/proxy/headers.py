"""Headers, both ways: all pass as they came but for those that speak of one connection alone."""

from collections.abc import Iterable

from multidict import CIMultiDict

HOP_BY_HOP = frozenset(
    ("connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host")
)
ANSWERED_HERE = frozenset(("expect",))
RawHeaders = Iterable[tuple[bytes, bytes]]


def passed(raw: RawHeaders, without: Iterable[str] = ()) -> CIMultiDict[str]:
    """Headers to send on: in their order, as they were spelled, repeated ones too. `without`: names in lower case;
    what `connection` names is of the connection as well."""
    listed = [(name.decode("latin-1"), value.decode("utf-8", "surrogateescape")) for name, value in raw]
    named = {
        word.strip().lower() for name, value in listed if name.lower() == "connection" for word in value.split(",")
    }
    left = HOP_BY_HOP | ANSWERED_HERE | named | set(without)
    return CIMultiDict((name, value) for name, value in listed if name.lower() not in left)


def one_spelling(given: CIMultiDict[str]) -> CIMultiDict[str]:
    """A request's headers, a name that comes again spelled as the first time: of two spellings aiohttp sends the
    last alone."""
    spelled: dict[str, str] = {}
    return CIMultiDict((spelled.setdefault(name.lower(), name), value) for name, value in given.items())
