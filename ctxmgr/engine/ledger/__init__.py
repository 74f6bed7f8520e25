"""Turns messages into facts, and facts into the ledger of what holds now. Knows no packet."""
