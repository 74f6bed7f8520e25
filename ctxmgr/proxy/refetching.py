"""What a model would have had to fetch again, had it been sent ctxmgr's lists: told of a program that is observed.

A file's text that ctxmgr took out of the list is gone until a call reads or writes the file. An edit of a file that
is gone needs its text: the model would have read it again first.
"""

from collections.abc import Iterable, Sequence

from ctxmgr.engine.tools import call_of_block, paths
from ctxmgr.formats import FORMATS

NEEDS_TEXT = ("edit",)
BRINGS_TEXT = ("read", "write", "edit")


class Refetches:
    """Of one conversation. `count`: edits so far that came when their file was gone."""

    def __init__(self) -> None:
        self.count = 0
        self._absent: set[str] = set()
        self._message_count = 0  # of the list that was looked at last

    def follow(self, format: str, messages: Sequence[bytes], paths_gone: Iterable[str]) -> None:
        """The next list of the program, and the files whose text left the list that ctxmgr made of it."""
        view = FORMATS[format].view
        for raw in messages[self._message_count :]:
            for block in view(raw).blocks:
                call = call_of_block(block)
                for effect in call.effects if call is not None else ():
                    path = paths.normal(effect.path)
                    self.count += effect.kind in NEEDS_TEXT and path in self._absent
                    if effect.kind in BRINGS_TEXT:
                        self._absent.discard(path)
        self._message_count = len(messages)
        self._absent.update(map(paths.normal, paths_gone))
