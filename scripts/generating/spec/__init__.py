"""Turns the table of methods and its types into JSON Schema and OpenRPC."""

from scripts.generating.spec import openrpc, schema

__all__ = ["openrpc", "schema"]
