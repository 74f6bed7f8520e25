"""`ctxmgr doctor --compare` with Claude Code as it is: its first call to Anthropic's own address and to another."""

from pathlib import Path

import pytest

from ctxmgr.doctor.checks import Surroundings
from ctxmgr.doctor.first_calls import comparing
from tests.programs.installing import CLAUDE, installed

pytestmark = pytest.mark.real


def test_behind_a_base_url_claude_code_sends_the_same_tools_and_fewer_betas(tmp_path: Path) -> None:
    environ = {"PATH": f"{installed(CLAUDE).parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
    own, behind, started = comparing(Surroundings(environ, str(tmp_path), compare=True))
    assert own.text.startswith("first call to its provider: 12 tools, 1 of them deferred, the rest ")
    for said in (behind, started):
        assert said.severity == "ok"
        assert ": the same tools, without the betas " in said.text
        assert "prompt-caching-scope-2026-01-05" in said.text
