"""The words for what brings back what left, or keeps it. See `ctxmgr.wire.spec.meanings`."""

MEANINGS: dict[str, str] = {
    "RetrieveParams": "What the model asks for again. Refused (-32803) where `capabilities.retrieve` was not "
    "declared. An unknown handle is refused (-32602), with the call to make again in `data.call` where a receipt "
    "knows it.",
    "RetrieveParams.handle": "The handle in the marker.",
    "RetrieveParams.offset": "The first character of the page; absent, 0.",
    "RetrieveParams.limit": "Characters of the page at most; absent, 20,000.",
    "RetrieveResult": "One page of the original. Characters are Unicode code points. The result that brings it to "
    "the model is not pruned for two epochs: it is known by the handle in the arguments of its call.",
    "RetrieveResult.text": "The page.",
    "RetrieveResult.offset": "Its first character; at the end where the one asked for is beyond.",
    "RetrieveResult.next": "The `offset` of the next page; null after the last. (A length that a program counts in "
    "UTF-16 units, as JavaScript does, would lead beyond it.)",
    "RetrieveResult.total": "Characters of the whole.",
    "RetrieveResult.more": "True: there is another page.",
    "RetrieveResult.call": "The tool and its telling arguments, or what the message was.",
    "PinParams": "What has to stay as it is: exactly one of `callId`, `digest`, `path` and `tool`. Pins outlive "
    "compactions and restarts. Where something that left comes back by one, the next `context` opens an epoch.",
    "PinParams.callId": "A tool call by its id: the message that makes it, and its result.",
    "PinParams.digest": "One message, by the digest that `explain` shows.",
    "PinParams.path": "Calls that name this file, with their results. A glob (`*` also over `/`); it may be the "
    "end of a path, as `src/*.py` is of `/home/me/src/a.py`.",
    "PinParams.tool": "All calls of this tool, with their results.",
    "UndoParams": "What left at this epoch comes back with the next `context`, and is pinned. An epoch of which no "
    "receipt is kept is refused (-32602).",
    "UndoParams.epoch": "Its number, as `report.epoch` said it.",
}
