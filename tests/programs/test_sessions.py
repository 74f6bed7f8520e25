"""Claude Code and Codex, as they are, play sessions through ctxmgr; some straight to the provider, too, as they
are without it.

Each test holds that no list was refused, that the provider was told every tool result, and that the last words
arrive.
"""

from itertools import pairwise, product

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import WINDOW_TOKENS, Agent, Claude, Codex, Through
from tests.provider import Agent as SubAgent
from tests.provider import Cut, Fault, Provider, Read, Reset, Script, Write, failing, looking, script, step

pytestmark = pytest.mark.real

DONE, DONE_AGAIN = "All thirty steps are done.", "And all that came after."
LOOK = script("Look through the modules", *looking(30), final=DONE)
GO_ON = script("And after that", *looking(6, 100), final=DONE_AGAIN)
AGENTS: list[Agent] = [Claude(), Codex()]
FAULTS: dict[int, Fault] = {
    3: failing(429, retry_after_s=1),
    7: failing(529),
    11: failing(500),
    15: Cut(after_events=6),
    20: Reset(),
}


def results_of(*scripts: Script) -> int:
    """How many tool results they come to, those of their sub-agents too."""
    return sum(len(one.acts) for each in scripts for played in each.each() for one in played.steps)


def held(provider: Provider, *scripts: Script) -> None:
    """What every session promises."""
    record = provider.record
    assert record.refused == []
    assert len(record.results) >= results_of(*scripts)
    assert record.distinct_results >= results_of(*scripts)


def named(agent: Agent) -> str:
    return agent.program.name


@pytest.mark.parametrize(
    ("through", "agent"),
    [*product(("direct", "run"), AGENTS), ("run", Codex(model="gpt-6.1-sol"))],  # the last: in code
    ids=lambda given: given if isinstance(given, str) else f"{named(given)}-{given.model}",
)
def test_thirty_steps_and_a_resumed_session(playing: Playing, through: Through, agent: Agent) -> None:
    session, provider = playing(agent, LOOK, GO_ON)
    assert session.prompt("Look through the modules, please.") == DONE
    assert session.prompt("And after that?") == DONE_AGAIN
    held(provider, LOOK, GO_ON)
    assert len({one.conversation for one in provider.record.answered}) == 1
    calls = [one.usage for one in provider.record.answered]
    if through == "direct":
        assert max(one.sent for one in calls) > WINDOW_TOKENS
        for before, after in pairwise(calls):  # what was sent is read, but for less than a step of 128
            assert before.sent - after.read < 128
    else:
        assert max(one.sent for one in calls) < WINDOW_TOKENS
    if through == "run":
        assert session.summary, session.errors


@pytest.mark.parametrize("through", ["run"])
@pytest.mark.parametrize("agent", AGENTS, ids=named)
def test_errors_cut_streams_and_resets(playing: Playing, agent: Agent) -> None:
    session, provider = playing(agent, LOOK, faults=FAULTS)
    assert session.prompt("Look through the modules, please.") == DONE
    held(provider, LOOK)
    failed = [one.status or one.ended for one in provider.record.calls if one.status != 200 or one.ended == "cut"]
    assert failed == [429, 529, 500, 200, "reset"]


@pytest.mark.parametrize("through", ["run"])
@pytest.mark.parametrize("agent", AGENTS, ids=named)
def test_sub_agent(playing: Playing, agent: Agent) -> None:
    inner = script("Say what four modules do", *looking(4, 60), final="They count.")
    outer = script("Look with help", *looking(3), step(SubAgent(inner)), *looking(3, 10), final=DONE)
    session, provider = playing(agent, outer)
    assert session.prompt("Look with help, please.") == DONE
    held(provider, outer)
    conversations = [one.conversation for one in provider.record.answered]
    assert len(set(conversations)) == 2
    told = [text for id, text in provider.record.results.items() if id.startswith(conversations[0])]
    assert any("They count." in text for text in told)


@pytest.mark.parametrize("through", ["run"])
def test_claude_code_compacts_when_it_is_told_to(playing: Playing) -> None:
    session, provider = playing(Claude(), LOOK, GO_ON)
    session.prompt("Look through the modules, please.")
    session.prompt("/compact")
    assert session.prompt("And after that?") == DONE_AGAIN
    held(provider, LOOK, GO_ON)
    assert [one.kind for one in provider.record.answered].count("summary") == 1


def test_claude_code_compacts_when_its_list_is_too_long(playing: Playing, through: Through) -> None:
    session, provider = playing(Claude(), LOOK, window_tokens=40_000)
    assert session.prompt("Look through the modules, please.") == DONE
    too_long = [one for one in provider.record.refused if not one.startswith("prompt is too long: ")]
    assert too_long == []
    assert provider.record.distinct_results >= 36
    if through == "direct":
        assert [one.kind for one in provider.record.answered].count("summary") >= 1


@pytest.mark.parametrize("custom", [True, False], ids=["by-prompt", "by-item"])
def test_codex_compacts(playing: Playing, through: Through, custom: bool) -> None:
    session, provider = playing(Codex(custom, compacts_at_tokens=25_000), LOOK, GO_ON)
    assert session.prompt("Look through the modules, please.") == DONE
    assert session.prompt("And after that?") == DONE_AGAIN
    held(provider, LOOK, GO_ON)
    summaries = [one for one in provider.record.answered if one.kind == "summary"]
    assert len(summaries) >= (1 if through == "direct" else 0)
    upgrades = {one.status for one in provider.record.exchanges if one.method == "GET"}
    assert upgrades == ({426} if through == "direct" and not custom else set())


@pytest.mark.parametrize("through", ["run"])
def test_a_file_is_written(playing: Playing) -> None:
    look = script("Write it down", step(Read("README.md"), Write("notes.md", "Seen.\n")), final="Written.")
    session, provider = playing(Claude(), look, faults={1: failing(529)})
    assert session.prompt("Write it down, please.") == "Written."
    assert (session.tree / "notes.md").read_text() == "Seen.\n"
    held(provider, look)
