"""After a compaction of the host's the model is told what the ledger knows and the summary lacks, in every
format."""

import json

import pytest

from ctxmgr.model import PacketTokens
from tests.contract.talk import Fields
from tests.unit.session.context.compacted import BARE, FORMATS, PRESETS, RULE, Host, packet_of

LONG = "\n".join(
    (
        "## Goal\nPort the parser",
        *(
            f"## {name}\n" + f"- word{at} is what there is to say of it. " * 40
            for at, name in enumerate("ABCDEFGH")
        ),
    )
)
EVERYWHERE = pytest.mark.parametrize(("preset", "form"), [(one, form) for one in PRESETS for form in FORMATS])


def compacted(preset: str, form: str, text: str = BARE, kept: int = 0) -> Host:
    host = Host(preset, form)
    host.worked()
    host.compacted(text, kept)
    return host


@EVERYWHERE
@pytest.mark.parametrize("kept", [0, 4])
def test_the_packet_says_what_the_summary_lacks(preset: str, form: str, kept: int) -> None:
    text = packet_of(compacted(preset, form, kept=kept).context())
    assert f'the user said: "{RULE}"' in text
    assert 'the user corrected: "No, not the lexer again' in text
    assert "make part0" in text
    assert "Let's go with tables" in text


@EVERYWHERE
def test_the_users_rules_come_first_then_open_tasks_what_failed_decisions_notes(preset: str, form: str) -> None:
    host = Host(preset, form)
    host.worked()
    host.said.append(host.make.user("- [ ] Port the comments"))
    host.context()
    host.turn_end()
    host.talk.call("editScratchpad", sessionId="s", operations=[{"op": "overwrite", "text": "tables are in t.c"}])
    host.compacted("## Goal\nPort the parser\n")
    text = packet_of(host.context())
    said = [RULE, "No, not the lexer again", "Port the comments", "make part0", "Let's go with tables", "t.c"]
    places = [text.find(one) for one in said]
    assert -1 not in places
    assert places == sorted(places)
    assert text.find("## Constraints") < min(at for at in (text.find("## Goal"), len(text)) if at >= 0)


@EVERYWHERE
def test_it_breaks_no_prefix(preset: str, form: str) -> None:
    """The list of the call after it only grows, in `balanced`; in `turns` the lean packet stands in its place."""
    host = compacted(preset, form)
    first = host.context()
    host.turn_end()
    host.said.append(host.make.user("And then?"))
    second = host.context()
    assert RULE in packet_of(second)
    if preset == "balanced":
        assert second["list"][: len(first["list"])] == first["list"]
        assert second["report"]["firstChangedIndex"] == -1


@EVERYWHERE
def test_two_equal_calls_in_a_row_answer_the_same_bytes(preset: str, form: str) -> None:
    """A packet that resumes is used up by `turn_end`, and not by asking."""
    host = compacted(preset, form)
    first, second = host.context(), host.context()
    assert first["list"] == second["list"]
    again = Host(preset, form, saved=host.talk.saved)
    again.said = host.said
    assert again.context()["list"] == first["list"]


@pytest.mark.parametrize("form", FORMATS)
def test_in_turns_it_is_used_up_by_an_answer(form: str) -> None:
    """Where it is larger than other packets are."""
    host = Host("turns", form, packetTokens=60)
    host.worked()
    host.compacted()
    assert "where the work stood before" in packet_of(host.context())
    reply = {**host.make.reply(""), "stopReason": "error"}
    if form == "pi":
        host.talk.turn_end(reply)  # the call failed: it is made again
        assert "where the work stood before" in packet_of(host.context())
    host.turn_end()
    text = packet_of(host.context())
    assert RULE in text
    assert "where the work stood before" not in text


@pytest.mark.parametrize("form", FORMATS)
def test_in_turns_one_no_larger_than_others_keeps_its_bytes(form: str) -> None:
    host = compacted("turns", form)
    first = host.context()["list"]
    host.turn_end()
    assert host.context()["list"][: len(first)] == first


@pytest.mark.parametrize("form", FORMATS)
def test_in_turns_an_answer_that_came_before_any_list_does_not_use_it_up(form: str) -> None:
    host = compacted("turns", form)
    host.turn_end()
    assert "where the work stood before" in packet_of(host.context())


@pytest.mark.parametrize("size", [1, 4, 12, 40])
def test_in_turns_no_raw_summary_is_in_a_list_once_folded(size: int) -> None:
    """Of 30 to 3,000 tokens: something of each of its headings is in the packet instead."""
    text = "## Goal\nPort the parser\n" + "\n".join(
        f"## {name}\n" + f"- word{at} is what there is to say of it. " * size for at, name in enumerate("ABCDEFGH")
    )
    host = compacted("turns", "pi", text)
    for _ in range(9):
        answer = host.context()
        assert "compactionSummary" not in json.dumps(answer["list"])
        assert [at for at in range(8) if f"word{at}" not in packet_of(answer)] == []
        host.turn_end("And so on. " * 50)
        host.said.append(host.make.user("And then? " * 50))


