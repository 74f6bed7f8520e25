"""Turns the JSON of a call's params into the struct that the table of methods names."""

from typing import Any

import msgspec

from ctxmgr.model import invalid_params, path_of
from ctxmgr.wire.method import Method


class ParamsReader:
    """Keeps a decoder of each method that was called: making one takes longer than using it."""

    def __init__(self) -> None:
        self._decoders: dict[str, msgspec.json.Decoder[Any]] = {}

    def read(self, row: Method, params: bytes | msgspec.Raw | None) -> Any:
        """The method's params; None is as good as none. InvalidParams, which names the place."""
        decoder = self._decoders.get(row.name)
        if decoder is None:
            decoder = self._decoders[row.name] = msgspec.json.Decoder(row.params)
        try:
            return decoder.decode(params if params is not None else b"{}")
        except msgspec.ValidationError as fault:
            text, _, path = str(fault).partition(" - at `")
            raise invalid_params(text, path_of(text, path.rstrip("`") or "$")) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise invalid_params(f"can not be decoded: {type(fault).__name__}", "$") from None
