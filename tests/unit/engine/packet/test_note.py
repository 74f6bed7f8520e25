"""The note under the mark: a packet is a record, and no instruction."""

from ctxmgr.engine.packet.packet import NOTE, noted, render
from ctxmgr.model.messages import PACKET_MARK
from tests.unit.engine.packet.test_packet import ALL, ledger, tokens


def test_a_whole_packet_has_its_note_however_few_of_it_are_facts() -> None:
    small = render(ledger(*ALL), budget=60, weigh=tokens)
    assert small.startswith(f"{PACKET_MARK}\n\n")
    assert noted(small, False, tokens) == small
    whole = f"{small}\n\n## Left out\n" + "- a name\n" * 500
    told = noted(whole, False, tokens)
    assert told == f"{PACKET_MARK}\n{NOTE}\n" + whole.removeprefix(f"{PACKET_MARK}\n")
    assert noted(told, False, tokens) == told
    assert noted(whole, True, tokens).split("\n")[1].startswith("Kept by ctxmgr: where the work stood")
