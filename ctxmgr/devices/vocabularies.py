"""The processes that count tokens, one per vocabulary in use, and the threads that wait for them. Separate from
`weighing.py`, so that a start loads nothing of it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxmgr.devices.weighing import LoadedVocabulary, WeighingChild

THREADS = 2  # one vocabulary may load while another counts


class Vocabularies:
    def __init__(self) -> None:
        """Starts nothing."""
        self.threads = ThreadPoolExecutor(THREADS, "weighing")
        self._children: list[WeighingChild] = []
        self._ended = False

    def load(self, name: str, path: str | None = None) -> "LoadedVocabulary":
        """As `WeighingChild.load`."""
        from ctxmgr.devices.weighing import WeighingChild

        child = WeighingChild(name, path)
        self._children.append(child)
        if self._ended:
            child.end()
        return child.load()

    def end(self) -> None:
        """Ends all processes; nobody waits for one any more."""
        self._ended = True
        self.threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.end()
