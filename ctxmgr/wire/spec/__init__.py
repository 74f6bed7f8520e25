"""Turns the table of methods and its types into JSON Schema and OpenRPC, for `describe` and the generators.

Loaded only when asked for. It knows what goes over the wire and nothing of what is done with it.
"""

from ctxmgr.wire.spec import openrpc, schema

__all__ = ["openrpc", "schema"]
