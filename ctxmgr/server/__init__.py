"""Serves one host: bytes in, effects out, and the runtime that carries effects to the devices.

Decides nothing of a list.
"""
