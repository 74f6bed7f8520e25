"""What a packet says beside a summary that is shown, or that it stands for."""

from ctxmgr.engine.ledger.fold import fold
from ctxmgr.engine.packet.packet import render
from ctxmgr.model.saved.facts import STATE, Fact, Ledger


def tokens(text: str) -> int:
    return (len(text) + 3) // 4


def ledger(*facts: Fact) -> Ledger:
    return fold(Ledger(), facts)


def test_a_short_statement_of_a_summary_is_not_taken_for_what_a_command_says() -> None:
    asked = Fact("goal", "", "Move it", "user", 1)
    built = Fact("command", "shell\nnpm run build", "npm run build", "tool", 2, status="ok", runs="npm run build")
    context = Fact("context", "w", "We worked on it.", "summary", 3)
    assert "- We worked on it." in render(
        fold(Ledger(), [asked, built, context]), budget=800, weigh=tokens, resume=True
    )


def test_a_task_that_a_shown_summary_has_as_open_is_told_as_done_since() -> None:
    asked = Fact("goal", "", "Mend it", "user", 1)
    summed = Fact("task", "task\n2", "Mend the lexer", "summary", 2, status="open", origin="s", listing="summary")
    done = Fact("task", "task\n2", "Mend the lexer", "assistant", 3, status="done")
    line = "- [x] done since the summary: Mend the lexer (task #2)"
    assert line in render(ledger(asked, summed, done), budget=800, weigh=tokens, shown=frozenset("s"))
    assert line not in render(ledger(asked, summed, done), budget=800, weigh=tokens)
    assert line not in render(ledger(asked, done), budget=800, weigh=tokens, shown=frozenset("s"))


def test_how_a_task_stands_is_its_tools_word_and_not_a_later_summarys() -> None:
    asked = Fact("goal", "", "Mend it", "user", 1)
    done = Fact("task", "task\n2", "", "assistant", 2, status="done", listing=STATE)
    summed = Fact("task", "task\n2", "Mend the lexer", "summary", 3, status="open", origin="s", listing="summary")
    text = render(ledger(asked, done, summed), budget=800, weigh=tokens, shown=frozenset("s"))
    assert "- [x] done since the summary: Mend the lexer (task #2)" in text
    assert "[ ]" not in text
