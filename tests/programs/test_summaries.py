"""Claude Code, Codex and opencode, as they are, compact and go on from a summary that ctxmgr wrote in place of the
provider: no request for one reaches it, and what was agreed stands in the lists that do.
"""

import pytest

from tests.programs.conftest import Playing
from tests.programs.running import Claude, Codex, OpenCode, Session
from tests.provider import Call, Provider, Run, Step, script, step

pytestmark = [pytest.mark.real, pytest.mark.parametrize("through", ["answered"])]

DONE, DONE_AGAIN = "All steps are done.", "And all that came after."
RULE, RULE_FILE = "Never touch README.md", "Generated files are never edited by hand."
ASKED = f"Look through the modules, please. {RULE}."
GO_ON = script("And after that", step(Run("wc -l src/mod_090.py")), final=DONE_AGAIN)
TASK = "Mend the parser of module nine"


def looking(count: int) -> list[Step]:
    """Each says where it is, so that a summary of what was said last goes on there."""
    return [step(Run(f"cat src/mod_{n:03}.py"), say=f"I look on. [play 0 step {n}]") for n in range(count)]


def ruled(session: Session) -> Session:
    for name in ("CLAUDE.md", "AGENTS.md"):
        (session.tree / name).write_text(f"{RULE_FILE}\n")
    return session


def sent_last(provider: Provider) -> str:
    return provider.record.answered[-1].body.decode()


def held(provider: Provider, session: Session, *kept: str) -> None:
    """What each promises: nothing refused, no summary by the provider, and these words in what was sent last."""
    record = provider.record
    assert record.refused == []
    assert [one.kind for one in record.answered if one.kind == "summary"] == []
    assert [words for words in kept if words not in sent_last(provider)] == []


def written(session: Session) -> bool:
    return any("written by ctxmgr at no cost" in line for line in session.summary)


def test_claude_code_goes_on_twice(playing: Playing) -> None:
    plan = step(Call("TaskCreate", {"subject": TASK, "description": "It fails on tabs.", "activeForm": "Mending"}))
    session, provider = playing(
        Claude(has_tasks=True), script("Look through", plan, *looking(8), final=DONE), GO_ON
    )
    assert ruled(session).prompt(ASKED) == DONE
    for _ in range(2):
        session.prompt("/compact")
        assert any("1 summary written by ctxmgr" in line for line in session.told), session.errors
        assert session.prompt("And after that? Then stop.") == DONE_AGAIN
        held(provider, session, f"{RULE}.", RULE_FILE, TASK)


def test_claude_code_with_wishes_asks_the_provider(playing: Playing) -> None:
    session, provider = playing(Claude(), script("Look through", *looking(3), final=DONE), GO_ON)
    assert session.prompt(ASKED) == DONE
    session.prompt("/compact Keep the names of files")
    assert session.prompt("And after that?") == DONE_AGAIN
    assert [one.kind for one in provider.record.answered].count("summary") == 1


def test_codex_goes_on_in_the_midst_of_its_turn(playing: Playing) -> None:
    agent = Codex(compacts_at_tokens=15_000)
    session, provider = playing(agent, script("Look through", *looking(12), final=DONE), GO_ON)
    assert ruled(session).prompt(ASKED) == DONE
    assert written(session), session.errors
    assert session.prompt("And after that?") == DONE_AGAIN
    held(provider, session, f"{RULE}.", RULE_FILE)


def test_opencode_goes_on_with_its_tasks(playing: Playing) -> None:
    plan = step(Call("todowrite", {"todos": [{"content": TASK, "status": "pending", "priority": "high"}]}))
    steps = script("Look through", plan, *looking(20), final=DONE)
    session, provider = playing(OpenCode(window_tokens=30_000), steps, GO_ON)
    assert ruled(session).prompt(ASKED).endswith(DONE)
    assert written(session), session.errors
    held(provider, session, f"{RULE}.", RULE_FILE, TASK)
