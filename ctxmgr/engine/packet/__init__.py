"""Turns the ledger into the one lean text that stands for what left. Knows no list."""
