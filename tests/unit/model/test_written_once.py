"""What everybody needs is written once: how a text is weighed, and by which line a packet is known."""

from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "ctxmgr"
JUDGES = {"legal_anthropic.py", "legal_openai.py", "legal_responses.py"}  # share nothing with what they judge


def test_it_is_written_once() -> None:
    for written, place in [
        ("Callable[[str], int]", "model/estimate.py"),
        ("Callable[[BranchMessage], int]", "model/estimate.py"),
        ('"[ctxmgr packet]"', "model/messages.py"),
    ]:
        found = [
            path.relative_to(PACKAGE).as_posix()
            for path in sorted(PACKAGE.rglob("*.py"))
            if path.name not in JUDGES and written in path.read_text(encoding="utf-8")
        ]
        assert found == [place], written
