"""The API of a model server: the address, the headers, the request, and how an answer is read, piece by piece, into
a completion. Knows no network; what differs between APIs is in the subclasses.

1. An answer is whole only where the server said why it ended. A stream that just stops is a fault, whatever
   text has come: half a summary looks like a whole one.
2. Text that grows far beyond what was asked for is cut: some servers take no notice of the limit, some models
   never stop.
3. A fault is told in words of ours. What a server writes in an error may quote the prompt or the key.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from ctxmgr.model.compaction import Completion, CompletionRequest, CompletionUsage, Stop

CHARACTERS_A_TOKEN = 16
"""Text beyond this many characters a token asked for is cut. Customary is 4; tables and blanks reach 10."""

SPARE_CHARACTERS = 4_096
"""Added to that: a very small limit is no reason to cut a short answer."""

GARBAGE = "what came is no answer of this API"
UNFINISHED = "the answer ended without a finish reason"
SERVER_FAULT = "the server reported an error in the middle of its answer"
TIMED_OUT = "timed out"
REFUSED_BY_MODEL = "the model refused to answer"


class EndpointFault(Exception):
    """A call that failed. The text says why, in words of ours.

    `again`: worth another try; `after`: seconds, where the server named them; `refused`: what the server wrote
    when it refused the request, to look for a parameter's name in: never to be shown.
    """

    def __init__(self, words: str, again: bool = False, after: float | None = None, refused: str = "") -> None:
        super().__init__(words)
        self.again, self.after, self.refused = again, after, refused


class Answer(ABC):
    """What has come so far of an answer that was asked to have at most `max_tokens`.

    A subclass reads pieces, and says what their reasons to end mean: `ends`, and in words of ours `withheld`. Any
    other reason is a fault.
    """

    ends: ClassVar[Mapping[str, Stop]]
    withheld: ClassVar[Mapping[str, str]]

    def __init__(self, max_tokens: int) -> None:
        self._limit = max_tokens * CHARACTERS_A_TOKEN + SPARE_CHARACTERS
        self._texts: list[str] = []
        self._length = 0
        self._end: str | None = None
        self._received = self._tools = self._faulty = False
        self._refusal = ""
        self.closed = False  # the server has said that nothing follows
        self._spent: CompletionUsage | None = None

    @property
    def ended(self) -> bool:
        """Whether the server has said why it ended: what follows is of no weight (usage, the end mark)."""
        return self._end is not None

    def take(self, piece: object) -> bool:
        """Adds one decoded piece; False when no more is to be read. `msgspec.MsgspecError`: it is garbage."""
        self._hear(piece)
        return self._length <= self._limit and not self._faulty

    @abstractmethod
    def _hear(self, piece: object) -> None: ...

    def _add(self, text: str) -> None:
        self._texts.append(text)
        self._length += len(text)

    def completion(self) -> Completion:
        """What came of it, once no more is read."""
        if self._length > self._limit:
            return Completion(sound("".join(self._texts)[: self._limit]), "length", self._spent)
        if fault := self._fault():
            return Completion(stop="error", fault=fault, usage=self._spent)
        stop: Stop = "toolUse" if self._tools else self.ends[self._end or ""]
        return Completion(sound("".join(self._texts)), stop, self._spent)

    def _fault(self) -> str:
        if self._faulty:
            return SERVER_FAULT
        if self._refusal:
            return self._refusal
        if self._end is None:
            return UNFINISHED if self._received else GARBAGE
        if self._end in self.ends:
            return ""
        return self.withheld.get(self._end, "the answer ended for a reason that is not known")


def sound(text: str) -> str:
    """The text as UTF-8 can carry it: surrogates that make a pair are joined, lone ones become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class Api(ABC):
    """One API, in one way of asking where servers differ."""

    @abstractmethod
    def address(self, base: bytes) -> bytes:
        """The path that is asked, of the path of `baseUrl`."""

    @abstractmethod
    def headers(self, key: str | None) -> dict[str, str]:
        """Those of this API; None: no key is sent."""

    @abstractmethod
    def body(self, model: str, ask: CompletionRequest) -> dict[str, Any]: ...

    @abstractmethod
    def answer(self, max_tokens: int) -> Answer:
        """A reader of one answer."""

    def refused_by(self, words: str) -> str:
        """The name of what a refusal is about and can be asked in another way; "" where it is about none."""
        return ""

    def other(self, way: str) -> "Api":
        """The same with this asked in the other way."""
        return self
