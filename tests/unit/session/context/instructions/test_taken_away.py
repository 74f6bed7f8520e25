"""What a host's compaction takes away of instructions stands word for word in the packet, in every format."""

import json

import pytest

from ctxmgr.session.journal import restore
from tests.contract.talk import Fields
from tests.unit.session.context.compacted import BARE, PRESETS, Host, packet_of

RULES = "Rows of the schema are written by migrate_rows_42 alone.\n\n\tBe brief.\nUse tabs."
SKILL = "1. Calibrate probe_7 before sensor_21."
EVERYWHERE = pytest.mark.parametrize(
    ("preset", "form"), [("balanced", "pi"), ("balanced", "responses"), ("turns", "anthropic"), ("tools", "openai")]
)
IN_BOTH = pytest.mark.parametrize("preset", PRESETS)


def read(host: Host, text: str, tool: str = "read", is_error: bool = False, **arguments: object) -> None:
    """The model calls a tool, and the list with its result is asked about."""
    call = host.make.call(tool, **(arguments or {"path": "CLAUDE.md"}))
    host.said += [host.make.reply("I look.", call), host.make.result(text, is_error=is_error)]
    host.context()


def begun(preset: str, form: str = "pi", window: int = 200_000, **policy: object) -> Host:
    host = Host(preset, form, window=window, **policy)
    host.said.append(host.make.user("Port the parser."))
    return host


def rule(number: int) -> str:
    """About 950 tokens; those of a window of 40,000 have 3,750."""
    return f"Rule {number}: " + f"bed_{number} is watered first. " * 144


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def told(text: str, path: str = "CLAUDE.md") -> str:
    return f'- read path="{path}":\n{quoted(text)}'


def listed(answer: Fields) -> str:
    return json.dumps(answer["list"], ensure_ascii=False)


@EVERYWHERE
def test_a_list_that_is_heavier_for_them_than_the_hosts_says_by_how_much(preset: str, form: str) -> None:
    host = begun(preset, form)
    read(host, RULES)
    host.worked()
    assert "carriedTokens" not in host.context()["report"]
    host.compacted()
    report = host.context()["report"]
    assert report["carriedTokens"] == report["tokens"] - report["rawTokens"] > 0


@EVERYWHERE
@pytest.mark.parametrize("kept", [0, 2])
def test_they_stand_word_for_word_in_the_packet(preset: str, form: str, kept: int) -> None:
    host = begun(preset, form)
    read(host, RULES)
    read(host, SKILL, "use_skill", skill="calibrate")
    host.worked()
    host.compacted(kept=kept)
    text = packet_of(host.context())
    assert told(RULES) in text
    assert f'- use_skill skill="calibrate":\n{quoted(SKILL)}' in text
    host.turn_end()
    host.said.append(host.make.user("And then?"))
    assert told(RULES) in packet_of(host.context())


@EVERYWHERE
def test_texts_that_a_host_put_in_do(preset: str, form: str) -> None:
    host = begun(preset, form)
    host.said.append(host.make.user(f"<system-reminder>\nContents of /p/AGENTS.md:\n{RULES}\n</system-reminder>"))
    host.worked()
    host.compacted()
    assert quoted(RULES) in packet_of(host.context())


@IN_BOTH
def test_those_that_no_list_has_shown_yet_do(preset: str) -> None:
    """A host may compact right after a turn."""
    host = begun(preset)
    host.context()
    step = [host.make.reply("I look.", host.make.call("read", path="CLAUDE.md")), host.make.result(RULES)]
    host.talk.call("turn_end", sessionId="s", message=step[0], toolResults=step[1:])
    host.compacted()
    assert told(RULES) in packet_of(host.context())


@EVERYWHERE
@pytest.mark.parametrize("before", [True, False])
def test_they_do_so_through_a_restart(preset: str, form: str, before: bool) -> None:
    """Before the compaction, and after it."""
    host = begun(preset, form)
    read(host, RULES)
    if before:
        again = Host(preset, form, saved=host.talk.saved)
        again.said = host.said
        again.compacted()
    else:
        host.compacted()
        again = Host(preset, form, saved=host.talk.saved)
        again.said = host.said
    assert told(RULES) in packet_of(again.context())


@EVERYWHERE
def test_they_do_so_where_the_host_tells_of_no_compaction(preset: str, form: str) -> None:
    host = begun(preset, form)
    read(host, RULES)
    host.worked()
    summary = "## Goal\nPort it.\n## Progress\n- tables\n## Key Decisions\n- tabs\n## Next Steps\n1. Go on.\n"
    host.said = [host.summary(summary), host.make.user("Go on.")]
    assert told(RULES) in packet_of(host.context())


@EVERYWHERE
def test_a_newer_reading_of_the_file_in_view_takes_their_place(preset: str, form: str) -> None:
    host = begun(preset, form)
    read(host, RULES)
    host.compacted()
    assert quoted(RULES) in packet_of(host.context())
    read(host, "Use spaces.", path="./CLAUDE.md")
    host.compacted(f"{BARE}\n## Progress\n- read\n", kept=2)
    answer = host.context()
    assert "Use spaces." in listed(answer)
    assert "Instructions" not in packet_of(answer)
    host.compacted(f"{BARE}\n## Progress\n- all of it\n")
    text = packet_of(host.context())
    assert told("Use spaces.", "./CLAUDE.md") in text
    assert quoted(RULES) not in text


@IN_BOTH
def test_what_is_remembered_is_bounded_in_characters(preset: str) -> None:
    host = begun(preset)
    for number in range(30):
        read(host, f"Rule {number}: " + "bed is watered first. " * 1_000, path=f"p{number}/AGENTS.md")
    state, _ = restore(host.talk.saved)
    assert len(state.instructions) == 30
    assert state.instructions[-1].text
    assert not state.instructions[0].text
    assert sum(len(one.text) for one in state.instructions) <= 5 * 0.15 * 200_000
