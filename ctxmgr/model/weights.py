"""How texts and messages are weighed. What weighs them, a vocabulary or an estimate, is not known here."""

from collections.abc import Callable

from ctxmgr.model.compaction import BranchMessage

Weigh = Callable[[str], int]
"""The tokens of a text."""

WeighMessage = Callable[[BranchMessage], int]
"""The tokens of a message."""
