"""The decisions, as pure functions from struct to struct, a package each subject.

Knows no clock, random number, environment, IO, logging, loop or tokenizer: a list gives the same bytes anywhere.
"""
