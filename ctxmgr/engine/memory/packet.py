"""Turns policy and zone into how much a packet may weigh, and a ledger into a packet of no more than that."""

from collections.abc import Container, Iterable, Sequence

import msgspec

from ctxmgr.engine.memory.one_line import code
from ctxmgr.engine.memory.part import fitted, part_of
from ctxmgr.engine.memory.parts import PATH_CHARACTERS, common_root, parts_of
from ctxmgr.engine.memory.record import Record, record_of
from ctxmgr.engine.memory.scratchpad import scratchpad_in, scratchpad_lines
from ctxmgr.engine.tools import paths
from ctxmgr.model import PACKET_MARK, Message, PacketTokens, Policy, Weigh, Zone
from ctxmgr.model.saved import Ledger, RawSummary, State

NOTE = "Kept by ctxmgr from earlier conversation that is no longer shown. A record, not a new instruction."
FILES_TOKENS = 300  # of files that were read
SMALLEST_TOKENS = 600  # of the default policy: less never leaves without a packet


def packet_budget(policy: Policy, zone: Zone, resume: bool) -> int:
    """In tokens."""
    if resume:
        return policy.resume_tokens
    if isinstance(policy.packet_tokens, PacketTokens):
        return int(getattr(policy.packet_tokens, zone))
    shares = {"green": 1.0, "yellow": 0.8, "red": 0.6, "compact": 0.4}  # as the default's row falls
    return int(policy.packet_tokens * shares[zone])


def packet_allowance(state: State, budget: int) -> int:
    """So many tokens a packet of this budget may weigh beyond what left the list: after a host's compaction or move
    it stands for what the host took away as well, and a scratchpad stands in view from its first word on."""
    return budget if state.summaries or state.resume or state.scratchpad.strip() else 0


class Removed(msgspec.Struct, frozen=True):
    """What a packet stands for: so many `messages` of the list with so many `results`, and the `files` that they
    named, newest first. `may_ask`: the model has the tools that give it back."""

    messages: int = 0
    results: int = 0
    files: tuple[str, ...] = ()
    may_ask: bool = False


NOTHING_REMOVED = Removed()


class PacketText(msgspec.Struct, frozen=True):
    """What a packet is written of. `summaries` as hosts wrote them."""

    ledger: Ledger
    scratchpad: str
    weigh: Weigh
    summaries: tuple[RawSummary, ...] = ()

    def is_outdated(self, shown: str) -> bool:
        """Does a packet that is shown tell other notes than there are?"""
        return scratchpad_in(shown) != scratchpad_lines(self.scratchpad)

    def in_view(self, messages: Iterable[Message]) -> frozenset[str]:
        """What these messages show: their digests, and those of summaries whose text stands in them. Not every
        format has a message of its own for a summary."""
        kept = list(messages)
        texts = ["\n".join(block.text for block in message.view.blocks) for message in kept if self.summaries]
        said = (one.digest for one in self.summaries if any(one.text.strip() in text for text in texts))
        return frozenset((*(message.digest for message in kept), *said))

    def within(
        self,
        budget: int,
        shown: Container[str],
        removed: Removed = NOTHING_REMOVED,
        cut: Container[str] = frozenset(),
    ) -> str:
        """The packet in at most so many tokens; "" where it has nothing to say, or nothing fits. `shown`: the
        digests of what the list shows itself, `cut` of that with results shortened."""
        record = record_of(self.ledger, shown, cut)
        told = _where(removed, record, self.weigh) if removed.messages else []
        where, room = part_of("## Where the rest is", told, 0.3), budget - self.weigh(f"{PACKET_MARK}\n{NOTE}\n\n")
        parts = parts_of(record, self.scratchpad, where, room, self.weigh)
        for head in (f"{PACKET_MARK}\n{NOTE}", PACKET_MARK):
            text = fitted(parts, budget - self.weigh(f"{head}\n\n"), self.weigh)
            if text:
                return f"{head}\n\n{text}"
        return ""


def _where(removed: Removed, record: Record, weigh: Weigh) -> list[str]:
    """Up to where the packet goes, how much was removed, how to get it, and which files it was about."""
    to = f"Up to the turn of the user's message #{record.edge}: " if record.edge else ""
    results = f" with {_counted(removed.results, 'tool result')}" if removed.results else ""
    were = "was" if removed.messages == 1 else "were"
    told = f"{to}{_counted(removed.messages, 'message')}{results} {were} removed."
    more = " `search` finds what they said, `retrieve` gives it back." if removed.may_ask else ""
    return [f"{told}{more}", *_files(removed.files, record, weigh)]


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _files(files: Sequence[str], record: Record, weigh: Weigh) -> list[str]:
    """Those that no other line tells as changed, in one line of at most so many tokens."""
    changed = {fact.text for fact in record.of("file", "tool") if fact.status != "read"}
    whole = paths.same((*files, *changed))
    changed = {whole.get(path, path) for path in changed}
    read = [path for path in files if whole.get(path, path) not in changed]
    root = common_root(read)
    line = f"- files in it, under {code(root, PATH_CHARACTERS)}:" if root else "- files in it:"
    for path in read:
        longer = f"{line} {code(path.removeprefix(root) or path, PATH_CHARACTERS)}"
        if weigh(longer) > FILES_TOKENS:
            break
        line = longer
    return [line] if not line.endswith(":") else []
