"""A summary that is not in view: what it says stands in the packet's room, under its own headings or as prose."""

from ctxmgr.engine.memory import PacketText, Removed
from ctxmgr.model.saved import RawSummary
from tests.notation import a, indexed, quarters, summary, talk, u
from tests.unit.engine.memory.packets import known, packet, summarised

PROSE = """We move the billing to the new API.

The user said: never touch billing.py, and keep the old endpoints until March.

The port is 8080 and the token lies in `~/.token`."""
STRUCTURED = "## Goal\nMove the billing\n\n## Constraints & Preferences\n- never touch billing.py"
GO = (u("Go on."), a("Gone."))


def test_a_summary_in_view_is_not_told() -> None:
    for text in (PROSE, STRUCTURED):
        messages = talk(summary(text), u("Go on."), a("Gone."), u("And now?"))
        digest = messages[0].digest
        told = PacketText(
            known(*GO, more=summarised(text, digest=digest)),
            "",
            quarters,
            (RawSummary("compaction", text, digest, 1, ""),),
        )
        view = told.in_view(messages)
        assert "billing" not in told.within(1_000, view, Removed(2)), text
        assert "billing.py" in told.within(1_000, told.in_view(messages[1:]), Removed(2)), text
        assert indexed(messages).size == 4, text


def test_of_two_summaries_the_newer_counts() -> None:
    more = (*summarised(PROSE, digest="one"), *summarised("The billing is moved.", digest="two", at=2_000))
    text = packet(*GO, more=more)
    assert "The billing is moved." in text
    assert "8080" not in text


def test_what_a_summary_repeats_of_the_users_messages_is_told_once() -> None:
    told = '## Constraints & Preferences\n- #1: "Use tabs, in all files."\n- never touch billing.py'
    text = packet(u("Use tabs, in all files."), a("Yes."), *GO, more=summarised(told))
    assert text.count("Use tabs, in all files.") == 1
    assert "- never touch billing.py" in text
