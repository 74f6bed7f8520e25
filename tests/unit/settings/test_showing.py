"""What `ctxmgr config` prints."""

import json
import re
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.settings import keys, read
from ctxmgr.settings.showing import as_json, lines


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project's file, and no other settings."""
    (tmp_path / ".ctxmgr.toml").write_text("preset = 'turns'\n[programs.claude]\nwindow = 60000\n")
    (tmp_path / "user.toml").write_text("[upstream]\nanthropic = 'https://gateway.example/anthropic'\n")
    monkeypatch.setenv("CTXMGR_CONFIG", str(tmp_path / "user.toml"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_shows_each_value_and_where_it_comes_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--program", "claude", "--model", "claude-opus-5-5"]) == 0
    printed = capsys.readouterr().out
    rows = [line.split(None, 2) for line in printed.splitlines()]
    assert ["window", "60,000", ".ctxmgr.toml [programs.claude]"] in rows
    assert ["preset", "turns", ".ctxmgr.toml"] in rows
    assert ["reserve", "16,384", "default"] in rows
    assert ["keep", "balanced", "default"] in rows
    at = rows.index(["upstream.anthropic", "https://gateway.example/anthropic"])
    assert rows[at + 1] == ["user.toml"]
    assert f"files read: {folder}/user.toml, {folder}/.ctxmgr.toml" in printed


def test_its_table_fits_80_columns(folder: Path) -> None:
    tools = ["one_of_many_tools", "another_of_them", "and_a_third_one_that_is_longer", "a_fourth"]
    (folder / "user.toml").write_text(f"[programs.claude.subagents]\nprotectedTools = {tools}\n")
    holding = read(directory=folder).settings_for("claude", "claude-opus-5-5", True)
    shown = list(lines(holding, every=True))
    assert max(map(len, shown)) <= 80
    assert shown[0] == "window                   60,000             .ctxmgr.toml [programs.claude]"
    at = next(at for at, line in enumerate(shown) if line.startswith("protectedTools"))
    assert shown[at : at + 3] == [
        "protectedTools           one_of_many_tools, another_of_them,",
        "                         and_a_third_one_that_is_longer, a_fourth",
        "                           user.toml [programs.claude.subagents]",
    ]


def test_json_has_every_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["files"] == [f"{folder}/user.toml", f"{folder}/.ctxmgr.toml"]
    said = printed["settings"]
    assert said["preset"] == {"value": "turns", "kind": "project", "from": f"{folder}/.ctxmgr.toml:preset"}
    assert said["window"] == {"value": 200_000, "kind": "default", "from": "default"}
    assert {key.partition(".")[0] for key in said} == {*keys.POLICY, *keys.OWN}


def test_what_longer_requests_cost_is_shown(folder: Path) -> None:
    def rows(model: str) -> list[str]:
        holding = read(directory=folder).settings_for(model=model)
        shown = "\n".join(lines(holding))
        return [" ".join(one.split()) for one in re.findall(r"^prices.*(?:\n .*)*", shown, re.MULTILINE)]

    (folder / "user.toml").write_text("prices = { input = 8, tiers = [{ aboveTokens = 100000, input = 16 }] }")
    assert rows("gpt-5.5")[1:] == ["prices.tiers above 100,000: input 16 user.toml"]
    (folder / "user.toml").write_text("prices = { input = 5, output = 30 }")
    known = "known of gpt-5.5"
    longer = "prices.tiers above 272,000: input 10, output 45, cacheRead 1, cacheWrite"
    assert rows("gpt-5.5")[2] == f"{longer} 10 {known}"
    assert len(rows("acme")) == 2
    (folder / "user.toml").write_text("")
    assert rows("gpt-5.5") == [
        f"prices input 5, output 30, cacheRead 0.5, cacheWrite 5 {known}",
        f"{longer} 10 {known}",
    ]


def test_what_is_set_is_shown_though_it_is_not_one_of_the_main_keys(folder: Path) -> None:
    holding = read({"pruneMinimum": 5}, directory=folder).settings_for()
    shown = [line.split() for line in lines(holding)]
    assert ["pruneMinimum", "5", "--prune-minimum"] in shown
    assert "archive.maxAgeDays" not in [line[0] for line in shown]
    assert ["archive.maxAgeDays", "30", "default"] in [line.split() for line in lines(holding, every=True)]


def test_the_short_form_is_not_shown_beside_the_long_one(folder: Path) -> None:
    (folder / "user.toml").write_text("[compaction]\nretries = 2\n[tokenizer]\nname = 'estimate'\n")
    shown = as_json(read(directory=folder).settings_for())
    assert shown["compaction.retries"]["value"] == 2
    assert "compaction" not in shown
    assert "tokenizer" not in shown


def test_a_fault_is_one_line_and_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".ctxmgr.toml").write_text("\nprest = 'off'\n")
    assert main(["config"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"ctxmgr config: {folder}/.ctxmgr.toml line 2: there is no key `prest`; did you mean `preset`?\n"
