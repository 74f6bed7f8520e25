"""How texts and messages are weighed. What weighs them, a vocabulary or an estimate, is not known here."""

from collections.abc import Callable, Sequence

from ctxmgr.model.compaction import BranchMessage

Weigh = Callable[[str], int]
"""The tokens of a text."""

WeighAll = Callable[[Sequence[str]], int]
"""The tokens of some texts together."""

WeighMessage = Callable[[BranchMessage], int]
"""The tokens of a message."""


def of_all(weigh: Weigh) -> WeighAll:
    return lambda texts: sum(map(weigh, texts))
