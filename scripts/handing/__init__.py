"""Hands a session from machine to machine, with kills at any moment: tests by force what the store promises."""
