"""Instructions: what is asked of a session."""

from tests.notation import Said, a, call, err, r, u
from tests.unit.study.probes.built import answers, probes_of

RULE = "Never touch the schema."


def test_instructions_are_asked_of_as_they_were_read_last() -> None:
    cases: list[tuple[tuple[Said, ...], list[str]]] = [
        ((a(call("bash", command="cat CLAUDE.md")), r(RULE)), [RULE]),
        ((a(call("bash", command="grep -n tabs CLAUDE.md | head")), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md", offset=3)), r(RULE)), []),
        ((a(call("read", path="CLAUDE.md")), err("no such file")), []),
        ((a(call("read", path="README.md")), r(RULE)), []),
        ((a(call("Skill", skill="pdf")), r(RULE)), [RULE]),
        ((a(call("Skill", skill="pdf")), r("Launching skill: pdf")), []),
        ((a(call("read", path="CLAUDE.md")), r("old"), a(call("read", path="CLAUDE.md")), r(RULE)), [RULE]),
        (
            (a(call("read", path="CLAUDE.md")), r("Be brief."), a(call("read", path="p/CLAUDE.md")), r(RULE)),
            ["Be brief.", RULE],
        ),
        ((u(f"<system-reminder>\nContents of /p/CLAUDE.md (rules):\n{RULE}\n</system-reminder>"),), [RULE]),
        ((u(f"# AGENTS.md instructions for /p\n{RULE}"),), [RULE]),
        ((u("Read CLAUDE.md and tell me."),), []),
    ]
    for said, asked in cases:
        assert answers(probes_of(u("go"), *said), "instructions") == asked, said
