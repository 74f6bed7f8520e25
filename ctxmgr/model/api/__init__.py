"""The params and answers of every call, as structs: what a host sends and gets back.

Knows no framing and no method table.
"""
