"""Secrets of known shapes, masked in text. Pure: knows nothing of where a text comes from or goes to."""

from ctxmgr.masking.masks import legible, masked

__all__ = ["legible", "masked"]