@pytest.mark.parametrize("text", [BARE, LONG], ids=["short", "long"])
def test_in_balanced_a_summary_stays_as_it_came(text: str) -> None:
    host = compacted("balanced", "pi", text)
    answer = host.context()
    sent = json.dumps(answer["list"])
    assert host.said[0] in answer["list"]
    assert sent.count("Port the statements") == text.count("Port the statements")
    assert sent.count("word3 is") == text.count("word3 is")
    for number in range(3):
        host.turn_end("And so on. " * 50)
        host.said.append(host.make.user(f"And then {number}?"))
        later: Fields = host.context()
        assert later["list"][: len(answer["list"])] == answer["list"]
        answer = later


@EVERYWHERE
def test_what_a_summary_says_that_is_in_view_is_not_said_twice(preset: str, form: str) -> None:
    sent = json.dumps(compacted(preset, form).context()["list"])
    assert sent.count("Port the statements") == 1
    assert sent.count("Port the parser.") <= 1


@EVERYWHERE
def test_a_request_that_left_is_told_where_the_newest_says_only_go_on(preset: str, form: str) -> None:
    assert "And port the statements too." in packet_of(compacted(preset, form).context())


@EVERYWHERE
def test_after_a_move_in_the_tree_the_model_is_told_as_well(preset: str, form: str) -> None:
    """Back to where the host had compacted: its summary lacks what was said on the way there."""
    host = Host(preset, form)
    for number, text in enumerate((f"Port the parser. {RULE}", "Let's go with tables for the rows.")):
        host.said.append(host.make.user(text))
        host.context()
        host.turn_end(entryIds={"message": f"e{number}", "user": f"u{number}"})
    host.compacted()
    host.context()
    host.turn_end(entryIds={"message": "e8"})
    host.talk.call("session_tree", sessionId="s", newLeafId="c1", oldLeafId="e8")
    host.said = [host.summary(BARE), host.make.user("Go on another way.")]
    text = packet_of(host.context())
    assert f'the user said: "{RULE}"' in text
    assert "Let's go with tables" in text


@EVERYWHERE
def test_a_list_that_does_not_show_the_summary_spends_nothing(preset: str, form: str) -> None:
    """Hosts ask once more with what they had, before their list begins with it."""
    host = Host(preset, form)
    host.worked()
    before = host.said
    host.compacted()
    begun, host.said = host.said, [*before, host.make.user("Go on.")]
    host.context()
    host.said = begun
    text = packet_of(host.context())
    assert f'the user said: "{RULE}"' in text
    assert "make part0" in text


@pytest.mark.parametrize("form", FORMATS)
def test_in_tools_all_but_tool_output_stays_as_it_came(form: str) -> None:
    host = compacted("tools", form)
    answer = host.context()
    assert packet_of(answer) == ""
    assert answer["list"] == host.told(host.said)


LINES = [
    f"Part {at} of the parser reads table{at} and not list{at}, as the rows of file{at}.c need it."
    for at in range(80)
]


@EVERYWHERE
def test_a_long_summary_keeps_what_the_budget_can_hold(preset: str, form: str) -> None:
    """Of 80 lines all are in view, once: in the packet, or in the summary where that stays. Of a later packet of
    `turns`, which has less room, all of it is used."""
    text = "## Goal\nPort the parser\n\n## Key Decisions\n" + "\n".join(f"- {line}" for line in LINES)
    host = compacted(preset, form, text)
    for number in range(3):
        answer = host.context()
        sent = json.dumps(answer["list"])
        shown = [sent.count(f"table{at} ") for at in range(80)]
        used_up = preset == "turns" and number and answer["report"]["packetTokens"] > 0.9 * PacketTokens().green
        assert shown == [1] * 80 or (used_up and max(shown) == 1)
        host.turn_end("And so on.")
        host.said.append(host.make.user("And then?"))


@EVERYWHERE
def test_what_the_packet_would_hold_less_of_stays_in_balanced_and_stands_shortened_in_turns(
    preset: str, form: str
) -> None:
    sent = json.dumps(compacted(preset, form, LONG).context()["list"])
    said = [sent.count(f"word{at} is") for at in range(8)]
    assert min(said) >= 1
    assert max(said) <= 40
    if preset == "balanced":
        assert said == [40] * 8


@EVERYWHERE
def test_a_summary_in_a_users_message_is_no_word_of_the_users(preset: str, form: str) -> None:
    text = packet_of(compacted(preset, form, f"{BARE}\n- No, the table is not to be sorted.\n").context())
    assert text.count("the user corrected") == 1
    assert 'the user corrected: "No, not the lexer again' in text
