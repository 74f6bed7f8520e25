"""The protocol described: OpenRPC, JSON Schema, words for a host author. Loaded only when asked for."""
